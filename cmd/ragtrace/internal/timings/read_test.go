package timings

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/stages"
)

// A drip gives pieces at moments since its first read.
type drip struct {
	pieces []piece
	start  time.Time
}

type piece struct {
	at   time.Duration
	text string
}

func (d *drip) Read(p []byte) (int, error) {
	if d.start.IsZero() {
		d.start = time.Now()
	}
	if len(d.pieces) == 0 {
		return 0, io.EOF
	}
	next := d.pieces[0]
	d.pieces = d.pieces[1:]
	time.Sleep(next.at - time.Since(d.start))
	return copy(p, next.text), nil
}

// through reads what drips through a pipe, on a clock of the test's own.
func through(t *testing.T, pieces ...piece) (r *Result, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, err = Read(t.Context(), "pipe", &drip{pieces: pieces}, true)
	})
	return r, err
}

const (
	lineA = `{"model":"m","created_at":"2026-01-01T00:00:00.100Z","response":"a","done":false}` + "\n"
	lineB = `{"model":"m","created_at":"2026-01-01T00:00:00.120Z","response":"b","done":false}` + "\n"
	lineC = `{"model":"m","created_at":"2026-01-01T00:00:00.160Z","response":"c","done":false}` + "\n"
	// 160 ms in all: 10 of load, 86 of prefill, 60 of decode; 4 tokens with the end token.
	lineD = `{"model":"m","created_at":"2026-01-01T00:00:00.165Z","response":"","done":true,"done_reason":"stop","total_duration":160000000,` +
		`"load_duration":10000000,"prompt_eval_count":7,"prompt_eval_duration":86000000,"eval_count":4,"eval_duration":60000000}` + "\n"
)

const ms1 = time.Millisecond

// TestPipeIsStampedAsItArrives: the clock begins with the first read; a line's moment is that of the read which completed it.
func TestPipeIsStampedAsItArrives(t *testing.T) {
	r, err := through(t, piece{95 * ms1, lineA}, piece{117 * ms1, lineB[:40]}, piece{118 * ms1, lineB[40:]}, piece{158 * ms1, lineC}, piece{162 * ms1, lineD})
	if err != nil {
		t.Fatal(err)
	}
	if r.Clock != PipeClock || !r.OK() || r.Backend() != "ollama" || r.Model() != "m" {
		t.Fatalf("clock %s, %s of %s", r.Clock, r.outcome(), r.title())
	}
	g := r.figures()
	got := map[string]time.Duration{
		"TTFT": g.TTFT.D, "E2E": g.E2E.D, "TPOT": g.TPOT.D, "ITL p50": g.ITLP50.D, "ITL max": g.ITLMax.D, "server's TTFT": g.TTFTServer.D,
	}
	want := map[string]time.Duration{
		"TTFT": 95 * ms1, "E2E": 162 * ms1, "TPOT": (162 - 95) * ms1 / 3, "ITL p50": 31500 * time.Microsecond, "ITL max": 40 * ms1,
		"server's TTFT": 95 * ms1, // 160 - (165 - 100)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if notes := strings.Join(r.notes(), " "); !strings.Contains(notes, "The clock began with the first read of the pipe") {
		t.Errorf("nobody is told of the clock: %s", notes)
	}
}

