// Package model holds the one shape in which spans are passed between ragtrace's own packages: what ingest decodes, store
// keeps, source reads from elsewhere, and diagnose, web and terminal read. It imports the standard library only.
package model

import (
	"encoding/hex"
	"fmt"
)

// TraceID and SpanID are the ids of OpenTelemetry. The zero value is invalid (for a parent: none).
type (
	TraceID [16]byte
	SpanID  [8]byte
)

func (id TraceID) String() string { return hex.EncodeToString(id[:]) }
func (id SpanID) String() string  { return hex.EncodeToString(id[:]) }

// IsZero reports whether id is the invalid id.
func (id TraceID) IsZero() bool { return id == TraceID{} }

// IsZero reports whether id is the invalid id; a root's parent is.
func (id SpanID) IsZero() bool { return id == SpanID{} }

// MarshalText implements encoding.TextMarshaler: lower-case hex, as in URLs and JSON.
func (id TraceID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// MarshalText implements encoding.TextMarshaler.
func (id SpanID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler. Anything but 32 hex digits is an error.
func (id *TraceID) UnmarshalText(text []byte) error { return decodeID(id[:], text) }

// UnmarshalText implements encoding.TextUnmarshaler. Anything but 16 hex digits is an error.
func (id *SpanID) UnmarshalText(text []byte) error { return decodeID(id[:], text) }

func decodeID(id, text []byte) error {
	if hex.DecodedLen(len(text)) != len(id) || len(text)%2 != 0 {
		return fmt.Errorf("id %q is not %d hex digits", text, 2*len(id))
	}
	_, err := hex.Decode(id, text)
	return err
}

// A Kind is a span's kind, numbered as in OTLP.
type Kind int8

// The kinds of OTLP.
const (
	KindUnspecified Kind = iota
	KindInternal
	KindServer
	KindClient
	KindProducer
	KindConsumer
)

// A StatusCode is a span's status, numbered as in OTLP.
type StatusCode int8

// The status codes of OTLP.
const (
	StatusUnset StatusCode = iota
	StatusOK
	StatusError
)

// Attrs are attributes: string, bool, int64, float64, or []any and map[string]any of these, and []byte.
type Attrs map[string]any

// A Span is one span as it was received. Times are Unix nanoseconds; 0 means that the sender gave none.
type Span struct {
	TraceID       TraceID
	SpanID        SpanID
	ParentID      SpanID
	Name          string
	Kind          Kind
	Start, End    int64
	Status        StatusCode
	StatusMessage string
	Attrs         Attrs
	Events        []Event
	Links         []Link
	Resource      *Resource // shared between the spans of one service; never nil
	Scope         *Scope    // likewise
}

// An Event is something that happened at one moment of a span.
type Event struct {
	Time  int64
	Name  string
	Attrs Attrs
}

// A Link points at a span of another trace.
type Link struct {
	TraceID TraceID
	SpanID  SpanID
	Attrs   Attrs
}

// A Resource is the process that made spans.
type Resource struct {
	Attrs Attrs
}

// Service is the resource's service.name, or "".
func (r *Resource) Service() string { return r.Attrs.String("service.name") }

// Instance is the resource's service.instance.id, or "".
func (r *Resource) Instance() string { return r.Attrs.String("service.instance.id") }

// A Scope is the instrumentation that made spans.
type Scope struct {
	Name, Version string
}

// String is the string under key, or "" when it is absent or no string.
func (a Attrs) String(key string) string {
	s, _ := a[key].(string)
	return s
}

// Int is the whole number under key. A double without a fraction counts, since some exporters know no integers.
func (a Attrs) Int(key string) (int64, bool) {
	switch v := a[key].(type) {
	case int64:
		return v, true
	case float64:
		if n := int64(v); float64(n) == v {
			return n, true
		}
	}
	return 0, false
}

// Float is the number under key.
func (a Attrs) Float(key string) (float64, bool) {
	switch v := a[key].(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// Bool is the boolean under key; ok is false when it is absent or no boolean.
func (a Attrs) Bool(key string) (value, ok bool) {
	value, ok = a[key].(bool)
	return value, ok
}
