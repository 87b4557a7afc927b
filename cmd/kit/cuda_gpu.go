//go:build gpu

package main

import _ "github.com/grove-graph/grove/cuda" // makes the device "cuda" known
