package walks

// Kind is a family of dynamic features that differ in feature, aggregation and threshold only.
type Kind struct {
	Length, Op int
	Walk       Walk
	Up         bool // of the two subsets of a cut, the one above
}

// Side returns the number of the subset of a cut, 0 for the one below.
func (k *Kind) Side() int {
	if k.Up {
		return 1
	}
	return 0
}

// HasCycles reports whether closed walks of a length exist that no earlier matrix has.
func (d *Data) HasCycles(op, length int) bool {
	return d.Demand.Cycles && d.cyclic[op][length-1] && !(d.reverseOf(op) >= 0 && d.reverseOf(op) < op)
}

// Placed are some examples with the graphs that they are of or in.
type Placed struct {
	Examples []int32 // ascending: graphs, or vertices
	Graphs   []int32 // of the examples, ascending
	Starts   []int32 // at vertex level: the examples of graphs[i] are examples[starts[i]:starts[i+1]]
}

// Place fills graphs and starts in.
func (p *Placed) Place(d *Data) {
	if d.Input.Level == Graphs {
		p.Graphs = p.Examples
		return
	}
	p.Graphs, p.Starts = p.Graphs[:0], p.Starts[:0]
	for i, v := range p.Examples {
		if g := d.GraphOf[v]; i == 0 || g != p.Graphs[len(p.Graphs)-1] {
			p.Graphs = append(p.Graphs, g)
			p.Starts = append(p.Starts, int32(i))
		}
	}
	p.Starts = append(p.Starts, int32(len(p.Examples)))
}
