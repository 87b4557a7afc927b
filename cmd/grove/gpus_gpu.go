//go:build gpu

package main

import (
	"fmt"

	"github.com/grove-graph/grove/cuda"
)

// gpus describes the GPUs of this machine and the libraries that they need.
func gpus() fmt.Stringer { return cuda.Devices() }
