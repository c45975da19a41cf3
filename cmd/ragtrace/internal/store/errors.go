package store

import (
	"cmp"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrNotFound is the error of Trace for a trace that is not there.
var ErrNotFound = errors.New("no such trace")

// ErrClosed is the error of Append on a store that is being closed.
var ErrClosed = errors.New("the store is closed")

// fail says what failed on which file, and what SQLite's codes mean to the one who has to act.
func (s *Store) fail(what string, err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		// The low byte is the error; the rest tells kinds of it apart: https://www.sqlite.org/rescode.html
		if words := cmp.Or(hints[e.Code()], hints[e.Code()&0xff]); words != "" {
			return fmt.Errorf("%s %s: %s: %w", what, s.path, words, err)
		}
	}
	return fmt.Errorf("%s %s: %w", what, s.path, err)
}

var hints = map[int]string{
	sqlite3.SQLITE_NOTADB:             "not a ragtrace file",
	sqlite3.SQLITE_CORRUPT:            "the file is damaged (restore a copy, or move it away and save what can be read of it with sqlite3 FILE .recover)",
	sqlite3.SQLITE_FULL:               "the disk is full (make some room; ragtrace prune then gives back what old traces take)",
	sqlite3.SQLITE_READONLY:           "no permission to write",
	sqlite3.SQLITE_READONLY_DIRECTORY: "no permission to write in its folder, which reading needs too (copy the file to a folder of your own)",
	sqlite3.SQLITE_CANTOPEN:           "the file or its folder cannot be opened (check the permissions)",
	sqlite3.SQLITE_BUSY:               "another program keeps the file locked",
	sqlite3.SQLITE_LOCKED:             "another program keeps the file locked",
	sqlite3.SQLITE_IOERR:              "the disk does not work as it should",
}
