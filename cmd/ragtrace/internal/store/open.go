package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A Store is one open file. Its methods may be called at the same time.
type Store struct {
	path   string
	db     *sql.DB
	writer *writer // nil when the store is open for reading only

	refusals sync.Map // by id of a pack, how often it could not be made
}

// Open opens the file at path for reading and writing, and makes it, and its folder, if there is none. Several processes
// may do so at once: they take turns.
func Open(path string) (*Store, error) {
	if err := create(path); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	// In WAL mode with synchronous=NORMAL a commit is in the operating system's hands: it survives the end of the process,
	// however it comes. When the machine itself stops, the last commits may be lost, but nothing is damaged. That is the
	// right price for traces, as FULL waits for the disk at every commit.
	s, err := open(path, "rw", "synchronous(NORMAL)", "journal_size_limit(67108864)")
	if err != nil {
		return nil, err
	}
	if err := patiently(s.migrate); err != nil {
		return nil, errors.Join(s.fail("open store", err), s.db.Close())
	}
	if s.writer, err = newWriter(s); err != nil {
		return nil, errors.Join(s.fail("open store", err), s.db.Close())
	}
	return s, nil
}

// OpenReadOnly opens the file at path for reading, while others may write to it. The error is fs.ErrNotExist when there
// is no file.
func OpenReadOnly(path string) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s, err := open(path, "ro")
	if err != nil {
		return nil, err
	}
	if err := patiently(s.check); err != nil {
		return nil, errors.Join(s.fail("open store", err), s.db.Close())
	}
	return s, nil
}

// open does not touch the file yet.
func open(path, mode string, pragmas ...string) (*Store, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open store: %s is not a file", path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	name := filepath.ToSlash(abs)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // file:///C:/...
	}
	// The wait is for another process that is writing: a checkpoint of a large log takes a while on a slow disk.
	busy := fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds())
	query := url.Values{"mode": {mode}, "_pragma": append([]string{busy}, pragmas...)}
	uri := url.URL{Scheme: "file", Path: name, RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	return &Store{path: path, db: db}, nil
}

// patience is for how long another process is waited for.
const patience = 10 * time.Second

// patiently tries again while SQLite says that the file is busy without having waited itself, as it does where waiting could
// be for ever: while another process changes to WAL mode, mends the log, or is the last to close the file.
func patiently(try func() error) error {
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		err := try()
		if e, ok := errors.AsType[*sqlite.Error](err); !ok || e.Code()&0xff != sqlite3.SQLITE_BUSY || time.Since(began) > patience {
			return err
		}
	}
}

// create makes an empty file, which is the user's alone: with captured content there are prompts and answers in it. A
// file that is there is not touched, since closing it here would take away the locks of a store that this process has
// open already.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// Close finishes what Append has taken and closes the file.
func (s *Store) Close() error {
	if s.writer != nil {
		s.writer.close()
	}
	if err := s.db.Close(); err != nil {
		return s.fail("close store", err)
	}
	return nil
}

// Path is the file's path, as it was given.
func (s *Store) Path() string { return s.path }

// inTx runs f in a read transaction: all that f reads is of one moment.
func (s *Store) inTx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return f(tx)
}
