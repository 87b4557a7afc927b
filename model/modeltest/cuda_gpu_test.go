//go:build gpu

package modeltest_test

import _ "github.com/grove-graph/grove/cuda" // so that models are checked on a GPU too, a simulated one at least
