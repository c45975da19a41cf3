package source

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

// The JSON of Jaeger's UI and of /api/traces:
// https://github.com/jaegertracing/jaeger/blob/v1.76.0/internal/uimodel/model.go
type (
	jaegerTrace struct {
		TraceID   string                   `json:"traceID"`
		Spans     []json.RawMessage        `json:"spans"` // so that a broken one does not take the others with it
		Processes map[string]jaegerProcess `json:"processes"`
	}
	jaegerSpan struct {
		TraceID       string            `json:"traceID"`
		SpanID        string            `json:"spanID"`
		ParentSpanID  string            `json:"parentSpanID"` // in old files, instead of a reference
		OperationName string            `json:"operationName"`
		References    []jaegerReference `json:"references"`
		StartTime     uint64            `json:"startTime"` // microseconds
		Duration      uint64            `json:"duration"`  // microseconds
		Tags          []jaegerTag       `json:"tags"`
		Logs          []jaegerLog       `json:"logs"`
		ProcessID     string            `json:"processID"`
		Process       *jaegerProcess    `json:"process"`
	}
	jaegerReference struct {
		RefType string `json:"refType"` // CHILD_OF or FOLLOWS_FROM
		TraceID string `json:"traceID"`
		SpanID  string `json:"spanID"`
	}
	jaegerProcess struct {
		ServiceName string      `json:"serviceName"`
		Tags        []jaegerTag `json:"tags"`
	}
	jaegerLog struct {
		Timestamp uint64      `json:"timestamp"` // microseconds
		Fields    []jaegerTag `json:"fields"`
	}
	jaegerTag struct {
		Key   string          `json:"key"`
		Type  string          `json:"type"` // string, bool, int64, float64 or binary; old files have none
		Value json.RawMessage `json:"value"`
	}
)

// readJaegerJSON reads {"data": [trace, ...]}. A batch is a trace.
func readJaegerJSON(r *bufio.Reader, yield func(*otlp.Batch, error) bool) {
	lines := &lineCounter{r: r}
	dec := json.NewDecoder(lines)
	err := func() error {
		if _, err := dec.Token(); err != nil { // {
			return err
		}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			switch key {
			case "data":
				if err := readJaegerTraces(dec, lines, yield); err != nil {
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
	}()
	if err != nil && !errors.Is(err, errEnough) {
		yield(nil, lines.fail(dec, err))
	}
}

// errEnough ends the reading because nobody wants more.
var errEnough = errors.New("enough")

func readJaegerTraces(dec *json.Decoder, lines *lineCounter, yield func(*otlp.Batch, error) bool) error {
	open, err := dec.Token()
	if err != nil || open == nil { // null: there was no such trace
		return err
	}
	if open != json.Delim('[') {
		return fmt.Errorf("found %v where the traces were due", open)
	}
	for dec.More() {
		var trace jaegerTrace
		if err := dec.Decode(&trace); err != nil {
			return err
		}
		request, bad := trace.request()
		raw, err := proto.Marshal(request)
		if err != nil {
			return err
		}
		batch, err := otlp.Split(raw)
		if err != nil {
			return err
		}
		if !yield(batch, nil) {
			return errEnough
		}
		for _, err := range bad {
			if !yield(nil, lines.fail(dec, fmt.Errorf("trace %s: %w", trace.TraceID, err))) {
				return errEnough
			}
		}
	}
	_, err = dec.Token() // ]
	return err
}
