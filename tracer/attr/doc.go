// Package attr holds the names that ragtrace writes on spans and metrics, and the one mapping from what a server's answer
// says ([stages.Facts]) to span attributes.
//
// In come facts; out go attributes, span names and an outcome. It imports the OpenTelemetry API and stages only: a program
// that reads traces can use the names without an SDK.
//
// Names below gen_ai. are those of semantic-conventions-genai 0.1.0. No Go package has them, so they are written out here.
// Names below db., http., server. and error. come from semconv/v1.43.0. Everything without a standard name is below
// ragtrace. Durations are double seconds.
package attr
