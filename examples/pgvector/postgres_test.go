package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// startPostgres runs a real, empty PostgreSQL, which listens on a socket in its own folder, and returns how to reach it.
func startPostgres(t *testing.T) (database string) {
	bin := os.Getenv("RAGTRACE_TEST_POSTGRES")
	if bin == "" {
		t.Skip("RAGTRACE_TEST_POSTGRES is not set: it is the folder of PostgreSQL's binaries, such as /usr/lib/postgresql/15/bin")
	}
	dir, err := os.MkdirTemp("", "pg") // t.TempDir lies in a folder that only this user may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	var attr *syscall.SysProcAttr
	if os.Getuid() == 0 { // as which PostgreSQL refuses to run
		attr = unprivileged(t, dir)
	}
	var log bytes.Buffer
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir, cmd.SysProcAttr = dir, attr
		cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
		cmd.Stdout, cmd.Stderr = &log, &log
		return cmd
	}
	data := filepath.Join(dir, "data")
	if err := command("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync").Run(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, &log)
	}
	server := command("postgres", "-D", data, "-k", dir, "-c", "listen_addresses=", "-F")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- server.Wait() }()
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt) // ends the connections too
		select {
		case err := <-exited:
			if err != nil {
				t.Errorf("postgres: %v\n%s", err, &log)
			}
		case <-time.After(20 * time.Second):
			_ = server.Process.Kill()
			t.Errorf("postgres did not end\n%s", &log)
		}
	})
	database = "host=" + dir + " user=postgres dbname=postgres"
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		conn, err := pgx.Connect(t.Context(), database)
		if err == nil {
			_ = conn.Close(t.Context())
			return database
		}
		select {
		case end := <-exited:
			exited <- end
			t.Fatalf("postgres ended: %v\n%s", end, &log)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("postgres does not answer: %v", err)
		}
	}
}

// unprivileged gives the folder to the user that Debian's package makes, for whom a process is to be run.
func unprivileged(t *testing.T, dir string) *syscall.SysProcAttr {
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
