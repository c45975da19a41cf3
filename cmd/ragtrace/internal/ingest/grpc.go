package ingest

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
)

// exportPath is the one call of OTLP/gRPC for traces: opentelemetry/proto/collector/trace/v1/trace_service.proto
const exportPath = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

// serveGRPC answers a gRPC call: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
//
// A single unary call is little enough to be spoken here, and it buys what a gRPC server does not offer: a sender can be
// asked to wait before its message is in memory, and the spans keep their bytes.
func (s *Server) serveGRPC(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Grpc-Accept-Encoding", "gzip, zstd")
	if r.URL.Path != exportPath {
		failGRPC(w, &failure{grpc: codes.Unimplemented, msg: "ragtrace receives traces and nothing else: " + r.URL.Path + " is not served"})
		return
	}
	if subtype := strings.TrimPrefix(r.Header.Get("Content-Type"), "application/grpc"); subtype != "" && subtype != "+proto" {
		http.Error(w, "the Content-Type must be application/grpc+proto", http.StatusUnsupportedMediaType)
		return
	}
	// A message is one byte that says whether it is packed, its length in four, and itself.
	var head [5]byte
	if _, err := io.ReadFull(r.Body, head[:]); err != nil {
		failGRPC(w, s.bad(fmt.Errorf("read the message: %w", err)))
		return
	}
	size := int64(binary.BigEndian.Uint32(head[1:]))
	encoding := ""
	if head[0]&1 == 1 {
		encoding = r.Header.Get("Grpc-Encoding")
	}
	batch, failed := s.receive(r.Context(), &message{r.Body, size}, size, encoding, splitProtobuf)
	if failed != nil {
		failGRPC(w, failed)
		return
	}
	answer, err := proto.Marshal(success(batch))
	if err != nil {
		failGRPC(w, &failure{grpc: codes.Internal, msg: err.Error()})
		return
	}
	w.Write(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(answer))))
	w.Write(answer)
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
}

// failGRPC ends a call that has no answer: what is otherwise in the trailer goes into the header.
func failGRPC(w http.ResponseWriter, f *failure) {
	w.Header().Set("Grpc-Status", strconv.Itoa(int(f.grpc)))
	w.Header().Set("Grpc-Message", percentEncode(f.msg))
	if details, err := proto.Marshal(f.status()); err == nil {
		w.Header().Set("Grpc-Status-Details-Bin", base64.RawStdEncoding.EncodeToString(details))
	}
	w.WriteHeader(http.StatusOK)
}

// percentEncode makes a text fit for the header Grpc-Message.
func percentEncode(msg string) string {
	var b strings.Builder
	for _, c := range []byte(msg) {
		if c < ' ' || c > '~' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// A message is a body of a length that was announced; less is an error.
type message struct {
	r    io.Reader
	left int64
}

func (m *message) Read(p []byte) (int, error) {
	if m.left == 0 {
		return 0, io.EOF
	}
	n, err := m.r.Read(p[:min(int64(len(p)), m.left)])
	m.left -= int64(n)
	if err == io.EOF && m.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
