package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

const milli = time.Millisecond

// An asking is one question of a test: when it starts, and how long its stages take, one after another.
type asking struct {
	session                          string
	number                           int
	at, search, load, decode, unsaid time.Duration // unsaid: after all stages
	rewrite                          time.Duration // of the question by another model, while it is searched
	status                           int           // of the root, as in OTLP
	output                           int64         // tokens
	model                            string        // that answers; "" for m
}

func otlpAttr(key string, value any) map[string]any {
	switch v := value.(type) {
	case string:
		return map[string]any{"key": key, "value": map[string]any{"stringValue": v}}
	case float64:
		return map[string]any{"key": key, "value": map[string]any{"doubleValue": v}}
	}
	return map[string]any{"key": key, "value": map[string]any{"intValue": fmt.Sprint(value)}}
}

// otlpFile writes the questions as OTLP/JSON, a request a line, and returns the file's path.
func otlpFile(t testing.TB, askings ...asking) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "traces.json")
	if err := os.WriteFile(path, otlpJSON(askings...), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func otlpJSON(askings ...asking) []byte {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	span := 0
	for i, a := range askings {
		var spans []any
		trace := fmt.Sprintf("%032x", i+1)
		add := func(parent int, stage string, kind int, from, to time.Duration, attrs ...any) int {
			span++
			epoch := int64(1_780_000_000_000_000_000)
			s := map[string]any{
				"traceId": trace, "spanId": fmt.Sprintf("%016x", span), "name": stage, "kind": kind,
				"startTimeUnixNano": strconv.FormatInt(epoch+int64(from), 10), "endTimeUnixNano": strconv.FormatInt(epoch+int64(to), 10),
				"attributes": append([]any{otlpAttr("ragtrace.stage", stage), otlpAttr("session.id", a.session), otlpAttr("ragtrace.question.number", a.number)}, attrs...),
			}
			if parent > 0 {
				s["parentSpanId"] = fmt.Sprintf("%016x", parent)
			} else if a.status != 0 {
				s["status"] = map[string]any{"code": a.status}
			}
			spans = append(spans, s)
			return span
		}
		end := a.at + a.search + a.load + a.decode
		root := add(0, "question", 2, a.at, end+a.unsaid)
		at := a.at + a.search
		if a.search > 0 {
			add(root, "search", 3, a.at, at)
		}
		if a.rewrite > 0 {
			add(root, "llm", 3, a.at, a.at+a.rewrite, otlpAttr("gen_ai.request.model", "small"), otlpAttr("gen_ai.provider.name", "ollama"))
		}
		call := add(root, "llm", 3, at, end, otlpAttr("gen_ai.request.model", cmp.Or(a.model, "m")), otlpAttr("gen_ai.provider.name", "ollama"),
			otlpAttr("gen_ai.usage.output_tokens", a.output), otlpAttr("gen_ai.usage.input_tokens", int64(100)),
			otlpAttr("gen_ai.response.time_to_first_chunk", a.load.Seconds()))
		if a.load > 0 {
			add(call, "llm.load", 1, at, at+a.load)
		}
		add(call, "llm.decode", 1, at+a.load, end)
		add(root, "answer", 1, at+a.load, end)
		err := out.Encode(map[string]any{"resourceSpans": []any{map[string]any{
			"resource":   map[string]any{"attributes": []any{otlpAttr("service.name", "app")}},
			"scopeSpans": []any{map[string]any{"spans": spans}},
		}}})
		if err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// beforeAndAfter are the questions of two runs. Before, number 1 loads for 2 s and every search takes 200 ms; after, nothing
// loads and searches take 100 ms. Decoding takes 1000, 1010 ... 1050 ms in both, of 101 tokens. Number 7 failed before.
func beforeAndAfter() (before, after []asking) {
	for n := 1; n <= 6; n++ {
		a := asking{session: "a", number: n, at: time.Duration(10*n) * time.Second, search: 200 * milli, decode: time.Duration(990+10*n) * milli, output: 101}
		b := a
		b.search = 100 * milli
		if n == 1 {
			a.load = 2000 * milli
		}
		before, after = append(before, a), append(after, b)
	}
	failed := asking{session: "a", number: 7, at: 100 * time.Second, decode: 50 * milli, output: 1, status: 2}
	return append(before, failed), after
}

// run runs the command line and fails the test when the exit code is not the wanted one.
func run(t testing.TB, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := Main(args, &out, &errs); got != code {
		t.Fatalf("ragtrace %q: exit code %d, want %d\n%s%s", args, got, code, &out, &errs)
	}
	return out.String(), errs.String()
}
