package stages

import "time"

// A Phase is a stretch of server time inside one exchange, placed on the exchange's clock.
type Phase struct {
	Name       string // the span's name: llm.load, llm.validation, rerank.server, ...
	Stage      Stage
	Start, End time.Duration // from the exchange's start
	Source     Source
}

// Names of phases beside those that are called as their stage.
const (
	PhaseUnattributed = "llm.unattributed" // between load and decode, or the end, when the server gives no prefill
	PhaseEmbedServer  = "embed.server"     // an embedding server's whole time, when it does not tell a load from the rest
	PhaseGateway      = "gateway.overhead" // a gateway's own time before it passed the request on
	PhaseStall        = "llm.decode.stall" // a large part of the decode span in which nothing was decoded
)

// negligible is the length below which a phase is left out.
const negligible = 500 * time.Nanosecond

// Phases are the stretches of server time that f tells of, in order, inside the exchange and never overlapping; none when
// the server reports none. Doubts about the figures become flags of f. It may be called again, with the same result.
func (f *Facts) Phases() []Phase {
	p := f.place()
	for _, flag := range p.flags {
		f.Flag(flag)
	}
	return p.phases
}

// A placement is the server's time on the exchange's clock.
type placement struct {
	phases     []Phase
	flags      []string
	start, end Timing // of the server's own interval, where it reports its length
	queue      Timing
	residual   Timing // of the decode span, beyond what the server says it decoded
	decode     Timing // where the decode span starts
}

// add appends a phase after the last one, unless nothing of it is left.
func (p *placement) add(stage Stage, start, end time.Duration, source Source) {
	p.addNamed(string(stage), stage, start, end, source)
}

func (p *placement) addNamed(name string, stage Stage, start, end time.Duration, source Source) {
	if n := len(p.phases); n > 0 {
		start = max(start, p.phases[n-1].End)
	}
	if start = max(start, 0); end-start >= negligible {
		p.phases = append(p.phases, Phase{name, stage, start, end, source})
	}
}

// unattributed is the length of the phase of that name.
func (p *placement) unattributed() Timing {
	for _, ph := range p.phases {
		if ph.Name == PhaseUnattributed {
			return Timing{ph.End - ph.Start, ph.Source}
		}
	}
	return Timing{}
}

// place picks the rule by what the server reports.
func (f *Facts) place() placement {
	switch {
	case f.Stage == "":
		return placement{} // the store's time for a write or a read by id is no stage of a question
	case len(f.Placed) > 0:
		return f.placeGiven()
	case f.Stage == Search || f.Stage == Rerank:
		return f.placeServer()
	case !f.Marks.Done.Known() || f.Status != StatusOK && f.Status != "":
		return f.placeBegun() // what else was reported, if anything, does not belong to the whole
	case f.otherUnits():
		return placement{}
	case f.Stage == Embed && !f.Total.Known():
		return placement{} // prefill and decode are words for the answering model's server
	case f.Operation == OpLoad && !f.Total.Known():
		var p placement
		p.add(LLMLoad, f.sent(), f.Marks.Done.D, Measured)
		return p
	case f.Queue.Source == Reported && f.Stage == LLM:
		return f.placeForward()
	case f.Total.Known():
		return f.placeTotal()
	case f.Prefill.Known() || f.Decode.Known():
		return f.placeBackward()
	}
	return placement{}
}

// sent is when the server could begin: the request's head was written, else as much as is known.
func (f *Facts) sent() time.Duration {
	if f.Marks.WroteHeaders.Known() {
		return f.Marks.WroteHeaders.D
	}
	return f.Marks.GotConn.D
}

// sendingSeen reports whether the client's clock knows of the request: not of a body that was only saved.
func (f *Facts) sendingSeen() bool { return f.Marks.WroteHeaders.Known() || f.Marks.GotConn.Known() }

// placeGiven clamps phases that the API's reader has placed.
func (f *Facts) placeGiven() (p placement) {
	end := f.Marks.End.D
	if f.Marks.Done.Known() {
		end = f.Marks.Done.D
	}
	for _, g := range f.Placed {
		p.addNamed(g.Name, g.Stage, g.Start, min(g.End, end), g.Source)
		if g.Stage == LLMQueue {
			p.queue = Timing{g.End - g.Start, g.Source}
		}
	}
	return p
}
