package terminal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

var app = &model.Resource{Attrs: model.Attrs{"service.name": "app"}}

// span is one of the application's, from start to end in milliseconds after one second of Unix time.
func span(id, parent byte, name, stage string, start, end int64) model.Span {
	s := model.Span{
		TraceID: model.TraceID{15: 1}, SpanID: model.SpanID{7: id}, ParentID: model.SpanID{7: parent}, Name: name,
		Kind: model.KindInternal, Start: 1e9 + start*1e6, End: 1e9 + end*1e6, Attrs: model.Attrs{}, Resource: app,
	}
	if stage != "" {
		s.Attrs["ragtrace.stage"] = stage
	}
	return s
}

func draw(t *testing.T, spans []model.Span) string {
	t.Helper()
	questions := diagnose.CutTrace(spans)
	if len(questions) != 1 {
		t.Fatalf("%d questions", len(questions))
	}
	var b strings.Builder
	q := Question{Spans: spans, Result: diagnose.Judge(questions).Questions[0], Source: "app"}
	if err := q.Write(report.Screen{Writer: &b, Unicode: true}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWaterfall is drawn by hand. The widest head, "  POST  failed 503" two deeper, takes 20 columns: 50 are left for 5000
// ms, 100 ms a column.
func TestWaterfall(t *testing.T) {
	failed := span(7, 6, "POST", "", 1500, 2500)
	failed.Kind, failed.Status = model.KindClient, model.StatusError
	failed.Attrs["http.request.method"], failed.Attrs["error.type"] = "POST", "503"
	failed.StatusMessage = "over\x1bloaded"
	again := span(8, 6, "POST", "", 3000, 5000)
	again.Kind = model.KindClient
	again.Attrs["http.request.method"] = "POST"
	call := span(6, 1, "chat m", "llm", 1500, 5000)
	call.Kind = model.KindClient
	call.Attrs["ragtrace.flags"] = []any{"after_done"}
	call.Attrs["gen_ai.response.time_to_first_chunk"] = 1.9 // 3400 ms after Enter
	spans := []model.Span{
		// In no order, one span twice, and one whose parent never came.
		span(10, 8, "llm.decode", "llm.decode", 3400, 5000),
		span(5, 2, "search docs", "search", 900, 1000),
		span(2, 1, "retrieval", "", 300, 1000),
		call, failed, again,
		span(3, 2, "embed", "embed", 300, 500),
		span(3, 2, "embed", "embed", 300, 500),
		span(9, 8, "llm.prefill", "llm.prefill", 3000, 3400),
		span(12, 99, "prompt", "prompt", 1000, 1500),
		span(11, 1, "answer", "answer", 3400, 5000),
		span(1, 0, "question", "question", 0, 5000),
	}
	want := `Question 1
E2E 5000 ms, ok
TTFT 3400 ms (first token at the user)
1970-01-01 00:00:01 UTC, app
trace 00000000000000000000000000000001

                     0         1000 ms   2000 ms   3000 ms   4000 ms
                     ┬─────────┬─────────┬─────────┬───▼ TTFT┬────────┬
question             ──────────────────────────────────────────────────  5000 ms
  gap                ···                                                  300 ms
  retrieval             ───────                                           700 ms
    embed               ▒▒                                                200 ms
    gap                   ····                                            400 ms
    search docs               ▒                                           100 ms
  prompt                       ▒▒▒▒▒                                      500 ms
  llm: chat m                       ───────────────────▼───────────────  3500 ms
    POST  failed 503                ▒▒▒▒▒▒▒▒▒▒                           1000 ms
    wait for retry                            ▒▒▒▒▒                       500 ms
    POST                                           ────────────────────  2000 ms
      llm.prefill                                  ████                   400 ms
      llm.decode                                       ████████████████  1600 ms
  answer                                               ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  1600 ms
█ inside the LLM   ▒ outside   · gap   ─ frame of others   ▼ first token
2000 ms inside the LLM + 3000 ms outside (700 ms in no stage) = 5000 ms E2E
1500 ms went into failed attempts and the wait for the next one
Failed: POST: 503: over?loaded
Note: more came after the end of an answer.
Note: some spans came more than once and were counted once.
Note: spans whose parent never came stand below the root.
`
	if diff := cmp.Diff(want, draw(t, spans)); diff != "" {
		t.Error(diff)
	}
}

// TestFirstByteIsNoToken has an answer whose token no span tells, rows of no time, and a question without an LLM.
func TestFirstByteIsNoToken(t *testing.T) {
	call := span(2, 1, "chat m", "llm", 1000, 4000)
	call.Kind = model.KindClient
	blink := span(4, 1, "enter", "enter", 0, 0)
	spans := []model.Span{span(1, 0, "question", "question", 0, 4000), blink, call, span(3, 1, "answer", "answer", 2000, 4000)}
	text := draw(t, spans)
	for _, want := range []string{"TTFT 2000 ms (first byte to the user; no span tells", "▼ 1st byte", "▼ first byte\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "first token\n") || strings.Contains(text, "enter") {
		t.Errorf("a first token, or a row of no time:\n%s", text)
	}

	call.Attrs["gen_ai.response.time_to_first_chunk"] = 1.5
	if text := draw(t, spans); !strings.Contains(text, "TTFT 2500 ms (first token at the user), first byte 2000 ms\n") {
		t.Errorf("a byte before the first token:\n%s", text)
	}

	root := span(1, 0, "question", "question", 0, 1000)
	root.Attrs["ragtrace.question.number"] = int64(1)
	text = draw(t, []model.Span{root, span(2, 1, "search", "search", 0, 500), span(3, 1, "answer", "answer", 500, 1000)})
	if strings.Contains(text, "TTFT") || strings.Contains(text, "▼") || !strings.Contains(text, "\nfirst byte 500 ms\n") {
		t.Errorf("a question without an LLM call:\n%s", text)
	}
}
