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
	*diagnose.Judgement
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
	j := &judged{
		traces: t, window: f.source.window,
		filter: stats.Filter{Session: *f.session, Service: *f.service, Model: *f.model, Number: *f.number},
	}
	among := t.among
	if *f.service != "" {
		j.services = different(t.rows(), t.table.Service)
		of := t.table.ServiceIs(*f.service)
		among = func(row int) bool { return of(row) && (t.among == nil || t.among(row)) }
	}
	told := j.filter
	told.Service = "" // which is what is looked at
	j.Judgement = t.table.Judge(among, told.Rows(t.table))
	return j
}

// different are the names that occur, the shortest first, which puts numbers in their order.
func different(rows []int, of func(row int) string) []string {
	var names []string
	for _, row := range rows {
		if name := of(row); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return names
}

// narrowed lists the chosen questions only.
func (j *judged) narrowed() diagnose.Report {
	r := j.Report()
	r.Questions = slices.DeleteFunc(r.Questions, func(q diagnose.Result) bool { return !j.filter.Question(&q) })
	return r
}

// mustChoose is the error for flags that choose no question. Without flags there may be none.
func (j *judged) mustChoose() error {
	if j.Len() > 0 {
		return nil
	}
	f, rows := j.filter, j.Rows()
	switch {
	case len(rows) == 0 && len(j.services) > 0:
		return fmt.Errorf("no question of service %q (%s)", f.Service, choices("services", j.services))
	case len(rows) == 0 && j.window != (window{}):
		return errWindowEmpty
	case len(rows) == 0:
		return nil
	}
	for _, flag := range []struct {
		name, value string
		of          func(row int) string
	}{
		{"session", f.Session, j.table.Session},
		{"model", f.Model, func(row int) string { _, model := j.table.AnsweredBy(row); return model }},
		{"number", numberText(f.Number), func(row int) string { return strconv.Itoa(j.table.Number(row)) }},
	} {
		there := different(rows, flag.of)
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
