package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// A progress tells somebody at a terminal how far a long read is. Nothing is told of what takes less than a second.
type progress struct {
	w          io.Writer // nil: nobody is there to see it
	what, unit string
	next       time.Time // when to tell again
	told       bool
}

func newProgress(w io.Writer, what, unit string) *progress {
	p := &progress{what: what, unit: unit, next: time.Now().Add(time.Second)}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.w = w
	}
	return p
}

// at tells that n units are done, if it is time to.
func (p *progress) at(n int) {
	// Asking for the time at every trace would cost more than telling.
	if n%64 == 0 {
		p.tell(n)
	}
}

// tell is at for steps that take a while.
func (p *progress) tell(n int) {
	if p.w == nil || time.Now().Before(p.next) {
		return
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s: %d %s", p.what, n, p.unit)
	p.told, p.next = true, time.Now().Add(200*time.Millisecond)
}

// done takes the line away.
func (p *progress) done() {
	if p.told {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.told = false
	}
}
