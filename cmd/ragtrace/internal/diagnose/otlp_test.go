package diagnose

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// readSpans reads a file of OTLP/JSON requests, one after another, gzipped when its name says so.
func readSpans(t *testing.T, path string) []model.Span {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	spans, err := decodeSpans(data)
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	return spans
}

func decodeSpans(data []byte) ([]model.Span, error) {
	var spans []model.Span
	decoder := json.NewDecoder(bytes.NewReader(data))
	for {
		var request json.RawMessage
		if err := decoder.Decode(&request); err == io.EOF {
			return spans, nil
		} else if err != nil {
			return spans, err
		}
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(request)
		if err != nil {
			return spans, err
		}
		spans = appendSpans(spans, traces)
	}
}

func appendSpans(spans []model.Span, traces ptrace.Traces) []model.Span {
	for _, rs := range traces.ResourceSpans().All() {
		resource := &model.Resource{Attrs: attrsOf(rs.Resource().Attributes())}
		for _, ss := range rs.ScopeSpans().All() {
			scope := &model.Scope{Name: ss.Scope().Name(), Version: ss.Scope().Version()}
			for _, s := range ss.Spans().All() {
				span := model.Span{
					TraceID: model.TraceID(s.TraceID()), SpanID: model.SpanID(s.SpanID()),
					ParentID: model.SpanID(s.ParentSpanID()), Name: s.Name(), Kind: model.Kind(s.Kind()),
					Start: nanos(s.StartTimestamp()), End: nanos(s.EndTimestamp()),
					Status: model.StatusCode(s.Status().Code()), StatusMessage: s.Status().Message(),
					Attrs: attrsOf(s.Attributes()), Resource: resource, Scope: scope,
				}
				for _, e := range s.Events().All() {
					span.Events = append(span.Events, model.Event{Time: nanos(e.Timestamp()), Name: e.Name(), Attrs: attrsOf(e.Attributes())})
				}
				spans = append(spans, span)
			}
		}
	}
	return spans
}

func nanos(t pcommon.Timestamp) int64 {
	if uint64(t) > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(t)
}

func attrsOf(m pcommon.Map) model.Attrs { return m.AsRaw() }

// A truth is the right answer to a case.
type truth struct {
	Slow        []truthSlow     `json:"slow"`
	Side        Side            `json:"side"`
	InsideShare *float64        `json:"inside_share"`
	Causes      []string        `json:"causes"`
	Questions   []truthQuestion `json:"questions"`
	Tolerance   float64         `json:"tolerance_ms"`
	Note        string          `json:"note"`
}

type truthSlow struct {
	Session     string   `json:"session"`
	Number      int      `json:"number"`
	E2E         float64  `json:"e2e_ms"`
	Baseline    float64  `json:"baseline_ms"`
	Over        float64  `json:"over_ms"`
	InsideOver  float64  `json:"inside_over_ms"`
	OutsideOver float64  `json:"outside_over_ms"`
	Side        Side     `json:"side"`
	Causes      []string `json:"causes"`
}

type truthQuestion struct {
	Session      string   `json:"session"`
	Number       int      `json:"number"`
	Status       Status   `json:"status"`
	E2E          *float64 `json:"e2e_ms"`
	Inside       *float64 `json:"inside_llm_ms"`
	Outside      *float64 `json:"outside_llm_ms"`
	Unattributed *float64 `json:"unattributed_ms"`
	Cold         *[]struct {
		Cause string  `json:"cause"`
		Time  float64 `json:"ms"`
	} `json:"cold"`
	Flags []string `json:"flags"`
}

func (q truthQuestion) key() string { return fmt.Sprintf("%s/%d", q.Session, q.Number) }
func (s truthSlow) key() string     { return fmt.Sprintf("%s/%d", s.Session, s.Number) }
