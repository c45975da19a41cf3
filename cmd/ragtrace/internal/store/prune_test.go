package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// filled is a store of n traces of two spans each; of trace i nothing has come for n-i hours.
func filled(t *testing.T, n int) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for i := range n {
		s.writer.insert.now = func() time.Time { return time.Now().Add(-time.Duration(n-i) * time.Hour) }
		for range 2 {
			if err := s.Append(t.Context(), traceOf(t, i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.writer.insert.now = time.Now
	return s
}

// traceOf is a span of 5 kB of the trace i, each with a resource of its own.
func traceOf(t *testing.T, i int) *otlp.Batch {
	request := otlptest.Request(&tracepb.Span{
		TraceId: append([]byte{byte(i + 1)}, make([]byte, 15)...), SpanId: otlptest.ID(8), StartTimeUnixNano: 1,
		Attributes: []*commonpb.KeyValue{otlptest.Str("ragtrace.x", fmt.Sprintf("%x", otlptest.ID(2500)))},
	})
	request.ResourceSpans[0].Resource.Attributes = append(request.ResourceSpans[0].Resource.Attributes, otlptest.Int("process.pid", int64(i)))
	return batchOf(t, request)
}

func left(t *testing.T, s *Store) (traces []byte) {
	t.Helper()
	for spans, err := range s.Traces(t.Context(), Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(spans) != 2 {
			t.Errorf("%d spans of trace %d are left, want both or none", len(spans), spans[0].TraceID[0])
		}
		traces = append(traces, spans[0].TraceID[0])
	}
	return traces
}

func rows(t *testing.T, s *Store, table string) (n int) {
	t.Helper()
	if err := s.db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPrune(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		want   []byte
	}{
		"no limit":            {Limits{}, []byte{1, 2, 3, 4, 5}},
		"by age":              {Limits{Age: 3*time.Hour + time.Minute}, []byte{3, 4, 5}},
		"by count":            {Limits{Traces: 2}, []byte{4, 5}},
		"count not reached":   {Limits{Traces: 5}, []byte{1, 2, 3, 4, 5}},
		"the narrower counts": {Limits{Age: 4*time.Hour + time.Minute, Traces: 3}, []byte{3, 4, 5}},
		"by size, all":        {Limits{Size: 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := filled(t, 5)
			would, err := s.Surplus(t.Context(), c.limits)
			if err != nil {
				t.Fatal(err)
			}
			gone := 5 - len(c.want)
			want := Pruned{Traces: int64(gone), Spans: int64(2 * gone)}
			if diff := cmp.Diff(want, would); diff != "" {
				t.Errorf("surplus (-want +got):\n%s", diff)
			}
			pruned, err := s.Prune(t.Context(), c.limits, false)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, pruned); diff != "" {
				t.Errorf("pruned (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.want, left(t, s)); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
			if n := rows(t, s, "chunk"); n != 2*len(c.want) {
				t.Errorf("%d chunks are left", n)
			}
			if n := rows(t, s, "changed"); n != len(c.want) {
				t.Errorf("%d traces are to be cut, want those that are left", n)
			}
			// A resource for each trace, and the one scope, which was known again every hour. What was used in the last two hours
			// stays.
			if n := rows(t, s, "envelope"); n < len(c.want)+1 || n > len(c.want)+3 {
				t.Errorf("%d envelopes are left", n)
			}
			// What comes next finds its envelopes, even those that were known.
			if err := s.Append(t.Context(), traceOf(t, 0)); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Trace(t.Context(), model.TraceID{1}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPruneGivesSpaceBack(t *testing.T) {
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprintf("version %d", version), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "test.db")
			if version == 1 {
				path = makeVersion1(t)
			}
			s, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 200 {
				if err := s.Append(t.Context(), traceOf(t, i)); err != nil {
					t.Fatal(err)
				}
			}
			const limit = 500_000 // of about a megabyte
			if _, err := s.Prune(t.Context(), Limits{Size: limit}, false); err != nil {
				t.Fatal(err)
			}
			if n := rows(t, s, "trace"); n < 50 || n > 150 {
				t.Errorf("%d of 200 traces are left, want about half", n)
			}
			sizeAfter := func(s *Store) int64 {
				t.Helper()
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				return info.Size()
			}
			if size := sizeAfter(s); size > limit || size < limit/2 {
				t.Errorf("the file has %d bytes, want at most %d", size, limit)
			}
			if s, err = Open(path); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Prune(t.Context(), Limits{Traces: 1}, true); err != nil {
				t.Fatal(err)
			}
			if size := sizeAfter(s); size > 100_000 {
				t.Errorf("the file of one trace has %d bytes", size)
			}
			if s, err = Open(path); err != nil {
				t.Fatal(err)
			}
			var check string
			if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&check); err != nil || check != "ok" {
				t.Errorf("integrity: %s, %v", check, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestStorage(t *testing.T) {
	s := filled(t, 3)
	st, err := s.Storage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if st.Traces != 3 || st.Spans != 6 || st.Questions != 0 || st.Behind != 3 {
		t.Errorf("storage is %+v", st)
	}
	if st.Newest.Sub(st.Oldest).Round(time.Second) != 2*time.Hour || st.File == 0 || st.Log == 0 {
		t.Errorf("storage is %+v", st)
	}
	empty := filled(t, 0)
	if st, err = empty.Storage(t.Context()); err != nil || !st.Oldest.IsZero() || st.Spans != 0 {
		t.Errorf("storage of nothing is %+v, %v", st, err)
	}
}

// What is imported comes at once, and in any order: the newest stay.
func TestPruneOfWhatCameAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		want   []byte // by start
	}{
		"by count": {Limits{Traces: 2}, []byte{3, 1}},
		"by size":  {Limits{Size: 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(filepath.Join(t.TempDir(), "test.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			now := time.Now()
			s.writer.insert.now = func() time.Time { return now }
			// trace 1 is the newest, and 4 the oldest
			for id, start := range map[byte]uint64{1: 4000, 2: 2000, 3: 3000, 4: 1000} {
				for range 2 {
					span := &tracepb.Span{TraceId: append([]byte{id}, make([]byte, 15)...), SpanId: otlptest.ID(8), StartTimeUnixNano: start,
						Attributes: []*commonpb.KeyValue{otlptest.Str("ragtrace.x", "")}}
					if err := s.Append(t.Context(), batchOf(t, otlptest.Request(span))); err != nil {
						t.Fatal(err)
					}
				}
			}
			if _, err := s.Prune(t.Context(), c.limits, true); err != nil {
				t.Fatal(err)
			}
			got := left(t, s)
			slices.SortFunc(got, func(a, b byte) int { return int(b) - int(a) })
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("traces that are left (-want +got):\n%s", diff)
			}
		})
	}
}
