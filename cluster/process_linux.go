package main

import "syscall"

// ofThisProcess are the attributes of a process that is killed when the thread ends that started it, and that hears of
// Ctrl-C from here alone.
func ofThisProcess() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
