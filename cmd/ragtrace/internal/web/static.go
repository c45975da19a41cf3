package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
)

//go:embed static
var staticFiles embed.FS

// staticTypes are the files that there are.
var staticTypes = map[string]string{
	"style.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
}

// staticVersion changes with the files, so that browsers may keep them.
var staticVersion = func() string {
	sum := sha256.New()
	for _, name := range []string{"style.css", "page.js", "icon.svg"} {
		b, _ := fs.ReadFile(staticFiles, "static/"+name) // embedded: it is there
		sum.Write(b)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
}()

// asset is the URL of a file.
func asset(name string) string { return "/" + path.Join("static", staticVersion, name) }

func static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	kind, known := staticTypes[name]
	if !known {
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeFileFS(w, r, staticFiles, "static/"+name)
}
