package main

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
	"testing"
	"time"
)

// startTimeout is how long a program may take until it answers.
const startTimeout = 60 * time.Second

// A process is a program that runs until the test ends, or stop ends it.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // once done
}

// start runs a program and waits until url is answered well. What it wrote is shown if the test fails.
func start(t *testing.T, url string, env []string, path string, args ...string) *process {
	t.Helper()
	var log bytes.Buffer // read when the program has ended
	p := &process{cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Dir = t.TempDir()
	p.cmd.Stdout, p.cmd.Stderr = &log, &log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		p.err = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = p.stop()
		if t.Failed() {
			t.Logf("the end of what %s wrote:\n%s", filepath.Base(path), log.Bytes()[max(0, log.Len()-3000):])
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	for {
		err := answers(ctx, url)
		if err == nil {
			return p
		}
		select {
		case <-p.done:
			t.Fatalf("%s ended before it was ready: %v", path, p.err)
		case <-ctx.Done():
			t.Fatalf("%s is not ready after %v: %v", path, startTimeout, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func answers(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, resp.Status)
	}
	return nil
}

// stop asks the program to end, and waits.
func (p *process) stop() error {
	_ = p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.done:
	case <-time.After(15 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	return p.err
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

// build builds a program of this module and returns its path.
func build(t *testing.T, dir string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not there")
	}
	path := filepath.Join(t.TempDir(), filepath.Base(dir))
	cmd := exec.Command("go", "build", "-o", path, dir)
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", dir, err, out)
	}
	return path
}

// output runs a program to its end and returns what it wrote to its standard output.
func output(t *testing.T, path string, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(path, args...).Output()
	if err != nil {
		stderr := ""
		if exit, ok := err.(*exec.ExitError); ok {
			stderr = string(exit.Stderr)
		}
		t.Fatalf("%s %v: %v\n%s%s", filepath.Base(path), args, err, out, stderr)
	}
	return out
}
