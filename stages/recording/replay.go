package recording

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/recognise"
)

var errNoAnswer = errors.New("no answer came")

// Replay shows the exchange to an observer on its own clock, and returns what it saw.
func (r *Recording) Replay() *stages.Facts {
	o := recognise.New(r.request())
	o.Server(r.known())
	r.replaySending(o)
	if r.Response.Status != nil {
		o.Response(r.headAt().Duration(), *r.Response.Status, r.Response.header())
		for i := range r.Response.Writes {
			w := &r.Response.Writes[i]
			o.ResponseBody(w.At.Duration(), w.bytes())
		}
	}
	how, err := r.ended()
	o.End(r.endAt().Duration(), how, err)
	return o.Facts()
}

// known is what the recording says of its server: what that said itself, else what its source is known to be. What is not
// of the usual form says nothing.
func (r *Recording) known() *stages.Server {
	var server struct {
		SourceVersion string `json:"source_version"`
	}
	var state struct {
		Version struct{ Version string }
		PS      struct {
			Models []struct {
				Name    string
				Details struct{ Format string }
			}
		}
	}
	_ = json.Unmarshal(r.Server, &server)
	_ = json.Unmarshal(r.StateBefore, &state)
	s := &stages.Server{Version: server.SourceVersion}
	if v := state.Version.Version; v != "" && v != "0.0.0" {
		s.Version = v
	}
	for _, m := range state.PS.Models {
		if s.Formats == nil {
			s.Formats = make(map[string]string)
		}
		s.Formats[m.Name] = m.Details.Format
	}
	if s.Version == "" && s.Formats == nil {
		return nil
	}
	return s
}

func (r *Recording) request() stages.Request {
	method := r.Method
	if method == "" {
		method = http.MethodPost
	}
	u, err := url.ParseRequestURI(r.RequestPath)
	if err != nil {
		u = &url.URL{Path: r.RequestPath}
	}
	return stages.Request{Method: method, URL: u, Header: http.Header{"Content-Type": {"application/json"}}}
}

func (r *Recording) replaySending(o *recognise.Observer) {
	if r.ConnectedMS != nil {
		o.GotConn(r.ConnectedMS.Duration())
	}
	o.WroteHeaders(r.WroteHeaders.Duration())
	o.RequestBody([]byte(r.RequestBody))
	if r.WroteRequest != nil {
		o.WroteRequest(r.WroteRequest.Duration())
	}
}

// headAt is when the head was read.
func (r *Recording) headAt() Millis {
	switch {
	case r.Response.Head != nil:
		return *r.Response.Head
	case len(r.Response.Writes) > 0:
		return r.Response.Writes[0].At
	}
	return r.endAt()
}

// endAt is when the exchange was over.
func (r *Recording) endAt() Millis {
	switch n := len(r.Response.Writes); {
	case r.ClientClosed != nil:
		return *r.ClientClosed
	case r.Response.EOF != nil:
		return *r.Response.EOF
	case n > 0:
		return r.Response.Writes[n-1].At
	case r.Response.Head != nil:
		return *r.Response.Head
	}
	return r.WroteHeaders
}

func (r *Recording) ended() (stages.Ended, error) {
	switch {
	case r.ClientClosed != nil:
		return stages.EndedClosed, context.Canceled
	case r.Response.Reset:
		return stages.EndedError, io.ErrUnexpectedEOF
	case r.Response.Status == nil:
		return stages.EndedError, errNoAnswer
	}
	return stages.EndedEOF, nil
}
