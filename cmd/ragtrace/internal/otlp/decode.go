package otlp

import (
	"fmt"
	"math"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"google.golang.org/protobuf/encoding/protowire"
)

// Decode decodes the spans of a batch.
func (b *Batch) Decode() ([]model.Span, error) {
	resources := map[*Envelope]*model.Resource{}
	scopes := map[*Envelope]*model.Scope{}
	spans := make([]model.Span, 0, len(b.Spans))
	for _, raw := range b.Spans {
		var err error
		if resources[raw.Resource] == nil {
			if resources[raw.Resource], err = DecodeResource(raw.Resource.OTLP); err != nil {
				return nil, err
			}
		}
		if scopes[raw.Scope] == nil {
			if scopes[raw.Scope], err = DecodeScope(raw.Scope.OTLP); err != nil {
				return nil, err
			}
		}
		span, err := DecodeSpan(raw.OTLP, resources[raw.Resource], scopes[raw.Scope])
		if err != nil {
			return nil, err
		}
		spans = append(spans, span)
	}
	return spans, nil
}

// DecodeResource decodes the envelope of a resource.
func DecodeResource(raw []byte) (*model.Resource, error) {
	r := &model.Resource{}
	var attrs attributes
	f := fields{rest: raw}
	for f.next() {
		if f.num != 1 || f.typ != protowire.BytesType {
			continue
		}
		inner := fields{rest: f.bytes}
		for inner.next() {
			if inner.num == 1 && inner.typ == protowire.BytesType {
				attrs.add(inner.bytes)
			}
		}
		f.note(inner.err)
	}
	var err error
	if r.Attrs, err = attrs.decode(); err != nil {
		f.note(err)
	}
	if f.err != nil {
		return nil, fmt.Errorf("decode resource: %w", f.err)
	}
	return r, nil
}

// DecodeScope decodes the envelope of a scope.
func DecodeScope(raw []byte) (*model.Scope, error) {
	s := &model.Scope{}
	f := fields{rest: raw}
	for f.next() {
		if f.num != 1 || f.typ != protowire.BytesType {
			continue
		}
		inner := fields{rest: f.bytes}
		for inner.next() {
			switch {
			case inner.typ != protowire.BytesType:
			case inner.num == 1:
				s.Name = string(inner.bytes)
			case inner.num == 2:
				s.Version = string(inner.bytes)
			}
		}
		f.note(inner.err)
	}
	if f.err != nil {
		return nil, fmt.Errorf("decode scope: %w", f.err)
	}
	return s, nil
}

// nanos is a time of OTLP as an int64; one after the year 2262 is none.
func nanos(t uint64) int64 {
	if t > math.MaxInt64 {
		return 0
	}
	return int64(t)
}
