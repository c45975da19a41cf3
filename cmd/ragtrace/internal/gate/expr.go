package gate

import (
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/stats"
)

// A function is what an expression works out.
type function uint8

const (
	percentile function = iota
	maximum
	share
	count
	cold
	failed
)

// An Expr is one expression that was understood.
type Expr struct {
	Text string // as it was given

	function   function
	percentile float64         // from 1 to 99
	metric     *stats.Metric   // of percentile, maximum, share, and of count where one is given
	cause      string          // of cold; "" for any
	status     diagnose.Status // of failed; "" for any
	filter     stats.Filter
	operator   string
	limit      float64 // in Unit
}

// A Unit is what the two sides of an expression are in.
type Unit uint8

// The units.
const (
	Duration Unit = iota // nanoseconds
	Percent
	Number // of questions, values or tokens
)

// Unit is what the value and the limit are in.
func (e *Expr) Unit() Unit {
	switch {
	case e.function == share:
		return Percent
	case e.function > share, e.metric.Unit == stats.Tokens:
		return Number
	}
	return Duration
}

// holds reports whether v meets the limit.
func (e *Expr) holds(v float64) bool {
	switch e.operator {
	case "<":
		return v < e.limit
	case "<=":
		return v <= e.limit
	case ">":
		return v > e.limit
	case ">=":
		return v >= e.limit
	case "==":
		return v == e.limit
	}
	return v != e.limit
}

// coldCauses are the costs that can be cold.
var coldCauses = []string{"llm_load", "embed_load", "connection_setup", "search_index_cold", "rerank_cold", "lazy_import"}

// statuses are the ways to fail.
var statuses = []string{string(diagnose.StatusError), string(diagnose.StatusCancelled), string(diagnose.StatusIncomplete)}

// CountsQuestions reports whether the value is a number of questions, each of which counts or does not.
func (e *Expr) CountsQuestions() bool { return e.function > share && e.metric == nil }
