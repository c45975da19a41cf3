package recognise

import (
	"strings"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/stream"
	"github.com/ragtrace/ragtrace/stages/weaviate"
)

// A requestReader turns a request's body into facts, whatever the API.
type requestReader struct {
	f        *stages.RequestFacts
	plain    bool             // the body is not compressed
	splitter *stream.Splitter // from the body's first byte to its end
	graphQL  bool
	tokenIDs bool // the input under way is one list of numbers
	whole    bool // the body is a JSON document
}

func (r *requestReader) init(f *stages.RequestFacts, req stages.Request) {
	r.f = f
	r.graphQL = req.URL != nil && strings.HasSuffix(req.URL.Path, "/graphql")
	enc := req.Header.Get("Content-Encoding")
	r.plain = enc == "" || enc == "identity"
}

func (r *requestReader) write(p []byte) {
	if !r.plain || len(p) == 0 {
		return
	}
	if r.splitter == nil {
		r.splitter = stream.NewSplitter(requestSchema, stream.JSON, r)
	}
	r.f.Body = true
	r.splitter.Write(0, p)
}

func (r *requestReader) end() {
	if r.splitter != nil {
		r.splitter.Close(true)
	}
}

// release gives back what the reader holds.
func (r *requestReader) release() {
	if r.splitter != nil {
		r.splitter.Release()
		r.splitter = nil
	}
}

// Document implements stream.Sink. Values count as they come: the body may still be on its way when the answer begins.
func (r *requestReader) Document(d stream.Document) {
	r.whole = r.whole || d.Outcome == stream.Complete
}

// Value implements stream.Sink.
func (r *requestReader) Value(v stream.Value) {
	if v.Kind == stream.Null {
		return
	}
	f := r.f
	switch v.Path {
	case reqModel:
		f.Model = v.String()
	case reqStream:
		if v.Kind == stream.Bool {
			on := v.True()
			f.Stream = &on
		}
	case reqNumCtx:
		count(&f.NumCtx, v)
	case reqKeepAlive:
		f.KeepAlive = keepAlive(v)
	case reqNumPredict, reqMaxTokens, reqMaxCompletionTokens, reqMaxOutputTokens, reqNPredict, reqMaxNewTokens,
		reqSamplingNewTokens:
		count(&f.MaxTokens, v)
	case reqTemperature, reqOptTemperature:
		number(&f.Temperature, v)
	case reqTopP, reqOptTopP:
		number(&f.TopP, v)
	case reqDecodeTopK:
		count(&f.DecodeTopK, v)
	case reqSeed, reqOptSeed:
		count(&f.Seed, v)
	case reqInputElem, reqInputsElem:
		r.tokenIDs = v.Kind == stream.Number
	case reqInput, reqInputs, reqContent:
		f.Inputs = stages.Count{N: r.inputs(v), Source: stages.Measured}
	case reqMessages:
		f.Messages = int(v.Len)
	case reqPrompt, reqText:
		f.HasPrompt = !v.Empty()
	case reqQuery:
		f.HasQuery = !v.Empty()
		if r.graphQL && v.Kind == stream.String {
			r.readGraphQL(v.String(), string(v.End))
		}
	case reqQueryText, reqVector, reqQueryEmbeddings, reqQueryTexts, reqText1, reqData:
		if !v.Empty() {
			f.HasQuery = true
			r.extra(v)
		}
	case reqDocuments, reqTexts, reqText2:
		f.Documents = stages.Count{N: items(v), Source: stages.Measured}
		r.extra(v)
	case reqTopN, reqTopK, reqLimit, reqNResults, reqK, reqKNNK:
		count(&f.TopK, v)
	case reqSize:
		if !f.TopK.Known() {
			count(&f.TopK, v)
		}
	case reqReasoning, reqReasoningEffort:
		f.ReasoningLevel = v.String()
	case reqThink:
		f.ReasoningLevel = v.String()
		if v.Kind == stream.Bool {
			f.ReasoningLevel = string(v.Text)
		}
	case reqCollectionName, reqClass, reqObjectsClass:
		f.Collection = v.String()
	default:
		r.extra(v)
	}
}

func (r *requestReader) extra(v stream.Value) {
	if r.f.Extra == nil {
		r.f.Extra = make(map[string]bool)
	}
	r.f.Extra[extraNames[v.Path]] = true
}

// readGraphQL reads a GraphQL text, or of a long one its beginning and its end.
func (r *requestReader) readGraphQL(text, end string) {
	q := weaviate.ParseQuery(text, end)
	r.f.Operation, r.f.Collection = q.Function, q.Class
	if q.Limit > 0 {
		r.f.TopK = stages.Count{N: q.Limit, Source: stages.Measured}
	}
	if q.Vector {
		r.f.Extra = map[string]bool{weaviate.ExtraVector: true}
	}
}

// inputs counts texts: a list of token numbers is one text.
func (r *requestReader) inputs(v stream.Value) int64 {
	if v.Kind == stream.Array && v.Len > 0 && r.tokenIDs {
		return 1
	}
	return items(v)
}

// items is the number of things that v lists; a single thing that is not empty is 1.
func items(v stream.Value) int64 {
	switch {
	case v.Kind == stream.Array:
		return v.Len
	case v.Empty():
		return 0
	}
	return 1
}

func count(c *stages.Count, v stream.Value) {
	if n, ok := v.Int(); ok {
		*c = stages.Count{N: n, Source: stages.Measured}
	}
}

func number(f **float64, v stream.Value) {
	if n, ok := v.Float(); ok {
		*f = &n
	}
}
