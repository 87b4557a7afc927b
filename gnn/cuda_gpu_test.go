//go:build gpu

package gnn

import _ "github.com/grove-graph/grove/cuda" // so that the tests run on a GPU where GROVE_TEST_DEVICE asks for it
