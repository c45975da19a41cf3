package setup

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/ragtrace/ragtrace/tracer"
	"github.com/ragtrace/ragtrace/tracer/attr"
)

// shutdownTime is how long a flush may take when its context has no deadline.
const shutdownTime = 5 * time.Second

// An Option changes what [Start] does. None is needed.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

type config struct {
	exporter sdktrace.SpanExporter
}

// WithExporter sends spans to e instead of an OTLP/gRPC collector.
func WithExporter(e sdktrace.SpanExporter) Option {
	return optionFunc(func(c *config) { c.exporter = e })
}

// Start makes the global tracer provider and propagators (W3C trace context and baggage). serviceName is what the program
// calls itself; OTEL_SERVICE_NAME overrides it, and without both it is the name of the executable. It does not wait for
// the collector.
//
// The program calls shutdown before it exits: it sends what still waits, for as long as its context allows, or five
// seconds when that has no deadline. Its error says how many spans were not sent. It is never nil, whatever err is.
func Start(ctx context.Context, serviceName string, opts ...Option) (shutdown func(context.Context) error, err error) {
	var c config
	for _, o := range opts {
		o.apply(&c)
	}
	otel.SetTextMapPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}))
	nothing := func(context.Context) error { return nil }
	if off, err := disabled(); off || err != nil {
		return nothing, err
	}
	if c.exporter == nil {
		if c.exporter, err = exporter(ctx); err != nil {
			return nothing, fmt.Errorf("ragtrace setup: OTLP exporter: %w", err)
		}
	}
	q := newQueue(c.exporter)
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithResource(describe(ctx, serviceName)),
		sdktrace.WithSpanProcessor(sessions{}),
		sdktrace.WithSpanProcessor(q))
	otel.SetTracerProvider(provider)
	return func(ctx context.Context) error {
		if _, ok := ctx.Deadline(); !ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, shutdownTime)
			defer cancel()
		}
		tracer.Flush()
		return provider.Shutdown(ctx)
	}, nil
}

// disabled reads whether spans are wanted at all, and refuses what this package cannot do, since spans that go nowhere
// look like a program that does nothing.
func disabled() (bool, error) {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" {
		return true, nil
	}
	switch e := os.Getenv("OTEL_TRACES_EXPORTER"); e {
	case "", "otlp":
	case "none":
		return true, nil
	default:
		return true, fmt.Errorf("ragtrace setup: OTEL_TRACES_EXPORTER=%s is not supported (use otlp or none)", e)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		switch p := os.Getenv(name); p {
		case "":
			continue
		case "grpc":
			return false, checkEndpoint()
		default:
			return true, fmt.Errorf("ragtrace setup: %s=%s is not supported (use grpc, and the collector's gRPC port, usually 4317)", name, p)
		}
	}
	return false, checkEndpoint()
}

// checkEndpoint refuses an endpoint that the exporter would ignore with a line in a log.
func checkEndpoint() error {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		e := os.Getenv(name)
		if e == "" {
			continue
		}
		if u, err := url.Parse(e); err != nil || u.Scheme == "" || u.Host == "" && u.Path == "" {
			return fmt.Errorf("ragtrace setup: %s=%s is not a URL (write it like http://127.0.0.1:4317)", name, e)
		}
		return nil
	}
	return nil
}

func exporter(ctx context.Context) (sdktrace.SpanExporter, error) {
	var opts []otlptracegrpc.Option
	if !anySet("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
		"OTEL_EXPORTER_OTLP_INSECURE", "OTEL_EXPORTER_OTLP_TRACES_INSECURE",
		"OTEL_EXPORTER_OTLP_CERTIFICATE", "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE") {
		opts = append(opts, otlptracegrpc.WithInsecure()) // the collector of this machine
	}
	return otlptracegrpc.New(ctx, opts...)
}

func anySet(names ...string) bool {
	for _, n := range names {
		if os.Getenv(n) != "" {
			return true
		}
	}
	return false
}

// describe is the resource that all spans belong to. What the environment says of it wins.
func describe(ctx context.Context, serviceName string) *resource.Resource {
	if serviceName == "" {
		serviceName = filepath.Base(os.Args[0])
	}
	r, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithAttributes(
			semconv.ServiceName(serviceName),
			semconv.ServiceInstanceID(newUUID()),
			attr.SemconvVersionKey.String(attr.SemconvVersion)),
		resource.WithFromEnv())
	if err != nil { // a mistake in the environment; what could be read of it is there
		otel.Handle(fmt.Errorf("ragtrace setup: resource: %w", err))
	}
	return r
}

// newUUID is a random UUID (version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // does not fail
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
