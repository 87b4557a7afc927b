//go:build !gpu

package main

import "fmt"

// withoutGPUs is what a program without the GPU engine says of GPUs.
type withoutGPUs struct {
	Problem string `json:"problem"`
}

func (w withoutGPUs) String() string { return fmt.Sprintf("%-18s %s\n", "cuda", w.Problem) }

// gpus describes the GPUs of this machine, which this program does not look for.
func gpus() fmt.Stringer {
	return withoutGPUs{"not built in; make gpu builds a program that finds GPUs"}
}
