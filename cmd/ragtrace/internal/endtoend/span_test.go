//go:build unix

package endtoend

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// A span is what must be the same wherever a trace is read from.
type span struct {
	Trace, ID, Parent string
	Name, Service     string
	Kind              int
	Start, End        int64 // Unix nanoseconds
	Failed            bool
	Attrs             map[string]any
}

func (s span) duration() time.Duration { return time.Duration(s.End - s.Start) }
func (s span) stage() string           { v, _ := s.Attrs["ragtrace.stage"].(string); return v }

// A trace is all spans with one trace id, by start.
type trace []span

func (tr trace) find(t *testing.T, stage string) span {
	t.Helper()
	all := tr.all(stage)
	if len(all) != 1 {
		t.Fatalf("%d spans have the stage %s, want 1\n%s", len(all), stage, tr)
	}
	return all[0]
}

func (tr trace) all(stage string) []span {
	var found []span
	for _, s := range tr {
		if s.stage() == stage {
			found = append(found, s)
		}
	}
	return found
}

// String shows the spans for a person who looks for the reason of a failure.
func (tr trace) String() string {
	var b strings.Builder
	for _, s := range tr {
		fmt.Fprintf(&b, "%s < %s %-28s %-12s +%v %v\n", s.ID, s.Parent, s.Name, s.stage(), time.Duration(s.Start-tr[0].Start), s.duration())
	}
	return b.String()
}

// grouped sorts spans into their traces, whatever order they came in.
func grouped(spans []span) map[string]trace {
	traces := make(map[string]trace)
	for _, s := range spans {
		traces[s.Trace] = append(traces[s.Trace], s)
	}
	for _, tr := range traces {
		slices.SortFunc(tr, func(a, b span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID)) })
	}
	return traces
}

// fromJaeger reads a service's traces that started since a time, over Jaeger's HTTP API. Jaeger before 2.19 knows the names
// of the parameters with underscores only, and demands a number of traces.
func fromJaeger(t *testing.T, query, service string, since time.Time) map[string]trace {
	t.Helper()
	parameters := url.Values{
		"query.service_name":   {service},
		"query.start_time_min": {since.UTC().Format(time.RFC3339Nano)},
		"query.start_time_max": {time.Now().Add(time.Second).UTC().Format(time.RFC3339Nano)},
		"query.num_traces":     {"1000"},
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, query+"/api/v3/traces?"+parameters.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	// An unknown path is answered with status 200 and a page; JSON comes as text/plain from Jaeger 2.13.
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || strings.HasPrefix(kind, "text/html") {
		t.Fatalf("Jaeger answers %s, %s: %.500s", resp.Status, kind, body)
	}
	inner, ok := strings.CutPrefix(strings.TrimSpace(string(body)), `{"result":`)
	if !ok {
		t.Fatalf("Jaeger's answer has no result: %.500s", body)
	}
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(strings.TrimSuffix(inner, "}")))
	if err != nil {
		t.Fatalf("Jaeger's answer: %v", err)
	}
	var spans []span
	for _, rs := range traces.ResourceSpans().All() {
		name, _ := rs.Resource().Attributes().Get("service.name")
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				spans = append(spans, ofPdata(s, name.Str()))
			}
		}
	}
	return grouped(spans)
}

func ofPdata(s ptrace.Span, service string) span {
	parent := ""
	if !s.ParentSpanID().IsEmpty() {
		parent = s.ParentSpanID().String()
	}
	return span{
		Trace: s.TraceID().String(), ID: s.SpanID().String(), Parent: parent,
		Name: s.Name(), Service: service, Kind: int(s.Kind()),
		Start: int64(s.StartTimestamp()), End: int64(s.EndTimestamp()),
		Failed: s.Status().Code() == ptrace.StatusCodeError,
		Attrs:  attrsOf(s.Attributes()),
	}
}

// attrsOf leaves out what Jaeger adds of its own.
func attrsOf(m pcommon.Map) map[string]any {
	raw := m.AsRaw()
	delete(raw, "@jaeger@warnings")
	if len(raw) == 0 {
		return nil
	}
	return raw
}

// fromStore reads all questions of our own store.
func fromStore(t *testing.T, db string) map[string]trace {
	t.Helper()
	st, err := store.OpenReadOnly(db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var spans []span
	for tr, err := range st.Traces(context.Background(), store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range tr {
			spans = append(spans, ofModel(s))
		}
	}
	return grouped(spans)
}

func ofModel(s model.Span) span {
	parent := ""
	if !s.ParentID.IsZero() {
		parent = s.ParentID.String()
	}
	var attrs map[string]any
	if len(s.Attrs) > 0 {
		attrs = s.Attrs
	}
	return span{
		Trace: s.TraceID.String(), ID: s.SpanID.String(), Parent: parent,
		Name: s.Name, Service: s.Resource.Service(), Kind: int(s.Kind),
		Start: s.Start, End: s.End,
		Failed: s.Status == model.StatusError,
		Attrs:  attrs,
	}
}
