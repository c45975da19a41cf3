package rerank

import (
	"net/http"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
)

const (
	ansList = iota
	ansResults
	ansData
	ansModel
	ansRelevance
	ansResultScore
	ansScore
	ansBare
	ansPromptTokens
	ansTotalTokens
	ansInputTokens
	ansError
	ansErrorMessage
	ansMessage
	ansDetail
)

var schema = stream.NewSchema([]string{
	ansList:         "$",
	ansResults:      "results",
	ansData:         "data",
	ansModel:        "model",
	ansRelevance:    "results[].relevance_score",
	ansResultScore:  "results[].score",
	ansScore:        "data[].score", // vLLM /score
	ansBare:         "[].score",     // TEI
	ansPromptTokens: "usage.prompt_tokens",
	ansTotalTokens:  "usage.total_tokens",
	ansInputTokens:  "meta.tokens.input_tokens",
	ansError:        "error",
	ansErrorMessage: "error.message",
	ansMessage:      "message",
	ansDetail:       "detail",
}...)

// A Reader reads one answer to a rerank call. Hits are the results; scores are the model's own, between 0 and 1 unless raw
// ones were asked for.
type Reader struct {
	f      *stages.Facts
	failed bool
	found  bool // a list of results was there
	hits   stages.Hits
	model  string
	input  stages.Count
	words  string
}

// New returns a Reader that fills f. A body that has texts where the others have documents is for TEI.
func New(f *stages.Facts) *Reader {
	if f.Request.Extra["texts"] {
		f.API, f.System = stages.APITEI, string(stages.APITEI)
	}
	return &Reader{f: f}
}

// Schema implements recognise.Reader.
func (r *Reader) Schema() *stream.Schema { return schema }

// Head implements recognise.Reader.
func (r *Reader) Head(status int, _ http.Header) { r.failed = status >= http.StatusBadRequest }

// Value implements stream.Sink.
func (r *Reader) Value(v stream.Value) {
	switch v.Path {
	case ansList, ansResults, ansData:
		r.found = r.found || v.Kind == stream.Array
	case ansModel:
		r.model = v.String()
	case ansRelevance, ansResultScore, ansScore, ansBare:
		if score, ok := v.Float(); ok {
			r.hits.N++
			r.hits.Score(score)
		}
	case ansPromptTokens, ansTotalTokens, ansInputTokens:
		// There is no output, so that the total is the input too; Jina gives nothing else.
		if v.Path != ansTotalTokens || !r.input.Known() {
			r.input.Report(v.Int())
		}
	case ansError, ansErrorMessage, ansMessage, ansDetail:
		if r.words == "" {
			r.words = v.String()
		}
	}
}

// Document implements stream.Sink.
func (r *Reader) Document(d stream.Document) {
	switch {
	case d.Outcome != stream.Complete:
	case r.failed:
		r.f.Error = r.words
	case r.found:
		r.f.Finish(d.At)
		r.f.Model = r.model
		if r.input.Known() {
			r.f.InputTokens = r.input // TEI has it in a header
		}
		r.f.Found(&r.hits)
	}
}

// End implements recognise.Reader.
func (r *Reader) End() {}
