package recognise

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

// A Guess is what a body says of itself when the request that it answers is not known.
type Guess struct {
	// Request is one to begin an exchange with, and Body its body as far as the recogniser needs it. Their host, model and
	// texts are made up.
	Request stages.Request
	Body    string
	// ContentType is what the answer's head would say, as far as it matters.
	ContentType string
	// Error holds the words of a body that only says what went wrong; then there is no Request.
	Error string
}

// Body guesses which model server's answer a whole body is, plain or a stream, by the names of its values. It reports
// false when it looks like none, or only like an error.
func Body(answer []byte) (Guess, bool) {
	s, contentType := new(shape), "application/json"
	if lines(answer) {
		contentType = "application/x-ndjson"
	}
	split := stream.NewSplitter(shapeSchema, stream.FramingOf(contentType), s)
	split.Write(0, answer)
	split.Close(true)
	path, body := s.request()
	if path == "" {
		return Guess{Error: s.words}, false
	}
	return Guess{
		Request: stages.Request{Method: http.MethodPost, URL: &url.URL{Path: path}, Header: http.Header{"Content-Type": {"application/json"}}},
		Body:    body, ContentType: contentType,
	}, true
}

// The values that tell answers apart.
const (
	ansChoices = iota
	ansChoiceText
	ansObject
	ansType
	ansStatsSpeed
	ansStatsGeneration
	ansInstance
	ansMessage
	ansResponse
	ansDone
	ansDoneReason
	ansEmbeddings
	ansTypedEmbeddings
	ansBilled
	ansEmbedding
	ansTotalDuration
	ansDataVector
	ansRootVector
	ansRootEmbedding
	ansRootScore
	ansRelevance
	ansContent
	ansStop
	ansGenerated
	ansTokenText
	ansMeta
	ansError
	ansErrorMessage
	ansDetail
	ansLast
)

var shapeSchema = stream.NewSchema([]string{
	ansChoices:         "choices",
	ansChoiceText:      "choices[].text#",
	ansObject:          "object",
	ansType:            "type",
	ansStatsSpeed:      "stats.tokens_per_second",
	ansStatsGeneration: "stats.generation_time",
	ansInstance:        "model_instance_id",
	ansMessage:         "message",
	ansResponse:        "response#",
	ansDone:            "done",
	ansDoneReason:      "done_reason",
	ansEmbeddings:      "embeddings#",
	ansTypedEmbeddings: "embeddings.*",
	ansBilled:          "meta.billed_units",
	ansEmbedding:       "embedding#",
	ansTotalDuration:   "total_duration",
	ansDataVector:      "data[].embedding#",
	ansRootVector:      "[]#",
	ansRootEmbedding:   "[].embedding#",
	ansRootScore:       "[].score",
	ansRelevance:       "results[].relevance_score",
	ansContent:         "content#",
	ansStop:            "stop",
	ansGenerated:       "generated_text#",
	ansTokenText:       "token.text#",
	ansMeta:            "meta_info#",
	ansError:           "error",
	ansErrorMessage:    "error.message",
	ansDetail:          "detail",
}...)

// A shape is which values a body has, over all of its documents.
type shape struct {
	now, seen     [ansLast]bool
	object, event string // the first words of "object" and "type"
	objectNow     string
	eventNow      string
	wordsNow      string
	words         string
}

// Value implements stream.Sink.
func (s *shape) Value(v stream.Value) {
	text := v.Kind == stream.String
	has := true
	switch v.Path {
	case ansObject:
		s.objectNow = v.String()
	case ansType:
		s.eventNow = v.String()
	case ansMessage: // an object in Ollama's chat, the words of an error elsewhere
		has = v.Kind == stream.Object
		if text {
			s.wordsNow = v.String()
		}
	case ansError, ansErrorMessage, ansDetail:
		if text {
			s.wordsNow = v.String()
		}
	case ansResponse, ansContent, ansGenerated:
		has = text
	case ansDone, ansStop:
		has = v.Kind == stream.Bool
	case ansRootVector, ansEmbeddings, ansEmbedding:
		has = v.Kind == stream.Array
	case ansMeta:
		has = v.Kind == stream.Object
	}
	if has {
		s.now[v.Path] = true
	}
}

// Document implements stream.Sink.
func (s *shape) Document(d stream.Document) {
	if d.Outcome == stream.Complete {
		for i, has := range s.now {
			s.seen[i] = s.seen[i] || has
		}
		if s.object == "" {
			s.object = s.objectNow
		}
		if s.event == "" {
			s.event = s.eventNow
		}
		if s.words == "" {
			s.words = s.wordsNow
		}
	}
	s.now, s.objectNow, s.eventNow, s.wordsNow = [ansLast]bool{}, "", "", ""
}

// request is the path and body of a request that is answered so, the more particular ones first.
func (s *shape) request() (path, body string) {
	const rerank = `{"query":"q","documents":["d"]}`
	has := func(i int) bool { return s.seen[i] }
	switch {
	case has(ansMeta):
		return "/generate", `{"sampling_params":{}}` // SGLang
	case has(ansTokenText) || has(ansGenerated):
		return "/generate", "" // TGI
	case has(ansInstance) || strings.HasPrefix(s.event, "chat.start"):
		return "/api/v1/chat", `{"model":"m","input":"i"}` // LM Studio
	case strings.HasPrefix(s.event, "response.") || s.object == "response":
		return "/v1/responses", ""
	case has(ansChoices):
		prefix := "/v1"
		if has(ansStatsSpeed) || has(ansStatsGeneration) {
			prefix = "/api/v0" // LM Studio
		}
		if has(ansChoiceText) || s.object == "text_completion" {
			return prefix + "/completions", ""
		}
		return prefix + "/chat/completions", ""
	case has(ansMessage) && (has(ansDone) || has(ansDoneReason)):
		return "/api/chat", "" // Ollama
	case has(ansResponse) && (has(ansDone) || has(ansDoneReason)), has(ansDone) && has(ansTotalDuration):
		return "/api/generate", ""
	case has(ansContent) && has(ansStop):
		return "/v1/completions", "" // llama-server's /completion, which has the same reader
	case has(ansBilled) && (has(ansEmbeddings) || has(ansTypedEmbeddings)):
		return "/v2/embed", `{"model":"m","texts":["t"]}` // Cohere
	case has(ansEmbeddings):
		return "/api/embed", ""
	case has(ansDataVector) || has(ansRootEmbedding):
		return "/v1/embeddings", ""
	case has(ansEmbedding):
		return "/api/embeddings", ""
	case has(ansRelevance) || has(ansRootScore):
		return "/v1/rerank", rerank
	case has(ansRootVector):
		return "/embed", "" // TEI
	}
	return "", ""
}

// lines reports whether a body is NDJSON: what begins with { ends on the same line, and more such follows.
func lines(answer []byte) bool {
	line, rest, _ := bytes.Cut(bytes.TrimSpace(answer), []byte{'\n'})
	line, rest = bytes.TrimSpace(line), bytes.TrimSpace(rest)
	return bytes.HasPrefix(line, []byte{'{'}) && bytes.HasSuffix(line, []byte{'}'}) && bytes.HasPrefix(rest, []byte{'{'})
}
