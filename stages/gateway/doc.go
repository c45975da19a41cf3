// Package gateway reads the headers and trailers in which gateways tell their share of a call that they passed on.
//
// In comes an http.Header; out go stages.GatewayFacts. It does not matter what the call was. What the fields mean was
// read in LiteLLM's proxy (common_request_processing.py and docs, response_headers), Envoy's router
// (docs, x-envoy-upstream-service-time), nginx's ngx_http_upstream_module, OpenAI's API reference and W3C Server Timing.
// It imports stages.
package gateway
