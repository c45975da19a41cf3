package ingest_test

import (
	"errors"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/opentracing/opentracing-go"
	"github.com/opentracing/opentracing-go/ext"
	"github.com/opentracing/opentracing-go/log"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	"github.com/uber/jaeger-client-go"
	"github.com/uber/jaeger-client-go/transport"
)

// A program on jaeger-client-go, which sends Thrift over HTTP.
func TestJaegersClient(t *testing.T) {
	st, err := store.Open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := ingest.Start(t.Context(), st, ingest.Config{Thrift: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(server.Close(), st.Close()); err != nil {
			t.Error(err)
		}
	})
	sender := transport.NewHTTPTransport("http://"+server.ThriftAddr()+"/api/traces?format=jaeger.thrift",
		transport.HTTPRoundTripper(&http.Transport{DisableKeepAlives: true}))
	tracer, closer := jaeger.NewTracer("ragapp", jaeger.NewConstSampler(true), jaeger.NewRemoteReporter(sender),
		jaeger.TracerOptions.Gen128Bit(true), jaeger.TracerOptions.Tag("host.name", "here"))
	begin := time.Unix(1764500000, 1000)
	root := tracer.StartSpan("question", opentracing.StartTime(begin), opentracing.Tag{Key: "ragtrace.stage", Value: "question"})
	child := tracer.StartSpan("chat", opentracing.ChildOf(root.Context()), opentracing.StartTime(begin.Add(5*time.Microsecond)),
		ext.SpanKindRPCClient, opentracing.Tag{Key: "n", Value: 3}, opentracing.Tag{Key: "model", Value: "llama"},
		opentracing.Tag{Key: "share", Value: 0.5}, opentracing.Tag{Key: "stream", Value: true})
	ext.Error.Set(child, true)
	child.LogFields(log.String("event", "error"), log.String("message", "server died"))
	child.FinishWithOptions(opentracing.FinishOptions{FinishTime: begin.Add(9 * time.Microsecond)})
	root.FinishWithOptions(opentracing.FinishOptions{FinishTime: begin.Add(10 * time.Microsecond)})
	if err := closer.Close(); err != nil { // which sends
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
	sent, ok := child.Context().(jaeger.SpanContext)
	if !ok || sent.TraceID().High == 0 {
		t.Fatalf("the client made an id of 64 bits: %v", sent)
	}
	var trace model.TraceID
	var id, parent model.SpanID
	err = errors.Join(trace.UnmarshalText([]byte(sent.TraceID().String())), id.UnmarshalText([]byte(sent.SpanID().String())),
		parent.UnmarshalText([]byte(sent.ParentID().String())))
	if err != nil {
		t.Fatal(err)
	}
	n, _ := got.Attrs.Int("n")
	if got.TraceID != trace || got.SpanID != id || got.ParentID != parent || got.Kind != model.KindClient ||
		got.Start != 1764500000000006000 || got.End != 1764500000000010000 || got.Status != model.StatusError ||
		got.Resource.Service() != "ragapp" {
		t.Errorf("span is %+v", got)
	}
	if n != 3 || got.Attrs["model"] != "llama" || got.Attrs["share"] != 0.5 || got.Attrs["stream"] != true {
		t.Errorf("attributes are %v", got.Attrs)
	}
	if len(got.Events) != 1 || got.Events[0].Name != "error" || got.Events[0].Attrs["message"] != "server died" {
		t.Errorf("events are %+v", got.Events)
	}
}
