package source

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
)

// resourceSpansTag begins a request in protobuf: opentelemetry/proto/collector/trace/v1/trace_service.proto
// ExportTraceServiceRequest.resource_spans.
const resourceSpansTag = 1<<3 | byte(protowire.BytesType)

// readProtobuf reads one request, a resource at a time. Requests that were written after one another are one as well: that
// is how protobuf is made.
func readProtobuf(r *bufio.Reader, yield func(*otlp.Batch, error) bool) {
	for at := int64(0); ; {
		tag, err := r.ReadByte()
		if err == io.EOF {
			return
		}
		var size uint64
		if err == nil && tag != resourceSpansTag {
			err = errors.New("no request of OTLP goes on like this")
		}
		if err == nil {
			size, err = binary.ReadUvarint(r)
		}
		var raw []byte
		if err == nil {
			raw, err = take(r, protowire.AppendVarint([]byte{tag}, size), size)
		}
		if err != nil {
			yield(nil, fmt.Errorf("byte %d: %w", at, noEnd(err)))
			return
		}
		batch, err := otlp.Split(raw)
		if err != nil {
			batch, err = nil, fmt.Errorf("byte %d: %w", at, err)
		}
		if !yield(batch, err) {
			return
		}
		at += int64(len(raw))
	}
}

// isFramed reports whether a file begins as one of the Collector's file exporter that is not lines of JSON: each request
// behind its length in four bytes, the most significant first.
// https://github.com/open-telemetry/opentelemetry-collector-contrib/tree/main/exporter/fileexporter#file-format
func isFramed(head []byte) bool {
	if len(head) < 5 {
		return false
	}
	size, content := binary.BigEndian.Uint32(head), head[4:]
	return size > 0 && size <= maxRequest &&
		(content[0] == resourceSpansTag || content[0] == '{' || bytes.HasPrefix(content, []byte(zstdMagic)))
}

func readFramed(r *bufio.Reader, yield func(*otlp.Batch, error) bool) {
	unpacker, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRequest))
	if err != nil {
		yield(nil, err)
		return
	}
	defer unpacker.Close()
	for at := int64(0); ; {
		var head [4]byte
		if _, err := io.ReadFull(r, head[:]); err == io.EOF {
			return
		} else if err != nil {
			yield(nil, fmt.Errorf("byte %d: %w", at, err))
			return
		}
		raw, err := take(r, nil, uint64(binary.BigEndian.Uint32(head[:])))
		if err != nil {
			yield(nil, fmt.Errorf("byte %d: %w", at, noEnd(err)))
			return
		}
		size := len(raw)
		if bytes.HasPrefix(raw, []byte(zstdMagic)) {
			raw, err = unpacker.DecodeAll(raw, nil)
		}
		if err != nil {
			err = fmt.Errorf("zstd: %w", err)
		}
		for batch, err := range splitFrame(raw, err) {
			if err != nil {
				err = fmt.Errorf("byte %d: %w", at, err)
			}
			if !yield(batch, err) {
				return
			}
		}
		at += int64(len(head) + size)
	}
}

// splitFrame takes apart what is in a frame, or gives the error for which there is nothing.
func splitFrame(raw []byte, err error) func(func(*otlp.Batch, error) bool) {
	if err == nil && firstByte(bufio.NewReader(bytes.NewReader(raw))) == '{' {
		return otlp.ReadJSON(bytes.NewReader(raw))
	}
	return func(yield func(*otlp.Batch, error) bool) {
		var batch *otlp.Batch
		if err == nil {
			batch, err = otlp.Split(raw)
		}
		yield(batch, err)
	}
}

// take reads size bytes behind those in dst. Memory grows with what comes and not with what a length claims.
func take(r io.Reader, dst []byte, size uint64) ([]byte, error) {
	if size > maxRequest {
		return nil, fmt.Errorf("a request of %d bytes is more than is read at once (%d)", size, maxRequest)
	}
	b := bytes.NewBuffer(dst)
	if _, err := io.CopyN(b, r, int64(size)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// noEnd is err, but an end of the file inside a request is no clean one.
func noEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
