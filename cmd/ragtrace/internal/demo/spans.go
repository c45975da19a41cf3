package demo

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// service is the name of the demo's service.
const service = "ragtrace-demo"

// newInstance names this run.
func newInstance() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails: see crypto/rand
	return hex.EncodeToString(b)
}

// newProvider sends spans to the OTLP/gRPC receiver at endpoint. The OTEL_* variables of the user's own programs do not
// decide where the demo's spans go, nor how many of them.
func newProvider(ctx context.Context, endpoint, instance string) (*sdktrace.TracerProvider, error) {
	exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpoint(endpoint), otlptracegrpc.WithInsecure(),
		otlptracegrpc.WithHeaders(nil))
	if err != nil {
		return nil, fmt.Errorf("sending spans to %s: %w", endpoint, err)
	}
	return sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter),
		sdktrace.WithSampler(sdktrace.AlwaysSample()),
		sdktrace.WithResource(resource.NewSchemaless(
			semconv.ServiceName(service), semconv.ServiceInstanceID(instance),
		)),
	), nil
}
