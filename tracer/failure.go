package tracer

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// A failure is why a span failed. The zero value is success, which leaves a span's status unset.
type failure struct {
	kind string // error.type: few values
	text string // the status description
}

// canceled is the kind of a failure whose cause is that nobody waited for the answer any more.
const canceled = "canceled"

func (f failure) onto(span trace.Span, attrs []attribute.KeyValue) []attribute.KeyValue {
	if f.kind == "" {
		return attrs
	}
	span.SetStatus(codes.Error, f.text)
	return append(attrs, semconv.ErrorTypeKey.String(f.kind))
}

func failureOf(err error) failure {
	if err == nil {
		return failure{}
	}
	return failure{kind: errorType(err), text: err.Error()}
}

func failureOfStatus(status int) failure {
	code := strconv.Itoa(status)
	return failure{kind: code, text: "HTTP " + code}
}

// errorType names the errors that calls over a network end with; others by their Go type.
func errorType(err error) string {
	var dns *net.DNSError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.Canceled):
		return canceled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "timeout"
	case errors.As(err, &dns):
		return "dns"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection_refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection_reset"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "unexpected_eof"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	}
	return semconv.ErrorType(err).Value.AsString()
}

// short cuts a server's words to a length that fits a span's status.
func short(words string) string {
	const most = 200
	for i := range words {
		if i > most {
			return words[:i] + "…"
		}
	}
	return words
}
