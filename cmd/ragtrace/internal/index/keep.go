package index

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

const (
	// A trace is cut when nothing of it has come for settled; who reads before that cuts it for himself. Longer would spare some
	// cutting of traces that come in several requests, and have every reader do it instead.
	settled = 100 * time.Millisecond
	// every is how often traces that have settled are looked for, batch how many are written in one transaction: few, as
	// spans that come wait for it.
	every = 50 * time.Millisecond
	batch = 64
	// calm is how long nothing may have come of traces whose questions are packed, since what still changes would be packed over
	// and over; packEvery is how often such are looked for.
	calm      = 3 * time.Second
	packEvery = time.Second
	// afterError is how long nothing is tried after something went wrong.
	afterError = time.Minute
	// lastWork bounds what is still cut at the end. The rest is cut by the next who has the store open.
	lastWork = 2 * time.Second
)

// A Keeper keeps the questions of a store up to date until it is closed.
type Keeper struct {
	store   *store.Store
	log     *slog.Logger
	closing chan struct{}
	once    sync.Once
	running sync.WaitGroup
}

// Keep starts a keeper for a store that is open for writing. Close it before the store. What goes wrong is logged, and
// tried again.
func Keep(st *store.Store, log *slog.Logger) *Keeper {
	k := &Keeper{store: st, log: log, closing: make(chan struct{})}
	k.running.Go(k.run)
	return k
}

// Close writes the questions of what has come so far, if that takes no longer than two seconds.
func (k *Keeper) Close() {
	k.once.Do(func() { close(k.closing) })
	k.running.Wait()
}

func (k *Keeper) run() {
	ctx := context.Background()
	k.report(k.store.SetQuestionFormat(ctx, format))
	n, err := k.store.CheckPacks(ctx, func(data []byte) error { _, err := unpack(data); return err })
	k.report(err)
	if n > 0 {
		k.log.Warn("packs of questions were damaged, and are made again", "packs", n)
	}
	wait := every
	var packed time.Time
	for {
		select {
		case <-time.After(wait):
			wait = every
			if err := k.update(ctx, settled); err != nil {
				wait = afterError
			} else if now := time.Now(); now.Sub(packed) >= packEvery {
				packed = now
				k.packs(ctx, now.Add(-calm), k.closing)
			}
		case <-k.closing:
			ctx, cancel := context.WithTimeout(ctx, lastWork)
			defer cancel()
			for n := batch; n == batch; {
				n, _ = k.batch(ctx, time.Now())
			}
			// However short ago it came: who reads next finds it packed. The store counts in whole seconds.
			k.packs(ctx, time.Now().Add(time.Second), ctx.Done())
			return
		}
	}
}

// update writes what has been quiet for so long, until there is no more or the keeper is closed.
func (k *Keeper) update(ctx context.Context, quiet time.Duration) error {
	for {
		n, err := k.batch(ctx, time.Now().Add(-quiet))
		if err != nil || n < batch {
			return err
		}
		select {
		case <-k.closing:
			return nil
		default:
		}
	}
}

// batch writes some of what has been quiet since a moment. Traces that are damaged are reported, and hold up no others.
func (k *Keeper) batch(ctx context.Context, quietSince time.Time) (n int, err error) {
	n, err = k.store.UpdateQuestions(ctx, cutter, quietSince, batch)
	k.report(err)
	if _, damaged := errors.AsType[*store.DamagedError](err); damaged {
		return n, nil
	}
	return n, err
}

// packs makes packs of what has been quiet since a moment, until there are no more to make or it is to stop. Nothing depends on
// them, so what goes wrong is reported and holds up nothing.
func (k *Keeper) packs(ctx context.Context, quietSince time.Time, stop <-chan struct{}) {
	for {
		n, err := k.store.PackQuestions(ctx, pack, quietSince, 1)
		k.report(err)
		if n == 0 {
			return
		}
		select {
		case <-stop:
			return
		default:
		}
	}
}

func (k *Keeper) report(err error) {
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		k.log.Error("questions not written", "err", err)
	}
}
