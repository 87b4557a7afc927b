package eigen

import "sync"

// workspace is memory that a computation takes and nothing outlives: a network in training decomposes small matrices
// by the thousand.
type workspace struct {
	x    []float64
	used int
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// borrow returns a workspace of n numbers.
func borrow(n int) *workspace {
	w := workspaces.Get().(*workspace)
	if len(w.x) < n {
		w.x = make([]float64, n)
	}
	w.used = 0
	return w
}

// take returns n numbers of any value.
func (w *workspace) take(n int) []float64 {
	w.used += n
	return w.x[w.used-n : w.used : w.used]
}

func (w *workspace) release() { workspaces.Put(w) }
