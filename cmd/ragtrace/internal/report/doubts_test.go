package report

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// TestDoubtsAreSaidOnce has nine questions, of which all but the second have a bad value and the third has no root.
func TestDoubtsAreSaidOnce(t *testing.T) {
	var questions []diagnose.Question
	for n := 1; n <= 9; n++ {
		q := diagnose.Question{Session: "a", Number: n, Start: int64(n), End: int64(n) + 1, Status: diagnose.StatusOK, Flags: []string{diagnose.FlagPhasesUnknown}}
		if n != 2 {
			q.Flags = append(q.Flags, diagnose.FlagBadValue)
		}
		if n == 3 {
			q.Start, q.End, q.Status = 0, 0, diagnose.StatusIncomplete
			q.Flags = []string{diagnose.FlagBadValue, diagnose.FlagMissingRoot}
		}
		questions = append(questions, q)
	}
	var out bytes.Buffer
	s := plain
	s.Writer = &out
	if err := Answer(s, diagnose.TableOf(questions).Judge(nil, nil)); err != nil {
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
