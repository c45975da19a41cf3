//go:build unix

package endtoend

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startTimeout is how long a real server may take until it answers.
const startTimeout = 60 * time.Second

// binary is the path in an environment variable; without it the test is skipped.
func binary(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s is not set: it is the path of the real server's binary, which .ci/peers builds", variable)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return path
}

// freePorts is the first of n loopback ports in a row that nobody listens on. They lie below those from which a system gives
// one to whoever does not ask for a certain one, so that none is gone before it is used.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	for range 100 {
		first, taken := 20000+rand.IntN(10000), false
		for i := range n {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+i))
			if err != nil {
				taken = true
				break
			}
			defer l.Close()
		}
		if !taken {
			return first
		}
	}
	t.Fatalf("there are no %d free ports in a row", n)
	return 0
}

// A process is a program that runs until the test ends, or stop ends it.
type process struct {
	name   string
	cmd    *exec.Cmd
	log    string // the file of what it writes
	exited chan struct{}
}

// start runs a program and waits until ready has no error. What it wrote is shown if the test fails.
func start(t *testing.T, ready func(context.Context) error, env []string, path string, args ...string) *process {
	t.Helper()
	p := &process{name: filepath.Base(path), exited: make(chan struct{})}
	p.log = filepath.Join(t.TempDir(), p.name+".log")
	log, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p.cmd = exec.Command(path, args...)
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Dir = t.TempDir()
	p.cmd.Stdout, p.cmd.Stderr = log, log
	// Servers start processes of their own; one group is ended as a whole.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			t.Logf("the end of what %s wrote:\n%s", p.name, tail(p.log, 15))
		}
	})
	p.await(t, ready)
	return p
}

// await asks ready until it has no error.
func (p *process) await(t *testing.T, ready func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return
		}
		select {
		case <-p.exited:
			t.Fatalf("%s ended before it was ready: %v", p.name, p.cmd.ProcessState)
		case <-ctx.Done():
			t.Fatalf("%s is not ready after %v: %v", p.name, startTimeout, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stop asks the process to end, ends what is left of its group, and returns its exit code.
func (p *process) stop() int {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(15 * time.Second):
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.exited
	return p.cmd.ProcessState.ExitCode()
}

// answers is ready when url is answered with a status.
func answers(url string, status int) func(context.Context) error {
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode != status {
			return fmt.Errorf("%s answers %s, want status %d", url, resp.Status, status)
		}
		return nil
	}
}

// tail is the last lines of a file, long ones cut.
func tail(name string, lines int) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(string(bytes.TrimSpace(b)), "\n")
	all = all[max(0, len(all)-lines):]
	for i, line := range all {
		all[i] = line[:min(len(line), 300)]
	}
	return strings.Join(all, "\n")
}
