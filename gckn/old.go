package gckn

import "github.com/grove-graph/grove/model"

// Progress is [model.Progress].
type Progress = model.Progress