// TestSavedStreamHasNoArrivals: the same stream all at once, as from a file, or faster than its server made it.
func TestSavedStreamHasNoArrivals(t *testing.T) {
	for name, pieces := range map[string][]piece{
		"at once":                 {{0, lineA + lineB + lineC + lineD}},
		"in no time":              {{0, lineA}, {2 * ms1, lineB + lineC}, {4 * ms1, lineD}},
		"faster than it was made": {{5 * ms1, lineA}, {20 * ms1, lineB + lineC}, {30 * ms1, lineD}},
	} {
		r, err := through(t, pieces...)
		if err != nil {
			t.Fatal(err)
		}
		g := r.figures()
		if r.Clock != ServerClock || g.TTFT.Known() || g.TPOT.Known() || g.ITLP50.Known() || g.gaps.N() > 0 || len(r.flags()) > 0 {
			t.Errorf("%s: clock %s, TTFT %v, TPOT %v, ITL %v, flags %v; want none on the server's clock", name, r.Clock, g.TTFT, g.TPOT, g.ITLP50, r.flags())
		}
		if g.E2E.D != 160*ms1 || g.TTFTServer.D != 95*ms1 || g.TPOTServer.D != 20*ms1 || g.ITLServerP50.D != 30*ms1 || g.Queue.D != 0 {
			t.Errorf("%s: E2E %v, TTFT %v, TPOT %v, ITL %v, queue %v by the server", name, g.E2E, g.TTFTServer, g.TPOTServer, g.ITLServerP50, g.Queue)
		}
		if phases := r.Facts.Phases(); len(phases) == 0 || phases[len(phases)-1].End != 160*ms1 {
			t.Errorf("%s: phases %v, want them to end after 160 ms", name, phases)
		}
	}
}

// TestPlainBody: its TTFT is pieced together, its E2E is the server's, live or not; and its ITL is unknowable.
func TestPlainBody(t *testing.T) {
	body := strings.Replace(lineD, `"response":""`, `"response":"abc"`, 1)
	for _, at := range []time.Duration{0, 170 * ms1} {
		r, err := through(t, piece{at, body})
		if err != nil {
			t.Fatal(err)
		}
		g := r.figures()
		if g.approx.D != 96*ms1 || g.E2E.D != 160*ms1 || g.TPOTServer.D != 20*ms1 || g.TTFT.Known() || g.TPOT.Known() || g.ITLP50.Known() {
			t.Errorf("at %v: TTFT %v ~%v, E2E %v, TPOT %v %v, ITL %v", at, g.TTFT, g.approx, g.E2E, g.TPOT, g.TPOTServer, g.ITLP50)
		}
	}
}

// TestOtherServersAlone: without the request, by the body alone, with what each can tell.
func TestOtherServersAlone(t *testing.T) {
	llama := `data: {"content":"a","stop":false}` + "\n\n" + `data: {"content":"","stop":true,"stop_type":"eos","timings":{"cache_n":100,"prompt_n":20,` +
		`"prompt_ms":40.0,"predicted_n":3,"predicted_ms":30.0}}` + "\n\n"
	vllm := `{"object":"chat.completion","model":"m","choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],"usage":` +
		`{"prompt_tokens":5,"completion_tokens":3},"metrics":{"time_to_first_token_ms":80,"generation_time_ms":20,"queue_time_ms":10}}`
	for _, c := range []struct {
		name, body string
		api        stages.API
		approx     time.Duration // 0: none
		of         string
		queue      bool
		rate       float64
	}{
		{"llama-server", llama, stages.APILlamaServer, 0, "", false, 500}, // 20 tokens in 40 ms
		{"vLLM", vllm, stages.APIVLLM, 90 * ms1, "queue prefill", true, 0},
		{"OpenAI", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, stages.APIOpenAI, 0, "", false, 0},
	} {
		r, err := Read(t.Context(), c.name, strings.NewReader(c.body), false)
		if err != nil {
			t.Fatal(err)
		}
		g := r.figures()
		if r.Facts.API != c.api || !r.OK() || g.approx.D != c.approx || strings.Join(g.of, " ") != c.of || g.Queue.Known() != c.queue ||
			g.PrefillRate.PerSecond != c.rate || g.E2E.Known() || g.TTFT.Known() {
			t.Errorf("%s: %s %s, TTFT %v ~%v of %v, queue %v, prefill %v, E2E %v", c.name, r.Facts.API, r.outcome(), g.TTFT, g.approx, g.of, g.Queue,
				g.PrefillRate, g.E2E)
		}
	}
}

