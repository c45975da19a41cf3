package web

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/diagnose"
)

// A slowSource takes a second to read its questions, which are as many as its version says.
type slowSource struct {
	version, reads atomic.Int64
	err            error
}

func (s *slowSource) source() Source {
	return Source{
		Version: func(context.Context) (string, error) { return strconv.FormatInt(s.version.Load(), 10), nil },
		Questions: func(ctx context.Context) ([]diagnose.Question, error) {
			s.reads.Add(1)
			n := s.version.Load()
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			return make([]diagnose.Question, n), s.err
		},
	}
}

func TestReadersShareAReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowSource{}
		s.version.Store(3)
		p := New(s.source(), Options{})
		defer p.Close()
		began := time.Now()
		for range 10 {
			go func() {
				if got, err := p.library.get(t.Context()); err != nil || len(got.results) != 3 {
					t.Errorf("%v", err)
				}
			}()
		}
		time.Sleep(1500 * time.Millisecond)
		if _, err := p.library.get(t.Context()); err != nil || time.Since(began) != 1500*time.Millisecond {
			t.Errorf("what is known takes %v to get, %v", time.Since(began)-1500*time.Millisecond, err)
		}
		if n := s.reads.Load(); n != 1 {
			t.Errorf("read %d times, want once", n)
		}
	})
}

func TestWhatIsKnownIsShownWhileNewsAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowSource{}
		s.version.Store(1)
		p := New(s.source(), Options{})
		defer p.Close()
		if _, err := p.library.get(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		s.version.Store(2)
		began := time.Now()
		got, err := p.library.get(t.Context())
		if err != nil || len(got.results) != 1 || time.Since(began) != patience {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		time.Sleep(time.Second)
		if got, err = p.library.get(t.Context()); err != nil || len(got.results) != 2 {
			t.Errorf("a second later: %v", err)
		}
	})
}

// Under a flood of spans half of the time is left to others.
func TestReadingRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowSource{}
		p := New(s.source(), Options{})
		defer p.Close()
		for began := time.Now(); time.Since(began) < 60*time.Second; time.Sleep(10 * time.Millisecond) {
			s.version.Add(1)
			if _, err := p.library.get(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n := s.reads.Load(); n < 25 || n > 31 {
			t.Errorf("read %d times in 60 s of which each took 1, want about 30", n)
		}
	})
}

func TestAFailedReadingIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowSource{err: errors.New("disk")}
		p := New(s.source(), Options{})
		defer p.Close()
		if _, err := p.library.get(t.Context()); !errors.Is(err, s.err) {
			t.Errorf("%v, want %v", err, s.err)
		}
		s.err = nil
		if _, err := p.library.get(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestClosingEndsAReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New((&slowSource{}).source(), Options{})
		began := time.Now()
		done := make(chan error)
		go func() { _, err := p.library.get(t.Context()); done <- err }()
		time.Sleep(100 * time.Millisecond)
		p.Close()
		if err := <-done; err == nil || time.Since(began) != 100*time.Millisecond {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if _, err := p.library.get(t.Context()); !errors.Is(err, errClosed) {
			t.Errorf("closed, it says %v", err)
		}
	})
}
