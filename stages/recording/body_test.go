package recording

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/recognise"
)

// TestBodyAlone wants every answer of a model server that says anything to be recognised without its request, with the
// same API, stage, counts and server's durations.
func TestBodyAlone(t *testing.T) {
	all := exchanges(t)
	for name, c := range apiCases(t) {
		all[name] = c.rec
	}
	// Answers that another API's are like, or that show nothing of what they are.
	for _, name := range []string{"lmstudio-v0-embeddings", "rerank-vllm-score", "rerank-empty"} {
		if all[name] == nil {
			t.Fatalf("no case %s", name)
		}
		delete(all, name)
	}
	seen := make(map[stages.API]int)
	for name, rec := range all {
		f := rec.Replay()
		if f.Stage == "" || f.Stage == stages.Search || f.HTTPStatus != http.StatusOK || f.Status == stages.StatusError ||
			f.Flagged(stages.FlagUndecoded) || len(rec.Response.Writes) == 0 || rec.Response.Headers["content-encoding"] != "" {
			continue
		}
		var body []byte
		for i := range rec.Response.Writes {
			body = append(body, rec.Response.Writes[i].bytes()...)
		}
		t.Run(name, func(t *testing.T) {
			g, ok := recognise.Body(body)
			if !ok {
				t.Fatalf("not recognised: %.200s", body)
			}
			o := recognise.New(g.Request)
			o.RequestBody([]byte(g.Body))
			h := rec.Response.header()
			if h.Get("Content-Type") == "" {
				h.Set("Content-Type", g.ContentType)
			}
			o.Response(0, rec.status(), h)
			o.ResponseBody(0, body)
			o.End(0, stages.EndedEOF, nil)
			got := o.Facts()
			seen[got.API]++
			if got.API != f.API || got.Stage != f.Stage || got.InputTokens != f.InputTokens || got.OutputTokens != f.OutputTokens ||
				got.Total != f.Total || got.Load != f.Load || got.Prefill != f.Prefill || got.Decode != f.Decode ||
				got.TokenEvents != f.TokenEvents || got.DoneReason != f.DoneReason {
				t.Errorf("got %s %s, tokens %v %v, %d events, %s, times %v %v %v %v\nwant %s %s, tokens %v %v, %d events, %s, times %v %v %v %v",
					got.API, got.Stage, got.InputTokens, got.OutputTokens, got.TokenEvents, got.DoneReason, got.Total, got.Load, got.Prefill, got.Decode,
					f.API, f.Stage, f.InputTokens, f.OutputTokens, f.TokenEvents, f.DoneReason, f.Total, f.Load, f.Prefill, f.Decode)
			}
		})
	}
	for _, api := range []stages.API{stages.APIOllama, stages.APIOpenAI, stages.APILlamaServer, stages.APIVLLM, stages.APILMStudio, stages.APITGI} {
		if seen[api] == 0 {
			t.Errorf("no answer of %s among them", api)
		}
	}
}

func (r *Recording) status() int { return *r.Response.Status }

// TestBodyOfNoModelServer wants other JSON to stay unknown, and the words of errors to be found.
func TestBodyOfNoModelServer(t *testing.T) {
	for body, words := range map[string]string{
		``:                                "",
		`{}`:                              "",
		`[]`:                              "",
		`{"hello":"world"}`:               "",
		`{"message":"Not Found"}`:         "Not Found",
		`{"error":"model 'x' not found"}`: "model 'x' not found",
		`{"error":{"message":"Loading model","code":503}}`:               "Loading model",
		`{"detail":"Unauthorized"}`:                                      "Unauthorized",
		`<html><head><title>502</title></head>`:                          "",
		`{"result":[],"status":"ok","time":0.0004}`:                      "",
		`{"model":"m","created_at":"2026-01-01T00:00:00Z","response":"a`: "",
	} {
		if g, ok := recognise.Body([]byte(body)); ok || g.Error != words {
			t.Errorf("%s: recognised %t, error %q, want none and %q", body, ok, g.Error, words)
		}
	}
}

func FuzzBody(f *testing.F) {
	f.Add([]byte(`{"choices":[{"delta":{"content":"a"}}]}`))
	f.Add([]byte("data: {\"token\":{\"text\":\"a\"}}\n\ndata: [DONE]\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if g, ok := recognise.Body(body); ok {
			o := recognise.New(g.Request)
			o.RequestBody([]byte(g.Body))
			o.Response(0, 200, http.Header{"Content-Type": {g.ContentType}})
			o.ResponseBody(0, bytes.Clone(body))
			o.End(0, stages.EndedEOF, nil)
			o.Facts().Metrics()
		}
	})
}
