package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ragtrace/ragtrace/stages"
)

// An apiCase is a recording with what its facts are. The bodies are written by hand from the sources that "source" names.
type apiCase struct {
	Source string         `json:"source"`
	Expect map[string]any `json:"expect"`
	rec    *Recording
}

func apiCases(t testing.TB) map[string]apiCase {
	t.Helper()
	cases := make(map[string]apiCase)
	for _, file := range glob(t, "testdata/apis/*.json") {
		raw := read(t, file)
		var c apiCase
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		rec, err := Read(bytes.NewReader(raw))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if c.Source == "" || len(c.Expect) == 0 {
			t.Fatalf("%s: no source or nothing expected", file)
		}
		c.rec = rec
		cases[caseName(file)] = c
	}
	return cases
}

// TestAPIs wants of each API's exchanges the facts that stand beside them; null means absent.
func TestAPIs(t *testing.T) {
	for name, c := range apiCases(t) {
		t.Run(name, func(t *testing.T) {
			got := factsAsMap(t, c.rec.Replay())
			for key, want := range c.Expect {
				if diff := cmp.Diff(want, got[key], cmpopts.EquateApprox(0, 1e-9)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", key, diff)
				}
			}
		})
	}
}

// TestAPIsCutAnywhere wants the same facts wherever the reads cut the answer, and plain or packed.
func TestAPIsCutAnywhere(t *testing.T) {
	for name, c := range apiCases(t) {
		t.Run(name, func(t *testing.T) {
			want := factsAsMap(t, c.rec.Replay())
			check := func(what string, rec *Recording) {
				if diff := cmp.Diff(want, factsAsMap(t, rec.Replay())); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			for i := range c.rec.Response.Writes {
				body := c.rec.Response.Writes[i].bytes()
				for cut := 1; cut < len(body); cut++ {
					check("cut", withWrites(c.rec, i, body[:cut], body[cut:]))
				}
			}
			check("gzip", packed(t, c.rec))
		})
	}
}

// TestAPIsCutShort wants no answer that breaks off to be ok, and none to have facts that only a whole one can have.
func TestAPIsCutShort(t *testing.T) {
	for name, c := range apiCases(t) {
		if c.Expect["status"] != "ok" || len(c.rec.Response.Writes) != 1 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			body := bytes.TrimSpace(c.rec.Response.Writes[0].bytes())
			for cut := range len(body) {
				rec := withWrites(c.rec, 0, body[:cut])
				rec.Response.Reset = true
				if f := rec.Replay(); f.Status == stages.StatusOK || f.Hits.Known() {
					t.Fatalf("after %d of %d bytes: status %s, hits %v", cut, len(body), f.Status, f.Hits)
				}
			}
		})
	}
}

// withWrites is rec with the i-th write replaced by several at the same moment.
func withWrites(rec *Recording, i int, parts ...[]byte) *Recording {
	r := *rec
	old := r.Response.Writes
	r.Response.Writes = append([]Write{}, old[:i]...)
	for _, p := range parts {
		r.Response.Writes = append(r.Response.Writes, Write{At: old[i].At, Base64: append([]byte{}, p...)})
	}
	r.Response.Writes = append(r.Response.Writes, old[i+1:]...)
	return &r
}

// packed is rec with its body compressed, flushed after each write.
func packed(t *testing.T, rec *Recording) *Recording {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	r := *rec
	r.Response.Writes = nil
	for i, w := range rec.Response.Writes {
		if _, err := z.Write(w.bytes()); err != nil {
			t.Fatal(err)
		}
		end := z.Flush
		if i == len(rec.Response.Writes)-1 {
			end = z.Close
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		r.Response.Writes = append(r.Response.Writes, Write{At: w.At, Base64: bytes.Clone(buf.Bytes())})
		buf.Reset()
	}
	r.Response.Headers = map[string]string{"content-encoding": "gzip"}
	for k, v := range rec.Response.Headers {
		r.Response.Headers[k] = v
	}
	return &r
}

// factsAsMap is everything of f that a case may name. What is absent is not in it.
func factsAsMap(t testing.TB, f *stages.Facts) map[string]any {
	t.Helper()
	m := map[string]any{"dimensions": f.Dimensions, "token_events": f.TokenEvents, "tool_calls": f.ToolCalls}
	for key, text := range map[string]string{
		"api": string(f.API), "op": string(f.Operation), "stage": string(f.Stage), "system": f.System,
		"status": string(f.Status), "error": f.Error, "model": f.Model, "done_reason": f.DoneReason,
		"request_model": f.Request.Model, "collection": f.Request.Collection, "operation": f.Request.Operation,
	} {
		if text != "" {
			m[key] = text
		}
	}
	for key, n := range map[string]stages.Count{
		"hits": f.Hits, "input_tokens": f.InputTokens, "output_tokens": f.OutputTokens, "reasoning_tokens": f.ReasoningTokens,
		"cached_tokens": f.CachedTokens, "top_k": f.Request.TopK, "documents": f.Request.Documents, "inputs": f.Request.Inputs,
	} {
		if n.Known() {
			m[key] = n.N
		}
	}
	for key, x := range map[string]*float64{
		"score_max": f.ScoreMax, "score_min": f.ScoreMin, "distance_max": f.DistanceMax, "distance_min": f.DistanceMin,
	} {
		if x != nil {
			m[key] = *x
		}
	}
	for key, d := range map[string]stages.Timing{
		"total_ms": f.Total, "load_ms": f.Load, "ttft_ms": f.Marks.FirstToken, "ttfa_ms": f.Marks.FirstAnswer,
		"done_ms": f.Marks.Done, "queue_ms": f.Queue, "prefill_ms": f.Prefill, "decode_ms": f.Decode,
	} {
		if d.Known() {
			m[key] = MillisOf(d.D)
		}
	}
	if f.Async {
		m["async"] = true
	}
	if f.Streamed {
		m["streamed"] = true
	}
	if len(f.Flags) > 0 {
		m["flags"] = f.Flags
	}
	named := func(key string, list []stages.NamedTiming) {
		if len(list) > 0 {
			of := make(map[string]Millis)
			for _, x := range list {
				of[x.Name] = MillisOf(x.D)
			}
			m[key] = of
		}
	}
	named("other", f.Other)
	named("gateway", f.Gateway.Timings)
	if len(f.Figures) > 0 {
		of := make(map[string]float64)
		for _, x := range f.Figures {
			of[x.Name] = x.Value
		}
		m["figures"] = of
	}
	phases := []Span{}
	for _, p := range slices.Concat(f.GatewayPhases(), f.Phases()) {
		phases = append(phases, Span{p.Name, MillisOf(p.Start), MillisOf(p.End)})
	}
	m["spans"] = phases
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
