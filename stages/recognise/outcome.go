package recognise

import (
	"fmt"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
)

// settle decides the status and what follows from all of the exchange.
func (o *Observer) settle(how stages.Ended, err error) {
	f := &o.facts
	m := &f.Marks
	last := m.End // no body
	if o.bytes {
		last.D = o.at
	}
	if !f.Streamed && m.Head.Known() && (m.Done.Known() || how == stages.EndedEOF && o.whole()) {
		m.Done = last // a plain body is done with its last byte
	}
	o.doubt()
	if o.reader == nil && how == stages.EndedEOF && m.Head.Known() && !m.Done.Known() {
		m.Done = last // of something that turned out to be unknown
	}
	f.Status = o.status(how, err)
	if f.Error == "" && f.Status != stages.StatusOK {
		f.Error = o.reason(err)
	}
	f.Settle()
}

// whole reports whether a plain body that came to its end says all it has to, though no reader said so.
func (o *Observer) whole() bool {
	return o.reader == nil || o.unread || !o.bytes && o.facts.Stage != stages.LLM
}

func (o *Observer) status(how stages.Ended, err error) stages.Status {
	f := &o.facts
	switch {
	case o.failed || f.Error != "":
		return stages.StatusError
	case f.Marks.Done.Known():
		return stages.StatusOK // what the client does after the finish does not matter
	case how == stages.EndedClosed && o.reader == nil && f.Marks.Head.Known() && err == nil:
		return stages.StatusOK // a client that has read enough of something unknown
	case how == stages.EndedClosed:
		return stages.StatusCancelled
	case how == stages.EndedError && f.TokenEvents == 0:
		return stages.StatusError
	}
	return stages.StatusIncomplete
}

// reason says why an exchange failed when the server did not.
func (o *Observer) reason(err error) string {
	switch {
	case o.failed:
		return fmt.Sprintf("http_%d", o.facts.HTTPStatus)
	case err != nil:
		return strings.ToValidUTF8(err.Error(), "\uFFFD")
	case o.facts.Status == stages.StatusError:
		return "connection_error"
	}
	return ""
}
