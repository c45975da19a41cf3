package main

import (
	"embed"
	"net/http"
)

//go:embed page.html page.css page.js
var pageFiles embed.FS

// page serves the files of a page with one box for questions. It needs nothing but its own origin, and is allowed no more.
func page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
		http.ServeFileFS(w, r, pageFiles, name)
	}
}
