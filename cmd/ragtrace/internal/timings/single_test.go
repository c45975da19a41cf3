package timings

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/recording"
)

// TestBrokenStreamSaved: of what broke off, the server's stamps tell the gaps: 20 and 40 ms.
func TestBrokenStreamSaved(t *testing.T) {
	r, err := Read(t.Context(), "x", strings.NewReader(lineA+lineB+lineC), false)
	if err != nil {
		t.Fatal(err)
	}
	if text := shown(t, r); r.OK() || !strings.Contains(text, "ITL server p50  30.0 ms  by the server's stamps: p95 39.0 ms, max 40.0 ms, of 2 gaps") {
		t.Errorf("want the server's gaps:\n%s", text)
	}
}

// TestThinkingByTheServersClock: 160 ms in all, of which 65 after the first thought and 45 after the first word.
func TestThinkingByTheServersClock(t *testing.T) {
	in := strings.Replace(lineA, `"response":"a"`, `"response":"","thinking":"a"`, 1) + lineB + lineD
	r, err := Read(t.Context(), "x", strings.NewReader(in), false)
	if err != nil {
		t.Fatal(err)
	}
	text := shown(t, r)
	for _, row := range []string{"TTFT server     95.0 ms", "TTFA server      115 ms"} {
		if !strings.Contains(text, row) {
			t.Errorf("no %q:\n%s", row, text)
		}
	}
	if j := r.JSON(); *j.TTFTServer != 95 || *j.TTFAServer != 115 {
		t.Errorf("JSON: %v and %v", *j.TTFTServer, *j.TTFAServer)
	}
}

// TestDurationsInAnotherUnit: milliseconds in the fields of nanoseconds. Nothing is made of them, and it is said why.
func TestDurationsInAnotherUnit(t *testing.T) {
	in := `{"model":"m","response":"hi","done":true,"done_reason":"stop","total_duration":5043,"load_duration":502,` +
		`"prompt_eval_count":26,"prompt_eval_duration":325,"eval_count":290,"eval_duration":4209}`
	r, err := Read(t.Context(), "x", strings.NewReader(in), false)
	if err != nil {
		t.Fatal(err)
	}
	j := r.JSON()
	if j.E2E != nil || j.Total != nil || j.Load != nil || j.Prefill != nil || j.Decode != nil || j.TTFTApprox != nil || j.TPOTServer != nil {
		t.Errorf("figures of a nanosecond: %+v", j)
	}
	if *j.OutputTokens != 290 || !strings.Contains(strings.Join(j.Notes, " "), "in another unit than their names say") {
		t.Errorf("%d tokens, notes %q", *j.OutputTokens, j.Notes)
	}
	for _, row := range groups([]*Result{r, r})[0].rows() {
		t.Errorf("%s is summarised", row.name)
	}
}

// TestQueueIsWhatItSays: of 165 ms the server names 10, 86 and 64; its first token was 65 before the end, not 64.
func TestQueueIsWhatItSays(t *testing.T) {
	total165 := strings.Replace(lineD, "160000000", "165000000", 1)
	r, err := Read(t.Context(), "x", strings.NewReader(lineA+lineB+lineC+strings.Replace(total165, "60000000}", "64000000}", 1)), false)
	if err != nil {
		t.Fatal(err)
	}
	// The first token 65 ms before the end, at 100; the prompt's 86 ms before it, from 14 on; loaded at 10.
	text := shown(t, r)
	for _, row := range []string{
		"queue           4.00 ms  derived: total - load - prefill - decode and its rest, mostly waiting",
		"decode rest     1.00 ms",
	} {
		if !strings.Contains(text, row) {
			t.Errorf("no %q:\n%s", row, text)
		}
	}
}

// TestEmbeddingServer: its total and its means, which stand in the head.
func TestEmbeddingServer(t *testing.T) {
	in := "HTTP/1.1 200 OK\r\nx-compute-type: cpu\r\nx-total-time: 120\r\nx-tokenization-time: 1\r\nx-queue-time: 20\r\nx-inference-time: 30\r\n" +
		"x-compute-tokens: 99\r\n\r\n[[0.5,0.25],[1,2]]"
	r, err := Read(t.Context(), "x", strings.NewReader(in), false)
	if err != nil {
		t.Fatal(err)
	}
	text := shown(t, r)
	for _, row := range []string{"tokens in          99", "server         120 ms", "queue         20.0 ms  reported: mean over the texts", "inference     30.0 ms"} {
		if !strings.Contains(text, row) {
			t.Errorf("no %q:\n%s", row, text)
		}
	}
	if diff := cmp.Diff(map[string]float64{"tokenization_ms": 1, "queue_ms": 20, "inference_ms": 30}, numbers(r.JSON().PerTextMean)); diff != "" {
		t.Error(diff)
	}
}

