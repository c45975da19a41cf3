//go:build unix

package endtoend

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

const (
	collectorConfig = "../../../../compose/scale/collector.yaml"
	scaleJaeger     = "../../../../compose/scale/jaeger.yaml"
)

func TestScaleConfigurationsAreValid(t *testing.T) {
	t.Run("collector", func(t *testing.T) {
		output(t, "", nil, binary(t, "RAGTRACE_TEST_COLLECTOR"), "validate", "--config", absolute(t, collectorConfig))
	})
	t.Run("jaeger", func(t *testing.T) {
		output(t, "", nil, binary(t, "RAGTRACE_TEST_JAEGER"), "validate", "--config", absolute(t, scaleJaeger))
	})
}

// startCollector runs a real Collector with the configuration of compose/scale that sends what it keeps to an address.
func startCollector(t *testing.T, to string) (otlpGRPC string) {
	path := binary(t, "RAGTRACE_TEST_COLLECTOR")
	p := freePorts(t, 2)
	otlpGRPC = fmt.Sprintf("127.0.0.1:%d", p)
	ready := func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", otlpGRPC)
		if err == nil {
			conn.Close()
		}
		return err
	}
	start(t, ready, []string{
		"OTLP_GRPC=" + otlpGRPC, fmt.Sprintf("OTLP_HTTP=127.0.0.1:%d", p+1), "JAEGER_OTLP=" + to, "DECISION_WAIT=10s",
	}, path, "--config", absolute(t, collectorConfig))
	return otlpGRPC
}

// asking is a question of twelve spans and what it is like.
type asking struct {
	number         int64
	seconds        uint64
	failed         bool
	load           float64 // seconds of the LLM's load
	healthCheck    bool    // no question at all
	mustBe, mayNot bool    // kept
}

func (a asking) spans() []*tracepb.Span {
	trace, root := otlptest.ID(16), otlptest.ID(8)
	start := uint64(time.Now().Add(-time.Hour).UnixNano())
	var spans []*tracepb.Span
	for i := range uint64(12) {
		s := &tracepb.Span{
			TraceId: trace, SpanId: otlptest.ID(8), ParentSpanId: root, Name: "step", Kind: tracepb.Span_SPAN_KIND_INTERNAL,
			StartTimeUnixNano: start + i*1e6, EndTimeUnixNano: start + i*1e6 + 5e5,
		}
		if i == 0 {
			s.SpanId, s.ParentSpanId, s.Name, s.EndTimeUnixNano = root, nil, "question", start+a.seconds*1e9
		}
		if !a.healthCheck {
			s.Attributes = []*commonpb.KeyValue{otlptest.Str("session.id", "s"), otlptest.Int("ragtrace.question.number", a.number)}
			if i == 0 {
				s.Attributes = append(s.Attributes, otlptest.Str("ragtrace.stage", "question"))
			}
		}
		if i == 7 && a.failed {
			s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR}
		}
		if i == 8 && a.load > 0 {
			s.Attributes = append(s.Attributes, &commonpb.KeyValue{Key: "ragtrace.llm.load.duration",
				Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: a.load}}})
		}
		spans = append(spans, s)
	}
	return spans
}

// Questions whose spans come in different requests, over a second or more, go through a real Collector that samples them: those that
// come out are whole, and all that are worth keeping do.
func TestTheCollectorKeepsWholeQuestions(t *testing.T) {
	ragtrace := build(t, "./cmd/ragtrace")
	db := filepath.Join(t.TempDir(), "traces.db")
	serve, ours := startServe(t, ragtrace, db)
	collector := startCollector(t, ours)

	kinds := map[string]asking{
		"slow":             {number: 5, seconds: 12, mustBe: true},
		"failed":           {number: 5, seconds: 1, failed: true, mustBe: true},
		"cold":             {number: 5, seconds: 2, load: 0.8, mustBe: true},
		"first of session": {number: 1, seconds: 1, mustBe: true},
		"ordinary":         {number: 5, seconds: 1, load: 0.002},
		"health check":     {seconds: 1, healthCheck: true, mayNot: true},
	}
	const ofEach = 200
	sent := map[model.TraceID]string{}
	var parts [12][]*tracepb.Span
	for kind, a := range kinds {
		for range ofEach {
			spans := a.spans()
			sent[model.TraceID(spans[0].TraceId)] = kind
			for i, s := range spans {
				parts[11-i] = append(parts[11-i], s) // the root comes last, as it ends last
			}
		}
	}
	for _, part := range parts {
		// One request for each span of the questions: none holds a whole one.
		export(t, collector, otlptest.Request(part...))
		time.Sleep(80 * time.Millisecond)
	}

	kept := map[string]int{}
	complete := func() bool {
		for kind, a := range kinds {
			if a.mustBe && kept[kind] < ofEach {
				return false
			}
		}
		return true
	}
	deadline := time.Now().Add(60 * time.Second)
	for before := -1; ; {
		clear(kept)
		n := 0
		for id, spans := range stored(t, db, sent) {
			if len(spans) == 12 {
				kept[sent[id]]++
			}
			n += len(spans)
		}
		// Everything that is kept is here when what must be is, and nothing more comes for a while.
		if complete() && n == before || time.Now().After(deadline) {
			break
		}
		before = n
		time.Sleep(3 * time.Second)
	}
	if code := serve.stop(); code != 0 {
		t.Errorf("ragtrace serve ended with exit code %d", code)
	}
	for id, spans := range stored(t, db, sent) {
		if len(spans) != 12 {
			t.Errorf("a %s question has %d spans, want 12 or none", sent[id], len(spans))
		}
	}
	for kind, a := range kinds {
		switch n := kept[kind]; {
		case a.mustBe && n != ofEach:
			t.Errorf("%d of %d questions that are %s were kept", n, ofEach, kind)
		case a.mayNot && n != 0:
			t.Errorf("%d of %d of kind %s were kept", n, ofEach, kind)
		case !a.mustBe && !a.mayNot && (n < ofEach/20 || n > ofEach*7/20):
			// A fifth, by chance: 40 with a standard deviation of 6, so that five of them are allowed.
			t.Errorf("%d of %d %s questions were kept, want about a fifth", n, ofEach, kind)
		}
	}
}

// stored are the traces of a store that were sent.
func stored(t *testing.T, db string, sent map[model.TraceID]string) map[model.TraceID][]model.Span {
	t.Helper()
	st, err := store.OpenReadOnly(db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	traces := map[model.TraceID][]model.Span{}
	for id := range sent {
		spans, err := st.Trace(t.Context(), id)
		if err == nil {
			traces[id] = spans
		} else if err != store.ErrNotFound {
			t.Fatal(err)
		}
	}
	return traces
}
