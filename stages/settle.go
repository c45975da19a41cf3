package stages

import "time"

// Settle raises the flags that follow from all of the facts together. It is called once, when they are complete.
func (f *Facts) Settle() {
	if f.held() {
		f.Flag(FlagBufferedStream)
	}
	if f.otherUnits() {
		f.Flag(FlagSuspectUnits)
	}
	f.Phases()
}

// otherUnits reports whether the server's durations cannot be in the unit that the API states. Nothing is made of them
// then: what is left of the call would be blamed on the network.
func (f *Facts) otherUnits() bool {
	const fastest = 20_000 // tokens a second on one stream; servers that send milliseconds for nanoseconds claim 1e8
	n := f.OutputTokens.N
	return f.Decode.D > 0 && n > 1 && float64(n) > fastest*f.Decode.D.Seconds()
}

// held reports whether something between server and client held the tokens back: they arrived in much less time than
// the server took to make them. That all of them came late proves nothing, since a load may have come first.
func (f *Facts) held() bool {
	const factor, least = 4, 20 * time.Millisecond
	first, last := f.Marks.FirstToken, f.Marks.LastToken
	if !f.Streamed || f.TokenEvents < 2 {
		return false
	}
	made := f.ServerFirstToDone // the better clock: it starts with the same event
	if !made.Known() {
		made = f.Decode
	}
	if !made.Known() {
		return f.Gaps.burst(first.D - f.sent())
	}
	arrived := last.D - first.D
	if f.Marks.Done.Known() {
		arrived = f.Marks.Done.D - first.D
	}
	return arrived*factor <= made.D && made.D-arrived >= least
}
