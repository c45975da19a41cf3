//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A process is a server that is measured.
type process struct {
	cmd    *exec.Cmd
	log    string // the file of what it writes
	exited chan struct{}
}

// startProcess runs a program, in a folder of its own.
func startProcess(dir string, env []string, path string, args ...string) (*process, error) {
	// It was named from our folder, not from that one.
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	p := &process{log: filepath.Join(dir, "log"), exited: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir = dir
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // it does not outlive us
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait()
	}()
	return p, nil
}

// await asks ready until it has no error.
func (p *process) await(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("it ended before it was ready:\n%s", p.tail())
		case <-ctx.Done():
			return fmt.Errorf("it is not ready after a minute: %w\n%s", err, p.tail())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop asks the process to end, and ends it after half a minute.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(30 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.exited
	}
}

func (p *process) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

// ticks is how many of the clock ticks in /proc are a second. It is 100 on every machine that Linux runs Go on.
const ticks = 100

// cpu is the time that the process has spent, of its own and in the kernel: proc(5), fields 14 and 15 of stat.
func (p *process) cpu() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The second field is the program's name, in parentheses, and may hold anything.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return 0, errors.New("/proc has an unknown format")
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * time.Second / ticks, errors.Join(err1, err2)
}

// rest is how long a server that does nothing is waited for, until it is believed: ragtrace packs questions three seconds after
// the last of their spans.
const rest = 5 * time.Second

// settledCPU is cpu when the process has done what it does after the last acknowledgement: when it has spent less than a
// twentieth of a CPU for a rest. It is waited for at most a minute.
func (p *process) settledCPU(ctx context.Context) (time.Duration, error) {
	const step = 500 * time.Millisecond
	last, err := p.cpu()
	for waited, quiet := time.Duration(0), time.Duration(0); waited < time.Minute && quiet < rest; waited += step {
		if err != nil {
			return 0, err
		}
		select {
		case <-time.After(step):
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
		var now time.Duration
		now, err = p.cpu()
		if now-last < step/20 {
			quiet += step
		} else {
			quiet = 0
		}
		last = now
	}
	return last, err
}

// peak is the most memory that the process has had, in bytes: proc(5), VmHWM of status.
func (p *process) peak() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kb << 10, err
		}
	}
	return 0, errors.New("/proc does not tell the peak memory")
}

// onDisk is the size of a folder's files, as far as they take space: Badger makes large files with holes in them.
func onDisk(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			size += min(info.Size(), stat.Blocks*512)
		}
		return nil
	})
	return size, err
}
