//go:build !linux

package main

import "syscall"

// ofThisProcess are the attributes of a process that this one starts. It goes on where this one is killed, which costs
// the time of a part and changes nothing.
func ofThisProcess() *syscall.SysProcAttr { return nil }
