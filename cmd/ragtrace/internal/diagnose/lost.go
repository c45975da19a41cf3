package diagnose

import (
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// Lost says in words what the time went into that counts as Retry, such as "an LLM call that failed"; "" when nothing
// failed.
func (l Layout) Lost() string {
	last := -1
	for i := range l.Rows {
		r := &l.Rows[i]
		if r.Span == nil || r.Kind != RowOutside || r.Component != Retry {
			continue
		}
		if l.triedAgain(i) {
			return "failed attempts and the wait for the next one"
		}
		if last < 0 || r.Start >= l.Rows[last].Start {
			last = i
		}
	}
	if last < 0 {
		return ""
	}
	attrs := l.Rows[last].Span.Attrs
	switch kind := strings.ToLower(attrs.String("error.type")); {
	case cancelled(attrs), kind == "" && cancelled(l.Rows[0].Span.Attrs):
		return "an LLM call that the client left"
	case brokeOff(attrs), strings.Contains(kind, "eof"), strings.Contains(kind, "reset"):
		return "an LLM call that broke off"
	}
	return "an LLM call that failed"
}

// triedAgain reports whether another attempt, or another call, came after a failed one.
func (l Layout) triedAgain(at int) bool {
	failed := &l.Rows[at]
	for i := range l.Rows {
		r := &l.Rows[i]
		if i == at || r.Span == nil || r.Start < failed.End {
			continue
		}
		attempt := r.Parent == failed.Parent && r.Span.Kind == model.KindClient && firstString(r.Span.Attrs, methodKeys) != ""
		if r.Stage == "llm" || attempt && failed.Stage != "llm" {
			return true
		}
	}
	return false
}

// lost says in words what a question's time went into that counts as Retry, as far as its calls tell.
func (j *Judgement) lost(row int) string {
	bits := j.t.column(colCallBits)
	first, end := j.t.calls(row)
	failed := func(i int) bool { return bits[i]&callFailed != 0 }
	if first == end || !failed(end-1) || end-first > 1 && failed(end-2) {
		return phrases[causeRetry]
	}
	return "in an LLM call that failed"
}
