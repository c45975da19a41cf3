package terminal

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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
	q := Question{Spans: spans, Root: questions[0].RootID, Result: diagnose.Judge(questions).Questions[0], Source: "app"}
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
TTFT 3400 ms (first byte to the user)
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
    POST  failed 503                ──────────                           1000 ms
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

func TestAnotherMachinesClockIsNotBelieved(t *testing.T) {
	gpu := &model.Resource{Attrs: model.Attrs{"service.name": "gpu"}}
	call := span(2, 1, "chat m", "llm", 1000, 3000)
	call.Kind = model.KindClient
	// An hour late, and 1000 ms long: it belongs into the middle of the call, from 1500 to 2500 ms.
	server := span(3, 2, "serve", "llm", 3_600_000, 3_601_000)
	server.Kind, server.Resource = model.KindServer, gpu
	decode := span(4, 3, "llm.decode", "llm.decode", 3_600_200, 3_601_000)
	decode.Resource = gpu
	spans := []model.Span{span(1, 0, "question", "question", 0, 4000), call, server, decode}

	top := place(spans, spans[0].SpanID)
	got := top.below[0].below[0]
	if got.start != 1500*ms || got.end != 2500*ms {
		t.Errorf("server span from %v to %v, want 1.5s to 2.5s", got.start, got.end)
	}
	if phase := got.below[0]; phase.start != 1700*ms || phase.end != 2500*ms {
		t.Errorf("its phase from %v to %v, want 1.7s to 2.5s", phase.start, phase.end)
	}
}

func TestImpossibleSpansMakeWayForTheirChildren(t *testing.T) {
	backwards := span(2, 1, "chain", "", 2000, 1000)
	spans := []model.Span{
		span(1, 0, "question", "question", 0, 4000), backwards, span(3, 2, "embed", "embed", 1000, 1200),
		span(4, 1, "search", "search", 1000, 50_000), // longer than ten times the question
	}
	top := place(spans, spans[0].SpanID)
	if len(top.below) != 1 || top.below[0].span.Name != "embed" {
		t.Errorf("below the root: %d spans, want embed alone", len(top.below))
	}
}

func TestWhatContainsTheQuestionIsNoPartOfIt(t *testing.T) {
	spans := []model.Span{
		span(1, 0, "POST /chat", "", 0, 5000), span(2, 1, "question", "question", 100, 4000),
		span(3, 2, "embed", "embed", 100, 200), span(4, 1, "log", "", 4000, 5000),
	}
	top := place(spans, spans[1].SpanID)
	if len(top.below) != 1 || top.below[0].span.Name != "embed" {
		t.Errorf("below the question: %d spans, want embed alone", len(top.below))
	}
}

func TestParentsInACircleEndNowhere(t *testing.T) {
	spans := []model.Span{
		span(1, 0, "question", "question", 0, 4000), span(2, 3, "a", "", 0, 100), span(3, 2, "b", "", 0, 100),
		span(4, 4, "own parent", "", 0, 100),
	}
	if top := place(spans, spans[0].SpanID); len(top.below) != 0 {
		t.Errorf("below the root: %d spans, want none", len(top.below))
	}
}

// Gaps and the rows' bars come from the same tree as the figures: what no stage covers is what the diagnosis calls
// unattributed.
func TestGapsAreTheUnattributedTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := []model.Span{span(1, 0, "question", "question", 0, 1000)}
		for i := range rapid.IntRange(1, 12).Draw(t, "spans") {
			a := rapid.Int64Range(0, 1000).Draw(t, "a")
			b := rapid.Int64Range(0, 1000).Draw(t, "b")
			stage := rapid.SampledFrom([]string{"", "embed", "search", "rerank", "prompt", "llm", "connect", "answer"}).Draw(t, "stage")
			parent := byte(rapid.IntRange(1, i+1).Draw(t, "parent"))
			if spans[parent-1].Attrs.String("ragtrace.stage") == "llm" {
				parent = 1 // a call within a call is none of the application's
			}
			spans = append(spans, span(byte(i+2), parent, "x", stage, min(a, b), max(a, b)))
		}
		var sum time.Duration
		for _, g := range gaps(place(spans, spans[0].SpanID)) {
			sum += g.end - g.start
		}
		q := diagnose.CutTrace(spans)[0]
		if want := q.Components[diagnose.Gap] + q.Components[diagnose.GapStart]; sum != want {
			t.Fatalf("gaps of %v, diagnosed %v", sum, want)
		}
	})
}
