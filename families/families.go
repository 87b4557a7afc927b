// Package families registers every family of models, so that package model knows them by name and reads their files:
//
//	import _ "github.com/grove-graph/grove/families"
package families

import (
	_ "github.com/grove-graph/grove/baseline"
	_ "github.com/grove-graph/grove/cgmm"
	_ "github.com/grove-graph/grove/gckn"
	_ "github.com/grove-graph/grove/gnn"
	_ "github.com/grove-graph/grove/mpgk"
	_ "github.com/grove-graph/grove/treeg"
	_ "github.com/grove-graph/grove/vote"
	_ "github.com/grove-graph/grove/wl"
)
