//go:build gpu

package main

import _ "github.com/grove-graph/grove/cuda" // so that the suite runs on the GPU as well
