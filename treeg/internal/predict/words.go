package predict

import (
	"math/bits"
	"slices"

	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Prediction of small graphs whose features are one-hot. A set of vertices of such a graph is a word, and its features
// along walks are counts. All sums are exact, so the values are those of the lists that other graphs use. Some graphs
// go through a tree together, so that a split is looked at once for all of them, and what it looks at lies together.

// together are the graphs that go through trees together: a word has a bit for each.
const together = 64

// wordGraphs are small graphs on their way through trees.
type wordGraphs struct {
	d       *walks.Data
	graphs  [together]wordGraph
	ones    [][together]uint64 // by feature: the vertices that have it
	fixed   [][together]int32  // by place: 1 + where in words the counts begin that depend on no subset, 0 where unknown
	words   []uint64           // of the graphs and the fixed counts
	buffers [2][mostDigits]uint64
}

// wordGraph is a small graph.
type wordGraph struct {
	n      int
	full   uint64
	in     []uint64 // operator*n + vertex: where steps come from
	out    []uint64 // and lead to
	digits []uint8  // see Data.index: of numbers of walks of that length
}

func newWordGraphs(d *walks.Data) *wordGraphs {
	p := &wordGraphs{d: d}
	features, walks := d.Input.Features(), len(d.Input.Arcs)*d.Length
	p.ones = make([][together]uint64, features)
	p.fixed = make([][together]int32, walks*(features+fromFeature))
	digits := make([]uint8, together*walks)
	for i := range p.graphs {
		p.graphs[i].digits = digits[i*walks : (i+1)*walks]
	}
	return p
}

// take returns n zero words, which hold until other graphs are entered.
func (p *wordGraphs) take(n int) []uint64 {
	from := len(p.words)
	p.words = slices.Grow(p.words, n)[:from+n]
	words := p.words[from : from+n : from+n]
	clear(words)
	return words
}

// reset forgets all graphs.
func (p *wordGraphs) reset() {
	p.words = p.words[:0]
	clear(p.fixed)
	clear(p.ones)
}

// enter makes graph g of the batch ready as number at.
func (p *wordGraphs) enter(at int, g int32) {
	d, b := p.d, &p.graphs[at]
	first, last := d.Batch.Vertices(int(g))
	n := int(last - first)
	b.n, b.full = n, 1<<n-1
	p.enterOnes(at, first, last)
	b.out = p.take(len(d.Input.Arcs) * n)
	b.in = b.out
	if !walks.Symmetric(d.Batch) {
		b.in = p.take(len(d.Input.Arcs) * n)
	}
	for o, op := range d.Operators {
		most := op.Out.Words(b.out[o*n:(o+1)*n], first)
		if !walks.Symmetric(d.Batch) {
			most = max(most, op.In.Words(b.in[o*n:(o+1)*n], first))
		}
		walks := uint64(1)
		for i := range d.Length {
			walks *= uint64(most)
			b.digits[d.Index(o, i+1)] = uint8(bits.Len64(walks))
		}
	}
}

// enterOnes fills in the features of a graph.
func (p *wordGraphs) enterOnes(at int, first, last int32) {
	in := &p.d.Input
	if in.Labels > 0 {
		for v, label := range p.d.Batch.Labels[first:last] {
			if int(label) < in.Labels {
				p.ones[label][at] |= 1 << v
			}
		}
	}
	if in.Constant {
		p.ones[len(p.ones)-1][at] = p.graphs[at].full
	}
}

// of returns the words of an operator.
func (b *wordGraph) of(words []uint64, op int) []uint64 { return words[op*b.n : (op+1)*b.n] }

// Counts that depend on no subset are those of walks from all vertices with a feature, and of two kinds more.
const (
	startWalks  = iota // that start in a vertex
	closedWalks        // that start and end in a vertex
	fromFeature        // and those of features from here on
)

// counts returns counts that depend on no subset.
func (p *wordGraphs) counts(at, op, length, what int) counts {
	b := &p.graphs[at]
	walk := p.d.Index(op, length)
	digits := int(b.digits[walk])
	place := &p.fixed[walk*(len(p.ones)+fromFeature)+what][at]
	if *place > 0 {
		return p.words[*place-1:][:digits]
	}
	var c counts
	switch what {
	case closedWalks:
		c = p.take(digits)
		p.close(c, b, op, length)
	case startWalks:
		c = p.longer(at, op, length, what, b.full, b.of(b.in, op))
	default:
		c = p.longer(at, op, length, what, p.ones[what-fromFeature][at], b.of(b.out, op))
	}
	*place = int32(len(p.words)-digits) + 1
	return c
}

// longer makes the last step of walks from some vertices.
func (p *wordGraphs) longer(at, op, length, what int, from uint64, to []uint64) counts {
	last := counts{from}
	if length > 1 {
		last = p.counts(at, op, length-1, what)
	}
	c := counts(p.take(int(p.graphs[at].digits[p.d.Index(op, length)])))
	c.step(last, to)
	return c
}

// close counts closed walks.
func (p *wordGraphs) close(c counts, b *wordGraph, op, length int) {
	in, out := b.of(b.in, op), b.of(b.out, op)
	for v := range b.n {
		switch length {
		case 1:
			c.set(v, int(out[v]>>v&1))
		case 2:
			c.set(v, bits.OnesCount64(out[v]&in[v]))
		default:
			c.set(v, p.walk(b, op, length, 1<<v).total(1<<v))
		}
	}
}

// walk counts the walks from some vertices. The counts hold until the next ones.
func (p *wordGraphs) walk(b *wordGraph, op, length int, from uint64) counts {
	c := counts(p.buffers[0][:1])
	c[0] = from
	for l := range length {
		longer := counts(p.buffers[(l+1)%2][:b.digits[p.d.Index(op, l+1)]])
		clear(longer)
		longer.step(c, b.of(b.out, op))
		c = longer
	}
	return c
}

// vector returns the numbers of a split at the vertices of a subset, and for source walks at all vertices.
func (p *wordGraphs) vector(at int, r *walks.Rule, subset uint64) counts {
	b := &p.graphs[at]
	from := p.ones[r.Feature][at] & subset
	switch {
	case r.Length == 0:
		return p.walk(b, 0, 0, from)
	case r.Walk == walks.Cycle:
		all := p.counts(at, r.Op, r.Length, closedWalks)
		c := counts(p.buffers[0][:len(all)])
		for j, digit := range all {
			c[j] = digit & from
		}
		return c
	case r.Walk == walks.Target || subset == b.full:
		return p.counts(at, r.Op, r.Length, fromFeature+r.Feature)
	}
	return p.walk(b, r.Op, r.Length, from)
}

// sum adds up the numbers of a split.
func (p *wordGraphs) sum(at int, r *walks.Rule, subset uint64) int {
	b := &p.graphs[at]
	from := p.ones[r.Feature][at] & subset
	switch {
	case r.Length == 0:
		return bits.OnesCount64(from)
	case r.Walk == walks.Source:
		return p.counts(at, r.Op, r.Length, startWalks).total(from)
	case r.Walk == walks.Cycle:
		return p.counts(at, r.Op, r.Length, closedWalks).total(from)
	case r.Walk == walks.Target:
		return p.counts(at, r.Op, r.Length, fromFeature+r.Feature).total(subset)
	case r.Length == 1:
		sum, out := 0, b.of(b.out, r.Op)
		for ; from != 0; from &= from - 1 {
			sum += bits.OnesCount64(out[bits.TrailingZeros64(from)] & subset)
		}
		return sum
	case r.Length == 2: // walks meet in the middle
		sum, in, out := 0, b.of(b.in, r.Op), b.of(b.out, r.Op)
		for v := range in {
			sum += bits.OnesCount64(in[v]&from) * bits.OnesCount64(out[v]&subset)
		}
		return sum
	}
	return p.walk(b, r.Op, r.Length, from).total(subset)
}

// value is the value of a split that uses a subset.
func (p *wordGraphs) value(at int, r *walks.Rule, subset uint64, empty walks.Empty) float64 {
	if subset == 0 {
		return empty.Value(r.Walk)
	}
	entries := subset
	if r.Walk == walks.Source {
		entries = p.graphs[at].full
	}
	switch r.Aggregation {
	case walks.Min:
		return float64(p.vector(at, r, subset).least(entries))
	case walks.Max:
		return float64(p.vector(at, r, subset).most(entries))
	case walks.Mean:
		return float64(p.sum(at, r, subset)) / float64(bits.OnesCount64(entries))
	}
	return float64(p.sum(at, r, subset))
}

// above returns the vertices of a subset that a split cuts off above its threshold.
func (p *wordGraphs) above(at int, r *walks.Rule, subset uint64) uint64 {
	if subset == 0 {
		return 0
	}
	return p.vector(at, r, subset).above(r.VertexThreshold(bits.OnesCount64(subset)), subset)
}
