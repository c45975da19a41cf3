package browser

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/ragtrace/ragtrace/tracer"
)

// Path is where [Handler] serves the script.
const Path = "/.ragtrace/enter.js"

// Script is the script, for a program that serves its own files.
//
//go:embed enter.js
var Script string

// Handler serves [Script] at [Path], and takes the reports of pages at [tracer.PathPaint]. Mount it at
// /.ragtrace/, or, in an [http.ServeMux] that has patterns like "GET /", at "GET /.ragtrace/" and "POST /.ragtrace/".
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, serveScript)
	mux.Handle(tracer.PathPaint, tracer.PaintHandler())
	return mux
}

var etag = fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(Script)))

func serveScript(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache") // asks whether it has changed
	h.Set("Etag", etag)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(Script))
}
