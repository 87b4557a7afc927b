package dataset

import (
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/split"
)

// FitStoredEncoding learns the encoding that [FitEncoding] learns from the graphs, some of them at a time: the scale of
// attributes from those in train, ascending, or from all of them where it is nil.
func FitStoredEncoding(s Store, features Features, train []int) (*Encoding, error) {
	head := s.Head().empty()
	e, err := FitEncoding(head, features, nil)
	if err != nil {
		return nil, err
	}
	switch {
	case e.Features.standardised():
		e.Standardisation, err = fitStandardisation(head.Batch.AttributeDim, func(visit func(*graph.Batch)) error {
			return s.EachOf(train, func(d *Dataset) error {
				visit(d.Batch)
				return nil
			})
		})
		e.Standardisation.Norms = features == StandardisedAttributes
	case e.Features == DegreeFeatures:
		var degrees []int64
		err = s.Each(func(d *Dataset) error {
			for v := range d.Batch.NumVertices() {
				degrees = append(degrees, int64(d.Batch.Degree(int32(v))))
			}
			slices.Sort(degrees)
			degrees = slices.Compact(degrees)
			return nil
		})
		e.Labels = codeNames(degrees)
	}
	return e, err
}

// RenumberStored is [Encoding.Renumber] for the graphs of a store, all of them or those in train, read some at a time:
// unless labels are equally frequent, which it takes all graphs together to order.
func (e *Encoding) RenumberStored(s Store, train []int) error {
	vertex, arc := labelCounts{}, labelCounts{}
	if err := s.EachOf(train, func(d *Dataset) error {
		b := *d.Batch
		labels, arcLabels := e.numbered(&b)
		vertex.add(b.Labels, labels)
		arc.add(b.ArcLabels, arcLabels)
		return nil
	}); err != nil {
		return err
	}
	if !vertex.tied() && !arc.tied() {
		e.order(vertex.order(), arc.order())
		return nil
	}
	if train == nil {
		train = split.All(s.NumGraphs())
	}
	d, err := s.Select(train)
	if err == nil {
		e.Renumber(d, nil)
	}
	return err
}

// labelCounts says how often each label occurs.
type labelCounts struct{ count []int }

func (c *labelCounts) add(of []int32, labels int) {
	if c.count == nil {
		c.count = make([]int, labels)
	}
	for _, l := range of {
		c.count[l]++
	}
}

// tied reports whether labels that occur are equally frequent.
func (c *labelCounts) tied() bool {
	seen := map[int]bool{}
	for _, n := range c.count {
		if n > 0 && seen[n] {
			return true
		}
		seen[n] = true
	}
	return false
}

// order returns the labels, the most frequent first.
func (c *labelCounts) order() []int32 {
	order := make([]int32, len(c.count))
	for l := range order {
		order[l] = int32(l)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return c.count[b] - c.count[a] })
	return order
}
