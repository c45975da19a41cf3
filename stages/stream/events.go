package stream

import (
	"bytes"
	"time"
)

const (
	maxEventName = 64
	maxFieldName = 5 // data, event, error: longer ones are of no interest
)

var lineFeed = []byte{'\n'}

// eventFraming is a stream of server-sent events (WHATWG HTML, section 9.2): lines end in LF, CR or CRLF, an empty line
// ends an event.
type eventFraming struct {
	part    linePart
	field   [maxFieldName + 1]byte
	fieldN  int
	sawCR   bool // the last byte was CR: a LF belongs to it
	hasData bool // the event has a data line
	marker  int  // how much of [DONE] the data has matched; -1: it is something else
	name    [maxEventName]byte
	nameN   int
	valid   bool // a line that can stand in such a stream was seen
	alien   bool // a line that cannot was seen
}

// linePart is the place in a line.
type linePart uint8

const (
	lineStart linePart = iota
	inField            // in the field's name
	inColon            // after the colon: one space is no part of the value
	inData             // in the value of data
	inName             // in the value of event
	inOther            // in a comment or a field of no interest
)

func (s *Splitter) writeEvents(at time.Duration, p []byte) {
	e := &s.events
	for len(p) > 0 {
		if e.sawCR {
			e.sawCR = false
			if p[0] == '\n' {
				p = p[1:]
				continue
			}
		}
		line := p
		if lf := bytes.IndexByte(line, '\n'); lf >= 0 {
			line = line[:lf]
		}
		if cr := bytes.IndexByte(line, '\r'); cr >= 0 {
			line = line[:cr]
		}
		s.eventText(line)
		if len(line) == len(p) {
			return
		}
		e.sawCR = p[len(line)] == '\r'
		p = p[len(line)+1:]
		s.eventLineEnds(at)
	}
}

// eventText takes a piece of one line.
func (s *Splitter) eventText(p []byte) {
	e := &s.events
	for len(p) > 0 {
		switch e.part {
		case lineStart, inField:
			if p[0] == ':' {
				e.part = inColon
			} else {
				e.part = inField
				if e.fieldN < len(e.field) {
					e.field[e.fieldN] = p[0]
					e.fieldN++
				}
			}
			p = p[1:]
		case inColon:
			s.eventField()
			if p[0] == ' ' {
				p = p[1:]
			}
		case inData:
			s.eventData(p)
			return
		case inName:
			e.nameN += copy(e.name[e.nameN:], p)
			return
		case inOther:
			return
		}
	}
}

// eventField begins the value of the field whose name is complete.
func (s *Splitter) eventField() {
	e := &s.events
	name := e.field[:e.fieldN]
	e.fieldN = 0
	e.part = inOther
	switch string(name) {
	case "data":
		s.dataLine()
	case "event":
		e.part, e.nameN = inName, 0
	case "error": // old llama-server: the event is named by the field
		e.nameN = copy(e.name[:], "error")
		s.dataLine()
	case "", "id", "retry":
	default:
		e.alien = true
		return
	}
	e.valid = true
}

func (s *Splitter) dataLine() {
	e := &s.events
	if e.hasData {
		s.feed(lineFeed) // lines of one event are joined so
	}
	e.part, e.hasData = inData, true
}

// eventData takes a piece of an event's data.
func (s *Splitter) eventData(p []byte) {
	e := &s.events
	for _, c := range p {
		if e.marker < 0 {
			break
		}
		const done = "[DONE]"
		switch {
		case e.marker < len(done) && c == done[e.marker]:
			e.marker++
		case isSpace(c) && (e.marker == 0 || e.marker == len(done)):
		default:
			e.marker = -1
		}
	}
	s.feed(p)
}

func (s *Splitter) eventLineEnds(at time.Duration) {
	e := &s.events
	if e.part == inField || e.part == inColon { // a field without a colon, or without a value
		s.eventField()
	}
	empty := e.part == lineStart
	e.part = lineStart
	if empty {
		s.endEvent(at)
	}
}

func (s *Splitter) endEvent(at time.Duration) {
	e := &s.events
	if e.hasData {
		s.scan.finish()
		d := Document{At: at, Stream: true, Event: e.name[:e.nameN]}
		switch {
		case e.marker == len("[DONE]"):
			d.Outcome = DoneMarker
		case s.scan.state != documentDone:
			d.Outcome = Malformed
		}
		if s.scan.begun() { // not for data of white space only
			s.document(d)
		}
	}
	e.hasData, e.marker, e.nameN = false, 0, 0
}

func (s *Splitter) closeEvents(clean bool) {
	e := &s.events
	if !e.valid { // text of another kind
		if e.alien || e.part != lineStart {
			s.document(Document{At: s.last, Outcome: Malformed})
		}
		return
	}
	if !clean {
		return
	}
	// An event that its end has cut off counts when it is whole otherwise.
	s.scan.finish()
	if s.scan.state == documentDone || e.marker == len("[DONE]") {
		s.endEvent(s.last)
	}
}
