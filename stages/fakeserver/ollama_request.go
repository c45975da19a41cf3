package fakeserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"time"
)

// forever is how Ollama holds a keep_alive without end.
const forever = time.Duration(math.MaxInt64)

// A keepAlive is a keep_alive field: a number of seconds, negative for ever, or a Go duration.
type keepAlive time.Duration

func (k *keepAlive) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	var d time.Duration
	switch v := v.(type) {
	case float64:
		d = time.Duration(v * float64(time.Second))
	case string:
		var err error
		if d, err = time.ParseDuration(v); err != nil {
			return err
		}
	default:
		//lint:ignore ST1005 the server's words
		return fmt.Errorf("Unsupported type: '%s'", reflect.TypeOf(v))
	}
	if d < 0 {
		d = forever
	}
	*k = keepAlive(d)
	return nil
}

// common are the fields that Ollama's requests share.
type common struct {
	Model     string         `json:"model"`
	KeepAlive *keepAlive     `json:"keep_alive"`
	Options   map[string]any `json:"options"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chatRequest struct {
	common
	Messages []message `json:"messages"`
	Stream   *bool     `json:"stream"`
	Think    any       `json:"think"`
}

type generateRequest struct {
	common
	Prompt  string `json:"prompt"`
	System  string `json:"system"`
	Context []int  `json:"context"`
	Stream  *bool  `json:"stream"`
	Raw     bool   `json:"raw"`
	Think   any    `json:"think"`
}

type embedRequest struct {
	common
	Input      any   `json:"input"`
	Truncate   *bool `json:"truncate"`
	Dimensions int   `json:"dimensions"`
}

type embeddingRequest struct {
	common
	Prompt string `json:"prompt"`
}

// decode reads the request's JSON. Its errors are in the words that Ollama answers with.
func decode(body []byte, v any) error {
	err := json.NewDecoder(bytes.NewReader(body)).Decode(v)
	if err == io.EOF {
		return errors.New("missing request body")
	}
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) && typed.Struct != "" {
		// Ollama's types have the same names, but exported and from another package.
		typed.Struct = strings.ToUpper(typed.Struct[:1]) + typed.Struct[1:]
		return errors.New(strings.ReplaceAll(typed.Error(), "fakeserver.message", "api.Message"))
	}
	return err
}

// runnerOptions are the options for which a loaded model is loaded again when they differ: num_ctx, num_batch, num_gpu,
// main_gpu, use_mmap, num_thread.
type runnerOptions [6]string

func (m *Model) runnerOptions(options map[string]any) runnerOptions {
	return runnerOptions{
		fmt.Sprint(m.numCtx(options)),
		option(options, "num_batch", "512"),
		option(options, "num_gpu", "-1"),
		option(options, "main_gpu", "0"),
		option(options, "use_mmap", ""),
		option(options, "num_thread", "0"),
	}
}

func option(options map[string]any, name, unset string) string {
	if v, ok := options[name]; ok && v != nil {
		return fmt.Sprint(v)
	}
	return unset
}

// number returns the option as an int, or unset.
func number(options map[string]any, name string, unset int) int {
	if v, ok := options[name].(float64); ok {
		return int(v)
	}
	return unset
}

func (m *Model) numCtx(options map[string]any) int {
	return max(4, number(options, "num_ctx", m.NumCtx))
}

// stops returns the stop strings of the options.
func stops(options map[string]any) []string {
	list, _ := options["stop"].([]any)
	var out []string
	for _, s := range list {
		if s, ok := s.(string); ok && s != "" {
			out = append(out, s)
		}
	}
	return out
}
