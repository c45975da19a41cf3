package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

func TestWhatGoesInComesOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new folder", "a?b#c%20d.db") // no character of a path means anything else
	s := open(t, path)
	batch := split(t, otlptest.Full())
	want, err := batch.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	reader, err := store.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for name, s := range map[string]*store.Store{"writer": s, "reader": reader} {
		got, err := s.Trace(t.Context(), want[0].TraceID)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: trace (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([][]model.Span{want}, traces(t, s, store.Filter{})); diff != "" {
			t.Errorf("%s: traces (-want +got):\n%s", name, diff)
		}
		if _, err := s.Trace(t.Context(), model.TraceID{1}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: error of an unknown trace is %v", name, err)
		}
	}
}

func TestASpanThatComesTwiceIsKeptOnce(t *testing.T) {
	s := open(t, "")
	request := otlptest.Questions(2)
	appendTo(t, s, request)
	appendTo(t, s, request)
	spans := &request.ResourceSpans[0].ScopeSpans[0].Spans
	*spans = append(*spans, (*spans)[0], (*spans)[0])
	appendTo(t, s, request)
	var sizes []int
	for _, spans := range traces(t, s, store.Filter{}) {
		sizes = append(sizes, len(spans))
	}
	if diff := cmp.Diff([]int{12, 12}, sizes); diff != "" {
		t.Error(diff)
	}
}

// span makes a span of trace n that starts in second start; zero is none.
func span(n byte, start uint64, attrs ...string) *tracepb.Span {
	s := &tracepb.Span{TraceId: append([]byte{n}, make([]byte, 15)...), SpanId: otlptest.ID(8), StartTimeUnixNano: start * 1e9}
	for i := 0; i < len(attrs); i += 2 {
		s.Attributes = append(s.Attributes, otlptest.Str(attrs[i], attrs[i+1]))
	}
	return s
}

