package svm

import "github.com/grove-graph/grove/engine/simd"

// tuning holds the constants that choose between the two factorisations, and between memory and time. The rates were
// measured on one core with AVX-512; only their ratio matters, and results depend on them within rounding.
type tuning struct {
	flops    float64 // operations per second in matrix products
	bytes    float64 // bytes per second in passes over rows
	reuse    float64 // times that the matrix X X' is expected to serve
	features float64 // price of a factorisation over features
	rows     float64 // price of one over rows
	held     int     // bytes for rows that are held in standardised columns; more are standardised in every pass
}

var defaultTuning = tuning{flops: 6e10, bytes: 1.5e10, reuse: 20, features: 1, rows: 1, held: 1 << 28}

// kernelRatio is the number of rows, in units of the order p, up to which X X' may be stored.
const kernelRatio = 4

// system solves Newton's equation, H step = -gradient, by factorisation, and keeps the factor for as
// long as C stays the same and the active rows change little.
type system struct {
	passes   *passes
	tuning   tuning
	features *featureFactor
	rows     *rowFactor

	factor  factorisation // the one in use; nil before the first
	c       float64       // of the factor
	renewed []bool        // active rows when it was made
	within  []bool        // and those it has been adapted to
	active  []int         // active rows of the current point
	enter   []int         // rows that were not active when the factor was made
	leave   []int         // rows that were

	residual, direction, image, scaled []float64 // of the conjugate gradients
}

func newSystem(p *passes, t tuning) *system {
	return &system{passes: p, tuning: t, renewed: make([]bool, p.space.n), within: make([]bool, p.space.n)}
}

// solve writes the Newton step at a point for C = c. Where rounding spoiled the factor it serves as
// preconditioner, and the error, in the norm of H, is a fraction of the step or of goal, whichever
// is larger.
func (s *system) solve(at *point, c float64, step []float64, goal float64) {
	s.active = s.active[:0]
	for i, a := range at.active {
		if a {
			s.active = append(s.active, i)
		}
	}
	if s.factor == nil || s.c != c || (differences(at.active, s.within) > 0 && !s.adapt(at)) {
		s.renew(at, c)
	}
	copy(s.within, at.active)
	s.apply(at, step, goal)
	if simd.Dot(at.gradient, step) > 0 && differences(s.within, s.renewed) > 0 {
		s.renew(at, c) // rounding in the border: not a direction of descent
		s.apply(at, step, goal)
	}
}

// renew factorises at a point.
func (s *system) renew(at *point, c float64) {
	s.factor = s.cheaper(at)
	s.factor.renew(c, at.active, s.active)
	s.c = c
	copy(s.renewed, at.active)
}

// apply writes the step that the factor gives.
func (s *system) apply(at *point, step []float64, goal float64) {
	if s.factor.raised() {
		s.conjugate(at, step, goal)
		return
	}
	copy(step, at.gradient)
	simd.Scale(-1, step)
	s.factor.solve(step)
}

// adapt moves the factor to the active rows of a point, where they differ little from those that it
// was made for.
func (s *system) adapt(at *point) bool {
	s.enter, s.leave = s.enter[:0], s.leave[:0]
	for i, a := range at.active {
		switch {
		case a && !s.renewed[i]:
			s.enter = append(s.enter, i)
		case !a && s.renewed[i]:
			s.leave = append(s.leave, i)
		}
	}
	return s.factor.adapt(s.enter, s.leave)
}

// cheaper returns the factorisation that takes less time at a point.
func (s *system) cheaper(at *point) factorisation {
	byFeatures, byRows := s.costs(at)
	if byFeatures <= byRows {
		if s.features == nil {
			s.features = newFeatureFactor(s.passes.space)
		}
		return s.features
	}
	if s.rows == nil {
		s.rows = newRowFactor(s.passes)
	}
	return s.rows
}

// costs returns the seconds that the two factorisations take.
func (s *system) costs(at *point) (byFeatures, byRows float64) {
	space := s.passes.space
	order, n, actives := float64(space.p), float64(space.n), float64(len(s.active))
	changes := actives
	if s.features != nil {
		changes = min(actives, float64(differences(at.active, s.features.gram.in)))
	}
	byFeatures = order * order * ((changes+order/3)/s.tuning.flops + 16/s.tuning.bytes)
	byRows = actives*actives*(actives/3/s.tuning.flops+16/s.tuning.bytes) + 16*actives*order/s.tuning.bytes
	if space.kernel == nil {
		byRows += n * n * order / s.tuning.flops / s.tuning.reuse
		if space.n > kernelRatio*space.p {
			byRows = 2 * byFeatures
		}
	}
	return s.tuning.features * byFeatures, s.tuning.rows * byRows
}
