package ingest

import (
	"mime"
	"net/http"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/jaeger"
)

// serveThrift answers Jaeger's clients as Jaeger's collector does:
// https://www.jaegertracing.io/docs/1.76/architecture/apis/#thrift-over-http-stable
func (s *Server) serveThrift(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "traces come by POST", http.StatusMethodNotAllowed)
		return
	}
	switch contentType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); contentType {
	case "application/x-thrift", "application/vnd.apache.thrift.binary":
	default:
		http.Error(w, "the Content-Type must be application/x-thrift or application/vnd.apache.thrift.binary", http.StatusUnsupportedMediaType)
		return
	}
	// There is no way to say that some spans were refused; they are counted.
	if _, failed := s.receive(r.Context(), r.Body, r.ContentLength, r.Header.Get("Content-Encoding"), jaeger.Split); failed != nil {
		failed.prepare(w, r)
		http.Error(w, failed.msg, failed.http)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}
