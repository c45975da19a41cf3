package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Target is where questions go, and what their bodies are made of.
type Target struct {
	URL   *url.URL
	Model string
	Note  string // what was chosen for the user, "" for nothing

	template string // "" for the body of a known path
	kind     kind
}

// A kind is a shape of request bodies.
type kind struct {
	end   string // of the path
	model bool   // the body names a model
	body  func(model, prompt string) any
}

type object = map[string]any

func messages(prompt string) []object { return []object{{"role": "user", "content": prompt}} }

// kinds are the paths of model servers, the more particular ones first.
var kinds = []kind{
	{"/api/chat", true, func(model, prompt string) any {
		return object{"model": model, "messages": messages(prompt), "stream": true}
	}},
	{"/api/generate", true, func(model, prompt string) any {
		return object{"model": model, "prompt": prompt, "stream": true}
	}},
	{"/chat/completions", true, func(model, prompt string) any {
		return object{"model": model, "messages": messages(prompt), "stream": true, "stream_options": object{"include_usage": true}}
	}},
	{"/completions", true, func(model, prompt string) any {
		return object{"model": model, "prompt": prompt, "stream": true, "stream_options": object{"include_usage": true}}
	}},
	{"/v1/responses", true, func(model, prompt string) any {
		return object{"model": model, "input": prompt, "stream": true}
	}},
	{"/completion", false, func(_, prompt string) any {
		return object{"prompt": prompt, "stream": true}
	}},
}

// question is the body for any other path.
var question = kind{body: func(_, prompt string) any { return object{"question": prompt} }}

// Resolve says what is asked at address, which may lack the path of an Ollama. A model server that needs a model and is not
// given one is asked which it has. A template is the body for any address, with {{prompt}} in the place of the prompt.
func Resolve(ctx context.Context, address, model, template string) (*Target, error) {
	return resolve(ctx, http.DefaultTransport, address, model, template)
}

func resolve(ctx context.Context, rt http.RoundTripper, address, model, template string) (*Target, error) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	t := &Target{URL: u, Model: model, template: template, kind: question}
	if template != "" {
		_, err := t.body("a prompt")
		return t, err
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/api/chat"
	}
	path := strings.TrimRight(u.Path, "/")
	for _, k := range kinds {
		if strings.HasSuffix(path, k.end) {
			t.kind = k
			break
		}
	}
	if t.kind.model && model == "" {
		return t, t.chooseModel(ctx, rt, path)
	}
	return t, nil
}

func parseURL(address string) (*url.URL, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, UsageError{fmt.Sprintf("%s is not a URL like http://127.0.0.1:8080/ask", address)}
	}
	return u, nil
}

// A UsageError is the refusal of what was asked for.
type UsageError struct{ msg string }

func (e UsageError) Error() string { return e.msg }

// chooseModel takes the first model that the server has and that is no embedding model.
func (t *Target) chooseModel(ctx context.Context, rt http.RoundTripper, path string) error {
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	list := "/models"
	at, ok := strings.CutSuffix(path, t.kind.end)
	if strings.HasPrefix(t.kind.end, "/api/") {
		list = "/api/tags"
	} else if strings.HasPrefix(t.kind.end, "/v1/") {
		list = "/v1/models"
	}
	base := *t.URL
	base.Path, base.RawQuery = at, ""
	var has struct {
		Models []struct{ Name string }
		Data   []struct{ ID string }
	}
	if err := call(ctx, rt, http.MethodGet, base.JoinPath(list), nil, &has); err != nil || !ok {
		return fmt.Errorf("asking for the models of %s: %w (name one with --model; if this is an application of your own, say with "+
			"--body what it wants)", base.Host, err)
	}
	var names []string
	for _, m := range has.Models {
		names = append(names, m.Name)
	}
	for _, m := range has.Data {
		names = append(names, m.ID)
	}
	for _, name := range names {
		if list == "/api/tags" && embeds(ctx, rt, &base, name) || strings.Contains(strings.ToLower(name), "embed") {
			continue
		}
		t.Model = name
		t.Note = fmt.Sprintf("No --model: asking %s, the only one of %s.", name, base.Host)
		if len(names) > 1 {
			t.Note = fmt.Sprintf("No --model: asking %s, the first of %d of %s.", name, len(names), base.Host)
		}
		return nil
	}
	return fmt.Errorf("%s has no model that answers (ollama pull llama3.2:1b gets one)", base.Host)
}

// embeds reports whether an Ollama says that a model is for embeddings only.
func embeds(ctx context.Context, rt http.RoundTripper, base *url.URL, model string) bool {
	var show struct{ Capabilities []string }
	err := call(ctx, rt, http.MethodPost, base.JoinPath("/api/show"), object{"model": model}, &show)
	return err == nil && slices.Contains(show.Capabilities, "embedding") && !slices.Contains(show.Capabilities, "completion")
}

// call exchanges JSON.
func call(ctx context.Context, rt http.RoundTripper, method string, u *url.URL, in, out any) error {
	body := ""
	if in != nil {
		body = encode(in)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, u.Path, resp.Status)
	}
	const most = 16 << 20
	return json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(out)
}
