package timings

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/recording"
)

// run is an answer of a model that took so long end to end.
func run(input, model string, e2e time.Duration) *Result {
	f := &stages.Facts{API: stages.APIOpenAI, Stage: stages.LLM, Operation: stages.OpChat, Model: model, Status: stages.StatusOK}
	f.Marks.Done = stages.Timing{D: e2e, Source: stages.Measured}
	f.Marks.End = f.Marks.Done
	return &Result{Input: input, Clock: ClientClock, Facts: f}
}

// TestGroupsAreOfOneKind: a backend's figures never stand in a row with another's, nor one clock's with another's.
func TestGroupsAreOfOneKind(t *testing.T) {
	a, b, c, d, e := run("a", "m", 1), run("b", "m", 2), run("c", "m", 3), run("d", "other", 4), run("e", "m", 5)
	b.Facts.API = stages.APIVLLM
	c.Clock = PipeClock
	e.Facts.Stage = stages.Embed
	var got []string
	for _, g := range groups([]*Result{a, b, c, d, e, run("f", "m", 6)}) {
		names := ""
		for _, r := range g.runs {
			names += r.Input
		}
		got = append(got, names)
	}
	if diff := cmp.Diff([]string{"af", "b", "c", "d", "e"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestWarmUpIsTheFirstThatSucceeded: by when it began where all say so, else by place; each backend and model has its own.
func TestWarmUpIsTheFirstThatSucceeded(t *testing.T) {
	failed, second, third := run("1", "m", 1), run("2", "m", 2), run("3", "m", 3)
	failed.Facts.Status = stages.StatusError
	all := []*Result{failed, second, third, run("4", "n", 4)}
	warm := func() (names string) {
		first := warmUps(all)
		for _, r := range all {
			if first[r] {
				names += r.Input
			}
		}
		return names
	}
	if got := warm(); got != "24" {
		t.Errorf("by place: %s, want 2 and 4", got)
	}
	third.Began = time.Unix(1, 0)
	if got := warm(); got != "24" {
		t.Errorf("one moment is known: %s, want 2 and 4", got)
	}
	failed.Began, second.Began = time.Unix(0, 5), time.Unix(2, 0)
	if got := warm(); got != "34" {
		t.Errorf("by moment: %s, want 3 and 4", got)
	}
	j := AllJSON(all)
	if j[0].WarmUp || j[1].WarmUp || !j[2].WarmUp || !j[3].WarmUp || j[0].Input != "1" {
		t.Error("JSON marks others, or has another order")
	}
}

// TestPercentilesOfMany: 21 runs of 1 to 20 ms after the first: p50 10.5 ms, p95 19.05 ms, and no mark.
func TestPercentilesOfMany(t *testing.T) {
	all := []*Result{run("first", "m", time.Hour)}
	for i := range 20 {
		all = append(all, run(fmt.Sprint(i), "m", time.Duration(i+1)*time.Millisecond))
	}
	rows := groups(all)[0].rows()
	want := []row{{"E2E", 20, 10500 * time.Microsecond, 19050 * time.Microsecond}}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(row{})); diff != "" {
		t.Error(diff)
	}
	var b strings.Builder
	if err := Table(report.Screen{Writer: &b}, all); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Contains(text, "*") || !strings.Contains(text, "10.5 ms") || !strings.Contains(text, "19.1 ms") {
		t.Errorf("the table marks a p95 of 20 values, or lacks it:\n%s", text)
	}
}

// TestOneRulerAColumn: TPOT is the client's where a run has it, and the server's never stands among them.
func TestOneRulerAColumn(t *testing.T) {
	tpot := func(streamed bool) *Result {
		r := run("r", "m", 110*time.Millisecond)
		r.Facts.OutputTokens, r.Facts.Decode = stages.Count{N: 3, Source: stages.Reported}, stages.Timing{D: 34 * ms1, Source: stages.Reported}
		if streamed {
			r.Facts.Streamed, r.Facts.Marks.FirstToken = true, stages.Timing{D: 70 * ms1, Source: stages.Measured}
		}
		return r
	}
	for _, c := range []struct {
		runs []*Result
		want string
	}{
		{[]*Result{tpot(false), tpot(false)}, "run E2E TTFT TPOT server load notes r 110 ms - 17.0 ms - warm-up r 110 ms - 17.0 ms -"}, // 34 ms, two steps
		{[]*Result{tpot(true), tpot(false)}, "run E2E TTFT TPOT load notes r 110 ms 70.0 ms 20.0 ms - warm-up r 110 ms - - -"},         // 110 - 70 ms
		{[]*Result{run("r", "m", 110*time.Millisecond)}, "run E2E TTFT TPOT load notes r 110 ms - - - warm-up"},
	} {
		if got := strings.Join(strings.Fields(groups(c.runs)[0].list(report.Screen{})), " "); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}

// TestLongTablesAreCut keeps the first run and the last ones.
func TestLongTablesAreCut(t *testing.T) {
	var all []*Result
	for i := range 100 {
		all = append(all, run(fmt.Sprintf("run-%02d", i), "m", time.Millisecond))
	}
	var b strings.Builder
	if err := Table(report.Screen{Writer: &b}, all); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for name, shown := range map[string]bool{"run-00": true, "run-01": false, "run-60": false, "run-61": true, "run-99": true} {
		if strings.Contains(text, name) != shown {
			t.Errorf("%s is shown: %t, want %t", name, !shown, shown)
		}
	}
	if !strings.Contains(text, "60 more runs, after the first, are not shown; --json has them all.") {
		t.Error("nobody is told of the runs that are left out")
	}
}

// TestForeignTextIsHarmless: a model's name may hold anything.
func TestForeignTextIsHarmless(t *testing.T) {
	a := run("a\x1b[2J", "m\x1b[2J\nx", time.Millisecond)
	var b strings.Builder
	if err := Table(report.Screen{Writer: &b}, []*Result{a, run("b", "m\x1b[2J\nx", time.Millisecond)}); err != nil {
		t.Fatal(err)
	}
	if err := Single(report.Screen{Writer: &b}, a); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("%q", b.String())
	}
}

// TestUnknownEndpoint: the first byte is the first token, or of events the first with data; a redirect is no answer.
func TestUnknownEndpoint(t *testing.T) {
	at := func(events bool, status int, writes ...recording.Write) *Result {
		rec := &recording.Recording{RequestPath: "/ask", RequestBody: `{"question":"q"}`, WroteHeaders: 1}
		rec.Response = recording.Response{Status: &status, Writes: writes, Headers: map[string]string{"content-type": "text/plain"}}
		if events {
			rec.Response.Headers["content-type"] = "text/event-stream; charset=utf-8"
		}
		return FromRecording("r", rec)
	}
	for _, c := range []struct {
		name string
		r    *Result
		ttft time.Duration // 0: none
	}{
		{"plain", at(false, 200, recording.Write{At: 30, Data: "Brake"}, recording.Write{At: 50, Data: " pads"}), 30 * ms1},
		{"events", at(true, 200, recording.Write{At: 10, Data: ": wait\n\n"}, recording.Write{At: 20, Data: "event: start\ndata:\n\ndata: Br"},
			recording.Write{At: 30, Data: "ake\n\n"}, recording.Write{At: 50, Data: "data: [DONE]\n\n"}), 30 * ms1},
		{"events without an end", at(true, 200, recording.Write{At: 40, Data: "data: {\"a\":1}"}, recording.Write{At: 50, Data: ""}), 40 * ms1},
		{"nothing", at(false, 204), 0},
		{"refused", at(false, 404, recording.Write{At: 50, Data: "no"}), 0},
		{"redirect", at(false, 302, recording.Write{At: 50, Data: "there"}), 0},
	} {
		got := c.r.figures().TTFT
		if c.name == "redirect" {
			if c.r.OK() || !strings.Contains(c.r.outcome(), "HTTP 302: a redirect, which was not followed") {
				t.Errorf("a redirect is %s", c.r.outcome())
			}
			continue
		}
		if got.D != c.ttft || got.Known() != (c.ttft > 0) || c.r.Backend() != "/ask" {
			t.Errorf("%s: TTFT %v of %s, want %v of /ask", c.name, got, c.r.Backend(), c.ttft)
		}
	}
}
