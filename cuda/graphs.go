//go:build gpu

package cuda

import "slices"

// The environment variable GROVE_CUDA_GRAPHS=off makes the engine launch every kernel by itself.
const graphsVariable = "GROVE_CUDA_GRAPHS"

// graphs are those of the sequences of kernels that were recorded last, on the context's thread. Steps of a training
// have equal sequences, with other addresses and numbers: the nodes that differ are changed, and one call launches all.
type graphs struct {
	off  bool     // by the environment, or because the driver has none
	kept []*chain // the one used last comes last
}

// maxGraphs bounds the sequences that are remembered.
const maxGraphs = 16

// link is what entries of a sequence have in common.
type link struct {
	kind   kind
	kernel int
}

// launch launches a submission as a graph, all but the downloads at its end, and returns how many entries that are:
// none if it was not recorded, if a call that no graph can hold stands between, if its sequence comes for the first
// time, or if the driver has no graphs.
func (r *graphs) launch(e *Engine, whole *submission) (int, error) {
	n := len(whole.entries)
	for n > 0 && whole.entries[n-1].kind == downloading {
		n--
	}
	if r.off || !whole.recorded || n < 2 {
		return 0, nil
	}
	for i := range n {
		if n := &whole.entries[i]; n.kind == downloading || n.kind == calling {
			return 0, nil
		}
	}
	s := &submission{entries: whole.entries[:n], words: whole.words}
	g := r.find(s)
	if g == nil {
		return 0, r.add(s)
	}
	if g.of == nil {
		if err := g.build(e, s); err != nil {
			// The driver is too old, or has no memory for it: what is wrong with a kernel comes out when it is
			// launched.
			r.off = true
			return 0, g.destroy()
		}
	} else if err := g.update(e, s); err != nil {
		return 0, r.forget(g)
	}
	for i := range s.entries {
		if n := &s.entries[i]; n.kind == launching {
			e.recent.add(n.kernel)
		}
	}
	e.performed.submissions++
	e.performed.nodes += int64(len(s.entries))
	return n, g.launch(e.compute.stream)
}

// find returns the graph of the sequence of a submission, or nil where that has not come before.
func (r *graphs) find(s *submission) *chain {
	for i := len(r.kept) - 1; i >= 0; i-- {
		g := r.kept[i]
		if slices.EqualFunc(g.links, s.entries, func(l link, n entry) bool { return l == link{n.kind, n.kernel} }) {
			r.kept = append(slices.Delete(r.kept, i, i+1), g)
			return g
		}
	}
	return nil
}

// add remembers the sequence of a submission. One that never comes again is not worth a graph.
func (r *graphs) add(s *submission) error {
	g := &chain{links: make([]link, len(s.entries))}
	for i, n := range s.entries {
		g.links[i] = link{n.kind, n.kernel}
	}
	r.kept = append(r.kept, g)
	if len(r.kept) <= maxGraphs {
		return nil
	}
	return r.forget(r.kept[0])
}

func (r *graphs) forget(g *chain) error {
	r.kept = slices.DeleteFunc(r.kept, func(other *chain) bool { return other == g })
	return g.destroy()
}

// update changes the nodes whose entries differ.
func (g *chain) update(e *Engine, s *submission) error {
	for i := range s.entries {
		n, was := &s.entries[i], &g.entries[i]
		if n.grid == was.grid && n.to == was.to && n.from == was.from && n.bytes == was.bytes && n.value == was.value &&
			slices.Equal(s.arguments(n), g.words[was.first:was.first+was.count]) {
			continue
		}
		e.performed.updates++
		if err := g.set(e, s, i, nil); err != nil {
			return err
		}
	}
	g.keep(s)
	return nil
}

// keep remembers what the nodes are.
func (g *chain) keep(s *submission) {
	g.entries, g.words = append(g.entries[:0], s.entries...), append(g.words[:0], s.words...)
}

// close destroys all graphs.
func (r *graphs) close() error {
	var first error
	for _, g := range r.kept {
		if err := g.destroy(); first == nil {
			first = err
		}
	}
	r.kept = nil
	return first
}
