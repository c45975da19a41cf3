package ask

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/timings"
	"github.com/ragtrace/ragtrace/tracer"
)

// Config is what is asked, and how.
type Config struct {
	Target      *Target
	Prompts     []string // taken in turn
	N           int      // questions
	Session     string   // "" for none
	Idle        time.Duration
	Concurrency int           // questions at a time, after the first, which is asked alone; each waits Idle after its answer
	Timeout     time.Duration // for one question; 0 is none
	Recorder    *Recorder     // nil for no recordings

	// Answered is called for each question that is over, one at a time.
	Answered func(number int, r *timings.Result)
}

// Run asks the questions, and returns those that were asked in their order. It ends early when ctx does, or when a
// recording cannot be written.
func Run(ctx context.Context, cfg Config) ([]*timings.Result, error) {
	t := newTransport(cfg.Concurrency)
	defer t.CloseIdleConnections()
	return run(ctx, t, cfg)
}

func run(ctx context.Context, rt http.RoundTripper, cfg Config) ([]*timings.Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	results := make([]*timings.Result, cfg.N)
	var next atomic.Int64
	var over sync.Mutex
	// one asks the next question, after idle; it reports whether there may be another.
	one := func(idle time.Duration) bool {
		number := int(next.Add(1))
		if number > cfg.N || idle > 0 && !pause(ctx, idle) || ctx.Err() != nil {
			return false
		}
		r, err := cfg.ask(ctx, rt, number)
		if err != nil {
			stop(err)
			return false
		}
		results[number-1] = r
		over.Lock()
		defer over.Unlock()
		cfg.Answered(number, r)
		return true
	}
	// The first question is asked alone: what it warms up, the others would wait for beside it.
	more := one(0)
	var wg sync.WaitGroup
	for range min(cfg.Concurrency, cfg.N-1) {
		wg.Go(func() {
			for more := more; more; {
				more = one(cfg.Idle)
			}
		})
	}
	wg.Wait()
	var asked []*timings.Result
	for _, r := range results {
		if r != nil {
			asked = append(asked, r)
		}
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return asked, cause
	}
	return asked, nil
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// errTimeout ends a question that takes too long.
var errTimeout = errors.New("timeout")

// ask asks one question.
func (cfg *Config) ask(ctx context.Context, rt http.RoundTripper, number int) (*timings.Result, error) {
	body, err := cfg.Target.body(cfg.Prompts[(number-1)%len(cfg.Prompts)])
	if err != nil {
		return nil, err
	}
	if cfg.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, cfg.Timeout, errTimeout)
		defer cancel()
	}
	header, trace := cfg.header(number)
	rec, err := exchange(ctx, rt, cfg.Target.URL, header, body)
	if rec == nil {
		return nil, err
	}
	rec.Name = cfg.name(number)
	r := timings.FromRecording(rec.Name, rec)
	r.Trace, r.Problem = trace, problem(ctx, r, err, cfg.Timeout)
	rec.Streaming = r.Facts.Streamed
	if cfg.Recorder != nil {
		if err := cfg.Recorder.Write(rec, number); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// name names the question's run: "a/1", or "1" without a session.
func (cfg *Config) name(number int) string {
	if cfg.Session == "" {
		return strconv.Itoa(number)
	}
	return cfg.Session + "/" + strconv.Itoa(number)
}

// header is the request's, with a trace of its own.
func (cfg *Config) header(number int) (h http.Header, trace string) {
	var ids [24]byte
	rand.Read(ids[:])
	trace = fmt.Sprintf("%x", ids[:16])
	h = http.Header{
		"Content-Type": {"application/json"},
		"Accept":       {"*/*"},
		"User-Agent":   {"ragtrace"},
		"Traceparent":  {fmt.Sprintf("00-%s-%x-01", trace, ids[16:])},
	}
	if cfg.Session != "" {
		h.Set(tracer.HeaderSession, cfg.Session)
		h.Set(tracer.HeaderQuestion, strconv.Itoa(number))
	}
	return h, trace
}

// problem says for a person what went wrong, when the exchange itself says less.
func problem(ctx context.Context, r *timings.Result, err error, timeout time.Duration) string {
	switch {
	case r.OK() || err == nil:
		return ""
	case errors.Is(context.Cause(ctx), errTimeout):
		return fmt.Sprintf("no end of the answer within --timeout %v", timeout)
	case ctx.Err() != nil:
		return "interrupted"
	}
	return err.Error()
}
