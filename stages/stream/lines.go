package stream

import (
	"bytes"
	"time"
)

// writeLines reads NDJSON: a line feed ends a document, whatever it is.
func (s *Splitter) writeLines(at time.Duration, p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			s.feed(p)
			return
		}
		s.feed(p[:end])
		p = p[end+1:]
		s.endLine(at)
	}
}

func (s *Splitter) closeLines(clean bool) {
	if clean {
		s.endLine(s.last)
	}
}

func (s *Splitter) endLine(at time.Duration) {
	s.scan.finish()
	if !s.scan.begun() {
		return
	}
	d := Document{At: at, Stream: true}
	if s.scan.state != documentDone {
		d.Outcome = Malformed
	}
	s.document(d)
}

// feed gives the scanner bytes of a document that may hold only one value.
func (s *Splitter) feed(p []byte) {
	for _, c := range p[s.scan.write(p):] {
		if !isSpace(c) {
			s.scan.state = documentBad
			return
		}
	}
}
