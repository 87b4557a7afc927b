package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"

	"github.com/grove-graph/grove/memory"
)

// arenas tells C to take memory from one place, not from one for each thread, which would reserve 64 MB each.
const arenas = "MALLOC_ARENA_MAX"

// guard runs the command line in a child process and returns its exit status, where the memory of a process is
// limited and GOTRACEBACK does not ask for what the runtime writes.
func guard(args []string) (status int, done bool) {
	if os.Getenv(guarded) != "" || os.Getenv("GOTRACEBACK") != "" || !memory.Limited() {
		return 0, false
	}
	self, err := os.Executable()
	if err != nil {
		return 0, false
	}
	if os.Getenv(arenas) == "" { // from the start, for the guard needs threads too
		_ = syscall.Exec(self, os.Args, append(os.Environ(), arenas+"=1"))
	}
	var dump firstBytes
	c := exec.Command(self, args...)
	c.Args[0] = os.Args[0]
	c.Stdin, c.Stdout, c.Stderr, c.ExtraFiles = os.Stdin, os.Stdout, &dump, []*os.File{os.Stderr}
	c.Env = append(os.Environ(), guarded+"="+strconv.Itoa(os.Getpid()), "GOTRACEBACK=none")
	// A terminal sends Ctrl-C to a whole group: in one of its own the child gets it once, from here.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	signals := make(chan os.Signal, 8)
	notify(signals)
	runtime.LockOSThread() // the child is killed when the thread ends that has started it
	if c.Start() != nil {
		return 0, false
	}
	go func() {
		for s := range signals {
			_ = c.Process.Signal(s)
		}
	}()
	_ = c.Wait() // says no more than the state
	return account(c.ProcessState, dump.String()), true
}

// account says how the child ended, where it could not say so itself, and returns the exit status.
func account(ended *os.ProcessState, dump string) int {
	how := ended.Sys().(syscall.WaitStatus)
	said := epitaph(dump)
	switch {
	case said != "" && (how.Signaled() || how.ExitStatus() == 2):
		fmt.Fprintln(os.Stderr, "grove: "+said)
		return exitFailure
	case how.Signaled():
		if how.Signal() != syscall.SIGPIPE {
			fmt.Fprintln(os.Stderr, "grove: ended by a signal: "+how.Signal().String())
		}
		return 128 + int(how.Signal())
	}
	fmt.Fprint(os.Stderr, dump)
	return how.ExitStatus()
}

// guardedError returns where the messages of a guarded child go, and makes it ready to be one.
func guardedError() *os.File {
	file := os.NewFile(guardedFD, os.Stderr.Name())
	if _, err := file.Stat(); err != nil || os.Getenv(guarded) != strconv.Itoa(os.Getppid()) {
		return os.Stderr // no child: the variable is set by chance
	}
	os.Unsetenv("GOTRACEBACK") // the runtime has read it
	signal.Ignore(syscall.SIGTTOU)
	memory.Heed()
	return file
}
