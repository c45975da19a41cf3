package main

import (
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/uber/jaeger-client-go"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// export writes the spans of both services to a file, as OTLP/JSON: what a collector that is sent OTLP by one and Thrift by
// the other passes on.
func (w *world) export(t *testing.T, file string) {
	t.Helper()
	all := ptrace.NewTraces()
	app := service(all, "app")
	for _, s := range w.app.Ended() {
		ofSDK(s, app.AppendEmpty())
	}
	legacy := service(all, "legacy-gateway")
	for _, s := range w.legacy.GetSpans() {
		ofClient(t, s.(*jaeger.Span), legacy.AppendEmpty())
	}
	b, err := (&ptrace.JSONMarshaler{}).MarshalTraces(all)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func service(all ptrace.Traces, name string) ptrace.SpanSlice {
	r := all.ResourceSpans().AppendEmpty()
	r.Resource().Attributes().PutStr("service.name", name)
	return r.ScopeSpans().AppendEmpty().Spans()
}

func ofSDK(s sdk.ReadOnlySpan, to ptrace.Span) {
	to.SetTraceID(pcommon.TraceID(s.SpanContext().TraceID()))
	to.SetSpanID(pcommon.SpanID(s.SpanContext().SpanID()))
	to.SetParentSpanID(pcommon.SpanID(s.Parent().SpanID()))
	to.SetName(s.Name())
	to.SetKind(ptrace.SpanKind(s.SpanKind()))
	period(to, s.StartTime(), s.EndTime())
	for _, a := range s.Attributes() {
		if v := a.Value.AsInterface(); to.Attributes().PutEmpty(string(a.Key)).FromRaw(v) != nil {
			to.Attributes().Remove(string(a.Key)) // lists do not matter here
		}
	}
}

// ofClient does as Jaeger's receiver does.
func ofClient(t *testing.T, s *jaeger.Span, to ptrace.Span) {
	t.Helper()
	sc := s.SpanContext()
	var trace pcommon.TraceID
	binary.BigEndian.PutUint64(trace[:8], sc.TraceID().High)
	binary.BigEndian.PutUint64(trace[8:], sc.TraceID().Low)
	to.SetTraceID(trace)
	to.SetSpanID(spanID(sc.SpanID()))
	to.SetParentSpanID(spanID(sc.ParentID()))
	to.SetName(s.OperationName())
	period(to, s.StartTime(), s.StartTime().Add(s.Duration()))
	thrift := jaeger.BuildJaegerThrift(s)
	for _, tag := range thrift.Tags {
		switch {
		case tag.Key == "span.kind":
			to.SetKind(map[string]ptrace.SpanKind{"server": ptrace.SpanKindServer, "client": ptrace.SpanKindClient}[tag.GetVStr()])
		case tag.Key == "error" && tag.GetVBool():
			to.Status().SetCode(ptrace.StatusCodeError)
		case tag.IsSetVStr():
			to.Attributes().PutStr(tag.Key, tag.GetVStr())
		case tag.IsSetVBool():
			to.Attributes().PutBool(tag.Key, tag.GetVBool())
		case tag.IsSetVLong():
			to.Attributes().PutInt(tag.Key, tag.GetVLong())
		case tag.IsSetVDouble():
			to.Attributes().PutDouble(tag.Key, tag.GetVDouble())
		default:
			t.Fatalf("tag %v", tag)
		}
	}
}

func spanID(id jaeger.SpanID) (b pcommon.SpanID) {
	binary.BigEndian.PutUint64(b[:], uint64(id))
	return b
}

func period(s ptrace.Span, start, end time.Time) {
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(end))
}
