// Package setup starts the OpenTelemetry SDK for a program that uses package tracer: spans go to an OTLP/gRPC collector,
// such as ragtrace serve or Jaeger.
//
// In come the environment and a service name; out go the global tracer provider and propagators, and a function that
// flushes them. The environment is OpenTelemetry's: OTEL_EXPORTER_OTLP_ENDPOINT and its kin (without an endpoint it is
// localhost:4317 without TLS), OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER, OTEL_BSP_*,
// OTEL_TRACES_EXPORTER (otlp, none) and OTEL_SDK_DISABLED.
//
// A collector that is down or hangs never blocks the program. At most OTEL_BSP_MAX_QUEUE_SIZE spans wait (2048 by
// default); what is lost is counted in [Lost] and in the metric ragtrace.spans.lost, and logged at most once a minute.
//
// It is the only package of the tracer that imports the SDK and gRPC.
package setup
