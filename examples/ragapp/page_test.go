package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// The page and all that it loads is there, and is allowed.
func TestPage(t *testing.T) {
	s := startScripted(t, nil)
	for path, want := range map[string]string{
		"/":                   `<script src="/.ragtrace/enter.js" data-ask="/ask" data-answer=".answer">`,
		"/page.css":           ".answer",
		"/page.js":            "fetch('/ask'",
		"/.ragtrace/enter.js": "ragtrace-page",
	} {
		resp, err := http.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %q, %v", path, resp.StatusCode, body, err)
		}
	}
}