func TestFilter(t *testing.T) {
	s := open(t, "")
	// Spans of a trace come in any order, the root last and the earliest in the middle.
	for _, spans := range [][]*tracepb.Span{
		{span(1, 1030, "http.route", "/"), span(3, 1020, "gen_ai.operation.name", "chat")},
		{span(1, 1010, "ragtrace.stage", "question", "session.id", "a")},
		{span(1, 1011), span(2, 1015, "ragtrace.stage", "question", "gen_ai.conversation.id", "b", "session.id", "b")},
		{span(9, 1001, "http.route", "/healthz")},
		{span(3, 1005, "traceloop.association.properties.session_id", "a"), span(3, 0)},
		{span(4, 0, "ragtrace.stage", "question")},
	} {
		appendTo(t, s, otlptest.Request(spans...))
	}
	second := func(n int64) time.Time { return time.Unix(n, 0) }
	for name, c := range map[string]struct {
		filter store.Filter
		want   []byte // the first byte of the trace ids
	}{
		"all that may hold questions": {store.Filter{}, []byte{3, 1, 2, 4}},
		"newest first":                {store.Filter{NewestFirst: true}, []byte{4, 2, 1, 3}},
		"since":                       {store.Filter{Since: second(1010)}, []byte{1, 2, 4}},
		"until":                       {store.Filter{Until: second(1010)}, []byte{3}},
		"between":                     {store.Filter{Since: second(1006), Until: second(1015)}, []byte{1}},
	} {
		var got []byte
		for _, spans := range traces(t, s, c.filter) {
			got = append(got, spans[0].TraceID[0])
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	all := traces(t, s, store.Filter{})
	if len(all[0]) != 3 || len(all[1]) != 3 {
		t.Errorf("traces 3 and 1 have %d and %d spans, want 3 each", len(all[0]), len(all[1]))
	}
	health, err := s.Trace(t.Context(), model.TraceID{9})
	if err != nil || len(health) != 1 {
		t.Errorf("a trace without a question is kept as well: got %v, %v", health, err)
	}
}

func TestTracesCanBeLeft(t *testing.T) {
	s := open(t, "")
	appendTo(t, s, otlptest.Questions(5))
	for _, err := range s.Traces(t.Context(), store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	for _, err := range s.Traces(ctx, store.Filter{}) {
		if n++; !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v, want that of the context", err)
		}
	}
	if n != 1 {
		t.Errorf("%d results, want the error alone", n)
	}
}

// Everybody at once: senders over one store, a second process's store on the same file, and readers that see only whole
// batches and never fewer than before.
func TestWritersAndReadersAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	stores := []*store.Store{open(t, path), open(t, path)}
	reader, err := store.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()

	const senders, batches = 4, 10
	var sending, reading sync.WaitGroup
	done := make(chan struct{})
	errs := make(chan error, 100)
	for i := range senders {
		sending.Go(func() {
			for range batches {
				if err := stores[i%2].Append(t.Context(), split(t, otlptest.Questions(2))); err != nil {
					errs <- err
				}
			}
		})
	}
	for _, s := range []*store.Store{reader, stores[0]} {
		reading.Go(func() {
			for last := 0; ; {
				n := 0
				for spans, err := range s.Traces(t.Context(), store.Filter{}) {
					if err != nil {
						errs <- err
						return
					}
					if len(spans) != 12 {
						errs <- fmt.Errorf("a trace of %d spans, want 12", len(spans))
					}
					n++
				}
				if n < last || n%2 != 0 {
					errs <- fmt.Errorf("%d traces after %d", n, last)
				}
				last = n
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	sending.Wait()
	close(done)
	reading.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	if n := len(traces(t, reader, store.Filter{})); n != senders*batches*2 {
		t.Errorf("%d traces, want %d", n, senders*batches*2)
	}
}

func TestAReaderDoesNotWaitForAWriterNorTheOtherWayRound(t *testing.T) {
	s := open(t, "")
	appendTo(t, s, otlptest.Questions(3))
	reader, err := store.OpenReadOnly(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	n := 0
	for _, err := range reader.Traces(t.Context(), store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		appendTo(t, s, otlptest.Questions(1)) // in the middle of reading
		n++
	}
	if n != 3 {
		t.Errorf("%d traces, want the 3 of the moment at which reading began", n)
	}
	if n := len(traces(t, reader, store.Filter{})); n != 6 {
		t.Errorf("%d traces, want 6", n)
	}
}

func TestSeveralMayMakeTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	var opening sync.WaitGroup
	for range 8 {
		opening.Go(func() {
			s, err := store.Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if err := s.Append(t.Context(), split(t, otlptest.Questions(1))); err != nil {
				t.Error(err)
			}
		})
	}
	opening.Wait()
	if n := len(traces(t, open(t, path), store.Filter{})); n != 8 {
		t.Errorf("%d traces, want 8", n)
	}
}

func TestEveryAppendBeforeCloseIsAnswered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var sending sync.WaitGroup
	results := make([]error, 50)
	for i := range results {
		sending.Go(func() { results[i] = s.Append(context.Background(), split(t, otlptest.Questions(1))) })
	}
	time.Sleep(time.Millisecond)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	sending.Wait()
	stored := 0
	for _, err := range results {
		switch {
		case err == nil:
			stored++
		case !errors.Is(err, store.ErrClosed):
			t.Errorf("error is %v, want none or ErrClosed", err)
		}
	}
	if n := len(traces(t, open(t, path), store.Filter{})); n != stored {
		t.Errorf("%d traces stored, %d acknowledged", n, stored)
	}
}

func TestSpansShareTheirResource(t *testing.T) {
	s := open(t, "")
	appendTo(t, s, otlptest.Questions(1))
	appendTo(t, s, otlptest.Questions(1))
	spans := slices.Concat(traces(t, s, store.Filter{})...)
	for _, span := range spans {
		if span.Resource != spans[0].Resource || span.Scope != spans[0].Scope {
			t.Fatal("a resource or scope was decoded twice")
		}
	}
}
