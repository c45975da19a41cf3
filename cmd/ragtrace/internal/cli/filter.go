package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

// filterHelp says what the common flags do to comparisons. It ends the help of every command that has them.
const filterHelp = `

--since, --until and --service choose what is looked at, baselines included. --session, --model and --number choose only
what is told of it: what is usual, and what was cold, is still worked out from all questions of the service in that time.`

// filters are the flags that slow, stats, compare and check have in common.
type filters struct {
	source                  source
	when                    windowFlags
	session, service, model *string
	number                  *int
}

func filterFlags(cmd *cobra.Command) *filters {
	flags := cmd.Flags()
	return &filters{
		source:  sourceFlags(cmd),
		session: flags.String("session", "", "only questions of session `S`"),
		service: flags.String("service", "", "only questions of service `S`, the service.name of their root span"),
		model:   flags.String("model", "", "only questions that model `M` answered, and its LLM calls"),
		when:    newWindowFlags(cmd),
		number:  flags.Int("number", 0, "only questions with number `N` in their session"),
	}
}

// judged are the questions of a source, compared with each other.
type judged struct {
	*traces
	report   diagnose.Report
	filter   stats.Filter // what is to be told of it
	window   window
	services []string // of all questions in the window
}

// load reads and judges what the flags choose.
func (f *filters) load(cmd *cobra.Command) (*judged, error) {
	if err := f.check(cmd); err != nil {
		return nil, err
	}
	t, err := f.source.open(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	return f.judge(t), nil
}

// check refuses flags that mean nothing, and works out the window.
func (f *filters) check(cmd *cobra.Command) (err error) {
	f.source.service = *f.service
	if f.source.window, err = f.when.window(time.Now()); err != nil {
		return err
	}
	if cmd.Flags().Changed("number") && *f.number < 1 {
		return usagef("--number %d: questions are numbered from 1", *f.number)
	}
	return nil
}

func (f *filters) judge(t *traces) *judged {
	var services []string
	if *f.service != "" {
		services = different(t.questions, func(q *diagnose.Question) string { return q.Service })
		t.questions = slices.DeleteFunc(t.questions, func(q diagnose.Question) bool { return q.Service != *f.service })
	}
	j := &judged{
		traces: t, window: f.source.window, services: services,
		filter: stats.Filter{Session: *f.session, Service: *f.service, Model: *f.model, Number: *f.number},
	}
	if *f.session != "" || *f.model != "" || *f.number != 0 {
		j.report = diagnose.JudgeChosen(t.questions, j.filter.Question)
	} else {
		j.report = diagnose.Judge(t.questions)
	}
	return j
}

// different are the names that occur, the shortest first, which puts numbers in their order.
func different[T any](list []T, of func(*T) string) []string {
	var names []string
	for i := range list {
		if name := of(&list[i]); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return names
}

// chosen are the questions that the filter chooses.
func (j *judged) chosen() []diagnose.Result {
	all := j.report.Questions
	first := 0 // that is left out
	for first < len(all) && j.filter.Question(&all[first]) {
		first++
	}
	if first == len(all) {
		return all
	}
	chosen := slices.Clone(all[:first])
	for i := first + 1; i < len(all); i++ {
		if j.filter.Question(&all[i]) {
			chosen = append(chosen, all[i])
		}
	}
	return chosen
}

// mustChoose is the error for flags that choose no question. Without flags there may be none.
func (j *judged) mustChoose() error {
	f, all := j.filter, j.report.Questions
	switch {
	case len(j.chosen()) > 0:
		return nil
	case len(all) == 0 && len(j.services) > 0:
		return fmt.Errorf("no question of service %q (%s)", f.Service, choices("services", j.services))
	case len(all) == 0 && j.window != (window{}):
		return errWindowEmpty
	case len(all) == 0:
		return nil
	}
	for _, flag := range []struct {
		name, value string
		of          func(r *diagnose.Result) string
	}{
		{"session", f.Session, func(r *diagnose.Result) string { return r.Session }},
		{"model", f.Model, func(r *diagnose.Result) string { return stats.Answering(r.Question).Model }},
		{"number", numberText(f.Number), func(r *diagnose.Result) string { return strconv.Itoa(r.Number) }},
	} {
		there := different(all, flag.of)
		switch {
		case flag.value == "" || slices.Contains(there, flag.value):
		case there == nil:
			return fmt.Errorf("no question names a %s", flag.name)
		default:
			return fmt.Errorf("no question of %s %q (%s)", flag.name, flag.value, choices(flag.name+"s", there))
		}
	}
	return fmt.Errorf("no question is of all that the flags ask for: leave one out")
}

func numberText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
