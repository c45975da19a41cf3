package store_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// raw are requests of a store's traces, put together again.
func raw(t *testing.T, s *store.Store, traces ...model.TraceID) []*coltracepb.ExportTraceServiceRequest {
	t.Helper()
	var all []*coltracepb.ExportTraceServiceRequest
	for batch, err := range s.Raw(t.Context(), traces...) {
		if err != nil {
			t.Fatal(err)
		}
		request := &coltracepb.ExportTraceServiceRequest{}
		if err := proto.Unmarshal(otlp.Join(batch), request); err != nil {
			t.Fatal(err)
		}
		all = append(all, request)
	}
	return all
}

func TestRawIsWhatCame(t *testing.T) {
	s := open(t, "")
	full, first, second := otlptest.Full(), otlptest.Questions(1), otlptest.Questions(1)
	health := otlptest.Request(span(9, 1, "http.route", "/healthz")) // no question, and the oldest
	for _, request := range []*coltracepb.ExportTraceServiceRequest{full, first, second, health, full} {
		appendTo(t, s, request)
	}
	want := []*coltracepb.ExportTraceServiceRequest{health, first, second, full}
	if diff := cmp.Diff(want, raw(t, s), protocmp.Transform()); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	id := model.TraceID(second.ResourceSpans[0].ScopeSpans[0].Spans[0].TraceId)
	got := raw(t, s, id, model.TraceID{1}, model.TraceID(otlptest.TraceID))
	if diff := cmp.Diff([]*coltracepb.ExportTraceServiceRequest{second, full}, got, protocmp.Transform()); diff != "" {
		t.Errorf("two of them (-want +got):\n%s", diff)
	}
}

// Spans of one trace that came in several requests are one batch, in the order in which they came.
func TestRawGathersATrace(t *testing.T) {
	s := open(t, "")
	request := otlptest.Questions(1)
	spans := request.ResourceSpans[0].ScopeSpans[0].Spans
	appendTo(t, s, otlptest.Request(spans[5:]...))
	appendTo(t, s, otlptest.Request(spans[:7]...)) // two of them again
	want := otlptest.Request(append(spans[5:len(spans):len(spans)], spans[:5]...)...)
	if diff := cmp.Diff([]*coltracepb.ExportTraceServiceRequest{want}, raw(t, s), protocmp.Transform()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSpanIDs(t *testing.T) {
	s := open(t, "")
	request := otlptest.Questions(1)
	appendTo(t, s, request)
	appendTo(t, s, request)
	spans := request.ResourceSpans[0].ScopeSpans[0].Spans
	ids, err := s.SpanIDs(t.Context(), model.TraceID(spans[0].TraceId))
	if err != nil || len(ids) != 12 || !bytes.Equal(ids[3][:], spans[3].SpanId) {
		t.Errorf("ids are %v, %v", ids, err)
	}
	if ids, err := s.SpanIDs(t.Context(), model.TraceID{1}); ids != nil || err != nil {
		t.Errorf("of no trace there are %v, %v", ids, err)
	}
}

func TestRawCanBeLeft(t *testing.T) {
	s := open(t, "")
	appendTo(t, s, otlptest.Questions(3))
	n := 0
	for range s.Raw(t.Context()) {
		n++
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range s.Raw(ctx) {
		if n++; !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
	}
	if n != 2 {
		t.Errorf("%d results, want one trace and one error", n)
	}
}
