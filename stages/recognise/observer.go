package recognise

import (
	"net/http"
	"sync"
	"time"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/gateway"
	"github.com/ragtrace/ragtrace/stages/ollama"
	"github.com/ragtrace/ragtrace/stages/stream"
	"github.com/ragtrace/ragtrace/stages/tei"
)

// An Observer follows one HTTP exchange and ends in facts. Moments are offsets from the exchange's start on one monotonic
// clock. Its methods may be called by one goroutine that sends the request's body and another that reads the answer.
// It never panics and keeps nothing of what it is shown.
type Observer struct {
	mu      sync.Mutex
	req     stages.Request
	facts   stages.Facts
	request requestReader
	ended   bool

	reader   Reader           // nil: not recognised
	splitter *stream.Splitter // for reader, or for what an answer that is not recognised tells of its server
	inflater *stream.Inflater
	unread   bool // the body cannot be read, or need not be
	inflated func([]byte)
	at       time.Duration // arrival of the bytes under way
	bytes    bool          // the answer's body has bytes
	docs     int           // complete documents in it
	failed   bool          // the HTTP status is an error
	panicked bool          // a reader did
}

// New begins an exchange. The request's head must not change until End.
func New(req stages.Request) *Observer {
	o := &Observer{req: req}
	o.request.init(&o.facts.Request, req)
	return o
}

// Guess is what the request's head alone says: enough for a span's name and for sampling. Unknown stays unknown.
func (o *Observer) Guess() (api stages.API, op stages.Operation, stage stages.Stage, system string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	body := o.facts.Request // what is said of it may not count here
	o.facts.Request = stages.RequestFacts{}
	a, op := recognised(&o.req, &o.facts.Request)
	o.facts.Request = body
	if a == nil {
		return stages.APIUnknown, "", "", ""
	}
	return a.name, op, op.Stage(), a.system
}

// Server tells what is known of the server that is called: what its figures mean may depend on its version.
func (o *Observer) Server(s *stages.Server) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		o.facts.Server = s
	}
}

// RequestBody takes the next bytes of the request's body. It does not retain p.
func (o *Observer) RequestBody(p []byte) {
	o.mu.Lock()
	defer o.guard()
	if !o.ended {
		o.request.write(p)
	}
}

// GotConn tells that the exchange had its connection.
func (o *Observer) GotConn(at time.Duration) { o.mark(&o.facts.Marks.GotConn, at) }

// WroteHeaders tells that the request's head was written.
func (o *Observer) WroteHeaders(at time.Duration) { o.mark(&o.facts.Marks.WroteHeaders, at) }

// WroteRequest tells that the request's body was written.
func (o *Observer) WroteRequest(at time.Duration) { o.mark(&o.facts.Marks.WroteRequest, at) }

// mark notes a moment of sending. The last one counts: net/http may send again on a new connection.
func (o *Observer) mark(t *stages.Timing, at time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		*t = stages.Timing{D: at, Source: stages.Measured}
	}
}

// Response tells that the answer's head was read.
func (o *Observer) Response(at time.Duration, status int, h http.Header) {
	o.mu.Lock()
	defer o.guard()
	if o.ended || o.facts.Marks.Head.Known() {
		return
	}
	f := &o.facts
	f.Marks.Head = stages.Timing{D: at, Source: stages.Measured}
	f.HTTPStatus = status
	gateway.Read(&f.Gateway, h)
	o.failed = status >= http.StatusBadRequest
	o.recognise()
	if o.reader == nil {
		o.unread = true
		o.watchState(h)
		return
	}
	o.reader.Head(status, h)
	if f.Stage == stages.Embed || f.Stage == stages.Rerank {
		tei.Head(f, h) // it names itself whichever API it is spoken to with
	}
	inflater, ok := stream.NewInflater(h.Get("Content-Encoding"))
	if !ok {
		f.Flag(stages.FlagUndecoded)
		o.unread = true
		return
	}
	if inflater != nil {
		o.inflater, o.inflated = inflater, func(p []byte) { o.splitter.Write(o.at, p) }
	}
	o.splitter = stream.NewSplitter(o.reader.Schema(), stream.FramingOf(h.Get("Content-Type")), o)
}

