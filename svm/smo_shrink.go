package svm

// whole reports whether no variable is left out, so that f holds for all.
func (s *smo) whole() bool { return s.active == len(s.b) }

// shrink leaves out variables at a bound that seem to stay there: those whose f lies beyond that of
// everything that could be exchanged with them.
func (s *smo) shrink() {
	for t := 0; t < s.active; t++ {
		if !s.stays(t) {
			continue
		}
		for s.active--; s.active > t && s.stays(s.active); s.active-- {
		}
		s.swap(t, s.active)
	}
	s.look()
}

// stays reports whether variable t is at a bound and belongs there.
func (s *smo) stays(t int) bool {
	switch {
	case !s.up[t]:
		return s.f[t] < s.lowest
	case s.down[t] == 0:
		return s.f[t] > s.highest
	}
	return false
}

// restore computes f for what was left out and takes it in again.
func (s *smo) restore() error {
	if !s.whole() {
		copy(s.f[s.active:], s.p[s.active:])
		row := s.ki[s.active:]
		for t, b := range s.b {
			if b == 0 {
				continue
			}
			if err := s.kernel.Row(s.item[t], s.item[s.active:], row); err != nil {
				return err
			}
			for u, k := range row {
				s.f[s.active+u] += b * k
			}
		}
	}
	s.active = len(s.b)
	s.look()
	return nil
}

// swap exchanges two variables.
func (s *smo) swap(t, u int) {
	s.item[t], s.item[u] = s.item[u], s.item[t]
	s.p[t], s.p[u] = s.p[u], s.p[t]
	s.low[t], s.low[u] = s.low[u], s.low[t]
	s.high[t], s.high[u] = s.high[u], s.high[t]
	s.id[t], s.id[u] = s.id[u], s.id[t]
	s.b[t], s.b[u] = s.b[u], s.b[t]
	s.f[t], s.f[u] = s.f[u], s.f[t]
	s.diag[t], s.diag[u] = s.diag[u], s.diag[t]
	s.up[t], s.up[u] = s.up[u], s.up[t]
	s.down[t], s.down[u] = s.down[u], s.down[t]
}
