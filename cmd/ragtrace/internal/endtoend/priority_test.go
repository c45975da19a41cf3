//go:build unix

package endtoend

import (
	"os"
	"strconv"
	"syscall"
	"testing"
)

// goFirst has this process, and the servers that it starts from now on, go before whatever else the machine does, where
// that is allowed. Else a machine that is busy makes any question long now and then, with nothing provoked.
func goFirst(t *testing.T) {
	renice(t, -10)
	t.Cleanup(func() { renice(t, 0) })
}

// renice sets the priority of every thread, as Linux wants it; new threads and processes have that of their maker. Where
// sessions share the processors evenly, it is the session's priority that counts.
func renice(t *testing.T, priority int) {
	_ = os.WriteFile("/proc/self/autogroup", []byte(strconv.Itoa(priority)), 0)
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Logf("the tests run with the usual priority: %v", err)
		return
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err == nil {
			err = syscall.Setpriority(syscall.PRIO_PROCESS, id, priority)
		}
		if err != nil && err != syscall.ESRCH {
			t.Logf("the tests run with the usual priority: %v", err)
			return
		}
	}
}
