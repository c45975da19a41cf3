package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/report"
)

func newShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show QUESTION|TRACE|slowest",
		Short: "Draw one question's stages over time",
		Long: `Draw one question's stages over time: one line a span, gaps and the first token marked.

QUESTION is a number (3), or session/number (a/3) when several sessions have it. TRACE is a trace id or its first six
digits or more. "slowest" is the question that took the longest end to end.`,
		Example: `  ragtrace show slowest
  ragtrace show a/3
  ragtrace show 4bf92f3577b3 --from traces.json`,
		Args: takes(1, 1),
	}
	from, when := sourceFlags(cmd), newWindowFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		from.trace = args[0]
		if from.window, err = when.window(time.Now()); err != nil {
			return err
		}
		t, err := from.open(cmd.Context(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		defer t.close()
		if len(t.rows()) == 0 && from.window != (window{}) {
			return errWindowEmpty
		}
		r := t.table.Judge(t.among, nil).Report()
		q, err := choose(r.Questions, args[0])
		if err != nil {
			return err
		}
		view, err := t.view(cmd.Context(), r, q)
		if err != nil {
			return err
		}
		return t.whole(view.Write(report.NewScreen(cmd.OutOrStdout())))
	}
	return cmd
}

// choose finds the question that name means.
func choose(questions []diagnose.Result, name string) (diagnose.Result, error) {
	if len(questions) == 0 {
		return diagnose.Result{}, fmt.Errorf("there is no question here yet (ragtrace slow says how to get one)")
	}
	if name == "" {
		return diagnose.Result{}, usagef("a question is named by a number (3), session/number (a/3), a trace id, or slowest")
	}
	if name == "slowest" {
		return slices.MaxFunc(questions, func(a, b diagnose.Result) int { return cmp.Compare(a.E2E, b.E2E) }), nil
	}
	// What a person types first: a number, a session's number, a trace. A session may look like any of them, so the more
	// exact reading wins.
	for _, means := range []func(diagnose.Result) bool{
		func(q diagnose.Result) bool { return name == q.TraceID.String() },
		func(q diagnose.Result) bool { return name == q.Session+"/"+strconv.Itoa(q.Number) },
		func(q diagnose.Result) bool { return q.Session == "" && name == strconv.Itoa(q.Number) }, // it has no other name
		func(q diagnose.Result) bool { return name == strconv.Itoa(q.Number) },
		func(q diagnose.Result) bool {
			return len(name) >= tracePrefix && strings.HasPrefix(q.TraceID.String(), strings.ToLower(name))
		},
	} {
		var found []diagnose.Result
		for _, q := range questions {
			if means(q) {
				found = append(found, q)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return diagnose.Result{}, fmt.Errorf("%s is more than one question (%s)", name, choices("choose", handles(found)))
		}
	}
	short := ""
	if beginsTrace(questions, name) {
		short = ": of a trace id, the first six digits or more are needed"
	}
	return diagnose.Result{}, fmt.Errorf("no question or trace %s%s (%s)", report.Clean(name), short, choices("there are", handles(questions)))
}

// tracePrefix is how many digits of a trace id name it.
const tracePrefix = 6

// beginsTrace reports whether a name is too short for a trace, but looks like the beginning of one, or is it.
func beginsTrace(questions []diagnose.Result, name string) bool {
	name = strings.ToLower(name)
	if len(name) >= tracePrefix || strings.Trim(name, "0123456789abcdef") != "" {
		return false
	}
	return strings.ContainsAny(name, "abcdef") && len(name) > 1 || slices.ContainsFunc(questions, func(q diagnose.Result) bool {
		return len(name) > 2 && strings.HasPrefix(q.TraceID.String(), name)
	})
}

// handles name questions so that each name means one of them.
func handles(questions []diagnose.Result) []string {
	count := make(map[string]int)
	name := func(q diagnose.Result) string { return q.Session + "/" + strconv.Itoa(q.Number) }
	for _, q := range questions {
		count[name(q)]++
	}
	var all []string
	for _, q := range questions {
		if q.Session == "" || count[name(q)] > 1 {
			all = append(all, q.TraceID.String()[:12])
		} else {
			all = append(all, name(q))
		}
	}
	return all
}

// choices lists names for an error: enough to choose from, not a flood.
func choices(head string, names []string) string {
	const most = 12
	text := head + ": " + report.Clean(strings.Join(names[:min(len(names), most)], ", "))
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}
