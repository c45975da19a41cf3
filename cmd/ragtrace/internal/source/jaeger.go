package source

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A Jaeger is the query service of a Jaeger that is asked for traces over /api/v3. It is for one goroutine.
type Jaeger struct {
	base         *url.URL
	client       *http.Client
	depth        int // traces asked for at once
	depthRefused int // more than it gives out at once
	refused      int
}

const (
	// firstDepth is how many traces are asked for at once: some megabytes.
	firstDepth = 500
	// maxDepth is more than is ever asked for.
	maxDepth = 1 << 18
	// maxAnswer bounds an answer in memory. A window with a larger one is parted.
	maxAnswer = 128 << 20
	// patience is for one answer. A store that has to search a day of spans may take a while.
	patience = 2 * time.Minute
)

// NewJaeger is the Jaeger whose UI is at address, such as http://host:16686, with the base path if it has one. A user and
// a password in the address are sent along.
func NewJaeger(address string) (*Jaeger, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the address of a Jaeger, such as http://127.0.0.1:16686", address)
	}
	u.RawQuery, u.Fragment = "", ""
	return &Jaeger{base: u, client: &http.Client{Timeout: patience}, depth: firstDepth, depthRefused: maxDepth}, nil
}

// String is the address, without the password.
func (j *Jaeger) String() string { return j.base.Redacted() }

// Refused counts the spans so far that cannot be used, such as one without an id.
func (j *Jaeger) Refused() int { return j.refused }

// Close ends the connections.
func (j *Jaeger) Close() { j.client.CloseIdleConnections() }

// Services are the names of the services that Jaeger has spans of.
func (j *Jaeger) Services(ctx context.Context) ([]string, error) {
	const path = "services"
	var answer map[string]json.RawMessage
	found, err := j.get(ctx, path, nil, decodeInto(&answer))
	if err != nil {
		return nil, err
	}
	// Others answer in JSON too. Of a Jaeger that has no span yet, protobuf's JSON leaves the empty list out, so that {} is right.
	// https://github.com/jaegertracing/jaeger/blob/010a1beeeb0ad2e28c41aa3cf14b8523d7bff5d5/cmd/query/app/apiv3/http_gateway.go
	list, listed := answer["services"]
	switch {
	case !found:
		return nil, j.isNone("404 Not Found", path)
	case !listed && len(answer) > 0:
		return nil, j.isNone("JSON that lists no services", path)
	case !listed:
		return nil, nil
	}
	var services []string
	if json.Unmarshal(list, &services) != nil {
		return nil, j.isNone("JSON that lists no services", path)
	}
	slices.Sort(services)
	return slices.Compact(services), nil
}

// Trace is the spans of one trace, or nil when Jaeger does not have it.
func (j *Jaeger) Trace(ctx context.Context, id model.TraceID) ([]model.Span, error) {
	var group traces
	// Without raw_traces Jaeger sorts attributes and mends clocks and ids, for its own UI.
	found, err := j.get(ctx, "traces/"+id.String(), url.Values{"raw_traces": {"true"}}, group.read)
	if err != nil {
		return nil, err
	}
	if !found { // what is no Jaeger does not have it either
		_, err := j.Services(ctx)
		return nil, err
	}
	j.refused += group.refused
	return group.spans[id], nil
}
