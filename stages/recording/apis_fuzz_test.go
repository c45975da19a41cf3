package recording

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragtrace/ragtrace/stages"
	"github.com/ragtrace/ragtrace/stages/chroma"
	"github.com/ragtrace/ragtrace/stages/elastic"
	"github.com/ragtrace/ragtrace/stages/lmstudio"
	"github.com/ragtrace/ragtrace/stages/milvus"
	"github.com/ragtrace/ragtrace/stages/qdrant"
	"github.com/ragtrace/ragtrace/stages/recognise"
	"github.com/ragtrace/ragtrace/stages/rerank"
	"github.com/ragtrace/ragtrace/stages/stream"
	"github.com/ragtrace/ragtrace/stages/tei"
	"github.com/ragtrace/ragtrace/stages/tgi"
	"github.com/ragtrace/ragtrace/stages/weaviate"
)

var readers = []func(*stages.Facts) recognise.Reader{
	func(f *stages.Facts) recognise.Reader { return chroma.New(f) },
	func(f *stages.Facts) recognise.Reader { return elastic.New(f) },
	func(f *stages.Facts) recognise.Reader { return lmstudio.NewV0(f) },
	func(f *stages.Facts) recognise.Reader { return lmstudio.NewV1(f) },
	func(f *stages.Facts) recognise.Reader { return milvus.New(f) },
	func(f *stages.Facts) recognise.Reader { return qdrant.New(f) },
	func(f *stages.Facts) recognise.Reader { return rerank.New(f) },
	func(f *stages.Facts) recognise.Reader { return tei.New(f) },
	func(f *stages.Facts) recognise.Reader { return tgi.New(f) },
	func(f *stages.Facts) recognise.Reader { return weaviate.New(f) },
}

// FuzzReaders shows each reader any answer, without the observer that would hide a panic, and wants the same facts
// however the answer is cut.
func FuzzReaders(f *testing.F) {
	for _, c := range apiCases(f) {
		var body strings.Builder
		for i := range c.rec.Response.Writes {
			body.Write(c.rec.Response.Writes[i].bytes())
		}
		f.Add(c.rec.RequestPath, c.rec.RequestBody, c.rec.Response.Headers["x-total-time"], body.String(), uint(7))
	}
	f.Fuzz(func(t *testing.T, path, request, header, body string, cut uint) {
		cut %= uint(len(body) + 1)
		for i, open := range readers {
			for _, op := range []stages.Operation{stages.OpSearch, stages.OpChat, stages.OpEmbeddings, stages.OpUpsert} {
				want := readAll(t, open, op, header, body)
				if diff := cmp.Diff(want, readAll(t, open, op, header, body[:cut], body[cut:])); diff != "" {
					t.Fatalf("reader %d, %s, cut at %d (-whole +cut):\n%s", i, op, cut, diff)
				}
			}
		}
		rec := Recording{RequestPath: "/" + path, RequestBody: request, Response: Response{
			Status: new(int), Headers: map[string]string{"server-timing": header}, Writes: []Write{{Data: body}},
		}}
		*rec.Response.Status = http.StatusOK
		if facts := rec.Replay(); slices.Contains(facts.Flags, "") || facts.Hits.N < 0 {
			t.Fatalf("%+v", facts)
		}
	})
}

func readAll(t *testing.T, open func(*stages.Facts) recognise.Reader, op stages.Operation, header string, parts ...string) map[string]any {
	f := &stages.Facts{Operation: op, Stage: op.Stage()}
	f.Request.Operation, f.Request.Collection = "Get", "Docs"
	r := open(f)
	h := http.Header{"X-Compute-Type": {"x"}, "X-Tokenization-Time": {header}, "X-Total-Time": {header}, "X-Inference-Time": {header}}
	r.Head(http.StatusOK, h)
	s := stream.NewSplitter(r.Schema(), stream.JSON, r)
	for _, p := range parts {
		s.Write(0, []byte(p))
	}
	s.Close(true)
	r.End()
	f.Settle()
	return factsAsMap(t, f)
}
