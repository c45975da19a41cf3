package stages

import "time"

// Metrics are the figures of one exchange on stated rulers. What is not defined is absent, never 0.
type Metrics struct {
	// TTFT is from the exchange's start to the first token event of any channel, TTFA to the first of the answer itself:
	// the client's ruler, network included. Only for streams.
	TTFT, TTFA Timing
	// TTFTServer is from the server's start of work to its first token, by its own stamps, TTFAServer to the first of the
	// answer itself.
	TTFTServer, TTFAServer Timing
	// TTFTEstimate is load, queue and prefill of an answer that was not streamed: no client saw a first token.
	TTFTEstimate Timing
	// E2E is from the exchange's start to the finish of the answer; to the end of the exchange when it is not ok.
	E2E Timing
	// TPOT is (end - first token) / (n - 1), with the server's end where it is known, for ok streams of n > 1 tokens.
	TPOT Timing
	// TPOTServer is the server's decoding time / (n - 1), or / n where that begins before the first token.
	TPOTServer Timing

	// ITL are gaps between token events, not divided by the tokens of one event.
	ITLP50, ITLP95, ITLMax, ITLMean Timing
	ITLServerP50                    Timing

	// Queue is time inside the server that no field of it names, before prefill; or its own queue field.
	Queue Timing
	// Unattributed is time inside the server that no field of it names, when it names no prefill: up to decode, or all of it.
	Unattributed Timing
	// DecodeResidual is what the decode span has beyond the server's decoding time: sampling, a client that reads late.
	DecodeResidual Timing
	// ServerStart and ServerEnd are the server's interval on the exchange's clock, where it reports its length.
	ServerStart, ServerEnd Timing

	// PrefillRate counts the prompt tokens that were not cached, and is absent when that is not known; DecodeRate counts
	// the steps of TPOTServer.
	PrefillRate, DecodeRate Rate

	// Tokens is OutputTokens where the server counted, else the number of token events, with source measured.
	Tokens Count
}

// A Rate is a number per second with its source. The zero value is absent.
type Rate struct {
	PerSecond float64
	Source    Source
}

// Known reports whether r is present.
func (r Rate) Known() bool { return r.Source != Unknown }

// Metrics works the figures out. Facts of an exchange that has not ended give nonsense.
func (f *Facts) Metrics() Metrics {
	p := f.place()
	m := Metrics{
		TTFT: f.Marks.FirstToken, TTFA: f.Marks.FirstAnswer,
		E2E:   f.Marks.End,
		Queue: p.queue, DecodeResidual: p.residual, Unattributed: p.unattributed(),
		ServerStart: p.start, ServerEnd: p.end,
		Tokens: f.tokens(),
	}
	ok := f.Status == StatusOK
	if ok {
		m.E2E = f.Marks.Done
	}
	if f.Stage == LLM && f.Operation != OpLoad && f.Operation != OpUnload {
		f.serverTTFT(&m, p)
		if ok {
			f.pace(&m, p)
		}
	}
	m.ITLP50, m.ITLP95 = quantile(f.Gaps, 0.5, Measured), quantile(f.Gaps, 0.95, Measured)
	if n := f.Gaps.N(); n > 0 {
		m.ITLMax = Timing{f.Gaps.Max(), Measured}
		m.ITLMean = Timing{(f.Marks.LastToken.D - f.Marks.FirstToken.D) / time.Duration(n), Measured}
	}
	m.ITLServerP50 = quantile(f.ServerGaps, 0.5, Reported)
	return m
}

func (f *Facts) tokens() Count {
	if f.OutputTokens.Known() || !f.Streamed || f.TokenEvents == 0 {
		return f.OutputTokens
	}
	return Count{int64(f.TokenEvents), Measured}
}

func (f *Facts) serverTTFT(m *Metrics, p placement) {
	total := p.end.D - p.start.D
	if d := f.ServerFirstToDone; d.Known() && p.start.Known() && d.D <= total {
		m.TTFTServer = Timing{total - d.D, Derived}
		if a := f.ServerAnswerToDone; a.Known() {
			m.TTFAServer = Timing{total - a.D, Derived}
		}
	}
	if !f.Streamed && p.decode.Known() {
		start := p.start.D
		if !p.start.Known() {
			start = f.sent()
		}
		m.TTFTEstimate = Timing{p.decode.D - start, Derived}
	}
}

// pace works out the time an output token takes, and the rates.
func (f *Facts) pace(m *Metrics, p placement) {
	steps := m.Tokens.N - 1
	if first := f.Marks.FirstToken; first.Known() && steps > 0 {
		end := f.Marks.Done.D
		if p.end.Known() && f.sendingSeen() {
			end = p.end.D
		}
		if end > first.D { // else all came at once
			m.TPOT = Timing{(end - first.D) / time.Duration(steps), Derived}
		}
	}
	if f.FirstTokenInDecode {
		steps++
	}
	if f.Decode.D > 0 && f.OutputTokens.Known() && steps > 0 && !f.otherUnits() {
		m.TPOTServer = Timing{f.Decode.D / time.Duration(steps), Derived}
		m.DecodeRate = Rate{float64(steps) / f.Decode.D.Seconds(), Derived}
	}
	if in, cached := f.InputTokens, f.CachedTokens; in.Known() && cached.Known() && f.Prefill.D > 0 && in.N > cached.N && !f.otherUnits() {
		m.PrefillRate = Rate{float64(in.N-cached.N) / f.Prefill.D.Seconds(), Derived}
	}
}

func quantile(g *Gaps, q float64, source Source) Timing {
	d, ok := g.Quantile(q)
	if !ok {
		return Timing{}
	}
	return Timing{d, source}
}
