package store

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"google.golang.org/protobuf/proto"
)

func TestAFullDiskLosesNothingThatWasAcknowledged(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	limit := func(pages string) {
		// SQLite answers as it does when the disk has no room.
		if _, err := s.writer.conn.ExecContext(t.Context(), "PRAGMA max_page_count = "+pages); err != nil {
			t.Fatal(err)
		}
	}
	limit("100")
	stored := 0
	add := func() error {
		raw, err := proto.Marshal(otlptest.Questions(4))
		if err != nil {
			t.Fatal(err)
		}
		batch, err := otlp.Split(raw)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Append(t.Context(), batch)
		if err == nil {
			stored += 4
		}
		return err
	}
	for err = add(); err == nil && stored < 10000; err = add() {
	}
	if err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Fatalf("error is %v, want ... the disk is full ...", err)
	}
	if err := add(); err == nil {
		t.Error("stored on a full disk")
	}
	limit("100000")
	if err := add(); err != nil {
		t.Errorf("after room was made: %v", err)
	}
	n := 0
	for spans, err := range s.Traces(t.Context(), Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; len(spans) != 12 {
			t.Errorf("a trace of %d spans, want 12", len(spans))
		}
	}
	if n != stored || stored < 8 {
		t.Errorf("%d traces, %d acknowledged", n, stored)
	}
}
