package stages

import "time"

// frame places a server interval of length total: from the request's head on, moved back if it would end after the
// answer has arrived, and cut if it is longer than the client's own. The interval of a server behind the one that was
// called ends with the answer instead. Where the moment of sending is not known, there is nothing to cut it to.
func (f *Facts) frame(p *placement) (start, end time.Duration) {
	const tolerance = time.Millisecond
	total, sent, done := f.Total.D, f.sent(), f.Marks.Done.D
	switch {
	case !f.sendingSeen():
		start = max(done-total, 0)
	case total > done-sent+tolerance:
		p.flags = append(p.flags, FlagTotalExceedsClient)
		total = max(done-sent, 0)
		start = min(sent, done)
	case f.Remote:
		start = max(done-total, 0)
	default:
		start = max(min(sent, done-total), 0)
	}
	end = start + total
	p.start, p.end = Timing{start, Derived}, Timing{end, Derived}
	return start, end
}

// placeTotal places phases inside the interval that the server reports: Ollama's way. Load stands at its start and
// decode at its end, prefill before decode; what is left between load and prefill is waiting.
func (f *Facts) placeTotal() (p placement) {
	start, end := f.frame(&p)
	load, prefill, decode := f.clip(&p, end-start)
	loaded := start + load
	if f.Stage == Embed {
		name := PhaseEmbedServer
		if f.Load.Known() {
			name = string(EmbedCompute)
		}
		p.add(EmbedLoad, start, loaded, Reported)
		p.addNamed(name, EmbedCompute, loaded, end, f.Total.Source)
		return p
	}
	p.add(LLMLoad, start, loaded, Reported)
	if !f.Prefill.Known() && !f.Decode.Known() {
		p.addNamed(PhaseUnattributed, LLMOther, loaded, end, Derived)
		return p
	}
	begun := f.decodeStart(&p, loaded+prefill, decode)
	p.decode = Timing{begun, Derived}
	if f.Prefill.Known() {
		p.queue = Timing{begun - prefill - loaded, Derived}
		p.add(LLMQueue, loaded, begun-prefill, Derived)
		p.add(LLMPrefill, begun-prefill, begun, Reported)
	} else {
		p.addNamed(PhaseUnattributed, LLMOther, loaded, begun, Derived)
	}
	f.addDecode(&p, begun, end, decode)
	return p
}

// clip cuts the phases to the total, from the end, and flags when that is more than a rounding.
func (f *Facts) clip(p *placement, total time.Duration) (load, prefill, decode time.Duration) {
	load, prefill, decode = f.Load.D, f.Prefill.D, f.Decode.D
	if sum := load + prefill + decode; sum > total+total/100+time.Millisecond {
		p.flags = append(p.flags, FlagSumExceedsTotal)
	}
	load = min(load, total)
	prefill = min(prefill, total-load)
	decode = min(decode, total-load-prefill)
	return load, prefill, decode
}

// decodeStart is when decoding began: the first token by the server's stamps, else by its arrival, or the end less the
// reported decoding, whichever is earlier; a first line is sometimes stamped late. It is not before the earliest moment
// at which prefill can have ended.
func (f *Facts) decodeStart(p *placement, earliest, decode time.Duration) time.Duration {
	begun := p.end.D - decode
	if first, ok := f.firstToken(p); ok && (first < begun || !f.Decode.Known()) {
		return max(first, earliest)
	}
	// Without a stamp that says otherwise, a remainder of a few per cent is sampling between the decoding steps, which
	// some engines leave out, and no waiting.
	if left := begun - earliest; f.Decode.Known() && left <= decode*3/100 {
		return earliest
	}
	return max(begun, earliest)
}

// firstToken is the first token's moment: by the server's stamps before its end, as far as they lie within its interval,
// else by arrival.
func (f *Facts) firstToken(p *placement) (time.Duration, bool) {
	if d := f.ServerFirstToDone; d.Known() && d.D > 0 && d.D <= p.end.D-p.start.D {
		return p.end.D - d.D, true
	}
	if t := f.Marks.FirstToken; t.Known() {
		return min(t.D, p.end.D), true
	}
	return 0, false
}

// addDecode adds the decode span and, where a large part of it is none, the stall as its own phase at the end: when it
// was is not known.
func (f *Facts) addDecode(p *placement, begun, end, decode time.Duration) {
	if !f.Decode.Known() {
		p.add(LLMDecode, begun, end, Derived)
		return
	}
	span := end - begun
	residual := max(span-decode, 0)
	p.residual = Timing{residual, Derived}
	if residual > 100*time.Millisecond && residual > span/4 {
		p.flags = append(p.flags, FlagDecodeStall)
		p.add(LLMDecode, begun, begun+decode, Reported)
		p.addNamed(PhaseStall, LLMOther, begun+decode, end, Derived)
		return
	}
	p.add(LLMDecode, begun, end, Reported)
}
