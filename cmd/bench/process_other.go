//go:build !unix

package main

// cpuSeconds returns 0: the CPU time of the process is not known on this system.
func cpuSeconds() float64 { return 0 }

// childSeconds returns 0 likewise.
func childSeconds() float64 { return 0 }
