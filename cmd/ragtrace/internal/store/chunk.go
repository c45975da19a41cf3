package store

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/klauspost/compress/s2"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/model"
)

// A chunk is spans of one trace: a byte for the format, a checksum of the rest, and an S2 block in which every span is its
// id, the rows of its resource and scope, the length of its protobuf, and its protobuf.
const (
	chunkFormat = 1
	chunkHead   = 1 + 4
	// fullChunk is the size, unpacked, from which a chunk takes no more spans.
	fullChunk = 1 << 20
	// maxChunk is more than a full chunk and the largest span that anybody can send; what claims to be larger is damaged.
	maxChunk = 64 << 20
	// placeBits is how many bits of a row id tell the place in a trace. The other 39 are the trace's.
	placeBits = 24
)

var (
	errChunk    = errors.New("spans cannot be unpacked: the file is damaged")
	castagnoli  = crc32.MakeTable(crc32.Castagnoli)
	errPlace    = errors.New("a trace has more parts than can be kept")
	errEnvelope = errors.New("a span's resource or scope cannot be read: the file is damaged")
)

// A storedSpan is a span in a chunk.
type storedSpan struct {
	id              model.SpanID
	resource, scope int64 // rows of envelope
	otlp            []byte
}

// appendSpan appends a span to the content of a chunk.
func appendSpan(content []byte, s storedSpan) []byte {
	content = append(content, s.id[:]...)
	content = binary.AppendUvarint(content, uint64(s.resource))
	content = binary.AppendUvarint(content, uint64(s.scope))
	content = binary.AppendUvarint(content, uint64(len(s.otlp)))
	return append(content, s.otlp...)
}

// pack makes a chunk of its content, in the memory of dst.
func pack(dst, content []byte) []byte {
	if need := chunkHead + s2.MaxEncodedLen(len(content)); cap(dst) < need {
		dst = make([]byte, need)
	}
	dst = dst[:cap(dst)]
	dst[0] = chunkFormat
	block := s2.Encode(dst[chunkHead:], content)
	binary.LittleEndian.PutUint32(dst[1:], crc32.Checksum(block, castagnoli))
	return dst[:chunkHead+len(block)]
}

// unpack is the content of a chunk, in the memory of dst when that is large enough.
func unpack(dst, chunk []byte) ([]byte, error) {
	if len(chunk) < chunkHead || chunk[0] != chunkFormat {
		return nil, errChunk
	}
	block := chunk[chunkHead:]
	if crc32.Checksum(block, castagnoli) != binary.LittleEndian.Uint32(chunk[1:]) {
		return nil, errChunk
	}
	if n, err := s2.DecodedLen(block); err != nil || n > maxChunk {
		return nil, errChunk
	}
	content, err := s2.Decode(dst[:cap(dst)], block)
	if err != nil {
		return nil, errChunk
	}
	return content, nil
}

// eachSpan visits the spans in the content of a chunk. What they hold shares its memory.
func eachSpan(content []byte, visit func(storedSpan) error) error {
	for len(content) > 0 {
		var s storedSpan
		if len(content) < len(s.id) {
			return errChunk
		}
		content = content[copy(s.id[:], content):]
		var size int64
		for _, v := range []*int64{&s.resource, &s.scope, &size} {
			u, n := binary.Uvarint(content)
			if n <= 0 {
				return errChunk
			}
			*v, content = int64(u), content[n:]
		}
		if size < 0 || size > int64(len(content)) {
			return errChunk
		}
		s.otlp, content = content[:size], content[size:]
		if err := visit(s); err != nil {
			return err
		}
	}
	return nil
}
