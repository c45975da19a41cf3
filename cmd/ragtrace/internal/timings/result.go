package timings

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/recording"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// A Clock is what the moments of an exchange count from.
type Clock string

const (
	// ClientClock counts from right before connecting.
	ClientClock Clock = "client"
	// PipeClock counts from the first read of a pipe: it does not know when the request was sent.
	PipeClock Clock = "pipe"
	// ServerClock is for a body that was only saved: there is nothing but what the server says of itself.
	ServerClock Clock = "server"
)

// A Result is one exchange and what is known beside its facts.
type Result struct {
	Input string // a file's name, or "standard input"
	Clock Clock
	Path  string // of the request, "" when it is not known
	Facts *stages.Facts
	Began time.Time // the zero time when it is not known

	Trace   string // the trace id that the request carried, in hex
	Problem string // what went wrong, for people; "" leaves it to Facts.Error

	events bool // an unknown answer came as server-sent events
}

// FromRecording replays rec. An answer that no API claims has its first byte as first token: of a stream of events, the
// first one with data.
func FromRecording(input string, rec *recording.Recording) *Result {
	r := &Result{Input: input, Clock: ClientClock, Path: rec.RequestPath, Facts: rec.Replay()}
	if rec.T0UnixNS != 0 {
		r.Began = time.Unix(0, rec.T0UnixNS)
	}
	r.events = stream.FramingOf(rec.Response.Headers["content-type"]) == stream.Events
	if at, ok := firstData(rec, r.events); ok && r.unknown() && r.Facts.HTTPStatus < http.StatusBadRequest {
		r.Facts.Marks.FirstToken = stages.Timing{D: at, Source: stages.Measured}
	}
	if status := r.Facts.HTTPStatus; status >= 300 && status < 400 {
		r.Facts.Status, r.Facts.Error = stages.StatusError, fmt.Sprintf("HTTP %d: a redirect, which was not followed", status)
	}
	return r
}

// unknown reports whether no API claims the exchange.
func (r *Result) unknown() bool { return r.Facts.API == stages.APIUnknown }

// OK reports whether the answer came whole and without an error.
func (r *Result) OK() bool { return r.Facts.Status == stages.StatusOK }

// Backend names the API, or the path of an application's own.
func (r *Result) Backend() string {
	if r.unknown() && r.Path != "" {
		return r.Path
	}
	return string(r.Facts.API)
}

// Model is the model that answered, else the one that was asked for.
func (r *Result) Model() string {
	if m := r.Facts.Model; m != "" || r.Path == "" {
		return m
	}
	return r.Facts.Request.Model
}

// flags are the doubts that the clock lets one have.
func (r *Result) flags() []string {
	if r.Clock != ServerClock {
		return r.Facts.Flags
	}
	return slices.DeleteFunc(slices.Clone(r.Facts.Flags), func(flag string) bool {
		return flag == stages.FlagBufferedStream // nothing is known of arrivals
	})
}

// held reports whether the arrivals are those of something between server and client.
func (r *Result) held() bool { return slices.Contains(r.flags(), stages.FlagBufferedStream) }
