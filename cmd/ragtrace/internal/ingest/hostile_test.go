package ingest_test

import (
	"bytes"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"google.golang.org/protobuf/encoding/protowire"
)

// wrap puts a message into a field.
func wrap(num protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), content)
}

// inRequest makes a request of the fields of a span, or of many spans.
func inRequest(spans []byte) []byte { return wrap(1, wrap(2, spans)) }

// A few bytes can stand for a hundred times their size once they are decoded. Whatever comes, no more is allocated than a few
// times the largest body, and good traffic goes on.
func TestHostileBodiesTakeLittleMemory(t *testing.T) {
	const size = 15 << 20
	ids := append(wrap(1, bytes.Repeat([]byte{1}, 16)), wrap(2, bytes.Repeat([]byte{1}, 8))...)
	deep := []byte{}
	for len(deep) < 64<<10 {
		deep = wrap(5, wrap(1, deep)) // an array in an array
	}
	manySpans := bytes.Repeat(wrap(2, ids), size/(len(ids)+2))
	for name, c := range map[string]struct {
		contentType, encoding string
		body                  []byte
		want                  int
	}{
		"a span of empty attributes":     {protobuf, "", inRequest(wrap(2, append(ids, bytes.Repeat([]byte{9<<3 | 2, 0}, size/2)...))), 200},
		"4 MiB of empty attributes":      {protobuf, "", inRequest(wrap(2, append(ids, bytes.Repeat([]byte{9<<3 | 2, 0}, 2_000_000)...))), 200},
		"a resource of empty attributes": {protobuf, "", wrap(1, wrap(1, bytes.Repeat([]byte{1<<3 | 2, 0}, size/2))), 400},
		"empty spans":                    {protobuf, "", inRequest(bytes.Repeat([]byte{2<<3 | 2, 0}, size/2)), 200},
		"small spans":                    {protobuf, "", inRequest(manySpans), 200},
		"empty resources":                {protobuf, "", bytes.Repeat([]byte{1<<3 | 2, 0}, size/2), 400},
		"a deep value":                   {protobuf, "", inRequest(wrap(2, append(ids, wrap(9, wrap(2, deep))...))), 200},
		"JSON of empty attributes": {jsonType, "", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c",
			"spanId":"eee19b7ec3c1b174","attributes":[` + strings.Repeat("{},", 1_300_000) + `{}]}]}]}]}`), 200},
		"a JSON resource of nothing": {jsonType, "", []byte(`{"resourceSpans":[{"resource":{"attributes":[` + strings.Repeat("{},", size/3) + `{}]}}]}`), 400},
		"JSON of empty resources":    {jsonType, "", []byte(`{"resourceSpans":[` + strings.Repeat("{},", size/3) + `{}]}`), 400},
		"a gzip bomb":                {protobuf, "gzip", packed(t, make([]byte, 200<<20)), 413},
		"a zstd bomb":                {protobuf, "zstd", zstdPacked(t, make([]byte, 200<<20)), 413},
	} {
		t.Run(name, func(t *testing.T) {
			server, _ := start(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			header := http.Header{"Content-Type": {c.contentType}, "Content-Encoding": {c.encoding}}
			status := handle(server, header, c.body)
			runtime.ReadMemStats(&after)
			if status != c.want {
				t.Errorf("status is %d, want %d", status, c.want)
			}
			if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; allocated > 150 {
				t.Errorf("%d MiB were allocated for a body of %d MiB", allocated, len(c.body)>>20)
			} else {
				t.Logf("%d MiB", allocated)
			}
			if status := handle(server, http.Header{"Content-Type": {protobuf}}, marshal(t, otlptest.Questions(1))); status != 200 {
				t.Errorf("a good request after it: %d", status)
			}
			if server.Receiving() != 0 {
				t.Errorf("%d bytes are held still", server.Receiving())
			}
		})
	}
}
