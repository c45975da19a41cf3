package diagnose

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

var laidApp = resource("app", "")

// laid is a span of the application, from start to end in milliseconds after one second of Unix time.
func laid(id, parent byte, name, stage string, start, end int64) model.Span {
	s := model.Span{
		TraceID: model.TraceID{15: 1}, SpanID: model.SpanID{7: id}, ParentID: model.SpanID{7: parent}, Name: name,
		Kind: model.KindInternal, Start: 1e9 + start*1e6, End: 1e9 + end*1e6, Attrs: model.Attrs{}, Resource: laidApp,
	}
	if stage != "" {
		s.Attrs["ragtrace.stage"] = stage
	}
	return s
}

func lay(t interface {
	Helper()
	Fatalf(string, ...any)
}, spans []model.Span) Layout {
	t.Helper()
	questions := CutTrace(spans)
	if len(questions) != 1 {
		t.Fatalf("%d questions", len(questions))
	}
	l, ok := Lay(spans, Judge(questions).Questions[0])
	if !ok {
		t.Fatalf("no layout")
	}
	return l
}

// text draws rows: a line a row, with its stretch and its part of the path in milliseconds.
func (l Layout) text() string {
	var b strings.Builder
	for _, r := range l.Rows {
		fmt.Fprintf(&b, "%s%s %s", strings.Repeat("  ", r.Depth), r.Name, stretchText(Stretch{r.Start, r.End}))
		fmt.Fprintf(&b, " %s", [...]string{"frame", "inside", "outside", "gap"}[r.Kind])
		for _, p := range r.Path {
			fmt.Fprintf(&b, " *%s", stretchText(p))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func stretchText(s Stretch) string {
	return fmt.Sprintf("%d-%d", s.Start.Milliseconds(), s.End.Milliseconds())
}

func TestLayout(t *testing.T) {
	failed := laid(7, 6, "POST", "", 1500, 2500)
	failed.Kind, failed.Status = model.KindClient, model.StatusError
	failed.Attrs["http.request.method"] = "POST"
	again := laid(8, 6, "POST", "", 3000, 4900)
	again.Kind = model.KindClient
	again.Attrs["http.request.method"] = "POST"
	call := laid(6, 1, "chat m", "llm", 1500, 4900)
	call.Kind = model.KindClient
	call.Attrs["gen_ai.response.time_to_first_chunk"] = 1.95
	spans := []model.Span{
		laid(10, 8, "llm.decode", "llm.decode", 3400, 4900),
		laid(5, 2, "search docs", "search", 900, 1000),
		laid(2, 1, "retrieval", "", 300, 1000),
		call, failed, again,
		laid(3, 2, "embed", "embed", 300, 500),
		laid(9, 8, "llm.prefill", "llm.prefill", 3000, 3400),
		laid(12, 99, "prompt", "prompt", 1000, 1500),
		laid(11, 1, "answer", "answer", 3500, 5000),
		laid(1, 0, "question", "question", 0, 5000),
	}
	// The path is the critical one: the answer counts from the end of the call that it passes on.
	want := `question 0-5000 frame
  gap 0-300 gap *0-300
  retrieval 300-1000 frame
    embed 300-500 outside *300-500
    gap 500-900 gap *500-900
    search docs 900-1000 outside *900-1000
  prompt 1000-1500 outside *1000-1500
  chat m 1500-4900 frame
    POST 1500-2500 outside *1500-2500
    wait for retry 2500-3000 outside *2500-3000
    POST 3000-4900 frame
      llm.prefill 3000-3400 inside *3000-3400
      llm.decode 3400-4900 inside *3400-4900
  answer 3500-5000 outside *4900-5000
`
	l := lay(t, spans)
	if diff := cmp.Diff(want, l.text()); diff != "" {
		t.Error(diff)
	}
	for name, x := range map[string]struct {
		got  *time.Duration
		want time.Duration
	}{"server": {l.First.Server, 3400 * ms}, "client": {l.First.Client, 3450 * ms}, "user": {l.First.User, 3500 * ms}} {
		if x.got == nil || *x.got != x.want {
			t.Errorf("first token at the %s: %v, want %v", name, x.got, x.want)
		}
	}
}

func TestReportedPhasesHaveRows(t *testing.T) {
	call := laid(2, 1, "chat m", "llm", 0, 1000)
	call.Kind = model.KindClient
	call.Attrs["ragtrace.llm.load.duration"], call.Attrs["ragtrace.llm.decode.duration"] = 0.3, 0.5
	post := laid(3, 2, "POST", "", 0, 1000)
	post.Kind = model.KindClient
	want := `question 0-1000 frame
  chat m 0-1000 frame *0-200
    POST 0-1000 frame
    llm.load 200-500 inside *200-500
    llm.decode 500-1000 inside *500-1000
`
	if diff := cmp.Diff(want, lay(t, []model.Span{laid(1, 0, "question", "question", 0, 1000), call, post}).text()); diff != "" {
		t.Error(diff)
	}
}

func TestAnotherMachinesClockIsNotBelieved(t *testing.T) {
	gpu := resource("gpu", "")
	call := laid(2, 1, "chat m", "llm", 1000, 3000)
	call.Kind = model.KindClient
	// An hour late, and 1000 ms long: it belongs into the middle of the call, from 1500 to 2500 ms.
	server := laid(3, 2, "serve", "llm", 3_600_000, 3_601_000)
	server.Kind, server.Resource = model.KindServer, gpu
	decode := laid(4, 3, "llm.decode", "llm.decode", 3_600_200, 3_601_000)
	decode.Resource = gpu
	want := `question 0-4000 frame
  gap 0-1000 gap *0-1000
  chat m 1000-3000 frame *1000-1500 *2500-3000
    serve 1500-2500 inside *1500-1700
      llm.decode 1700-2500 inside *1700-2500
  gap 3000-4000 gap *3000-4000
`
	l := lay(t, []model.Span{laid(1, 0, "question", "question", 0, 4000), call, server, decode})
	if diff := cmp.Diff(want, l.text()); diff != "" {
		t.Error(diff)
	}
}

func TestImpossibleSpansMakeWayForTheirChildren(t *testing.T) {
	l := lay(t, []model.Span{
		laid(1, 0, "question", "question", 0, 4000), laid(2, 1, "chain", "", 2000, 1000), laid(3, 2, "embed", "embed", 0, 4000),
		laid(4, 1, "search", "search", 1000, 50_000), // longer than ten times the question
	})
	want := "question 0-4000 frame\n  embed 0-4000 outside *0-4000\n"
	if diff := cmp.Diff(want, l.text()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatContainsTheQuestionIsNoPartOfIt(t *testing.T) {
	l := lay(t, []model.Span{
		laid(1, 0, "POST /chat", "", 0, 5000), laid(2, 1, "question", "question", 100, 4000),
		laid(3, 2, "embed", "embed", 100, 4000), laid(4, 1, "log", "", 4000, 5000),
	})
	want := "question 0-3900 frame\n  embed 0-3900 outside *0-3900\n"
	if diff := cmp.Diff(want, l.text()); diff != "" {
		t.Error(diff)
	}
}

// Rows and figures come from the same tree: the gaps are what the diagnosis calls unattributed, less those too short for a
// row, and the path is as long as the question.
func TestLayoutAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := []model.Span{laid(1, 0, "question", "question", 0, 1000)}
		for i := range rapid.IntRange(1, 12).Draw(t, "spans") {
			a := rapid.Int64Range(0, 1000).Draw(t, "a")
			b := rapid.Int64Range(0, 1000).Draw(t, "b")
			stage := rapid.SampledFrom([]string{"", "embed", "search", "rerank", "prompt", "llm", "connect", "answer"}).Draw(t, "stage")
			parent := byte(rapid.IntRange(1, i+1).Draw(t, "parent"))
			s := laid(byte(i+2), parent, "x", stage, min(a, b), max(a, b))
			s.Kind = model.Kind(rapid.IntRange(1, 3).Draw(t, "kind"))
			if rapid.Bool().Draw(t, "failed") {
				s.Status = model.StatusError
			}
			spans = append(spans, s)
		}
		l := lay(t, spans)
		var gaps, path time.Duration
		for i, r := range l.Rows {
			if r.Kind == RowGap {
				gaps += r.End - r.Start
			}
			for _, p := range r.Path {
				path += p.End - p.Start
			}
			if i > 0 && (r.Parent >= i || l.Rows[r.Parent].Depth != r.Depth-1) {
				t.Fatalf("row %d stands below row %d", i, r.Parent)
			}
		}
		q := CutTrace(spans)[0]
		unattributed := q.Components[Gap] + q.Components[GapStart]
		if left := unattributed - gaps; left < 0 || left > time.Duration(len(spans)+1)*5*ms {
			t.Fatalf("gaps of %v, diagnosed %v", gaps, unattributed)
		}
		if path != l.Rows[0].End {
			t.Fatalf("path of %v, question of %v", path, l.Rows[0].End)
		}
	})
}

func TestWildSpansAreLaidOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := wildSpans(t)
		for _, r := range Judge(CutTrace(spans)).Questions {
			l, ok := Lay(spans, r)
			if ok != r.Timed {
				t.Fatalf("laid out: %v, timed: %v", ok, r.Timed)
			}
			for _, row := range l.Rows {
				if row.Start < 0 || row.End < row.Start || row.End > l.Rows[0].End {
					t.Fatalf("row %q from %v to %v of %v", row.Name, row.Start, row.End, l.Rows[0].End)
				}
			}
		}
	})
}
