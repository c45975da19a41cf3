//go:build unix

package endtoend

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/source"
)

// export sends requests over OTLP/gRPC and waits for the answers.
func export(t *testing.T, addr string, requests ...*coltracepb.ExportTraceServiceRequest) {
	t.Helper()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, r := range requests {
		if _, err := coltracepb.NewTraceServiceClient(conn).Export(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
}

// decoded are the spans of requests by their traces. One that is delivered twice counts once.
func decoded(t *testing.T, requests ...*coltracepb.ExportTraceServiceRequest) map[model.TraceID][]model.Span {
	t.Helper()
	traces := map[model.TraceID][]model.Span{}
	seen := map[model.TraceID]map[model.SpanID]bool{}
	for _, r := range requests {
		raw, err := proto.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		batch, err := otlp.Split(raw)
		if err != nil {
			t.Fatal(err)
		}
		spans, err := batch.Decode()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range spans {
			if seen[s.TraceID] == nil {
				seen[s.TraceID] = map[model.SpanID]bool{}
			}
			if !seen[s.TraceID][s.SpanID] {
				seen[s.TraceID][s.SpanID] = true
				traces[s.TraceID] = append(traces[s.TraceID], s)
			}
		}
	}
	return traces
}

// verdictCases are requests of some hundred questions on two days, from several services, with everything that questions
// can suffer from.
func verdictCases(t *testing.T) []*coltracepb.ExportTraceServiceRequest {
	t.Helper()
	paths, err := filepath.Glob("../diagnose/testdata/verdict/*.otlp.json.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no cases: %v", err)
	}
	var requests []*coltracepb.ExportTraceServiceRequest
	for _, path := range paths {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for batch, err := range source.ReadFile(bytes.NewReader(file)) {
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			requests = append(requests, request(t, batch))
		}
	}
	return requests
}

// request puts the spans of a batch together again, each with its own resource and scope.
func request(t *testing.T, batch *otlp.Batch) *coltracepb.ExportTraceServiceRequest {
	t.Helper()
	r := &coltracepb.ExportTraceServiceRequest{}
	for _, s := range batch.Spans {
		resource, scope, span := &tracepb.ResourceSpans{}, &tracepb.ScopeSpans{}, &tracepb.Span{}
		for m, raw := range map[proto.Message][]byte{resource: s.Resource.OTLP, scope: s.Scope.OTLP, span: s.OTLP} {
			if err := proto.Unmarshal(raw, m); err != nil {
				t.Fatal(err)
			}
		}
		scope.Spans = []*tracepb.Span{span}
		resource.ScopeSpans = []*tracepb.ScopeSpans{scope}
		r.ResourceSpans = append(r.ResourceSpans, resource)
	}
	return r
}

// What is sent to a real Jaeger comes back from it unchanged, and the commands say the same of it as of our own store.
func TestReadingFromJaeger(t *testing.T) {
	query, jaegerOTLP := startJaeger(t)
	ragtrace := build(t, "./cmd/ragtrace")
	db := filepath.Join(t.TempDir(), "traces.db")
	serve, otlpAddr := startServe(t, ragtrace, db)
	full := otlptest.Full()
	cases := verdictCases(t)
	export(t, jaegerOTLP, append(cases, full)...)
	export(t, otlpAddr, cases...)
	if code := serve.stop(); code != 0 {
		t.Errorf("ragtrace serve ended with exit code %d", code)
	}
	jaeger, err := source.NewJaeger(query)
	if err != nil {
		t.Fatal(err)
	}
	defer jaeger.Close()

	t.Run("spans are the same", func(t *testing.T) {
		want := decoded(t, append(cases, full)...)
		got := map[model.TraceID][]model.Span{}
		// Every trace has a span of one of these; all services would give most of them several times.
		for _, service := range []string{"rag-app", "rag-ingest", "ragapp"} {
			q := source.Query{Service: service, Since: time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)}
			for spans, err := range jaeger.Traces(t.Context(), q) {
				if err != nil {
					t.Fatal(err)
				}
				got[spans[0].TraceID] = spans
			}
		}
		for id, spans := range want {
			byID := func(a, b model.Span) int { return bytes.Compare(a.SpanID[:], b.SpanID[:]) }
			slices.SortFunc(spans, byID)
			slices.SortFunc(got[id], byID)
			if reflect.DeepEqual(spans, got[id]) {
				continue // a hundred times faster than to look for the difference
			}
			if diff := cmp.Diff(spans, got[id], cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("trace %v (-sent +read):\n%s", id, diff)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d traces are read, %d were sent", len(got), len(want))
		}
	})

	const from, until = "2026-06-01T00:00:00Z", "2026-06-05T00:00:00Z"
	for _, args := range []string{
		"slow --json --since " + from + " --until " + until,
		"slow --since " + from + " --until " + until,
		"stats --json --since " + from + " --until " + until,
		"stats --service rag-app --since " + from + " --until " + until,
	} {
		t.Run(args, func(t *testing.T) {
			ours := output(t, "", nil, ragtrace, append(strings.Fields(args), "--db", db)...)
			theirs := output(t, "", nil, ragtrace, append(strings.Fields(args), "--from", "jaeger="+query)...)
			if diff := cmp.Diff(ours, theirs); diff != "" {
				t.Errorf("(-our store +Jaeger):\n%s", diff)
			}
		})
	}

	// A question that its spans give no number has its place in the session. Of Jaeger only a window is read, and places are
	// counted from there.
	for _, args := range []string{
		"slow --json --since 2026-06-02T08:20:00Z --until 2026-06-02T08:40:00Z",
		"slow --json --session s1 --since 2026-06-03T00:00:00Z --until " + until,
	} {
		t.Run(args, func(t *testing.T) {
			ours := output(t, "", nil, ragtrace, append(strings.Fields(args), "--db", db)...)
			theirs := output(t, "", nil, ragtrace, append(strings.Fields(args), "--from", "jaeger="+query)...)
			if diff := cmp.Diff(withoutNumbers(t, ours), withoutNumbers(t, theirs)); diff != "" {
				t.Errorf("(-our store +Jaeger):\n%s", diff)
			}
		})
	}

	t.Run("show", func(t *testing.T) {
		ours := output(t, "", nil, ragtrace, "show", "slowest", "--db", db)
		id := regexp.MustCompile(`[0-9a-f]{32}`).FindString(ours)
		theirs := output(t, "", nil, ragtrace, "show", id, "--from", "jaeger="+query)
		// By itself a question is compared with none; what was drawn is the same.
		if diff := cmp.Diff(drawn(t, ours, id), drawn(t, theirs, id)); diff != "" {
			t.Errorf("(-our store +Jaeger):\n%s", diff)
		}
	})
}

// withoutNumbers is a report without the questions' numbers and what follows from them: their order, and how they are called.
func withoutNumbers(t *testing.T, out string) any {
	t.Helper()
	var r struct {
		Questions []map[string]any
		Slow      []map[string]any
		Side      string
		Causes    []any
		Costs     []any
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]map[string]any{r.Questions, r.Slow} {
		for _, q := range list {
			delete(q, "number")
		}
		slices.SortFunc(list, func(a, b map[string]any) int {
			return strings.Compare(a["trace_id"].(string), b["trace_id"].(string))
		})
	}
	if len(r.Questions) == 0 || len(r.Slow) == 0 {
		t.Fatalf("%d questions, %d of them slow, are too few to compare", len(r.Questions), len(r.Slow))
	}
	return r
}

// drawn is what is shown below the head of a question: its spans over time.
func drawn(t *testing.T, shown, id string) string {
	t.Helper()
	_, chart, ok := strings.Cut(shown, "trace "+id+"\n")
	if !ok || !strings.Contains(chart, "\nquestion ") {
		t.Fatalf("no question was drawn:\n%s", shown)
	}
	return chart
}
