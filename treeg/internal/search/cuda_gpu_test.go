//go:build gpu

package search

import _ "github.com/grove-graph/grove/cuda" // so that the tests run on a GPU where GROVE_TEST_DEVICE asks for it
