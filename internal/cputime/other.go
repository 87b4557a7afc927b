//go:build !unix

// Package cputime tells the CPU time of this process.
package cputime

// Seconds returns 0: the CPU time of the process is not known on this system.
func Seconds() float64 { return 0 }

// OfChildren returns 0 likewise.
func OfChildren() float64 { return 0 }
