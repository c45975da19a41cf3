package ingest_test

import (
	"bytes"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// thriftBatch is a Batch of one span, by hand: a type, a field number and a value at a time, 00 at the end of a struct.
var thriftBatch = func() []byte {
	hexa := `
		0c 0001  0b 0001 00000001 61  00            process: serviceName "a"
		0f 0002  0c 00000001                        spans: one struct
			0a 0001 0000000000000001 0a 0002 0000000000000000   traceIdLow, traceIdHigh
			0a 0003 0000000000000002 0a 0004 0000000000000000   spanId, parentSpanId
			0b 0005 00000001 71                     operationName "q"
			08 0007 00000001                        flags
			0a 0008 0000000000000001 0a 0009 0000000000000002   startTime, duration
			0f 000a 0c 00000001                     tags: one struct
				0b 0001 0000000e 72616774726163652e7374616765  key "ragtrace.stage"
				08 0002 00000000                    vType STRING
				0b 0003 00000008 7175657374696f6e 00  vStr "question"
			00
		00`
	var digits strings.Builder
	for line := range strings.Lines(hexa) {
		for word := range strings.FieldsSeq(line) {
			if _, err := hex.DecodeString(word); err != nil || len(word) == 1 {
				break // a comment
			}
			digits.WriteString(word)
		}
	}
	raw, err := hex.DecodeString(digits.String())
	if err != nil {
		panic(err)
	}
	return raw
}()

func TestThrift(t *testing.T) {
	server, st := start(t)
	const thrift = "application/x-thrift"
	for name, c := range map[string]struct {
		method, contentType, encoding string
		body                          []byte
		want                          int
	}{
		"as jaeger-client-go":       {"POST", thrift, "", thriftBatch, 202},
		"as others":                 {"POST", "application/vnd.apache.thrift.binary", "", thriftBatch, 202},
		"packed":                    {"POST", thrift, "gzip", packed(t, thriftBatch), 202},
		"GET":                       {"GET", thrift, "", nil, 405},
		"another type":              {"POST", protobuf, "", thriftBatch, 415},
		"the compact protocol":      {"POST", "application/vnd.apache.thrift.compact", "", thriftBatch, 415},
		"broken off":                {"POST", thrift, "", thriftBatch[:len(thriftBatch)-1], 400},
		"too large":                 {"POST", thrift, "", make([]byte, 16<<20+1), 413},
		"of an encoding not known ": {"POST", thrift, "br", thriftBatch, 415},
	} {
		resp, answer := post(t, server, c.method, "/api/traces?format=jaeger.thrift",
			map[string]string{"Content-Type": c.contentType, "Content-Encoding": c.encoding}, bytes.NewReader(c.body))
		if resp.StatusCode != c.want || (len(answer) > 0) != (c.want != 202) {
			t.Errorf("%s: answer is %d %q, want %d", name, resp.StatusCode, answer, c.want)
		}
	}
	spans := stored(t, st)
	if len(spans) != 1 || spans[0].TraceID != (model.TraceID{15: 1}) || spans[0].Name != "q" || spans[0].Resource.Service() != "a" {
		t.Errorf("stored is %v", spans)
	}
}

// FuzzThrift sends bodies to the handler as they are, and checks that it answers with one of its statuses, whatever comes.
func FuzzThrift(f *testing.F) {
	f.Add(thriftBatch)
	server, _ := start(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		status := handleAt(server, "/api/traces", http.Header{"Content-Type": {"application/x-thrift"}}, body)
		if status != 202 && status != 400 {
			t.Errorf("status is %d", status)
		}
	})
}
