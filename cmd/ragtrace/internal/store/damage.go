package store

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A DamagedError names the traces whose spans cannot be unpacked. Each is left out whole, as a question made of half its
// spans would be another; all else was read, or done, before the error came. The file stays as it is.
type DamagedError struct {
	Traces []model.TraceID // in the order in which they were met; at least one

	rows []int64
}

// maxNamed is how many damaged traces an error names.
const maxNamed = 5

func (e *DamagedError) Error() string {
	names := make([]string, 0, maxNamed)
	for _, id := range e.Traces[:min(len(e.Traces), maxNamed)] {
		names = append(names, id.String())
	}
	if more := len(e.Traces) - maxNamed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	traces := "trace"
	if len(e.Traces) > 1 {
		traces = "traces"
	}
	return fmt.Sprintf("%s %s left out, whose spans cannot be unpacked: the file is damaged (restore a copy, or save the rest with "+
		"ragtrace export -o FILE and ragtrace import --db NEW FILE)", traces, strings.Join(names, ", "))
}

func (e *DamagedError) add(row int64, trace model.TraceID) {
	e.rows, e.Traces = append(e.rows, row), append(e.Traces, trace)
}

// join adds what another reading found, and is err when that is anything else.
func (e *DamagedError) join(err error) error {
	if d, ok := err.(*DamagedError); ok {
		e.rows, e.Traces = append(e.rows, d.rows...), append(e.Traces, d.Traces...)
		return nil
	}
	return err
}

// orNil is e when it names a trace.
func (e *DamagedError) orNil() error {
	if len(e.Traces) == 0 {
		return nil
	}
	return e
}

// isDamage reports whether an error is of a chunk alone, so that others can be read.
func isDamage(err error) bool { return errors.Is(err, errChunk) || errors.Is(err, errEnvelope) }
