package demo

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/ingest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

// A user who breaks off is told where, and nothing goes on behind his back.
func TestStartEndsWithItsContext(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	st, err := store.Open(filepath.Join(t.TempDir(), "demo.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	receiver, err := ingest.Start(t.Context(), st, ingest.Config{GRPC: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()

	ctx, cancel := context.WithTimeout(t.Context(), 900*time.Millisecond) // before the end of question 1
	defer cancel()
	var progress bytes.Buffer
	_, err = Start(ctx, Config{Endpoint: receiver.GRPCAddr(), Progress: &progress})
	if err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("error %v, want one that says interrupted", err)
	}
	if !strings.HasPrefix(progress.String(), "This is a scripted Ollama: its timings are invented.\n") {
		t.Errorf("progress begins %q", progress.String())
	}
}

func TestRunsAreNoPeers(t *testing.T) {
	if a, b := pipeline("x", "-abcd"), pipeline("x", "-efgh"); a != "x, run abcd" || b != "x, run efgh" {
		t.Errorf("%q and %q", a, b)
	}
	if only := pipeline("x", ""); only != "x" {
		t.Errorf("%q", only)
	}
}

func TestQuoteAnswersFromTheFirstPage(t *testing.T) {
	a := &app{}
	prompt := a.prompt(t.Context(), "what?", []document{{"chain", "One. Two. Three."}, {"oil", "Four. Five."}})
	if got, want := quote(prompt[0].Content+"\n"+prompt[1].Content), "The handbook says: One. Two."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := quote("a prompt without pages"); got != "The handbook says nothing about that." {
		t.Errorf("got %q", got)
	}
}

func TestHandbookHasPages(t *testing.T) {
	pages, err := handbook()
	if err != nil || len(pages) != 10 {
		t.Fatalf("%d pages, %v; want 10", len(pages), err)
	}
	for _, p := range pages {
		if p.name == "" || strings.Contains(p.name, "/") || len(p.text) < 200 {
			t.Errorf("page %q of %d bytes", p.name, len(p.text))
		}
	}
}
