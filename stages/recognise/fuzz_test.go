package recognise

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/stages"
)

// FuzzObserver shows an observer any exchange: any head, any bytes cut anywhere, any end. It wants no reader to panic, less
// than 1 MiB allocated beside what the exchange itself has, and facts that can be true.
func FuzzObserver(f *testing.F) {
	for _, s := range seeds(f) {
		for how := range 3 {
			f.Add(s.Method, s.Path, s.Body, uint16(s.Response.Status), heads(s.Response.Headers), s.answer(), uint16(7), uint8(how))
		}
	}
	f.Add("GET", "/api/ps", "", uint16(200), "", `{"models":[{"name":"m","details":{"format":"gguf"}}]}`, uint16(3), uint8(0))
	f.Fuzz(func(t *testing.T, method, path, request string, status uint16, head, answer string, cut uint16, how uint8) {
		req := call("/")
		req.Method, req.URL.Path = method, path
		var o *Observer
		sent, read, h := []byte(request), []byte(answer), header(head)
		if got := allocated(func() { o = observe(req, sent, int(status%600), h, read, int(cut), stages.Ended(how%3)) }); got > 1<<20 {
			t.Errorf("%d bytes allocated for %d", got, len(request)+len(head)+len(answer))
		}
		if o.panicked {
			t.Fatal("a reader panicked")
		}
		check(t, o.Facts())
	})
}

// observe shows the exchange in pieces of the length cut, one a millisecond.
func observe(req stages.Request, request []byte, status int, h http.Header, answer []byte, cut int, how stages.Ended) *Observer {
	o := New(req)
	o.Guess()
	o.Server(&stages.Server{Version: "0.30.0", Formats: map[string]string{"m:latest": "safetensors"}})
	o.GotConn(0)
	o.WroteHeaders(ms)
	at := 2 * ms
	pieces := func(s []byte, show func([]byte)) {
		for len(s) > 0 {
			n := min(max(cut, 1), len(s))
			show(s[:n])
			s = s[n:]
			at += ms
		}
	}
	pieces(request, o.RequestBody)
	o.WroteRequest(at)
	if status > 0 {
		o.Response(at, status, h)
		pieces(answer, func(p []byte) { o.ResponseBody(at, p) })
		o.Trailer(h)
	}
	var err error
	if how == stages.EndedError {
		err = errors.New("connection reset")
	}
	o.End(at, how, err)
	return o
}

// check wants of facts what is so for every exchange.
func check(t *testing.T, f *stages.Facts) {
	m := f.Metrics()
	for name, d := range map[string]stages.Timing{
		"TTFT": m.TTFT, "TTFA": m.TTFA, "TTFTServer": m.TTFTServer, "TTFTEstimate": m.TTFTEstimate, "E2E": m.E2E, "TPOT": m.TPOT,
		"TPOTServer": m.TPOTServer, "ITLP95": m.ITLP95, "Queue": m.Queue, "DecodeResidual": m.DecodeResidual,
		"ServerStart": m.ServerStart, "ServerEnd": m.ServerEnd, "Total": f.Total, "Load": f.Load,
	} {
		if d.D < 0 || d.D > 0 && !d.Known() || d.D > 48*time.Hour {
			t.Errorf("%s is %+v", name, d)
		}
	}
	before := time.Duration(0)
	for _, p := range f.Phases() {
		if p.Start < before || p.End <= p.Start || p.End > f.Marks.End.D || p.Name == "" || p.Stage == "" || p.Source == "" {
			t.Errorf("phase %+v after %v, end %v", p, before, f.Marks.End.D)
		}
		before = p.End
	}
	for name, n := range map[string]int64{
		"input": f.InputTokens.N, "output": f.OutputTokens.N, "cached": f.CachedTokens.N, "hits": f.Hits.N,
		"events": int64(f.TokenEvents), "tools": int64(f.ToolCalls), "dimensions": int64(f.Dimensions),
	} {
		if n < 0 {
			t.Errorf("%d %s", n, name)
		}
	}
	if f.Status == "" || f.API == stages.APIUnknown && (f.Stage != "" || f.Operation != "") {
		t.Errorf("status %q, api %q, stage %q, operation %q", f.Status, f.API, f.Stage, f.Operation)
	}
}

// A seed is an exchange of package recording's.
type seed struct {
	Method   string
	Path     string `json:"request_path"`
	Body     string `json:"request_body"`
	Response struct {
		Status  int
		Headers map[string]string
		Writes  []struct {
			Data   string
			Packed []byte `json:"data_b64"`
		}
	}
}

func (s *seed) answer() string {
	var b strings.Builder
	for _, w := range s.Response.Writes {
		b.WriteString(w.Data)
		b.Write(w.Packed)
	}
	return b.String()
}

func seeds(f *testing.F) (all []seed) {
	for _, dir := range []string{"apis", "timing"} {
		files, err := filepath.Glob("../recording/testdata/" + dir + "/*.json")
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s (%v)", dir, err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			s := seed{Method: "POST"}
			if err := json.Unmarshal(raw, &s); err != nil {
				f.Fatalf("%s: %v", file, err)
			}
			all = append(all, s)
		}
	}
	return all
}

func heads(h map[string]string) string {
	var b strings.Builder
	for k, v := range h {
		b.WriteString(k + ":" + v + "\n")
	}
	return b.String()
}

func header(lines string) http.Header {
	h := make(http.Header)
	for line := range strings.Lines(lines) {
		k, v, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		h.Add(k, v)
	}
	return h
}
