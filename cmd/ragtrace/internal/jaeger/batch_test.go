package jaeger

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A writer writes Thrift's binary protocol by hand: after a field's type and number comes its value.
type writer struct{ bytes.Buffer }

func (w *writer) put(values ...any) *writer {
	for _, v := range values {
		switch v := v.(type) {
		case string:
			binary.Write(w, binary.BigEndian, int32(len(v)))
			w.WriteString(v)
		case *writer: // a struct
			w.Write(v.Bytes())
			w.WriteByte(typeStop)
		case []*writer: // a list of structs
			w.WriteByte(typeStruct)
			binary.Write(w, binary.BigEndian, int32(len(v)))
			for _, element := range v {
				w.put(element)
			}
		default:
			binary.Write(w, binary.BigEndian, v)
		}
	}
	return w
}

// field writes a field.
func (w *writer) field(id int16, v any) *writer {
	switch v.(type) {
	case bool:
		w.put(byte(typeBool), id, v)
	case int32:
		w.put(byte(typeI32), id, v)
	case int64:
		w.put(byte(typeI64), id, v)
	case float64:
		w.put(byte(typeDouble), id, v)
	case string:
		w.put(byte(typeString), id, v)
	case *writer:
		w.put(byte(typeStruct), id, v)
	case []*writer:
		w.put(byte(typeList), id, v)
	}
	return w
}

func record() *writer { return &writer{} }

func strTag(key, value string) *writer {
	return record().field(1, key).field(2, int32(0)).field(3, value)
}

// fullSpan uses all that Jaeger's spans have.
func fullSpan() *writer {
	return record().
		field(1, int64(0x0807060504030201)). // the low half
		field(2, int64(0x1817161514131211)).
		field(3, int64(0x2827262524232221)).
		field(4, int64(0x3837363534333231)).
		field(5, "chat").
		field(6, []*writer{
			record().field(1, int32(0)).field(2, int64(0x0807060504030201)).field(3, int64(0x1817161514131211)).field(4, int64(0x3837363534333231)),
			record().field(1, int32(1)).field(2, int64(1)).field(3, int64(2)).field(4, int64(3)),
		}).
		field(7, int32(3)).
		field(8, int64(1764500000000001)).
		field(9, int64(1500000)).
		field(10, []*writer{
			strTag("span.kind", "client"),
			strTag("session.id", "s-1"),
			record().field(1, "f").field(2, int32(1)).field(4, 0.5),
			record().field(1, "error").field(2, int32(2)).field(5, true),
			record().field(1, "n").field(2, int32(3)).field(6, int64(-7)),
			record().field(1, "b").field(2, int32(4)).field(7, "\x00\xff"),
			strTag("otel.status_description", "server died"),
			strTag("otel.scope.name", "tracer"),
			strTag("otel.scope.version", "1.2"),
			record().field(1, "none").field(2, int32(9)),
		}).
		field(11, []*writer{
			record().field(1, int64(1764500000700000)).field(2, []*writer{strTag("event", "first_chunk"), strTag("k", "v")}),
		})
}

func process() *writer {
	return record().field(1, "ragapp").field(2, []*writer{strTag("hostname", "h1")})
}

func batch(spans ...*writer) []byte {
	w := record().field(1, process()).field(2, spans).field(3, int64(1)).
		field(4, record().field(1, int64(0)).field(2, int64(0)).field(3, int64(0)))
	return (&writer{}).put(w).Bytes()
}

func decode(t *testing.T, message []byte) []model.Span {
	t.Helper()
	b, err := Split(message)
	if err != nil {
		t.Fatal(err)
	}
	spans, err := b.Decode()
	if err != nil {
		t.Fatal(err)
	}
	return spans
}

