package openai

import (
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
	bad                    [maxBad]string // fields that are no duration
	bads                   int
}

// maxBad is how many fields of one chunk can hold a value that is no duration.
const maxBad = 4

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
		s.work(&s.prefill, "prompt_ms", v)
	case predictedMS:
		s.work(&s.decode, "predicted_ms", v)
	case progressTotal:
		s.api = stages.APILlamaServer
		s.input.Report(v.Int())
	case progressCache:
		s.cached.Report(v.Int())
	case progressTime:
		s.millis(&s.progress, "time_ms", v)
	case timingPrompt:
		s.api = stages.APILocalAI
		s.work(&s.prefill, "timing_prompt_processing", v)
	case timingGeneration:
		s.work(&s.decode, "timing_token_generation", v)
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
		s.work(&s.prefill, name, v)
	case metricGeneration:
		name = "generation_time_ms"
		s.work(&s.decode, name, v)
	case metricQueue:
		name = "queue_time_ms"
		s.millis(&s.queue, name, v)
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
	for _, field := range s.bad[:s.bads] {
		f.Flag(stages.FlagBad + field)
	}
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

// millis takes a duration, of which 0 is one. null is absent, and not bad.
func (s *serverFigures) millis(t *stages.Timing, field string, v stream.Value) {
	if v.Kind == stream.Null {
		return
	}
	if ms, ok := v.Float(); ok {
		var bad bool
		if *t, bad = stages.ReportedMillis(ms); !bad {
			return
		}
	}
	if s.bads < maxBad {
		s.bad[s.bads] = field
		s.bads++
	}
}

// work takes the time of prefill or decode. 0 stands for what did not take place: a single token has no decoding.
func (s *serverFigures) work(t *stages.Timing, field string, v stream.Value) {
	if s.millis(t, field, v); t.D == 0 {
		*t = stages.Timing{}
	}
}
