// Legacy-gateway is a gateway between an application and Ollama that is still instrumented with jaeger-client-go. It lets a
// limited number of requests through at a time, as gateways in front of a GPU do; the others wait.
//
//	ollama serve
//	go run ./examples/legacy-gateway -limit 2
//	go run ./examples/ragapp -ollama http://127.0.0.1:11435
//
// Its spans go over Thrift to JAEGER_ENDPOINT, by default http://127.0.0.1:14268/api/traces; the other variables are those
// of jaeger-client-go.
//
// What ragtrace adds: opentracing.Options in main.go, so that the gateway's spans stand in the question's trace, with its
// session and number, and opentracing.Stage in gateway.go, so that the time that a request spends here counts as the
// gateway's, outside the LLM.
package main