func TestSplit(t *testing.T) {
	want := []model.Span{{
		TraceID:  model.TraceID{0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 8, 7, 6, 5, 4, 3, 2, 1},
		SpanID:   model.SpanID{0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21},
		ParentID: model.SpanID{0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31},
		Name:     "chat", Kind: model.KindClient, Start: 1764500000000001000, End: 1764500001500001000,
		Status: model.StatusError, StatusMessage: "server died",
		Attrs:  model.Attrs{"session.id": "s-1", "f": 0.5, "n": int64(-7), "b": []byte{0, 0xff}, "none": nil},
		Events: []model.Event{{Time: 1764500000700000000, Name: "first_chunk", Attrs: model.Attrs{"k": "v"}}},
		Links: []model.Link{{
			TraceID: model.TraceID{7: 2, 15: 1}, SpanID: model.SpanID{7: 3}, Attrs: model.Attrs{"opentracing.ref_type": "follows_from"},
		}},
		Resource: &model.Resource{Attrs: model.Attrs{"service.name": "ragapp", "hostname": "h1"}},
		Scope:    &model.Scope{Name: "tracer", Version: "1.2"},
	}}
	if diff := cmp.Diff(want, decode(t, batch(fullSpan()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProcessMayComeLast(t *testing.T) {
	w := record().field(2, []*writer{fullSpan()}).field(1, process())
	spans := decode(t, (&writer{}).put(w).Bytes())
	if len(spans) != 1 || spans[0].Resource.Service() != "ragapp" {
		t.Errorf("spans are %v", spans)
	}
}

// span makes one with an id and more fields.
func span(fields ...any) *writer {
	w := record().field(1, int64(1)).field(3, int64(2)).field(5, "x")
	for i := 0; i < len(fields); i += 2 {
		w.field(int16(fields[i].(int)), fields[i+1])
	}
	return w
}

func TestParents(t *testing.T) {
	ref := func(kind int32, trace, span int64) *writer {
		return record().field(1, kind).field(2, trace).field(3, int64(0)).field(4, span)
	}
	for name, c := range map[string]struct {
		span   *writer
		parent byte
		links  int
	}{
		"none":                       {span(), 0, 0},
		"zero":                       {span(4, int64(0)), 0, 0},
		"the field":                  {span(4, int64(7)), 7, 0},
		"a reference":                {span(6, []*writer{ref(0, 1, 7)}), 7, 0},
		"both":                       {span(4, int64(7), 6, []*writer{ref(0, 1, 7)}), 7, 0},
		"field, and it follows":      {span(4, int64(7), 6, []*writer{ref(1, 1, 7)}), 7, 0},
		"two references":             {span(6, []*writer{ref(0, 1, 7), ref(0, 1, 8)}), 7, 1},
		"of another trace":           {span(6, []*writer{ref(0, 5, 7)}), 0, 1},
		"it only follows":            {span(6, []*writer{ref(1, 1, 7)}), 0, 1},
		"reference that is no list ": {span(6, int64(7)), 0, 0},
	} {
		got := decode(t, batch(c.span))[0]
		if got.ParentID != (model.SpanID{7: c.parent}) || len(got.Links) != c.links {
			t.Errorf("%s: parent %v and %d links, want %d and %d", name, got.ParentID, len(got.Links), c.parent, c.links)
		}
	}
}

func TestTimes(t *testing.T) {
	for name, c := range map[string]struct {
		start, duration int64
		wantStart, end  int64
	}{
		"usual":              {10, 5, 10_000, 15_000},
		"none":               {0, 0, 0, 0},
		"negative duration":  {10, -5, 10_000, 5_000},
		"endless":            {10, math.MaxInt64, 10_000, 10_000},
		"ends after 2262":    {10, math.MaxInt64 - 10, 10_000, 0},
		"ends before 1970":   {10, -11, 10_000, 0},
		"the last that fits": {math.MaxInt64 / 1000, 0, math.MaxInt64 / 1000 * 1000, math.MaxInt64 / 1000 * 1000},
	} {
		got := decode(t, batch(span(8, c.start, 9, c.duration)))[0]
		if got.Start != c.wantStart || got.End != c.end {
			t.Errorf("%s: %d to %d, want %d to %d", name, got.Start, got.End, c.wantStart, c.end)
		}
	}
}

func TestSpansAreRefusedOneByOne(t *testing.T) {
	var tags []*writer
	for range 100_001 {
		tags = append(tags, strTag("k", ""))
	}
	b, err := Split(batch(
		fullSpan(),
		record().field(1, int64(1)),         // no span id
		record().field(3, int64(1)),         // no trace id
		span(8, int64(-1)),                  // before 1970
		span(5, "\xff"),                     // no UTF-8
		span(10, tags),                      // too many
		span(5, strings.Repeat("x", 4<<20)), // too large
		span(),
	))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{
		"span id is not 8 bytes or is zero": 1, "trace id is not 16 bytes or is zero": 1, "start is not between 1970 and 2262": 1,
		"malformed": 1, "more than 100000 tags": 1, "larger than 4 MiB": 1,
	}
	if diff := cmp.Diff(want, b.Refused); diff != "" || len(b.Spans) != 2 {
		t.Errorf("%d spans kept, want 2; refused (-want +got):\n%s", len(b.Spans), diff)
	}
}

func TestSplitRefusesWhatIsNoBatch(t *testing.T) {
	whole := batch(fullSpan())
	for n := range len(whole) {
		if _, err := Split(whole[:n]); err == nil {
			t.Errorf("the first %d bytes of %d are taken", n, len(whole))
		}
	}
	list := func(typ byte, n int32) []byte {
		return (&writer{}).put(byte(typeList), int16(9), typ, n).Bytes()
	}
	deep := bytes.Repeat([]byte{typeStruct, 0, 9}, 100)
	for name, message := range map[string][]byte{
		"nothing": nil, "an empty struct": {typeStop}, "text": []byte("hello, world"),
		"negative list": list(typeI64, -1), "endless list": list(typeI64, math.MaxInt32), "list of nothing": list(typeStop, 5),
		"unknown type": {99, 0, 1}, "deep": deep, "negative string": (&writer{}).put(byte(typeString), int16(1), int32(-1)).Bytes(),
	} {
		if _, err := Split(message); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestManySmallSpans(t *testing.T) {
	spans := make([]*writer, 1<<16+5)
	for i := range spans {
		spans[i] = record()
	}
	b, err := Split(batch(spans...))
	if err != nil {
		t.Fatal(err)
	}
	if b.Refused["beyond the first 65536 spans of a request"] != 5 {
		t.Errorf("refused: %v", b.Refused)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(batch(fullSpan(), span(8, int64(1), 9, int64(2))))
	f.Add(batch())
	f.Fuzz(func(t *testing.T, message []byte) {
		b, err := Split(message)
		if err != nil {
			return
		}
		if _, err := b.Decode(); err != nil {
			t.Fatalf("what was kept cannot be decoded: %v", err)
		}
	})
}
