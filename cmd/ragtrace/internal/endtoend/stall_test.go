//go:build unix

package endtoend

import (
	"sync/atomic"
	"testing"
	"time"
)

// stalled is how late a timer may ring before the machine, and nothing that is traced, is to blame for a delay.
const stalled = 200 * time.Millisecond

// A watch is a timer that rings all the time and notes how late it was. It speaks to no server.
type watch struct{ late atomic.Int64 }

func startWatch(t *testing.T) *watch {
	w := &watch{}
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	go func() {
		const every = 5 * time.Millisecond
		for {
			start := time.Now()
			select {
			case <-done:
				return
			case <-time.After(every):
			}
			if late := int64(time.Since(start) - every); late > w.late.Load() {
				w.late.Store(late)
			}
		}
	}()
	return w
}

// worst is how late the timer rang at worst since it was last asked.
func (w *watch) worst() time.Duration { return time.Duration(w.late.Swap(0)) }
