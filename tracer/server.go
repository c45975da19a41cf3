package tracer

import (
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// httpAttrs are those that the conventions ask of a server span. The query is left out: it may hold the question.
func httpAttrs(r *http.Request) []attribute.KeyValue {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return []attribute.KeyValue{
		semconv.HTTPRequestMethodKey.String(methodOf(r.Method)),
		semconv.URLPath(r.URL.Path),
		semconv.URLScheme(scheme),
	}
}

func serverName(r *http.Request) string {
	if route := routeOf(r); route != "" {
		return methodOf(r.Method) + " " + route
	}
	return methodOf(r.Method)
}

// routeOf is the pattern of [http.ServeMux] without its method, or "".
func routeOf(r *http.Request) string {
	if _, route, ok := strings.Cut(r.Pattern, " "); ok {
		return strings.TrimLeft(route, " \t")
	}
	return r.Pattern
}

// methodOf keeps the values few: whoever calls chooses the method.
func methodOf(m string) string {
	switch m {
	case "":
		return http.MethodGet
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodConnect, http.MethodOptions, http.MethodTrace, "QUERY":
		return m
	}
	return "_OTHER"
}
