package fakeserver

import (
	"encoding/binary"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestSmallAnswers(t *testing.T) {
	const details = `{"parent_model":"","format":"gguf","family":"llama","families":["llama"],"parameter_size":"3.2B","quantization_level":"Q4_K_M"}`
	const jsonUTF8, plain = "application/json; charset=utf-8", "text/plain"
	tests := []struct {
		name, method, path, body string
		status                   int
		contentType, want        string
	}{
		{"root", "GET", "/", "", 200, plain + "; charset=utf-8", "Ollama is running"},
		{"version", "GET", "/api/version", "", 200, jsonUTF8, `{"version":"0.17.4"}`},
		{"nothing loaded", "GET", "/api/ps", "", 200, jsonUTF8, `{"models":[]}`},
		{"tags", "GET", "/api/tags", "", 200, jsonUTF8,
			`{"models":[{"name":"chat:latest","model":"chat:latest","modified_at":"2000-01-01T00:00:00Z","size":2019393189,` +
				`"digest":"` + digest("chat:latest") + `","details":` + details + `}]}`},
		{"show", "POST", "/api/show", `{"model":"CHAT"}`, 200, jsonUTF8,
			`{"modelfile":"FROM chat:latest\nTEMPLATE {{ .Prompt }}\n","template":"{{ .Prompt }}","details":` + details +
				`,"model_info":{"general.architecture":"llama","llama.context_length":4096},"capabilities":["completion"],"modified_at":"2000-01-01T00:00:00Z"}`},
		{"show an unknown one", "POST", "/api/show", `{"model":"x"}`, 404, jsonUTF8, `{"error":"model 'x' not found"}`},
		{"models of v1", "GET", "/v1/models", "", 200, "application/json",
			`{"object":"list","data":[{"id":"chat:latest","object":"model","created":946684800,"owned_by":"library"}]}` + "\n"},
		{"no such path", "GET", "/api/x", "", 404, plain, "404 page not found"},
		{"wrong method", "GET", "/api/chat", "", 405, plain, "405 method not allowed"},
		{"no body", "POST", "/api/chat", "", 400, jsonUTF8, `{"error":"missing request body"}`},
		{"no model", "POST", "/api/chat", "{}", 400, jsonUTF8, `{"error":"model is required"}`},
		{"no model to generate", "POST", "/api/generate", "{}", 404, jsonUTF8, `{"error":"model '' not found"}`},
		{"wrong type", "POST", "/api/embed", `{"model":"chat","input":5}`, 400, jsonUTF8, `{"error":"invalid input type"}`},
		{"no messages on v1", "POST", "/v1/chat/completions", `{"model":"chat"}`, 400, jsonUTF8,
			`{"error":{"message":"[] is too short - 'messages'","type":"invalid_request_error","param":null,"code":null}}`},
		{"a field of a wrong type", "POST", "/api/chat", `{"model":"chat","messages":5}`, 400, jsonUTF8,
			`{"error":"json: cannot unmarshal number into Go struct field ChatRequest.messages of type []api.Message"}`},
		{"broken JSON on v1", "POST", "/v1/chat/completions", `{"model":`, 400, jsonUTF8,
			`{"error":{"message":"unexpected EOF","type":"invalid_request_error","param":null,"code":null}}`},
		{"no body on v1", "POST", "/v1/embeddings", "", 400, jsonUTF8,
			`{"error":{"message":"EOF","type":"invalid_request_error","param":null,"code":null}}`},
		{"no input on v1", "POST", "/v1/embeddings", `{"model":"chat","input":[]}`, 400, jsonUTF8,
			`{"error":{"message":"invalid input","type":"invalid_request_error","param":null,"code":null}}`},
		{"an unknown model on the old path", "POST", "/api/embeddings", `{"model":"x","prompt":"a"}`, 404, jsonUTF8,
			`{"error":"model \"x\" not found, try pulling it first"}`},
		{"nothing to embed on the old path", "POST", "/api/embeddings", `{"model":"chat"}`, 200, jsonUTF8, `{"embedding":[]}`},
		{"thinking asked of a model that cannot", "POST", "/api/chat", `{"model":"chat","messages":[{"content":"a"}],"think":true}`, 400, jsonUTF8,
			`{"error":"\"chat\" does not support thinking"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := serve(t, NewOllama(OllamaConfig{Models: []Model{{Name: "chat"}}})).do(tt.method, tt.path, tt.body)
				r.want(t, tt.status, tt.want)
				if got := r.header.Get("Content-Type"); got != tt.contentType {
					t.Errorf("content type %q, want %q", got, tt.contentType)
				}
			})
		})
	}
}

func TestEmbeddingModelDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(nil))
		c.post("/api/chat", strings.Replace(chatJSON, "chat", "embed", 1)).want(t, 400, `{"error":"\"embed\" does not support chat"}`)
		c.post("/api/generate", `{"model":"embed","prompt":"a"}`).want(t, 400, `{"error":"\"embed\" does not support generate"}`)
	})
}

// The context of one answer goes into the next: its tokens are counted, and come back first.
func TestContextGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(nil))
		first := c.post("/api/generate", `{"model":"chat","prompt":"what is it"}`).last(t)
		second := c.post("/api/generate", `{"model":"chat","prompt":"and then","context":`+string(encode(first.Context))+`}`).last(t)
		if len(first.Context) != 3+4 || second.Prompt != 7+3 || len(second.Context) != 7+2+4 {
			t.Errorf("%d ids, then %d prompt tokens and %d ids", len(first.Context), second.Prompt, len(second.Context))
		}
		if diff := cmp.Diff(first.Context, second.Context[:7]); diff != "" {
			t.Error(diff)
		}
	})
}

// v1 embeddings in base64 are the little-endian floats.
func TestEmbeddingsInBase64(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(func(o *OllamaConfig) { o.Models[1].Dim = 8 }))
		r := c.post("/v1/embeddings", `{"model":"embed","input":"a text","encoding_format":"base64"}`)
		var body struct{ Data []struct{ Embedding []byte } }
		if err := json.Unmarshal([]byte(r.body), &body); err != nil || len(body.Data) != 1 {
			t.Fatalf("%s: %v", r.body, err)
		}
		got := make([]float32, 8)
		if _, err := binary.Decode(body.Data[0].Embedding, binary.LittleEndian, got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Embedding("a text", 8), got); diff != "" {
			t.Error(diff)
		}
	})
}

// A completion is a generate answer in another shape; stop may be one string.
func TestCompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, twoModels(nil))
		r := c.post("/v1/completions", `{"model":"chat","prompt":"what is it","stop":" three"}`)
		id := regexp.MustCompile(`cmpl-\d+`)
		if got, want := id.ReplaceAllString(r.body, "ID"), `{"id":"ID","object":"text_completion","created":946684800,"model":"chat","system_fingerprint":"fp_ollama",`+
			`"choices":[{"text":"one two","index":0,"finish_reason":"stop"}],"usage":{"prompt_tokens":4,"completion_tokens":3,"total_tokens":7}}`+"\n"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
