package stream

import "time"

// jsonFraming is a body of one value, or of several one after another whatever stands between them: that is what a
// stream looks like whose Content-Type says application/json. A document is told of when the next begins or the body
// ends, since only then is it clear whether it is one of a series.
type jsonFraming struct {
	at     time.Duration // arrival of the last byte of the value under way, or complete
	series bool          // it is not the first
}

func (s *Splitter) writeJSON(at time.Duration, p []byte) {
	for len(p) > 0 {
		if s.scan.state == documentDone {
			if isSpace(p[0]) {
				p = p[1:]
				continue
			}
			s.json.series = true
			s.document(Document{At: s.json.at, Stream: true})
		}
		p = p[s.scan.write(p):]
		s.json.at = at
	}
}

func (s *Splitter) closeJSON(clean bool) {
	if clean {
		s.scan.finish() // a number that breaks off may have had more digits
	}
	d := Document{At: s.json.at, Stream: s.json.series}
	switch {
	case s.scan.state == documentDone:
	case s.scan.state == documentBad, s.scan.begun() && clean:
		d.Outcome = Malformed
	default:
		return
	}
	s.document(d)
}
