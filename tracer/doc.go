// Package tracer traces the questions that a RAG program answers: one span from the moment the user pressed Enter to the
// last byte of the answer, and below it a span for every stage.
//
// Three lines put it into a program that answers questions over HTTP:
//
//	shutdown, err := setup.Start(ctx, "rag-app")                       // package tracer/setup: SDK and OTLP exporter
//	handler = tracer.Middleware(handler)                               // the question span
//	client := &http.Client{Transport: tracer.Transport(nil)}           // embedding, search, rerank and LLM calls
//
// In come HTTP requests, responses and calls of [Stage]; out go spans and metrics through the OpenTelemetry API. The package
// imports that API, package stages and httpsnoop, and neither an SDK nor gRPC; a test keeps it so.
//
// Tracing never harms the traced: bytes, errors and panics pass unchanged, nothing waits for telemetry, memory is bounded,
// and a panic in this package's own code is reported to the handler of [otel.SetErrorHandler] and goes no further. Prompts,
// answers, documents and vectors are never put on a span.
//
// # Questions, sessions and numbers
//
// A question has a number, counted from 1 within its session, when the program has sessions; sessions are never invented.
// The session comes from [WithSession], else from the request header Ragtrace-Session, or the handler sets it with
// [Question.SetSession]. The number comes from the header Ragtrace-Question, from SetSession, or is counted. Counting
// goes by tracer provider, and remembers the 16384 sessions used last in this process.
//
// Trace context is sent to every host. Session and number travel as W3C baggage, and only to hosts that are not public
// (loopback and private addresses, single-label names, and names below .local, .internal, .localhost and .svc): a session id
// is nobody else's business.
//
// # Questions asked in a page
//
// A page that includes the script of package tracer/browser tells when Enter was pressed and what was painted of the answer.
// The question then runs from Enter to the last paint: [Middleware] keeps its span open until the page has reported, for at
// most ten seconds, and for at most 1024 questions at a time. [Flush] ends them at a shutdown.
//
// # A service within a question
//
// [Middleware] is for the service that the user talks to. Where a request arrives with the baggage of a question, that
// question was opened by the caller; the span is then an ordinary server span without a stage, and the spans below it belong
// to the caller's question. A gateway between application and model server uses [Gateway] instead, whose span has the stage
// gateway, so that its own time shows.
package tracer