// TestHeads: curl -i and curl -D - put heads in front; curl --compressed leaves one that no longer applies.
func TestHeads(t *testing.T) {
	body := strings.Replace(lineD, `"response":""`, `"response":"abc"`, 1)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, body)
	z.Close()
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, in := range map[string]string{
		"head":                 head + "\r\n" + body,
		"HTTP/2, line feeds":   "HTTP/2 200\ncontent-type: application/json\n\n" + body,
		"continue, redirect":   "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\n\r\n" + head + "\r\n" + body,
		"gzip":                 head + "Content-Encoding: gzip\r\n\r\n" + packed.String(),
		"unpacked by curl":     head + "Content-Encoding: br\r\n\r\n" + body,
		"gzip without a head":  packed.String(),
		"byte order mark":      "\xEF\xBB\xBF" + body,
		"head is wrong of SSE": "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + body,
	} {
		r, err := Read(t.Context(), name, strings.NewReader(in), false)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !r.OK() || r.Facts.Total.D != 160*ms1 || r.Facts.HTTPStatus != 200 {
			t.Errorf("%s: %s, total %v, HTTP %d", name, r.outcome(), r.Facts.Total, r.Facts.HTTPStatus)
		}
	}
	_, err := Read(t.Context(), "x", strings.NewReader(head+"Content-Encoding: br\r\n\r\n\x0b\x02\x80abc\x03"), false)
	if err == nil || !strings.Contains(err.Error(), "x has a body in br, which cannot be read (let curl unpack it: --compressed)") {
		t.Errorf("a body in br: %v", err)
	}
}

// TestCutStream: a stream that breaks off is incomplete, with the tokens that came, and ends when the pipe does.
func TestCutStream(t *testing.T) {
	r, err := through(t, piece{95 * ms1, lineA}, piece{120 * ms1, lineB}, piece{130 * ms1, lineC[:30]}, piece{time.Minute, ""})
	if err != nil {
		t.Fatal(err)
	}
	if r.Facts.Status != stages.StatusIncomplete || r.Facts.TokenEvents != 2 || r.figures().TTFT.D != 95*ms1 || r.figures().E2E.D != time.Minute {
		t.Errorf("%s, %d token events, TTFT %v, E2E %v", r.outcome(), r.Facts.TokenEvents, r.figures().TTFT, r.figures().E2E)
	}
}

// TestInterruptedPipe: what came until then counts, and nobody waits for the rest; it ended when it was interrupted.
func TestInterruptedPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		r, err := Read(ctx, "pipe", &drip{pieces: []piece{{95 * ms1, lineA}, {120 * ms1, lineB}, {time.Hour, lineC}}}, true)
		if err != nil {
			t.Fatal(err)
		}
		if r.Facts.Status != stages.StatusCancelled || r.Facts.TokenEvents != 2 || r.figures().E2E.D != time.Second {
			t.Errorf("%s, %d token events, E2E %v", r.outcome(), r.Facts.TokenEvents, r.figures().E2E)
		}
		time.Sleep(2 * time.Hour) // the read that was left behind comes back, and ends
	})
}

func TestReadFails(t *testing.T) {
	broken := io.MultiReader(strings.NewReader(lineA), errReader{})
	if _, err := Read(t.Context(), "x", broken, false); !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), "x: ") {
		t.Errorf("a read that fails: %v", err)
	}
}

var errBroken = errors.New("broken")

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errBroken }

func FuzzRead(f *testing.F) {
	f.Add([]byte(lineA + lineD))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b"))
	f.Add([]byte(`{"request_path":"/api/chat","response":{"status":200,"writes":[{"at_ms":1,"data":"x"}]}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, live := range []bool{false, true} {
			r, err := Read(t.Context(), "in", bytes.NewReader(in), live)
			if err == nil {
				r.JSON()
				Single(report.Screen{Writer: io.Discard}, r)
			}
		}
	})
}
