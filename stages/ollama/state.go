package ollama

import (
	"net/http"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

const (
	stateVersion = iota
	stateModel
	stateFormat
	stateShownFormat
)

// StateSchema names the values that a State wants of an answer.
var StateSchema = stream.NewSchema([]string{
	stateVersion:     "version",
	stateModel:       "models[].name",
	stateFormat:      "models[].details.format",
	stateShownFormat: "details.format",
}...)

// A State reads what an answer says of the server itself, when the program asks for that: /api/version, /api/ps, /api/tags
// and /api/show. These calls are no stage of a question.
type State struct {
	f       *stages.Facts
	shown   bool // the answer is about the model of the request
	version string
	model   string
	index   int // of model
	formats map[string]string
}

// NewState returns a State that fills f.Told, or nil when the request asks for something else.
func NewState(req *stages.Request, f *stages.Facts) *State {
	if req.URL == nil {
		return nil
	}
	path := strings.TrimRight(req.URL.Path, "/")
	switch {
	case req.Method == http.MethodGet && (strings.HasSuffix(path, "/api/version") || strings.HasSuffix(path, "/api/ps") ||
		strings.HasSuffix(path, "/api/tags")):
		return &State{f: f}
	case req.Method == http.MethodPost && strings.HasSuffix(path, "/api/show") && f.Request.Model != "":
		return &State{f: f, shown: true}
	}
	return nil
}

// Value implements stream.Sink.
func (s *State) Value(v stream.Value) {
	switch v.Path {
	case stateVersion:
		s.version = v.String()
	case stateModel:
		s.model, s.index = v.String(), v.Index
	case stateFormat:
		if v.Index == s.index {
			s.format(s.model, v)
		}
	case stateShownFormat:
		if s.shown {
			s.format(s.f.Request.Model, v)
		}
	}
}

func (s *State) format(model string, v stream.Value) {
	if model == "" || v.Empty() || len(s.formats) >= stages.MaxFormats {
		return
	}
	if s.formats == nil {
		s.formats = make(map[string]string)
	}
	s.formats[tagged(model)] = v.String()
}

// Document implements stream.Sink.
func (s *State) Document(d stream.Document) {
	if d.Outcome == stream.Complete && !d.Stream && (s.version != "" || s.formats != nil) {
		s.f.Told = &stages.Server{Version: s.version, Formats: s.formats}
	}
}

// tagged is a model's name with the tag that is meant without one.
func tagged(model string) string {
	if strings.Contains(model[strings.LastIndexByte(model, '/')+1:], ":") {
		return model
	}
	return model + ":latest"
}
