package fakeserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A dialect is how a family of paths writes errors down.
type dialect interface {
	bodyType() string              // content type of a plain answer
	failure(message string) []byte // a plain answer's error
}

// A shape is how one path writes an answer down.
type shape interface {
	dialect
	streamType() string                // content type of a stream
	line(model string, p piece) []byte // a piece of a stream, with its framing
	body(model string, p piece) []byte // a whole answer
	lineFailure(message string) []byte // an error in a stream
}

const jsonType = "application/json; charset=utf-8"

// A question is a request for an answer, whatever API it came by.
type question struct {
	shape
	model     string
	prompt    string
	empty     bool // no prompt: load or unload only
	stream    bool
	think     any
	keepAlive *keepAlive
	options   map[string]any
	context   []int // of an earlier answer
}

// answer has the model answer.
func (x *exchange) answer(q question, what string) {
	m := x.model(q.model)
	var keep *time.Duration
	if q.keepAlive != nil {
		keep = (*time.Duration)(q.keepAlive)
	}
	thinks, canThink := true, m != nil && m.Thinking != nil
	if t, ok := q.think.(bool); ok {
		thinks = t
	}
	switch {
	case m == nil:
		x.fail(q.shape, http.StatusNotFound, fmt.Sprintf("model '%s' not found", q.model))
		return
	case q.empty && keep != nil && *keep == 0:
		x.sched.unload(m)
		x.whole(q, piece{created: time.Now(), done: true, reason: "unload"})
		return
	case q.think != nil && thinks && !canThink:
		x.fail(q.shape, http.StatusBadRequest, fmt.Sprintf("%q does not support thinking", q.model))
		return
	case m.Kind == Embed:
		x.fail(q.shape, http.StatusBadRequest, fmt.Sprintf("%q does not support %s", q.model, what))
		return
	}
	l, loaded, err := x.load(m, q.options, keep)
	if err != nil {
		return
	}
	if q.empty {
		l.release()
		x.whole(q, piece{created: time.Now(), done: true, reason: "load"})
		return
	}
	g := &generation{
		exchange: x, model: m, lease: l, stream: q.stream, prompt: q.prompt, think: thinks && canThink, options: q.options, before: q.context, loaded: loaded,
	}
	if q.stream {
		x.streamed(q, g)
	} else {
		x.collected(q, g)
	}
}

// load brings the model into memory and returns its lease and the load_duration. An error means that the client has left.
func (x *exchange) load(m *Model, options map[string]any, keep *time.Duration) (*lease, time.Duration, error) {
	ctx := x.r.Context()
	if err := wait(ctx, x.config.Handling); err != nil {
		return nil, 0, err
	}
	l, err := x.sched.acquire(ctx, x.n, m, m.runnerOptions(options), keep)
	return l, time.Since(x.start), err
}

// streamed sends the pieces as they come, each flushed.
func (x *exchange) streamed(q question, g *generation) {
	rc := http.NewResponseController(x.w)
	out := x.fault.writer(x.r.Context(), x.w)
	started := false
	emit := func(p piece) error {
		if !started {
			x.w.Header().Set("Content-Type", q.streamType())
			started = true
		}
		if _, err := out.Write(q.line(q.model, p)); err != nil {
			return err
		}
		return rc.Flush()
	}
	err := g.run(x.r.Context(), emit)
	var failed modelError
	switch {
	case errors.Is(err, errBroken):
		x.fault.breakOff(x.w)
	case errors.As(err, &failed) && started:
		out.Write(q.lineFailure(failed.Error()))
	case errors.As(err, &failed):
		x.w.Header().Set("Content-Type", "application/json")
		x.fail(q.shape, http.StatusInternalServerError, failed.Error())
	case errors.Is(err, errNoFinish) && !started:
		x.w.Header().Set("Content-Type", q.streamType())
	}
}

// collected sends the answer when it is complete.
func (x *exchange) collected(q question, g *generation) {
	var text, thinking strings.Builder
	var last piece
	err := g.run(x.r.Context(), func(p piece) error {
		text.WriteString(p.text)
		thinking.WriteString(p.thinking)
		last = p
		return nil
	})
	last.text, last.thinking = text.String(), thinking.String()
	var failed modelError
	switch {
	case errors.As(err, &failed):
		x.fail(q.shape, http.StatusInternalServerError, failed.Error())
	case err == nil, errors.Is(err, errNoFinish):
		x.whole(q, last)
	}
}

// whole sends one plain answer.
func (x *exchange) whole(q question, p piece) {
	x.json(http.StatusOK, q.bodyType(), q.body(q.model, p))
}

// fail sends a plain error.
func (x *exchange) fail(d dialect, status int, message string) {
	x.json(status, d.bodyType(), d.failure(message))
}

func (x *exchange) json(status int, contentType string, body []byte) {
	if x.w.Header().Get("Content-Type") == "" {
		x.w.Header().Set("Content-Type", contentType)
	}
	x.fault.plain(x.w, x.r, status, body)
}

func (x *exchange) text(status int, contentType, body string) {
	x.w.Header().Set("Content-Type", contentType)
	x.w.WriteHeader(status)
	io.WriteString(x.w, body)
}

// encode returns v's JSON. What is encoded here cannot fail.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
