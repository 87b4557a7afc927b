//go:build unix

// Package cputime tells the CPU time of this process.
package cputime

import "syscall"

// Seconds returns the user and system time that this process has used.
func Seconds() float64 { return used(syscall.RUSAGE_SELF) }

// OfChildren returns the user and system time of the processes that this one has started and waited for.
func OfChildren() float64 { return used(syscall.RUSAGE_CHILDREN) }

func used(who int) float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(who, &use); err != nil {
		return 0
	}
	return float64(use.Utime.Nano()+use.Stime.Nano()) / 1e9
}
