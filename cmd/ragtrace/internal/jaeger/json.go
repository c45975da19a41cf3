package jaeger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

// The JSON of Jaeger's UI and of /api/traces:
// https://github.com/jaegertracing/jaeger/blob/v1.76.0/internal/uimodel/model.go
type (
	jsonTrace struct {
		TraceID   string                 `json:"traceID"`
		Spans     []json.RawMessage      `json:"spans"` // so that a broken one does not take the others with it
		Processes map[string]jsonProcess `json:"processes"`
	}
	jsonSpan struct {
		TraceID       string          `json:"traceID"`
		SpanID        string          `json:"spanID"`
		ParentSpanID  string          `json:"parentSpanID"` // in old files, instead of a reference
		OperationName string          `json:"operationName"`
		References    []jsonReference `json:"references"`
		StartTime     uint64          `json:"startTime"` // microseconds
		Duration      uint64          `json:"duration"`  // microseconds
		Tags          []jsonTag       `json:"tags"`
		Logs          []jsonLog       `json:"logs"`
		ProcessID     string          `json:"processID"`
		Process       *jsonProcess    `json:"process"`
	}
	jsonReference struct {
		RefType string `json:"refType"` // CHILD_OF or FOLLOWS_FROM
		TraceID string `json:"traceID"`
		SpanID  string `json:"spanID"`
	}
	jsonProcess struct {
		ServiceName string    `json:"serviceName"`
		Tags        []jsonTag `json:"tags"`
	}
	jsonLog struct {
		Timestamp uint64    `json:"timestamp"` // microseconds
		Fields    []jsonTag `json:"fields"`
	}
	jsonTag struct {
		Key   string          `json:"key"`
		Type  string          `json:"type"` // string, bool, int64, float64 or binary; old files have none
		Value json.RawMessage `json:"value"`
	}
)

// ReadJSON reads {"data": [trace, ...]}. A batch is a trace. After an error, which is a *otlp.LineError, there may be more,
// since a span that cannot be read does not take the others with it.
func ReadJSON(r io.Reader) iter.Seq2[*otlp.Batch, error] {
	return func(yield func(*otlp.Batch, error) bool) {
		dec := otlp.NewLines(r)
		if err := readAnswer(dec, yield); err != nil && !errors.Is(err, errEnough) {
			yield(nil, dec.Fail(err))
		}
	}
}

// errEnough ends the reading because nobody wants more.
var errEnough = errors.New("enough")

func readAnswer(dec *otlp.Lines, yield func(*otlp.Batch, error) bool) error {
	if open, err := dec.Token(); err != nil {
		return err
	} else if open != json.Delim('{') {
		return fmt.Errorf("found %v where { was due", open)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		switch key {
		case "data":
			if err := readTraces(dec, yield); err != nil {
				return err
			}
		case "errors":
			var failed []struct{ Msg string }
			if err := dec.Decode(&failed); err != nil {
				return err
			}
			if len(failed) > 0 {
				return fmt.Errorf("jaeger had an error: %s", failed[0].Msg)
			}
		default:
			var ignored json.RawMessage
			if err := dec.Decode(&ignored); err != nil {
				return err
			}
		}
	}
	_, err := dec.Token() // }
	return err
}

func readTraces(dec *otlp.Lines, yield func(*otlp.Batch, error) bool) error {
	open, err := dec.Token()
	if err != nil || open == nil { // null: there was no such trace
		return err
	}
	if open != json.Delim('[') {
		return fmt.Errorf("found %v where the traces were due", open)
	}
	for dec.More() {
		var trace jsonTrace
		if err := dec.Decode(&trace); err != nil {
			return err
		}
		batch, bad := trace.batch()
		if !yield(batch, nil) {
			return errEnough
		}
		for _, err := range bad {
			if !yield(nil, dec.Fail(fmt.Errorf("trace %s: %w", trace.TraceID, err))) {
				return errEnough
			}
		}
	}
	_, err = dec.Token() // ]
	return err
}
