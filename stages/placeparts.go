package stages

import "time"

// placeBackward places prefill and decode of a server that reports no interval of its own (llama-server): decode from
// the first token to the finish, prefill before it, and what is left since the request was sent is waiting.
func (f *Facts) placeBackward() (p placement) {
	sent, done := f.sent(), f.Marks.Done.D
	if f.Prefill.D+f.Decode.D > done-sent+time.Millisecond && f.sendingSeen() {
		p.flags = append(p.flags, FlagTotalExceedsClient)
	}
	decode := min(f.Decode.D, max(done-sent, 0))
	begun := done - decode
	if t := f.Marks.FirstToken; t.Known() {
		begun = min(begun, t.D)
	}
	begun = max(begun, sent)
	p.decode = Timing{begun, Derived}
	if f.Prefill.Known() {
		start := max(begun-f.Prefill.D, sent)
		p.queue = Timing{start - sent, Derived}
		p.add(LLMQueue, sent, start, Derived)
		p.add(LLMPrefill, start, begun, Reported)
	}
	f.addDecode(&p, begun, done, decode)
	return p
}

// placeBegun places what is known of an answer that broke off: the wait and the prefill, when the server told of the
// latter while it lasted.
func (f *Facts) placeBegun() (p placement) {
	if !f.PrefillStart.Known() {
		return p
	}
	end := f.Marks.End
	if f.Marks.FirstToken.Known() {
		end = f.Marks.FirstToken
	}
	sent := f.sent()
	start := min(max(f.PrefillStart.D, sent), end.D)
	p.queue = Timing{start - sent, Derived}
	p.add(LLMQueue, sent, start, Derived)
	p.add(LLMPrefill, start, end.D, Derived)
	return p
}

// placeForward places the phases of a server that reports its queue too (vLLM): one after another from the request on.
// What is left at the end is the network, and no phase.
func (f *Facts) placeForward() (p placement) {
	at, end := f.sent(), f.Marks.Done.D
	if f.Total.Known() {
		at, end = f.frame(&p)
	}
	next := func(stage Stage, t Timing) {
		to := min(at+t.D, end)
		p.add(stage, at, to, t.Source)
		at = max(at, to)
	}
	next(LLMLoad, f.Load)
	next(LLMQueue, f.Queue)
	next(LLMPrefill, f.Prefill)
	p.queue, p.decode = f.Queue, Timing{at, Derived}
	next(LLMDecode, f.Decode)
	return p
}

// placeServer places the share of a search or rerank that its server reports: from the moment the request was written,
// or, if it would then end after the answer began, up to that.
func (f *Facts) placeServer() (p placement) {
	m := &f.Marks
	if !f.Total.Known() || !m.End.Known() {
		return p
	}
	sent, head := f.sent(), m.Head.D
	if m.WroteRequest.Known() {
		sent = m.WroteRequest.D
	}
	if !m.Head.Known() {
		head = m.End.D
	}
	start := sent
	if f.Total.D > head-sent {
		start = max(head-f.Total.D, 0)
	}
	end := start + f.Total.D
	if end > m.End.D {
		p.flags = append(p.flags, FlagTotalExceedsClient)
		end = m.End.D
	}
	p.start, p.end = Timing{start, Derived}, Timing{end, Derived}
	stage := SearchServer
	if f.Stage == Rerank {
		stage = RerankServer
	}
	p.add(stage, start, end, Reported)
	return p
}
