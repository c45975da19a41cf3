package tgi

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// times are what the headers of an answer that was not streamed say, in whole milliseconds. x-compute-time alone is in
// seconds and says the same as x-total-time. x-time-per-token is inference over tokens, prefill included, and no time
// per output token: it is left out.
type times struct {
	validation stages.Timing // arrival to queued
	queue      stages.Timing // queued to started
	inference  stages.Timing // prefill and decode
}

func (r *Reader) readHead(h http.Header) {
	if h.Get("X-Compute-Type") == "" {
		return
	}
	f := r.f
	f.Total = r.millis(h, "x-total-time")
	r.times = times{r.millis(h, "x-validation-time"), r.millis(h, "x-queue-time"), r.millis(h, "x-inference-time")}
	f.InputTokens, f.OutputTokens = tokens(h, "x-prompt-tokens"), tokens(h, "x-generated-tokens")
}

// place places the phases one after another from the moment at which the request's head was written: they make up the
// total.
func (r *Reader) place() {
	if !r.times.inference.Known() {
		return
	}
	at := r.f.Marks.WroteHeaders.D
	next := func(name string, stage stages.Stage, t stages.Timing) {
		if t.D > 0 {
			r.f.Placed = append(r.f.Placed, stages.Phase{Name: name, Stage: stage, Start: at, End: at + t.D, Source: t.Source})
			at += t.D
		}
	}
	next("llm.validation", stages.LLMOther, r.times.validation)
	next(string(stages.LLMQueue), stages.LLMQueue, r.times.queue)
	next("llm.inference", stages.LLMOther, r.times.inference)
	r.f.Queue = r.times.queue
}

func (r *Reader) millis(h http.Header, name string) stages.Timing {
	s := h.Get(name)
	if s == "" {
		return stages.Timing{}
	}
	ms, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	t, bad := stages.ReportedMillis(ms)
	if err != nil || bad {
		r.f.Flag(stages.FlagBad + name)
		return stages.Timing{}
	}
	return t
}

func tokens(h http.Header, name string) stages.Count {
	n, err := strconv.ParseInt(h.Get(name), 10, 64)
	if err != nil || n < 0 {
		return stages.Count{}
	}
	return stages.Count{N: n, Source: stages.Reported}
}
