package web

import (
	"context"
	"errors"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A Source is where the questions are. Its functions may be called at the same time.
type Source struct {
	// Version changes whenever Questions may have something new. It is asked for at every request and must be cheap, and it
	// is a word without blanks.
	Version func(context.Context) (string, error)
	// Questions are all questions.
	Questions func(context.Context) ([]diagnose.Question, error)
	// Spans are those of a trace; the error is ErrNoTrace when there is none.
	Spans func(context.Context, model.TraceID) ([]model.Span, error)
}

// ErrNoTrace says that a Source has no such trace.
var ErrNoTrace = errors.New("no such trace")

// Options are what a page may be told. The zero value serves anybody, without links elsewhere.
type Options struct {
	// Local says that only this machine can reach the server. Then requests that name another host are refused, since they
	// come from a foreign page whose name was made to mean this machine.
	Local bool
	// JaegerURL is the address of a Jaeger UI to link traces to, without a slash at the end; "" for none.
	JaegerURL string
	// Receiver is told to those who have sent nothing yet.
	Receiver Receiver
}

// A Receiver is where spans can be sent. What is "" is as ragtrace serve has it by default.
type Receiver struct {
	GRPC, HTTP string // HOST:PORT
	DB         string // the file that they are kept in
}
