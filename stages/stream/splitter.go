package stream

import (
	"mime"
	"sync"
	"time"
)

// A Framing is how documents follow each other in a body.
type Framing uint8

const (
	JSON   Framing = iota // one value, or several one after another
	Lines                 // NDJSON: a value a line
	Events                // server-sent events: a value an event
)

// FramingOf is the framing that a Content-Type promises. The bytes may prove it wrong.
func FramingOf(contentType string) Framing {
	media, _, _ := mime.ParseMediaType(contentType)
	switch media {
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
		"application/json-seq", "application/stream+json":
		return Lines
	case "text/event-stream":
		return Events
	}
	return JSON
}

// A Splitter finds documents and their values in a body. The zero value is not usable; see NewSplitter.
type Splitter struct {
	scan   scanner
	sink   Sink
	frame  Framing
	sensed bool // the first byte has been seen
	bom    int  // bytes of a byte order mark seen

	last time.Duration // arrival of the last byte
	done bool          // closed

	json   jsonFraming
	events eventFraming
}

// splitters are used again: one is more than a kilobyte, and every traced call needs two.
var splitters = sync.Pool{New: func() any { return new(Splitter) }}

// NewSplitter returns a Splitter that tells sink of schema's values in a body framed so.
func NewSplitter(schema *Schema, framing Framing, sink Sink) *Splitter {
	s := splitters.Get().(*Splitter)
	s.sink, s.frame = sink, framing
	s.scan.schema, s.scan.sink = schema, sink
	s.scan.reset()
	return s
}

// Release gives s back, with nothing left in it of what it was shown. It may not be used any more, nor released again.
func (s *Splitter) Release() {
	*s = Splitter{}
	splitters.Put(s)
}

// Write takes the next bytes of the body, cut anywhere, as they arrived at that moment. It does not retain p.
func (s *Splitter) Write(at time.Duration, p []byte) {
	if len(p) == 0 || s.done {
		return
	}
	s.last = at
	if !s.sensed {
		if p = s.sense(p); len(p) == 0 {
			return
		}
	}
	switch s.frame {
	case JSON:
		s.writeJSON(at, p)
	case Lines:
		s.writeLines(at, p)
	case Events:
		s.writeEvents(at, p)
	}
}

// Close tells that no more bytes come. A last line or event without its end counts only when the body ended cleanly.
func (s *Splitter) Close(clean bool) {
	if s.done {
		return
	}
	s.done = true
	switch s.frame {
	case JSON:
		s.closeJSON(clean)
	case Lines:
		s.closeLines(clean)
	case Events:
		s.closeEvents(clean)
	}
}

// sense passes a byte order mark and white space, and corrects the framing by the first byte after them.
func (s *Splitter) sense(p []byte) []byte {
	const mark = "\xEF\xBB\xBF"
	for len(p) > 0 && s.bom < len(mark) && p[0] == mark[s.bom] {
		s.bom++
		p = p[1:]
	}
	if len(p) > 0 {
		s.bom = len(mark) // it can stand at the very start only
	}
	if s.frame != Events {
		for len(p) > 0 && isSpace(p[0]) {
			p = p[1:]
		}
	}
	if len(p) == 0 {
		return nil
	}
	s.sensed = true
	switch p[0] {
	case '{', '[':
		if s.frame == Events {
			s.frame = JSON
		}
	case 'd', 'e', ':', 'i', 'r': // data, event, a comment, id, retry
		s.frame = Events
	}
	return p
}

func (s *Splitter) document(d Document) {
	s.scan.reset()
	s.sink.Document(d)
}
