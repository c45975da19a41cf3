package index

import (
	"bytes"
	"database/sql"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
)

func TestKeepWritesWhatHasSettled(t *testing.T) {
	st := open(t)
	k := Keep(st, slog.Default())
	defer k.Close()
	appendTo(t, st, otlptest.Questions(100))
	deadline := time.Now().Add(20 * time.Second)
	for {
		n, err := st.Behind(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d traces are behind still", n)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if n := len(questions(t, st)); n != 100 {
		t.Errorf("%d questions, want 100", n)
	}
}

func TestKeepTellsWhatGoesWrong(t *testing.T) {
	st := open(t)
	appendTo(t, st, otlptest.Questions(1))
	db, err := sql.Open("sqlite", st.Path())
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("UPDATE chunk SET data = x'01020304050607'")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	Keep(st, slog.New(slog.NewTextHandler(&log, nil))).Close()
	if !strings.Contains(log.String(), "questions not written") || !strings.Contains(log.String(), "the file is damaged") {
		t.Errorf("the log is %q", &log)
	}
}
