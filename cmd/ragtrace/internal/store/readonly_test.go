//go:build unix

package store_test

import (
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ragtrace/ragtrace/cmd/ragtrace/internal/store"
)

func TestOpenRefusesAFileThatMayOnlyBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t)
		return
	}
	path := filepath.Join(t.TempDir(), "test.db")
	if s, err := store.Open(path); err != nil {
		t.Fatal(err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if s, err := store.Open(path); err == nil || !strings.Contains(err.Error(), "no permission to write") {
		t.Errorf("error is %v, want ... no permission to write ...", err)
		if err == nil {
			s.Close()
		}
	}
}

// Nobody may write in the folder, and SQLite wants to, for an index of the log, even when it only reads.
func TestReadingInAFolderThatMayOnlyBeReadSaysWhatHelps(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t)
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "test.db")
	if s, err := store.Open(path); err != nil {
		t.Fatal(err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if s, err := store.OpenReadOnly(path); err == nil || !strings.Contains(err.Error(), "copy the file to a folder of your own") {
		t.Errorf("error is %v, want one that says to copy the file", err)
		if err == nil {
			s.Close()
		}
	}
}

// asNobody runs the test in a process of a user who may not write everything, from a copy that this user may read.
func asNobody(t *testing.T) {
	const nobody = 65534
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "readonly")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "test")
	if err := os.WriteFile(copied, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := osexec.Command(copied, "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}
