//go:build unix

package main

import "syscall"

// cpuSeconds returns the user and system time that this process has used.
func cpuSeconds() float64 { return used(syscall.RUSAGE_SELF) }

// childSeconds returns the user and system time of the processes that this one has started and waited for.
func childSeconds() float64 { return used(syscall.RUSAGE_CHILDREN) }

func used(who int) float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(who, &use); err != nil {
		return 0
	}
	return float64(use.Utime.Nano()+use.Stime.Nano()) / 1e9
}
