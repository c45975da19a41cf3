package store_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/otlp/otlptest"
	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

func exec(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefusesWhatIsNoStore(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	foreign := filepath.Join(dir, "foreign.db")
	exec(t, foreign, "CREATE TABLE t (x); PRAGMA user_version = 1")
	newer := filepath.Join(dir, "newer.db")
	if s, err := store.Open(newer); err != nil {
		t.Fatal(err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	exec(t, newer, "PRAGMA user_version = 99")

	for name, c := range map[string]struct{ path, want string }{
		"folder":          {dir, "is not a file"},
		"text":            {write("notes.txt", strings.Repeat("this is no database\n", 100)), "not a ragtrace file"},
		"another program": {foreign, "belongs to another program"},
		"newer":           {newer, "schema version 99, of a newer ragtrace; this one knows versions up to 3"},
		"below a file":    {filepath.Join(write("file", "x"), "ragtrace.db"), "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := os.ReadFile(c.path)
			for how, open := range map[string]func(string) (*store.Store, error){"Open": store.Open, "OpenReadOnly": store.OpenReadOnly} {
				s, err := open(c.path)
				if err == nil {
					s.Close()
				}
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: error is %v, want ... %s ...", how, err, c.want)
				}
			}
			if after, _ := os.ReadFile(c.path); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestOpenReadOnlyMakesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.db")
	if _, err := store.OpenReadOnly(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want fs.ErrNotExist", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the file was made")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.OpenReadOnly(path); err == nil || !strings.Contains(err.Error(), "the file is empty") {
		t.Errorf("error of an empty file is %v", err)
	}
}

func TestTheFileIsTheUsersAlone(t *testing.T) {
	s := open(t, "")
	appendTo(t, s, otlptest.Questions(1))
	files, err := filepath.Glob(s.Path() + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("files are %v, want the log as well", files)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", filepath.Base(file), info.Mode().Perm())
		}
	}
}

func TestADamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	appendTo(t, s, otlptest.Questions(40))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(raw); i++ { // all but the first page, which holds the schema
		raw[i] = 0xa5
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := store.OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for _, err := range reader.Traces(t.Context(), store.Filter{}) {
		if err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("error is %v, want ... damaged ...", err)
		}
	}
}
