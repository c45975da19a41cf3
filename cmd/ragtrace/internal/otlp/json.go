package otlp

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// ReadJSON reads OTLP/JSON: any number of requests after one another, each on a line of its own or over several. A batch
// is one request. Spans that cannot be kept are counted in the batch. After an error, which is a *LineError, there is no
// more, since nobody can say where the next request starts.
func ReadJSON(r io.Reader) iter.Seq2[*Batch, error] { return ReadJSONUpTo(r, math.MaxInt) }

// ReadJSONUpTo is ReadJSON for requests of strangers, as SplitUpTo is Split.
func ReadJSONUpTo(r io.Reader, most int) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		lines := &lineReader{r: r}
		dec := json.NewDecoder(lines)
		for {
			b := &Batch{most: most}
			err := readRequest(dec, lines, b)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, &LineError{lines.line(errorOffset(dec, err)), err})
				return
			}
			lines.forget(dec.InputOffset())
			if !yield(b, nil) {
				return
			}
		}
	}
}

// A LineError says in which line, from 1, something is wrong.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *LineError) Unwrap() error { return e.Err }

// readRequest reads one request. io.EOF means that there is none.
func readRequest(dec *json.Decoder, lines *lineReader, b *Batch) error {
	traces, other := false, ""
	err := object(dec, func(key string) error {
		if b.Line == 0 {
			b.Line = lines.line(dec.InputOffset())
		}
		switch key {
		case "resourceSpans", "resource_spans":
			traces = true
			return array(dec, func() error { return readResource(dec, b) })
		}
		other = key
		return skip(dec)
	})
	if err == nil && !traces && other != "" {
		return fmt.Errorf("%q where resourceSpans was due: this is not OTLP/JSON", other)
	}
	return err
}

func readResource(dec *json.Decoder, b *Batch) error {
	if err := b.countEnvelope(); err != nil {
		return err
	}
	envelope := &Envelope{}
	resource, schema := json.RawMessage("{}"), json.RawMessage(`""`)
	err := object(dec, func(key string) error {
		switch key {
		case "scopeSpans", "scope_spans":
			return array(dec, func() error { return readScope(dec, b, envelope) })
		case "resource":
			return dec.Decode(&resource)
		case "schemaUrl", "schema_url":
			return dec.Decode(&schema)
		}
		return skip(dec)
	})
	if err != nil {
		return err
	}
	if len(resource)+len(schema) > maxEnvelope {
		return fmt.Errorf("resource: larger than %d MiB", maxEnvelope>>20)
	}
	envelope.OTLP, err = toProtobuf(fmt.Sprintf(`{"resourceSpans":[{"resource":%s,"schemaUrl":%s}]}`, resource, schema),
		fieldResourceSpans)
	if err != nil {
		return fmt.Errorf("resource: %w", err)
	}
	return nil
}

func readScope(dec *json.Decoder, b *Batch, resource *Envelope) error {
	if err := b.countEnvelope(); err != nil {
		return err
	}
	envelope := &Envelope{}
	scope, schema := json.RawMessage("{}"), json.RawMessage(`""`)
	err := object(dec, func(key string) error {
		switch key {
		case "spans":
			return array(dec, func() error {
				var span json.RawMessage
				if err := dec.Decode(&span); err != nil {
					return err
				}
				b.addJSON(span, resource, envelope)
				return nil
			})
		case "scope":
			return dec.Decode(&scope)
		case "schemaUrl", "schema_url":
			return dec.Decode(&schema)
		}
		return skip(dec)
	})
	if err != nil {
		return err
	}
	if len(scope)+len(schema) > maxEnvelope {
		return fmt.Errorf("scope: larger than %d MiB", maxEnvelope>>20)
	}
	envelope.OTLP, err = toProtobuf(fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"scope":%s,"schemaUrl":%s}]}]}`, scope, schema),
		fieldResourceSpans, fieldScopeSpans)
	if err != nil {
		return fmt.Errorf("scope: %w", err)
	}
	return nil
}

func (b *Batch) addJSON(span json.RawMessage, resource, scope *Envelope) {
	switch {
	case len(span) > maxSpan:
		b.Refuse(errSize)
		return
	case bytes.Count(span, []byte("{"))+bytes.Count(span, []byte("null")) > 2*maxSpanValues: // which is at least one a value
		b.Refuse(errValues)
		return
	}
	raw, err := toProtobuf(fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[%s]}]}]}`, span),
		fieldResourceSpans, fieldScopeSpans, fieldSpans)
	if err != nil {
		b.Refuse(whyMalformed(span))
		return
	}
	b.Add(raw, resource, scope)
}

// whyMalformed tells ids of another length or kind, such as base64, from all else that cannot be translated.
func whyMalformed(span json.RawMessage) error {
	var ids struct {
		TraceID *string `json:"traceId"`
		SpanID  *string `json:"spanId"`
	}
	isID := func(text *string, size int) bool {
		id, err := hex.DecodeString(*text)
		return err == nil && len(id) == size
	}
	switch err := json.Unmarshal(span, &ids); {
	case err != nil:
		return errMalformed
	case ids.TraceID != nil && !isID(ids.TraceID, len(model.TraceID{})):
		return errTraceID
	case ids.SpanID != nil && !isID(ids.SpanID, len(model.SpanID{})):
		return errSpanID
	}
	return errMalformed
}

// toProtobuf translates a request of one element into protobuf and takes the element out: the first child on path. One
// element at a time, because of a whole request a single bad id would lose every span, and a few bytes of JSON can stand
// for a hundred times their size in structs.
func toProtobuf(request string, path ...protowire.Number) ([]byte, error) {
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(request))
	if err != nil {
		return nil, err
	}
	raw, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
	for _, field := range path {
		if err != nil {
			return nil, err
		}
		var children iter.Seq[[]byte]
		if _, children, err = unwrap(raw, field); err == nil {
			raw = nil
			for raw = range children {
				break
			}
		}
	}
	return raw, err
}
