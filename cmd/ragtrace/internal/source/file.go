package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/jaeger"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

// maxRequest bounds one request of a binary file, and a trace of Jaeger's JSON, in memory.
const maxRequest = 256 << 20

var errUnknown = errors.New("neither OTLP nor Jaeger's JSON")

// ReadFile reads spans from a file of any of these formats, packed with gzip or zstd or not at all:
//
//   - OTLP/JSON: requests after one another, each on a line of its own or over several
//   - OTLP in protobuf: one request, or, with a length in front of each, what the file exporter of the OpenTelemetry
//     Collector writes, whose requests may each be packed and may be JSON
//   - what Jaeger's UI saves, and what its API answers at /api/traces/ID and below /api/v3
//
// A batch is one request or one trace. An error says where in the file something cannot be read; what comes after it is
// read all the same where its start can be told.
func ReadFile(r io.Reader) iter.Seq2[*otlp.Batch, error] {
	return func(yield func(*otlp.Batch, error) bool) {
		packed := bufio.NewReaderSize(r, 64<<10)
		unpacked, err := unpack(packed)
		if err != nil {
			yield(nil, err)
			return
		}
		content, ok := unpacked.(*bufio.Reader)
		if !ok {
			content = bufio.NewReaderSize(unpacked, 64<<10)
		}
		read, err := recognise(content)
		if err != nil {
			yield(nil, err)
			return
		}
		read(content, yield)
	}
}

// firstKey is how a JSON object begins.
var firstKey = regexp.MustCompile(`^\s*\{\s*(?:"([^"]*)"|\})`)

type reading func(r *bufio.Reader, yield func(*otlp.Batch, error) bool)

// recognise tells the format by the first bytes. There is none for nothing.
func recognise(r *bufio.Reader) (reading, error) {
	head, err := r.Peek(r.Size())
	if err != nil && err != io.EOF {
		return nil, err
	}
	if key := firstKey.FindSubmatch(head); key != nil {
		switch string(key[1]) {
		case "data":
			return readJaeger, nil
		case "result":
			return readAnswer, nil
		}
		return readJSON, nil
	}
	switch {
	case len(bytes.TrimSpace(head)) == 0:
		return func(*bufio.Reader, func(*otlp.Batch, error) bool) {}, nil
	case firstByte(r) == '{' || requestBegins.Match(head):
		return readJSON, nil // and say what is wrong before the first request
	case head[0] == resourceSpansTag:
		return readProtobuf, nil
	case isFramed(head):
		return readFramed, nil
	}
	return nil, fmt.Errorf("%w (it begins with %q)", errUnknown, head[:min(len(head), 16)])
}

func readJaeger(r *bufio.Reader, yield func(*otlp.Batch, error) bool) { jaeger.ReadJSON(r)(yield) }
