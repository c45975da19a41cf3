package ingest

import (
	"io"
	"mime"
	"net/http"
	"strconv"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// maxDiscard bounds what is read of a request that was refused already.
const maxDiscard = 64 << 20

// serveTraces answers OTLP/HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp
func (s *Server) serveTraces(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "traces come by POST", http.StatusMethodNotAllowed)
		return
	}
	// The answer is encoded as the request is.
	var split func([]byte) (*otlp.Batch, error)
	var marshal func(proto.Message) ([]byte, error)
	contentType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch contentType {
	case "application/x-protobuf", "application/protobuf":
		split, marshal = splitProtobuf, proto.Marshal
	case "application/json":
		split, marshal = splitJSON, protojson.Marshal
	default:
		w.Header().Set("Accept", "application/x-protobuf, application/json")
		http.Error(w, "the Content-Type must be application/x-protobuf or application/json", http.StatusUnsupportedMediaType)
		return
	}
	status := http.StatusOK
	var answer proto.Message
	batch, failed := s.receive(r.Context(), r.Body, r.ContentLength, r.Header.Get("Content-Encoding"), split)
	if failed != nil {
		status, answer = failed.http, failed.status()
		failed.prepare(w, r)
	} else {
		answer = success(batch)
	}
	body, err := marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	w.Write(body)
}

// prepare makes ready for an answer over HTTP that says why a request was not taken.
func (f *failure) prepare(w http.ResponseWriter, r *http.Request) {
	if f.retry {
		w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
	}
	if r.ProtoMajor == 1 {
		// A connection that is closed with something unread is reset, and the sender may never see the answer. The error of a
		// sender that has gone is nobody's.
		io.CopyN(io.Discard, r.Body, maxDiscard)
	}
}

// success is the answer to a request that was taken, with what was not taken of it.
func success(b *otlp.Batch) *coltracepb.ExportTraceServiceResponse {
	refused, reasons := b.Refusal()
	if refused == 0 {
		return &coltracepb.ExportTraceServiceResponse{}
	}
	return &coltracepb.ExportTraceServiceResponse{PartialSuccess: &coltracepb.ExportTracePartialSuccess{
		RejectedSpans: int64(refused), ErrorMessage: reasons,
	}}
}
