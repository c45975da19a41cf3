package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// doubts writes each doubt about the questions once, and which of them have it. That a server tells no phases is none: it
// shows in the stages.
func doubts(b *strings.Builder, s Screen, d diagnose.Digest) {
	flags := slices.DeleteFunc(slices.Clone(d.Flags), func(r diagnose.Raised) bool { return r.Flag == diagnose.FlagPhasesUnknown })
	if len(flags) == 0 {
		return
	}
	b.WriteString("\n" + s.Paint(Bold, "Doubts") + "\n")
	for _, r := range flags {
		names := make([]string, len(r.First))
		for i, q := range r.First {
			names[i] = sessionName(q.Session) + "/" + strconv.Itoa(q.Number)
		}
		which := strings.Join(names, ", ")
		switch rest := r.Questions - len(names); {
		case r.Questions == d.Asked && d.Asked > 1:
			which = "all questions"
		case rest > 0:
			which += " and " + strconv.Itoa(rest) + " more"
		}
		paragraph(b, s, "- ", which+": "+Flag(r.Flag)+".")
	}
}
