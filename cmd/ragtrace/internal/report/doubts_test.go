package report

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

func TestDoubtsAreSaidOnce(t *testing.T) {
	r := diagnose.Report{Verdict: diagnose.Verdict{Text: "Nothing to see."}}
	for n := 1; n <= 9; n++ {
		q := diagnose.Result{Session: "a", Number: n, Timed: true, Status: diagnose.StatusOK, Flags: []string{diagnose.FlagPhasesUnknown}}
		if n != 2 {
			q.Flags = append(q.Flags, diagnose.FlagBadValue)
		}
		if n == 3 {
			q.Timed, q.Status = false, diagnose.StatusIncomplete
			q.Flags = []string{diagnose.FlagBadValue, diagnose.FlagMissingRoot}
		}
		r.Questions = append(r.Questions, q)
	}
	var out bytes.Buffer
	s := plain
	s.Writer = &out
	if err := Answer(s, nil, r); err != nil {
		t.Fatal(err)
	}
	_, got, _ := bytes.Cut(out.Bytes(), []byte("\n\nDoubts\n"))
	want := "- a/1, a/3, a/4, a/5, a/6, a/7 and 2 more: impossible times or durations were\n  left out.\n" +
		"- a/3: its root span never came, so its times are unknown.\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	if !bytes.Contains(out.Bytes(), []byte("incomplete: bad value,\n")) {
		t.Errorf("nothing says why question 3 has no times:\n%s", &out)
	}
}
