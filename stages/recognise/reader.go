package recognise

import (
	"net/http"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// A Reader turns the answer of one API into the facts that it was made with. Its methods are called in this order and
// never at once: Schema and Head once; Value and Document as the body comes; End once. Without an answer only End comes.
//
// What is not its business: HTTPStatus, Status and Marks other than those of tokens and Done (see Facts.Token), Total and
// the like of other APIs, and malformed documents, which it may ignore.
type Reader interface {
	// Schema names the values of the answer's documents that the Reader wants; the same Schema for every exchange.
	Schema() *stream.Schema
	// Head brings the answer's status and header. The request's body is usually complete by now, but need not be.
	Head(status int, h http.Header)
	stream.Sink
	// End is called after the last document, before Status is decided: the facts are as complete as they get.
	End()
}

// An api is one wire format that this package knows.
type api struct {
	name   stages.API
	system string // as OpenTelemetry names it
	// match says what the request does in this API, "" when it is not one of the API's. The facts of the body hold what
	// has been sent so far: nothing when only the head is known.
	match func(req *stages.Request, body *stages.RequestFacts) stages.Operation
	read  func(f *stages.Facts) Reader
}

// recognised returns the first API that claims the request.
func recognised(req *stages.Request, body *stages.RequestFacts) (*api, stages.Operation) {
	if req.URL == nil {
		return nil, ""
	}
	for i := range apis {
		if op := apis[i].match(req, body); op != "" {
			return &apis[i], op
		}
	}
	return nil, ""
}
