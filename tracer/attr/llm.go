package attr

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/ragtrace/ragtrace/stages"
)

// llm is what a call to the answering model says of itself.
func llm(attrs []attribute.KeyValue, f *stages.Facts) []attribute.KeyValue {
	attrs = llmRequest(attrs, f)
	attrs = count(attrs, UsageInputTokens, f.InputTokens)
	attrs = count(attrs, UsageOutputTokens, f.OutputTokens)
	attrs = count(attrs, UsageCacheRead, f.CachedTokens)
	attrs = count(attrs, UsageReasoning, f.ReasoningTokens)
	if f.TokenEvents > 0 {
		attrs = append(attrs, TokenEvents.Int(f.TokenEvents))
	}
	if f.ToolCalls > 0 {
		attrs = append(attrs, ToolCalls.Int(f.ToolCalls))
	}
	if f.Remote {
		attrs = append(attrs, Remote.Bool(true))
	}
	switch {
	case brokenOff(f):
		attrs = append(attrs, ResponseFinishReasons.StringSlice([]string{"error"}))
	case len(f.FinishReasons) > 0:
		attrs = append(attrs, ResponseFinishReasons.StringSlice(f.FinishReasons))
	}
	return llmTimes(attrs, f)
}

// brokenOff reports whether an answer began or was waited for, and did not come to its end.
func brokenOff(f *stages.Facts) bool {
	switch f.Status {
	case stages.StatusCancelled, stages.StatusIncomplete:
		return true
	case stages.StatusError:
		return f.Streamed
	}
	return false
}

func llmRequest(attrs []attribute.KeyValue, f *stages.Facts) []attribute.KeyValue {
	r := &f.Request
	if f.Streamed || r.Stream != nil && *r.Stream {
		attrs = append(attrs, RequestStream.Bool(true))
	}
	attrs = count(attrs, RequestMaxTokens, r.MaxTokens)
	attrs = number(attrs, RequestTemperature, r.Temperature)
	attrs = number(attrs, RequestTopP, r.TopP)
	attrs = count(attrs, RequestTopK, r.DecodeTopK)
	attrs = count(attrs, RequestSeed, r.Seed)
	attrs = text(attrs, RequestReasoningLevel, r.ReasoningLevel)
	attrs = count(attrs, NumCtx, r.NumCtx)
	if r.KeepAlive != nil {
		attrs = append(attrs, KeepAlive.Float64(r.KeepAlive.Seconds()))
	}
	return attrs
}

// llmTimes are the durations as the server reports them, and what follows from them and from the arrivals of tokens.
func llmTimes(attrs []attribute.KeyValue, f *stages.Facts) []attribute.KeyValue {
	m := f.Metrics()
	if f.Streamed {
		attrs = seconds(attrs, ResponseTimeToFirst, m.TTFT)
		if m.TTFA != m.TTFT {
			attrs = seconds(attrs, TimeToFirstAnswer, m.TTFA)
		}
	}
	attrs = seconds(attrs, TimeToFirstToken, m.TTFTServer)
	attrs = seconds(attrs, TotalDuration, f.Total)
	attrs = seconds(attrs, LoadDuration, f.Load)
	attrs = seconds(attrs, QueueDuration, m.Queue)
	attrs = seconds(attrs, PrefillDuration, f.Prefill)
	attrs = seconds(attrs, DecodeDuration, f.Decode)
	attrs = seconds(attrs, DecodeResidual, m.DecodeResidual)
	attrs = seconds(attrs, Unattributed, m.Unattributed)
	perToken := m.TPOTServer
	if !perToken.Known() {
		perToken = m.TPOT
	}
	attrs = seconds(attrs, TimePerOutputToken, perToken)
	attrs = seconds(attrs, InterChunkMean, m.ITLMean)
	attrs = seconds(attrs, InterChunkP50, m.ITLP50)
	attrs = seconds(attrs, InterChunkP95, m.ITLP95)
	return seconds(attrs, InterChunkMax, m.ITLMax)
}
