package openai

import (
	"net/http"
	"strconv"
	"time"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// serverFigures are timings that a server adds to the API of its own accord, all in milliseconds.
type serverFigures struct {
	api                    stages.API
	queue, prefill, decode stages.Timing
	cached, input, output  stages.Count  // llama-server's counts of this request
	progress               stages.Timing // of the prefill, so far
	figures                [5]stages.Figure
	n                      int
}

func (s *serverFigures) value(v stream.Value) {
	switch v.Path {
	case timings:
		if v.Kind == stream.Object {
			s.api = stages.APILlamaServer
		}
	case cacheN:
		s.cached.Report(v.Int()) // -1 in old builds: unknown
	case promptN:
		s.input.Report(v.Int())
	case predictedN:
		s.output.Report(v.Int())
	case promptMS:
		millis(&s.prefill, v)
	case predictedMS:
		millis(&s.decode, v)
	case progressTotal:
		s.api = stages.APILlamaServer
		s.input.Report(v.Int())
	case progressCache:
		s.cached.Report(v.Int())
	case progressTime:
		millis(&s.progress, v)
	case timingPrompt:
		s.api = stages.APILocalAI
		millis(&s.prefill, v)
	case timingGeneration:
		millis(&s.decode, v)
	case metrics:
		if v.Kind == stream.Object {
			s.api = stages.APIVLLM
		}
	default:
		s.metric(v)
	}
}

// metric reads vLLM's metrics. Its time to first token starts when the request is scheduled, not when it arrives: it is
// what others call prefill (vllm, per_request_metrics.md).
func (s *serverFigures) metric(v stream.Value) {
	var name string
	switch v.Path {
	case metricTTFT:
		name = "time_to_first_token_ms"
		millis(&s.prefill, v)
	case metricGeneration:
		name = "generation_time_ms"
		millis(&s.decode, v)
	case metricQueue:
		name = "queue_time_ms"
		millis(&s.queue, v)
	case metricITL:
		name = "mean_itl_ms"
	case metricRate:
		name = "tokens_per_second"
	}
	if n, ok := v.Float(); ok && s.n < len(s.figures) {
		s.figures[s.n] = stages.Figure{Name: name, Value: n}
		s.n++
	}
}

func (s *serverFigures) into(f *stages.Facts, at time.Duration) {
	if s.api == "" {
		return
	}
	f.API, f.System = s.api, string(s.api)
	if s.progress.Known() {
		// The earliest is the one that was held up least on its way.
		if start := max(at-s.progress.D, 0); !f.PrefillStart.Known() || start < f.PrefillStart.D {
			f.PrefillStart = stages.Timing{D: start, Source: stages.Derived}
		}
		f.InputTokens, f.CachedTokens = s.input, s.cached // of the whole prompt
		return
	}
	f.Queue, f.Prefill, f.Decode = s.queue, s.prefill, s.decode
	if s.n > 0 {
		f.Figures = append([]stages.Figure(nil), s.figures[:s.n]...)
	}
	if s.output.Known() {
		f.OutputTokens = s.output
	}
	if s.input.Known() {
		f.InputTokens, f.CachedTokens = s.input, s.cached
		f.InputTokens.N += s.cached.N // what was processed and what was in the cache
	}
}

func millis(t *stages.Timing, v stream.Value) {
	if ms, ok := v.Float(); ok {
		*t, _ = stages.ReportedMillis(ms)
	}
}

// statsHeaders reads x-queue-time, x-prefill-time and x-decode-time: milliseconds with two decimals.
func statsHeaders(f *stages.Facts, h http.Header) {
	if h.Get("X-Prefill-Time") == "" {
		return
	}
	f.API, f.System = stages.APIVLLM, string(stages.APIVLLM)
	for name, t := range map[string]*stages.Timing{
		"X-Queue-Time": &f.Queue, "X-Prefill-Time": &f.Prefill, "X-Decode-Time": &f.Decode,
	} {
		if ms, err := strconv.ParseFloat(h.Get(name), 64); err == nil {
			*t, _ = stages.ReportedMillis(ms)
		}
	}
}
