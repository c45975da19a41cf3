package timings

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
	"github.com/ragtrace/ragtrace/stages"
)

// Single writes one exchange: a line a figure, and how each is known.
func Single(s report.Screen, r *Result) error {
	l := &lines{r: r, figures: r.figures()}
	switch f := r.Facts; {
	case f.Stage == stages.LLM && (f.Operation == stages.OpLoad || f.Operation == stages.OpUnload):
		l.load()
		l.whole()
	case f.Stage == stages.LLM:
		l.server()
		l.tokens()
		l.first()
		l.pace()
		l.whole()
	case f.Stage == stages.Embed:
		l.load()
		l.compute()
		l.tokens()
		if !f.Load.Known() {
			l.store()
		}
		l.whole()
	default:
		l.first()
		l.store()
		l.whole()
	}
	l.gateway()
	var b strings.Builder
	b.WriteString(report.Paragraph(s, "", fmt.Sprintf("%s: %s, %s", r.Input, r.title(), r.outcome())))
	b.WriteString("\n" + report.Grid(s, []report.Head{{Text: "figure"}, {Text: "value", Right: true}, {Text: "how it is known"}}, l.rows))
	if notes := r.notes(); len(notes) > 0 {
		b.WriteString("\n")
		for _, note := range notes {
			b.WriteString(report.Paragraph(s, "- ", note))
		}
	}
	_, err := io.WriteString(s, b.String())
	return err
}

// lines are the rows of one exchange in the making.
type lines struct {
	r *Result
	figures
	rows [][]string
}

func (l *lines) add(name, value, how string) { l.rows = append(l.rows, []string{name, value, how}) }

// time adds a duration, if it is known.
func (l *lines) time(name string, t stages.Timing, how string) {
	if t.Known() {
		l.add(name, report.Duration(t.D), string(t.Source)+": "+how)
	}
}

func (l *lines) load() {
	f := l.r.Facts
	switch {
	case l.said.load.Known():
		l.time("load", l.said.load, "getting the model ready, and waiting for it")
	case f.Operation == stages.OpLoad:
		for _, p := range f.Phases() {
			l.time("load", stages.Timing{D: p.End - p.Start, Source: p.Source}, "the whole call: the server gives no durations")
		}
	}
}

// server adds the phases inside the model server.
func (l *lines) server() {
	l.load()
	rest := l.DecodeResidual.D >= time.Millisecond
	switch {
	case l.Queue.Source == stages.Reported:
		l.time("queue", l.Queue, "waiting inside the server")
	case l.said.total.Known() && rest:
		l.time("queue", l.Queue, "total - load - prefill - decode and its rest, mostly waiting")
	case l.said.total.Known():
		l.time("queue", l.Queue, "total - load - prefill - decode, mostly waiting")
	default:
		l.time("queue", l.Queue, "up to the first token - prefill: waiting, network")
	}
	l.time("prefill", l.said.prefill, "reading the prompt"+l.prefillRate())
	how := "first token to last"
	if l.DecodeRate.Known() {
		how += fmt.Sprintf(", %s tok/s", digits(l.DecodeRate.PerSecond))
	}
	l.time("decode", l.said.decode, how)
	if rest {
		l.time("decode rest", l.DecodeResidual, "decoding beyond that: sampling, a late reader")
	}
	l.placed()
}

// placed adds phases that the server names otherwise.
func (l *lines) placed() {
	for _, p := range l.r.Facts.Phases() {
		if p.Stage == stages.LLMOther && p.Name != stages.PhaseStall {
			how := "inside the server"
			if p.Name == stages.PhaseUnattributed {
				how = "inside the server, in none of its fields"
			}
			l.time(strings.TrimPrefix(p.Name, "llm."), stages.Timing{D: p.End - p.Start, Source: p.Source}, how)
		}
	}
}

// prefillRate is the speed of the prompt, where it means something.
func (l *lines) prefillRate() string {
	f := l.r.Facts
	switch {
	case l.PrefillRate.Known():
		return fmt.Sprintf(", %s tok/s", digits(l.PrefillRate.PerSecond))
	case f.InputTokens.Known() && !f.CachedTokens.Known():
		return "; no rate: its cached share is unknown"
	}
	return ""
}

// compute adds what an embedding server did after its load.
func (l *lines) compute() {
	if f := l.r.Facts; f.Total.Known() && f.Load.Known() {
		l.time("compute", stages.Timing{D: max(f.Total.D-f.Load.D, 0), Source: stages.Derived}, "total - load")
	}
}

// digits writes a rate with three significant digits.
func digits(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func (l *lines) tokens() {
	f := l.r.Facts
	if in := f.InputTokens; in.Known() {
		how := "counted by the server"
		if f.CachedTokens.Known() {
			how += fmt.Sprintf(", %d of them from the cache", f.CachedTokens.N)
		}
		l.add("tokens in", fmt.Sprint(in.N), how)
	}
	if out := l.Tokens; out.Known() {
		how := "counted by the server"
		if out.Source == stages.Measured {
			how = "lines or events with text: the server counts none"
		}
		if f.ReasoningTokens.N > 0 {
			how += fmt.Sprintf(", %d of them thinking", f.ReasoningTokens.N)
		}
		l.add("tokens out", fmt.Sprint(out.N), how)
	}
}

// store adds what a search or rerank server says.
func (l *lines) store() {
	f := l.r.Facts
	l.time("server", f.Total, "inside the server")
	if f.Total.Known() && l.r.Clock == ClientClock && !f.Async && l.E2E.Known() {
		outside := max(l.E2E.D-f.Marks.WroteHeaders.D-f.Total.D, 0)
		l.time("outside", stages.Timing{D: outside, Source: stages.Derived}, "network and JSON: the call without the server")
	}
	for _, o := range f.Other {
		l.time(o.Name, o.Timing, "mean over the texts of the request: these do not add up")
	}
	if f.Hits.Known() {
		l.add("hits", fmt.Sprint(f.Hits.N), "in the answer")
	}
}

// gateway adds what the headers of the answer tell of the way to the server.
func (l *lines) gateway() {
	g := &l.r.Facts.Gateway
	for _, t := range g.Timings {
		l.time(strings.NewReplacer(".", " ", "_", " ").Replace(t.Name), t.Timing, "in the headers of the answer")
	}
	if g.Retries.N > 0 {
		l.add("attempts", fmt.Sprint(g.Retries.N+1), "by the gateway: each takes its time")
	}
	if g.Fallbacks.N > 0 {
		l.add("fallbacks", fmt.Sprint(g.Fallbacks.N), "to other models, by the gateway")
	}
}