// watchState looks for what the answer to a call that is no stage tells of its server.
func (o *Observer) watchState(h http.Header) {
	if o.failed || h.Get("Content-Encoding") != "" {
		return
	}
	if s := ollama.NewState(&o.req, &o.facts); s != nil {
		o.splitter = stream.NewSplitter(ollama.StateSchema, stream.JSON, s)
		o.unread = false
	}
}

// recognise settles what the exchange is, once, with the request's body as far as it has been sent.
func (o *Observer) recognise() {
	f := &o.facts
	a, op := recognised(&o.req, &f.Request)
	if a == nil {
		return
	}
	f.API, f.Operation, f.Stage, f.System = a.name, op, op.Stage(), a.system
	o.reader = a.read(f)
}

// ResponseBody takes the next bytes of the answer's body, cut anywhere. It does not retain p.
func (o *Observer) ResponseBody(at time.Duration, p []byte) {
	o.mu.Lock()
	defer o.guard()
	if o.ended || len(p) == 0 {
		return
	}
	o.at, o.bytes = at, true
	switch {
	case o.unread || o.splitter == nil:
	case o.inflater == nil:
		o.splitter.Write(at, p)
	case !o.inflater.Write(p, o.inflated):
		o.facts.Flag(stages.FlagUndecoded)
		o.unread = true
	}
}

// Trailer brings the answer's trailer. It must come before End.
func (o *Observer) Trailer(h http.Header) {
	o.mu.Lock()
	defer o.guard()
	if !o.ended {
		gateway.ReadTrailer(&o.facts.Gateway, h)
	}
}

// End tells that the exchange is over. Only the first call counts.
func (o *Observer) End(at time.Duration, how stages.Ended, err error) {
	o.mu.Lock()
	defer o.guard()
	if o.ended {
		return
	}
	defer o.close()
	o.facts.Marks.End = stages.Timing{D: at, Source: stages.Measured}
	o.lastBytes(how == stages.EndedEOF)
	o.settle(how, err)
}

// lastBytes lets everybody know that no more will come.
func (o *Observer) lastBytes(clean bool) {
	defer o.contain()
	o.request.end()
	if o.reader == nil && !o.unread && !o.facts.Marks.Head.Known() {
		o.recognise() // no answer came
	}
	if o.splitter != nil && !o.unread {
		o.splitter.Close(clean)
	}
	if o.reader != nil {
		o.reader.End()
	}
}

// close ends the exchange whatever happened in End.
func (o *Observer) close() {
	o.ended = true
	o.request.release()
	if o.splitter != nil {
		o.splitter.Release()
		o.splitter = nil
	}
	if o.inflater != nil {
		o.inflater.Close()
	}
}

// Facts are what the exchange said. They are complete after End and must not be read before.
func (o *Observer) Facts() *stages.Facts { return &o.facts }

// Value implements stream.Sink for the answer.
func (o *Observer) Value(v stream.Value) { o.reader.Value(v) }

// Document implements stream.Sink for the answer.
func (o *Observer) Document(d stream.Document) {
	if d.Outcome == stream.Malformed && !o.failed {
		o.facts.Flag(stages.FlagMalformed)
	}
	if d.Outcome == stream.Complete {
		o.docs++
	}
	o.facts.Streamed = o.facts.Streamed || d.Stream
	o.reader.Document(d)
}

// guard unlocks, and contains a panic.
func (o *Observer) guard() {
	if recover() != nil {
		o.broken()
	}
	o.mu.Unlock()
}

func (o *Observer) contain() {
	if recover() != nil {
		o.broken()
	}
}

// broken is for a panic of a reader. That is a defect of ours and never the traced program's trouble: the exchange is
// read no further.
func (o *Observer) broken() {
	o.facts.Flag(stages.FlagMalformed)
	o.unread, o.panicked = true, true
}
