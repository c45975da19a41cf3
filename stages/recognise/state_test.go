package recognise

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages"
)

// TestState: what the program asks a server about itself is no stage, and is not lost.
func TestState(t *testing.T) {
	const ps = `{"models":[{"name":"a:latest","model":"a:latest","details":{"parent_model":"","format":"safetensors"}},
		{"name":"b:1b","details":{}},{"name":"c:1b","details":{"format":"gguf"}},{"details":{"format":"gguf"}}]}`
	formats := map[string]string{"a:latest": "safetensors", "c:1b": "gguf"}
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		answer                   string
		want                     *stages.Server
	}{
		{"version", "GET", "/api/version", "", 200, `{"version":"0.34.0"}`, &stages.Server{Version: "0.34.0"}},
		{"loaded models", "GET", "/api/ps", "", 200, ps, &stages.Server{Formats: formats}},
		{"models", "GET", "/api/tags", "", 200, ps, &stages.Server{Formats: formats}},
		{"one model", "POST", "/api/show", `{"model":"a"}`, 200, `{"details":{"format":"safetensors"},"modelfile":"x"}`,
			&stages.Server{Formats: map[string]string{"a:latest": "safetensors"}}},
		{"no models", "GET", "/api/ps", "", 200, `{"models":[]}`, nil},
		{"another's version", "GET", "/api/version", "", 200, `"3"`, nil},
		{"text", "GET", "/api/version", "", 200, "version 3", nil},
		{"refused", "GET", "/api/version", "", 404, `{"version":"0.34.0"}`, nil},
		{"half", "GET", "/api/version", "", 200, `{"version":"0.34.0"`, nil},
		{"another path", "GET", "/version", "", 200, `{"version":"0.34.0"}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := call(tt.path)
			req.Method = tt.method
			f := exchange(req, tt.body, tt.status, jsonType, stages.EndedEOF, nil, tt.answer)
			if diff := cmp.Diff(tt.want, f.Told); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			status := stages.StatusOK
			if tt.status != 200 {
				status = stages.StatusError
			}
			if f.API != stages.APIUnknown || f.Stage != "" || f.Status != status || len(f.Flags) > 0 || f.Streamed {
				t.Errorf("api %q, stage %q, status %s, flags %v; want a plain call that is %s", f.API, f.Stage, f.Status, f.Flags, status)
			}
		})
	}
}

// TestKnownServer: 10 tokens in 100 ms are 9 steps of 11.111 ms, or 10 of 10 ms where the first token is in it.
func TestKnownServer(t *testing.T) {
	const answer = `{"model":"m","message":{"content":"x"},"done":true,"done_reason":"stop","total_duration":8000000000,` +
		`"prompt_eval_count":600,"prompt_eval_duration":5000000,"eval_count":10,"eval_duration":100000000}`
	for _, tt := range []struct {
		name   string
		server *stages.Server
		tpot   int64 // ns
		flag   string
	}{
		{"unknown", nil, 11111111, ""},
		{"an old one", &stages.Server{Version: "0.6.5", Formats: map[string]string{"m:latest": "gguf"}}, 11111111, ""},
		{"weights in safetensors", &stages.Server{Version: "0.34.0", Formats: map[string]string{"m:latest": "safetensors"}}, 10000000, ""},
		{"another model's", &stages.Server{Formats: map[string]string{"m:2": "safetensors"}}, 11111111, ""},
		{"0.12.6", &stages.Server{Version: "0.12.6"}, 11111111, stages.FlagPrefillLastBatch},
		{"0.30.0", &stages.Server{Version: "0.30.0"}, 11111111, stages.FlagPromptUncached},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := New(call("/api/chat"))
			o.Server(tt.server)
			o.WroteHeaders(1 * ms)
			o.RequestBody([]byte(chatBody))
			o.Response(8001*ms, http.StatusOK, http.Header{"Content-Type": {jsonType}})
			o.ResponseBody(8001*ms, []byte(answer))
			o.End(8001*ms, stages.EndedEOF, nil)
			f := o.Facts()
			if got := int64(f.Metrics().TPOTServer.D); got != tt.tpot {
				t.Errorf("TPOT %d ns, want %d", got, tt.tpot)
			}
			for _, flag := range []string{stages.FlagPrefillLastBatch, stages.FlagPromptUncached} {
				if f.Flagged(flag) != (flag == tt.flag) {
					t.Errorf("flags %v, want %q", f.Flags, tt.flag)
				}
			}
		})
	}
}
