// Package tracertest records spans in memory, for tests of programs that use package tracer.
//
// In come spans through [Recorder.TracerProvider]; out go the ended spans and a drawing of them as a tree, which a test
// compares with what it expects. It imports the OpenTelemetry SDK.
package tracertest
