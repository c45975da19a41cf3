package ingest_test

import (
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The exporter that Go programs use for HTTP, packed and not: what it sends arrives as it was.
func TestTheSDKsHTTPExporter(t *testing.T) {
	for name, packing := range map[string]otlptracehttp.Compression{"plain": otlptracehttp.NoCompression, "gzip": otlptracehttp.GzipCompression} {
		t.Run(name, func(t *testing.T) {
			server, st := start(t)
			exporter, err := otlptracehttp.New(t.Context(), otlptracehttp.WithInsecure(),
				otlptracehttp.WithEndpoint(server.HTTPAddr()), otlptracehttp.WithCompression(packing))
			if err != nil {
				t.Fatal(err)
			}
			provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter),
				sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "ragapp"))))
			begin := time.Unix(1764500000, 1)
			ctx, root := provider.Tracer("app").Start(t.Context(), "question", trace.WithTimestamp(begin),
				trace.WithAttributes(attribute.String("ragtrace.stage", "question")))
			_, child := provider.Tracer("app", trace.WithInstrumentationVersion("v1")).Start(ctx, "chat", trace.WithTimestamp(begin.Add(5)),
				trace.WithSpanKind(trace.SpanKindClient), trace.WithLinks(trace.Link{SpanContext: root.SpanContext()}),
				trace.WithAttributes(attribute.Int("n", 3), attribute.StringSlice("names", []string{"a", "b"})))
			child.AddEvent("first chunk", trace.WithTimestamp(begin.Add(7)), trace.WithAttributes(attribute.Bool("last", true)))
			child.SetStatus(otelcodes.Error, "server died")
			child.End(trace.WithTimestamp(begin.Add(9)))
			root.End(trace.WithTimestamp(begin.Add(10)))
			if err := provider.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			spans := stored(t, st)
			if len(spans) != 2 {
				t.Fatalf("%d spans, want 2", len(spans))
			}
			got := spans[0]
			if got.Name != "chat" {
				got = spans[1]
			}
			n, _ := got.Attrs.Int("n")
			if got.TraceID != model.TraceID(root.SpanContext().TraceID()) || got.ParentID != model.SpanID(root.SpanContext().SpanID()) ||
				got.SpanID != model.SpanID(child.SpanContext().SpanID()) || got.Kind != model.KindClient || n != 3 ||
				got.Start != 1764500000000000006 || got.End != 1764500000000000010 || got.Status != model.StatusError ||
				got.StatusMessage != "server died" || got.Resource.Service() != "ragapp" || got.Scope.Name != "app" {
				t.Errorf("span is %+v", got)
			}
			if len(got.Events) != 1 || got.Events[0].Name != "first chunk" || got.Events[0].Time != 1764500000000000008 ||
				got.Events[0].Attrs["last"] != true || len(got.Links) != 1 || got.Links[0].SpanID != got.ParentID {
				t.Errorf("events are %+v, links %+v", got.Events, got.Links)
			}
		})
	}
}
