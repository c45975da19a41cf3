package index

import (
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

const readers = 10

// reader opens the file of a store as another process would.
func reader(t testing.TB, st *store.Store) *store.Store {
	t.Helper()
	r, err := store.OpenReadOnly(st.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// While a transaction that writes is open, and stays so, ten readers finish. Would one wait, the test would not end, or
// tell of SQLITE_BUSY.
func TestTenReadersDoNotWaitForAWriter(t *testing.T) {
	st := open(t)
	appendTo(t, st, otlptest.Questions(40))
	writer, err := sql.Open("sqlite", st.Path())
	if err != nil {
		t.Fatal(err)
	}
	writer.SetMaxOpenConns(1)
	_, begin := writer.Exec("BEGIN IMMEDIATE")
	_, write := writer.Exec("DELETE FROM chunk")
	if err := errors.Join(begin, write); err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	for range readers {
		r := reader(t, st)
		reading.Go(func() {
			if questions, err := Read(t.Context(), r, nil); err != nil || questions.Len() != 40 {
				t.Errorf("%v, %v, want the 40 questions that are committed", questions, err)
			}
		})
	}
	reading.Wait()
	_, rollback := writer.Exec("ROLLBACK")
	if err := errors.Join(rollback, writer.Close()); err != nil {
		t.Fatal(err)
	}
}

// Ten readers in the middle of reading keep nobody from writing: what is sent meanwhile is committed before any goes on.
func TestAWriterDoesNotWaitForTenReaders(t *testing.T) {
	st := open(t)
	appendTo(t, st, otlptest.Questions(40))
	var begun, reading sync.WaitGroup
	goOn := make(chan struct{})
	begun.Add(readers)
	for range readers {
		r := reader(t, st)
		reading.Go(func() {
			n := 0
			for _, err := range r.Questions(t.Context(), cutter) {
				if err != nil {
					t.Error(err)
				}
				if n == 0 {
					begun.Done()
					<-goOn
				}
				n++
			}
			if n != 40 {
				t.Errorf("%d questions, want the 40 of the moment at which reading began", n)
			}
		})
	}
	begun.Wait()
	for range 5 {
		appendTo(t, st, otlptest.Questions(40))
		writeAll(t, st)
	}
	close(goOn)
	reading.Wait()
	if n := len(questions(t, st)); n != 240 {
		t.Errorf("%d questions, want 240", n)
	}
}

// Ten readers, again and again, beside a sender and the keeper: nobody is told that the file is busy, and all see whole
// requests.
func TestTenReadersBesideIngest(t *testing.T) {
	st := open(t)
	defer Keep(st, nil).Close()
	appendTo(t, st, otlptest.Questions(40))
	var sent atomic.Int64
	var reading, sending sync.WaitGroup
	done := make(chan struct{})
	sending.Go(func() {
		for {
			appendTo(t, st, otlptest.Questions(40))
			sent.Add(1)
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for range readers {
		r := reader(t, st)
		reading.Go(func() {
			for last := 0; last < 3*40; { // each sees the sender write
				questions, err := Read(t.Context(), r, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if n := questions.Len(); n < last || n%40 != 0 {
					t.Errorf("%d questions after %d", n, last)
					return
				}
				last = questions.Len()
			}
		})
	}
	reading.Wait()
	close(done)
	sending.Wait()
	t.Logf("%d requests were sent meanwhile", sent.Load())
}

// BenchmarkIngestBesideReaders stores 10,000 spans a second for ten seconds beside a million that are there, alone and beside ten
// readers who each ask which of all questions were slow, once a second. It tells what a request took, and how many times longer
// that was beside readers.
func BenchmarkIngestBesideReaders(b *testing.B) {
	const requests, perRequest = 210, 40 // of 12 spans each question
	ingest := func(st *store.Store) time.Duration {
		var took time.Duration
		tick := time.NewTicker(48 * time.Millisecond)
		defer tick.Stop()
		for range requests {
			request := otlptest.Questions(perRequest)
			began := time.Now()
			appendTo(b, st, request)
			took += time.Since(began)
			<-tick.C
		}
		return took / requests
	}
	var alone, beside time.Duration
	for b.Loop() {
		st := open(b)
		million(b, st)
		keeper := Keep(st, nil)
		alone += ingest(st)
		done := make(chan struct{})
		var reading sync.WaitGroup
		for i := range readers {
			r := reader(b, st)
			reading.Go(func() {
				wait := time.Duration(i) * time.Second / readers
				for {
					select {
					case <-done:
						return
					case <-time.After(wait):
					}
					all, err := Read(b.Context(), r, nil)
					if err != nil {
						b.Error(err)
						return
					}
					all.Judge(nil, nil).Verdict()
					wait = time.Second
				}
			})
		}
		beside += ingest(st)
		close(done)
		reading.Wait()
		keeper.Close()
	}
	b.ReportMetric(float64(alone.Microseconds())/float64(b.N), "alone-us")
	b.ReportMetric(float64(beside.Microseconds())/float64(b.N), "beside-us")
	b.ReportMetric(float64(beside)/float64(alone), "times")
}
