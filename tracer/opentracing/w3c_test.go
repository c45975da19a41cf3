package opentracing

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	ot "github.com/opentracing/opentracing-go"
	"github.com/uber/jaeger-client-go"
	"github.com/uber/jaeger-client-go/config"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"pgregory.net/rapid"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
	sampled = "00-" + traceID + "-" + spanID + "-01"
)

// headers are given as key, value, key, value; a key may come again.
func headers(pairs ...string) http.Header {
	h := make(http.Header)
	for i := 0; i < len(pairs); i += 2 {
		h[pairs[i]] = append(h[pairs[i]], pairs[i+1])
	}
	return h
}

// newTracer is a tracer of jaeger-client-go as a program makes it.
func newTracer(t testing.TB, options ...config.Option) (ot.Tracer, *jaeger.InMemoryReporter) {
	t.Helper()
	spans := jaeger.NewInMemoryReporter()
	cfg := config.Configuration{ServiceName: "legacy", Sampler: &config.SamplerConfig{Type: jaeger.SamplerTypeConst, Param: 1}}
	tracer, closer, err := cfg.NewTracer(append(options, config.Reporter(spans))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closer.Close() })
	return tracer, spans
}

func TestExtract(t *testing.T) {
	type context struct {
		Trace, Span string
		Sampled     bool
		Baggage     map[string]string
	}
	whole := func(sampled bool, items map[string]string) *context {
		return &context{traceID, spanID, sampled, items}
	}
	for _, c := range []struct {
		name string
		in   http.Header
		want *context
		err  error
	}{
		{"nothing", headers("Accept", "*/*"), nil, ot.ErrSpanContextNotFound},
		{"sampled", headers("Traceparent", sampled), whole(true, nil), nil},
		{"key in small letters", headers("traceparent", sampled), whole(true, nil), nil},
		{"not sampled", headers("Traceparent", "00-"+traceID+"-"+spanID+"-00"), whole(false, nil), nil},
		{"random is not debug", headers("Traceparent", "00-"+traceID+"-"+spanID+"-02"), whole(false, nil), nil},
		{"a later version", headers("Traceparent", "01-"+traceID+"-"+spanID+"-01-more"), whole(true, nil), nil},
		{"id of 64 bits", headers("Traceparent", "00-0000000000000000a3ce929d0e0e4736-"+spanID+"-01"),
			&context{"a3ce929d0e0e4736", spanID, true, nil}, nil},
		{"session and number", headers("Traceparent", sampled, "Baggage", "session.id=a%20b%C3%A9 , ragtrace.question.number=3;p=1"),
			whole(true, map[string]string{"session.id": "a bé", "ragtrace.question.number": "3"}), nil},
		{"baggage in two headers", headers("Traceparent", sampled, "Baggage", "a=1", "Baggage", "b=2"),
			whole(true, map[string]string{"a": "1", "b": "2"}), nil},
		{"bad member", headers("Traceparent", sampled, "Baggage", "a=1,=,b b=3,c=%zz"), whole(true, map[string]string{"a": "1"}), nil},
		{"bad tracestate", headers("Traceparent", sampled, "Tracestate", "="), whole(true, nil), nil},
		{"the client's own", headers("Uber-Trace-Id", traceID+":"+spanID+":0:1", "Uberctx-K", "a+b"),
			whole(true, map[string]string{"k": "a b"}), nil},
		{"the client's own with W3C baggage", headers("Uber-Trace-Id", traceID+":"+spanID+":0:1", "Uberctx-Session.id", "old", "Baggage", "session.id=a%2Bb"),
			whole(true, map[string]string{"session.id": "a+b"}), nil},
		{"both", headers("Uber-Trace-Id", "1:2:0:0", "Traceparent", sampled, "Uberctx-K", "v"), whole(true, nil), nil},
		{"baggage alone", headers("Baggage", "session.id=s"), &context{"0000000000000000", "0000000000000000", false, map[string]string{"session.id": "s"}}, nil},
		{"empty", headers("Traceparent", ""), nil, ot.ErrSpanContextCorrupted},
		{"twice", headers("Traceparent", sampled, "Traceparent", sampled), nil, ot.ErrSpanContextCorrupted},
		{"capital digits", headers("Traceparent", "00-4BF92F3577B34DA6A3CE929D0E0E4736-"+spanID+"-01"), nil, ot.ErrSpanContextCorrupted},
		{"no trace id", headers("Traceparent", "00-00000000000000000000000000000000-"+spanID+"-01"), nil, ot.ErrSpanContextCorrupted},
		{"no span id", headers("Traceparent", "00-"+traceID+"-0000000000000000-01"), nil, ot.ErrSpanContextCorrupted},
		{"version ff", headers("Traceparent", "ff-"+traceID+"-"+spanID+"-01"), nil, ot.ErrSpanContextCorrupted},
		{"too long for its version", headers("Traceparent", sampled+"-more"), nil, ot.ErrSpanContextCorrupted},
		{"the client's own form", headers("Traceparent", traceID+":"+spanID+":0:1"), nil, ot.ErrSpanContextCorrupted},
	} {
		t.Run(c.name, func(t *testing.T) {
			sc, err := W3C{}.Extract(ot.HTTPHeadersCarrier(c.in))
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if c.want == nil {
				return
			}
			got := context{Trace: sc.TraceID().String(), Span: sc.SpanID().String()}
			if sc.IsValid() {
				got.Sampled = sc.IsSampled()
			}
			sc.ForeachBaggageItem(func(k, v string) bool {
				if got.Baggage == nil {
					got.Baggage = make(map[string]string)
				}
				got.Baggage[k] = v
				return true
			})
			if diff := cmp.Diff(*c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrongCarrier(t *testing.T) {
	sc := jaeger.NewSpanContext(jaeger.TraceID{Low: 1}, 2, 0, true, nil)
	if err := (W3C{}).Inject(sc, "text"); !errors.Is(err, ot.ErrInvalidCarrier) {
		t.Errorf("inject: %v", err)
	}
	if _, err := (W3C{}).Extract("text"); !errors.Is(err, ot.ErrInvalidCarrier) {
		t.Errorf("extract: %v", err)
	}
}

func TestInject(t *testing.T) {
	id := jaeger.TraceID{High: 0x4bf92f3577b34da6, Low: 0xa3ce929d0e0e4736}
	for _, c := range []struct {
		name string
		sc   jaeger.SpanContext
		want ot.TextMapCarrier
	}{
		{"sampled", jaeger.NewSpanContext(id, 0xf067aa0ba902b7, 7, true, nil), ot.TextMapCarrier{
			"traceparent":   sampled,
			"uber-trace-id": traceID + ":" + spanID + ":0000000000000007:1",
		}},
		{"not sampled, 64 bits", jaeger.NewSpanContext(jaeger.TraceID{Low: 0xa3}, 0xb7, 0, false, nil), ot.TextMapCarrier{
			"traceparent":   "00-000000000000000000000000000000a3-00000000000000b7-00",
			"uber-trace-id": "00000000000000a3:00000000000000b7:0000000000000000:0",
		}},
		{"baggage", jaeger.NewSpanContext(id, 0xf067aa0ba902b7, 0, true, map[string]string{
			"a": "1", "session.id": "a, é+%", "ragtrace.question.number": "3", "no token": "x", "bytes": "\xff",
		}), ot.TextMapCarrier{
			"traceparent":                      sampled,
			"baggage":                          "ragtrace.question.number=3,session.id=a%2C%20%C3%A9+%25,a=1",
			"uber-trace-id":                    traceID + ":" + spanID + ":0000000000000000:1",
			"uberctx-a":                        "1",
			"uberctx-session.id":               "a%2C+%C3%A9%2B%25",
			"uberctx-ragtrace.question.number": "3",
			"uberctx-no token":                 "x",
			"uberctx-bytes":                    "%FF",
		}},
		{"no ids", jaeger.NewSpanContext(jaeger.TraceID{}, 0, 0, false, map[string]string{"a": "1"}), ot.TextMapCarrier{
			"baggage":       "a=1",
			"uber-trace-id": "0000000000000000:0000000000000000:0000000000000000:0",
			"uberctx-a":     "1",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := make(ot.TextMapCarrier)
			if err := (W3C{}).Inject(c.sc, got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What a span context of the client has no room for goes through the service all the same, and does not go from one trace
// to another.
func TestTracestatePasses(t *testing.T) {
	tracer, _ := newTracer(t, Options()...)
	for _, c := range []struct {
		name             string
		in               http.Header
		tracestate, flag string
	}{
		{"one header", headers("Traceparent", sampled, "Tracestate", "a=1,b=2"), "a=1,b=2", "01"},
		{"two headers", headers("Traceparent", sampled, "Tracestate", "a=1", "Tracestate", "b=2"), "a=1,b=2", "01"},
		{"random", headers("Traceparent", "00-"+traceID+"-"+spanID+"-03"), "", "03"},
		{"malformed", headers("Traceparent", sampled, "Tracestate", "a=1,="), "", "01"},
		{"of a trace that cannot be read", headers("Traceparent", "00-0", "Tracestate", "a=1"), "", "01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parent, _ := tracer.Extract(ot.HTTPHeaders, ot.HTTPHeadersCarrier(c.in))
			server := tracer.StartSpan("server", ot.ChildOf(parent))
			client := tracer.StartSpan("client", ot.ChildOf(server.Context()))
			client.SetBaggageItem("k", "v")
			if err := tracer.Inject(client.Context(), ot.HTTPHeaders, ot.HTTPHeadersCarrier(c.in)); err != nil {
				t.Fatal(err)
			}
			if got := c.in.Get("Tracestate"); got != c.tracestate {
				t.Errorf("tracestate %q, want %q", got, c.tracestate)
			}
			if got := c.in.Get("Traceparent"); got[len(got)-2:] != c.flag {
				t.Errorf("traceparent %s, want the flags %s", got, c.flag)
			}
		})
	}
}

// Any trace of OpenTelemetry comes into a service on the client and out again as the same trace.
func TestBothDirections(t *testing.T) {
	w3c := propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
	tracer, spans := newTracer(t, Options()...)
	rapid.Check(t, func(t *rapid.T) {
		spans.Reset()
		nonzero := func(n int, label string) []byte {
			return rapid.SliceOfN(rapid.Byte(), n, n).Filter(func(b []byte) bool { return string(b) != string(make([]byte, n)) }).Draw(t, label)
		}
		c := trace.SpanContextConfig{TraceFlags: trace.TraceFlags(rapid.IntRange(0, 1).Draw(t, "sampled"))}
		copy(c.TraceID[:], nonzero(16, "trace"))
		copy(c.SpanID[:], nonzero(8, "span"))
		session, err := baggage.NewMemberRaw("session.id", rapid.StringN(0, 100, -1).Draw(t, "session"))
		if err != nil {
			t.Fatal(err)
		}
		sent, _ := baggage.New(session)
		h := make(http.Header)
		ctx := trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(c))
		w3c.Inject(baggage.ContextWithBaggage(ctx, sent), propagation.HeaderCarrier(h))

		parent, err := tracer.Extract(ot.HTTPHeaders, ot.HTTPHeadersCarrier(h))
		if err != nil {
			t.Fatal(err)
		}
		span := tracer.StartSpan("server", ot.ChildOf(parent))
		out := make(http.Header)
		if err := tracer.Inject(span.Context(), ot.HTTPHeaders, ot.HTTPHeadersCarrier(out)); err != nil {
			t.Fatal(err)
		}
		span.Finish()

		ctx = w3c.Extract(context.Background(), propagation.HeaderCarrier(out))
		got, own := trace.SpanContextFromContext(ctx), span.Context().(jaeger.SpanContext)
		if got.TraceID() != c.TraceID || got.TraceFlags() != c.TraceFlags || got.SpanID().String() != own.SpanID().String() ||
			own.ParentID().String() != c.SpanID.String() {
			t.Fatalf("%v went in and %v came out of span %v", c, got, own)
		}
		if b := baggage.FromContext(ctx).Member("session.id").Value(); b != session.Value() {
			t.Fatalf("session %q came out as %q", session.Value(), b)
		}
		if want := int(c.TraceFlags); spans.SpansSubmitted() != want {
			t.Fatalf("%d spans reported, want %d: the caller says what is sampled", spans.SpansSubmitted(), want)
		}
	})
}

// Services on the client alone and services that have joined understand each other.
func TestNeighbours(t *testing.T) {
	joined, _ := newTracer(t, Options()...)
	alone, _ := newTracer(t)
	for _, c := range []struct {
		name     string
		from, to ot.Tracer
	}{{"from alone", alone, joined}, {"to alone", joined, alone}} {
		t.Run(c.name, func(t *testing.T) {
			span := c.from.StartSpan("client")
			span.SetBaggageItem("session.id", "a b")
			h := make(http.Header)
			if err := c.from.Inject(span.Context(), ot.HTTPHeaders, ot.HTTPHeadersCarrier(h)); err != nil {
				t.Fatal(err)
			}
			sc, err := c.to.Extract(ot.HTTPHeaders, ot.HTTPHeadersCarrier(h))
			if err != nil {
				t.Fatal(err)
			}
			got, want := sc.(jaeger.SpanContext), span.Context().(jaeger.SpanContext)
			if got.TraceID() != want.TraceID() || got.SpanID() != want.SpanID() || !got.IsSampled() {
				t.Errorf("%v became %v", want, got)
			}
			below := c.to.StartSpan("server", ot.ChildOf(sc))
			if s := below.BaggageItem("session.id"); s != "a b" {
				t.Errorf("session %q, want a b", s)
			}
		})
	}
}

func TestNewTracesHave128Bits(t *testing.T) {
	tracer, _ := newTracer(t, Options()...)
	if id := tracer.StartSpan("root").Context().(jaeger.SpanContext).TraceID(); id.High == 0 {
		t.Errorf("trace id %s", id)
	}
}
