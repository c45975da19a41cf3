package ingest_test

import (
	"context"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
)

func dial(t testing.TB, server *ingest.Server) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(server.GRPCAddr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// The exporter that Go programs use, packed and not.
func TestTheSDKsExporter(t *testing.T) {
	for name, option := range map[string][]otlptracegrpc.Option{"plain": nil, "gzip": {otlptracegrpc.WithCompressor("gzip")}} {
		t.Run(name, func(t *testing.T) {
			server, st := start(t)
			exporter, err := otlptracegrpc.New(t.Context(), append(option, otlptracegrpc.WithInsecure(),
				otlptracegrpc.WithEndpoint(server.GRPCAddr()))...)
			if err != nil {
				t.Fatal(err)
			}
			provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter),
				sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "ragapp"))))
			begin := time.Unix(1764500000, 1)
			ctx, root := provider.Tracer("app").Start(t.Context(), "question", trace.WithTimestamp(begin))
			_, child := provider.Tracer("app").Start(ctx, "chat", trace.WithTimestamp(begin.Add(5)), trace.WithSpanKind(trace.SpanKindClient),
				trace.WithAttributes(attribute.String("ragtrace.stage", "llm"), attribute.Int("n", 3)))
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
				got.Kind != model.KindClient || got.Start != 1764500000000000006 || got.End != 1764500000000000010 || n != 3 ||
				got.Status != model.StatusError || got.StatusMessage != "server died" || got.Resource.Service() != "ragapp" || got.Scope.Name != "app" {
				t.Errorf("span is %+v", got)
			}
		})
	}
}

func TestGRPCPartialSuccess(t *testing.T) {
	server, st := start(t)
	client := coltracepb.NewTraceServiceClient(dial(t, server))
	request := otlptest.Questions(1)
	request.ResourceSpans[0].ScopeSpans[0].Spans[3].SpanId = nil
	resp, err := client.Export(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.GetPartialSuccess(); got.GetRejectedSpans() != 1 || got.GetErrorMessage() != "1: span id is not 8 bytes or is zero" {
		t.Errorf("partial success is %v", got)
	}
	if n := len(stored(t, st)); n != 11 {
		t.Errorf("%d spans stored, want 11", n)
	}
	// The next one over the same connection has nothing of it.
	if resp, err = client.Export(t.Context(), otlptest.Questions(1)); err != nil || resp.PartialSuccess != nil {
		t.Errorf("answer is %v, %v", resp, err)
	}
}

func TestGRPCFailures(t *testing.T) {
	server, _ := start(t)
	conn := dial(t, server)
	large := otlptest.Full()
	large.ResourceSpans[0].ScopeSpans[0].Spans[0].Attributes[0] = otlptest.Str("large", string(make([]byte, 16<<20)))
	unknown := &coltracepb.ExportTraceServiceRequest{}
	unknown.ProtoReflect().SetUnknown([]byte{0x0a, 0x01, 0xff}) // a resource of one broken byte
	const export = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
	for name, c := range map[string]struct {
		method  string
		request *coltracepb.ExportTraceServiceRequest
		options []grpc.CallOption
		want    codes.Code
	}{
		"large":         {export, large, nil, codes.ResourceExhausted},
		"large, packed": {export, large, []grpc.CallOption{grpc.UseCompressor(gzip.Name)}, codes.ResourceExhausted},
		"broken":        {export, unknown, nil, codes.InvalidArgument},
		"metrics":       {"/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", otlptest.Full(), nil, codes.Unimplemented},
	} {
		t.Run(name, func(t *testing.T) {
			err := conn.Invoke(t.Context(), c.method, c.request, &coltracepb.ExportTraceServiceResponse{}, c.options...)
			s := status.Convert(err)
			if s.Code() != c.want || s.Message() == "" {
				t.Errorf("error is %v, want %v", err, c.want)
			}
			// A sender that is told when to come again does: it must not with what never fits.
			if len(s.Details()) != 0 {
				t.Errorf("details are %v, want none", s.Details())
			}
		})
	}
	if _, err := coltracepb.NewTraceServiceClient(conn).Export(t.Context(), otlptest.Full()); err != nil {
		t.Errorf("good traffic after bad: %v", err)
	}
}

func TestGRPCUnavailable(t *testing.T) {
	server, st := start(t)
	client := coltracepb.NewTraceServiceClient(dial(t, server))
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := client.Export(t.Context(), otlptest.Full())
	s := status.Convert(err)
	if s.Code() != codes.Unavailable || len(s.Details()) != 1 {
		t.Fatalf("error is %v with details %v, want Unavailable and when to come again", err, s.Details())
	}
	if info, ok := s.Details()[0].(*errdetails.RetryInfo); !ok || info.RetryDelay.AsDuration() != time.Second {
		t.Errorf("details are %v", s.Details())
	}
}

// A client that cancels takes nobody with it.
func TestGRPCCancel(t *testing.T) {
	server, _ := start(t)
	client := coltracepb.NewTraceServiceClient(dial(t, server))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.Export(ctx, otlptest.Full()); status.Code(err) != codes.Canceled {
		t.Errorf("error is %v", err)
	}
	if _, err := client.Export(t.Context(), otlptest.Full()); err != nil {
		t.Error(err)
	}
}
