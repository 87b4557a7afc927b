package walks

// LaneColumns holds the columns of a block of features on the examples of a node.
type LaneColumns struct {
	Values [Lanes][]float64
	Useful [Lanes]bool // some values are not 0
}

// Size makes space for the examples of a node.
func (c *LaneColumns) Size(n int) {
	for lane := range c.Values {
		if cap(c.Values[lane]) < n {
			c.Values[lane] = make([]float64, n)
		}
		c.Values[lane] = c.Values[lane][:n]
	}
}

// FillWhole writes features along walks from all vertices, or closed walks, at the examples of a node. With a cut,
// examples that are not on the wanted side of it get 0.
// sees tells the features that are wanted where they are filled in one by one.
func (l *LaneColumns) FillWhole(
	s *DenseWalks, p *Placed, block int, k Kind, c *Cut, want uint8, sees func(feature, length int) bool,
) {
	d := s.d
	if k.Length == 0 && !d.missingIn(block) {
		d.fillScaled(&l.Values, block, nil, p.Examples, c, want, &l.Useful)
		return
	}
	if k.Length > 0 && k.Walk == Cycle && !d.Weighted() && !d.missingIn(block) {
		d.fillScaled(&l.Values, block, d.diagonal[k.Op][k.Length-1], p.Examples, c, want, &l.Useful)
		return
	}
	for lane := range l.Values {
		l.Useful[lane] = false
		if feature := block*Lanes + lane; feature < len(d.features) && sees(feature, k.Length) {
			l.Useful[lane] = s.Entries(l.Values[lane], p, feature, k, c, want)
		}
	}
}

// missingIn reports whether values of a block are missing.
func (d *Data) missingIn(block int) bool {
	for _, k := range d.features[block*Lanes : min((block+1)*Lanes, len(d.features))] {
		if k.missing {
			return true
		}
	}
	return false
}