// TestGatewayInTheHead: what a gateway says of its share is shown under its own name; None is nothing.
func TestGatewayInTheHead(t *testing.T) {
	in := "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-litellm-overhead-duration-ms: 12.25\r\nx-litellm-response-duration-ms: None\r\n" +
		"x-litellm-attempted-retries: 1\r\nserver-timing: db;dur=53.2\r\n\r\n" + `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`
	r, err := Read(t.Context(), "x", strings.NewReader(in), false)
	if err != nil {
		t.Fatal(err)
	}
	text := shown(t, r)
	for _, row := range []string{"litellm overhead  12.3 ms", "server timing db  53.2 ms", "attempts                2"} {
		if !strings.Contains(text, row) {
			t.Errorf("no %q:\n%s", row, text)
		}
	}
	if diff := cmp.Diff(map[string]float64{"litellm.overhead": 12.25, "server_timing.db": 53.2}, numbers(r.JSON().Gateway)); diff != "" {
		t.Error(diff)
	}
}

// TestTrailers: curl -i writes them behind the body, without a line of their own.
func TestTrailers(t *testing.T) {
	body := strings.TrimSuffix(strings.Replace(lineD, `"response":""`, `"response":"abc"`, 1), "\n")
	head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTrailer: Server-Timing, X-Request-Time\r\n\r\n"
	for name, in := range map[string]string{
		"at once": head + body + "server-timing: db;dur=5\r\nX-Request-Time: 0.162\r\n",
		"none":    head + body,
	} {
		r, err := Read(t.Context(), name, strings.NewReader(in), false)
		if err != nil {
			t.Fatal(err)
		}
		j := r.JSON()
		if j.TTFTApprox == nil || *j.TTFTApprox != 96 || strings.Join(j.Flags, " ") != "estimated_ttft" {
			t.Errorf("%s: TTFT ~%v, flags %v: the body is not what it was", name, j.TTFTApprox, j.Flags)
		}
		want := map[string]float64{"server_timing.db": 5, "nginx.request": 162}
		if name == "none" {
			want = map[string]float64{}
		}
		if diff := cmp.Diff(want, numbers(j.Gateway)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestPartsBeyondTheWhole: 90 ms of load and 30 of prefill in a total of 100: the first token was not after the last.
func TestPartsBeyondTheWhole(t *testing.T) {
	in := `{"model":"m","response":"x","done":true,"total_duration":100000000,"load_duration":90000000,"prompt_eval_duration":30000000,` +
		`"eval_count":11,"eval_duration":50000000}`
	r, err := Read(t.Context(), "x", strings.NewReader(in), false)
	if err != nil {
		t.Fatal(err)
	}
	if j := r.JSON(); *j.TTFTApprox != 100 || *j.E2E != 100 || !slices.Contains(j.Flags, stages.FlagSumExceedsTotal) {
		t.Errorf("TTFT ~%v, E2E %v, flags %v", *j.TTFTApprox, *j.E2E, j.Flags)
	}
}

// TestBurstsOfAPipe: curl without -N holds a stream back as a gateway does.
func TestBurstsOfAPipe(t *testing.T) {
	event := `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n\n"
	end := `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	r, err := through(t, piece{300 * ms1, event}, piece{700 * ms1, strings.Repeat(event, 10)}, piece{1100 * ms1, end})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(r.notes(), " "); !r.held() || !strings.Contains(notes, "curl does so too, unless it is told -N.") {
		t.Errorf("nobody is told of -N: %s", notes)
	}
}

// shown is r as it is shown on a wide screen.
func shown(t *testing.T, r *Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := Single(report.Screen{Writer: &b, Width: 200}, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func numbers(in map[string]recording.Millis) map[string]float64 {
	out := make(map[string]float64)
	for name, ms := range in {
		out[name] = float64(ms)
	}
	return out
}
