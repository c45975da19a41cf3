package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// maxDoubted is how many questions a doubt names.
const maxDoubted = 6

// doubts writes each doubt about the questions once, and which of them have it. That a server tells no phases is none: it
// shows in the stages.
func doubts(b *strings.Builder, s Screen, questions []diagnose.Result) {
	of := make(map[string][]string)
	var flags []string
	for _, q := range questions {
		for _, flag := range q.Flags {
			if flag == diagnose.FlagPhasesUnknown {
				continue
			}
			if of[flag] == nil {
				flags = append(flags, flag)
			}
			of[flag] = append(of[flag], sessionName(q.Session)+"/"+strconv.Itoa(q.Number))
		}
	}
	if len(flags) == 0 {
		return
	}
	slices.Sort(flags)
	b.WriteString("\n" + s.Paint(Bold, "Doubts") + "\n")
	for _, flag := range flags {
		names := of[flag]
		which := strings.Join(names[:min(len(names), maxDoubted)], ", ")
		switch rest := len(names) - maxDoubted; {
		case len(names) == len(questions) && len(names) > 1:
			which = "all questions"
		case rest > 0:
			which += " and " + strconv.Itoa(rest) + " more"
		}
		paragraph(b, s, "- ", which+": "+Flag(flag)+".")
	}
}
