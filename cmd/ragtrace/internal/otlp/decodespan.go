package otlp

import (
	"fmt"
	"math"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of fields are those of opentelemetry/proto/trace/v1/trace.proto and common/v1/common.proto.

// DecodeSpan decodes a span's protobuf.
func DecodeSpan(raw []byte, resource *model.Resource, scope *model.Scope) (model.Span, error) {
	s := model.Span{Resource: resource, Scope: scope}
	var attrs attributes
	f := fields{rest: raw}
	for f.next() {
		switch f.typ {
		case protowire.BytesType:
			switch f.num {
			case fieldTraceID:
				s.TraceID = model.TraceID{}
				setID(s.TraceID[:], f.bytes)
			case fieldSpanID:
				s.SpanID = model.SpanID{}
				setID(s.SpanID[:], f.bytes)
			case 4:
				s.ParentID = model.SpanID{}
				setID(s.ParentID[:], f.bytes)
			case 5:
				s.Name = string(f.bytes)
			case fieldAttributes:
				attrs.add(f.bytes)
			case 11:
				event, err := decodeEvent(f.bytes)
				f.note(err)
				s.Events = append(s.Events, event)
			case 13:
				link, err := decodeLink(f.bytes)
				f.note(err)
				s.Links = append(s.Links, link)
			case 15:
				f.note(decodeStatus(f.bytes, &s))
			}
		case protowire.VarintType:
			if f.num == 6 {
				s.Kind = model.Kind(f.number)
			}
		case protowire.Fixed64Type:
			switch f.num {
			case fieldStart:
				s.Start = nanos(f.number)
			case 8:
				s.End = nanos(f.number)
			}
		}
	}
	var err error
	s.Attrs, err = attrs.decode()
	f.note(err)
	if f.err != nil {
		return model.Span{}, fmt.Errorf("decode span: %w", f.err)
	}
	return s, nil
}

func decodeEvent(raw []byte) (e model.Event, err error) {
	var attrs attributes
	f := fields{rest: raw}
	for f.next() {
		switch {
		case f.num == 1 && f.typ == protowire.Fixed64Type:
			e.Time = nanos(f.number)
		case f.num == 2 && f.typ == protowire.BytesType:
			e.Name = string(f.bytes)
		case f.num == 3 && f.typ == protowire.BytesType:
			attrs.add(f.bytes)
		}
	}
	e.Attrs, err = attrs.decode()
	f.note(err)
	return e, f.err
}

func decodeLink(raw []byte) (l model.Link, err error) {
	var attrs attributes
	f := fields{rest: raw}
	for f.next() {
		switch {
		case f.typ != protowire.BytesType:
		case f.num == 1:
			l.TraceID = model.TraceID{}
			setID(l.TraceID[:], f.bytes)
		case f.num == 2:
			l.SpanID = model.SpanID{}
			setID(l.SpanID[:], f.bytes)
		case f.num == 4:
			attrs.add(f.bytes)
		}
	}
	l.Attrs, err = attrs.decode()
	f.note(err)
	return l, f.err
}

func decodeStatus(raw []byte, s *model.Span) error {
	f := fields{rest: raw}
	for f.next() {
		switch {
		case f.num == 2 && f.typ == protowire.BytesType:
			s.StatusMessage = string(f.bytes)
		case f.num == 3 && f.typ == protowire.VarintType:
			s.Status = model.StatusCode(f.number)
		}
	}
	return f.err
}

// attributes are KeyValues that are still to be decoded, so that their number is known first.
type attributes struct {
	some [16][]byte
	n    int
	more [][]byte
}

func (a *attributes) add(raw []byte) {
	if a.n < len(a.some) {
		a.some[a.n] = raw
	} else {
		a.more = append(a.more, raw)
	}
	a.n++
}

// decode is nil for no attributes. Of a key that comes twice the last value counts.
func (a *attributes) decode() (model.Attrs, error) {
	if a.n == 0 {
		return nil, nil
	}
	m := make(model.Attrs, a.n)
	for i := range a.n {
		raw := a.some[min(i, len(a.some)-1)]
		if i >= len(a.some) {
			raw = a.more[i-len(a.some)]
		}
		if err := decodeKeyValue(raw, m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func decodeKeyValue(raw []byte, into map[string]any) error {
	var key string
	var v any
	f := fields{rest: raw}
	for f.next() {
		switch {
		case f.typ != protowire.BytesType:
		case f.num == 1:
			key = string(f.bytes)
		case f.num == 2:
			var err error
			v, err = decodeValue(f.bytes)
			f.note(err)
		}
	}
	into[key] = v
	return f.err
}

// decodeValue is nil for an empty value, or one of a kind not known here.
func decodeValue(raw []byte) (v any, err error) {
	f := fields{rest: raw}
	for f.next() {
		switch {
		case f.num == 1 && f.typ == protowire.BytesType:
			v = string(f.bytes)
		case f.num == 2 && f.typ == protowire.VarintType:
			v = f.number != 0
		case f.num == 3 && f.typ == protowire.VarintType:
			v = int64(f.number)
		case f.num == 4 && f.typ == protowire.Fixed64Type:
			v = math.Float64frombits(f.number)
		case f.num == 5 && f.typ == protowire.BytesType:
			v, err = decodeArray(f.bytes)
			f.note(err)
		case f.num == 6 && f.typ == protowire.BytesType:
			v, err = decodeMap(f.bytes)
			f.note(err)
		case f.num == 7 && f.typ == protowire.BytesType:
			v = append([]byte{}, f.bytes...)
		}
	}
	return v, f.err
}

func decodeArray(raw []byte) (any, error) {
	list := []any{}
	f := fields{rest: raw}
	for f.next() {
		if f.num == 1 && f.typ == protowire.BytesType {
			v, err := decodeValue(f.bytes)
			f.note(err)
			list = append(list, v)
		}
	}
	return list, f.err
}

func decodeMap(raw []byte) (any, error) {
	m := map[string]any{}
	f := fields{rest: raw}
	for f.next() {
		if f.num == 1 && f.typ == protowire.BytesType {
			f.note(decodeKeyValue(f.bytes, m))
		}
	}
	return m, f.err
}
