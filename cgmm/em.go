package cgmm

import (
	"context"
	"math"

	"github.com/grove-graph/grove/engine"
)

// tiny is the evidence below which a product may have lost its digits: such rows are worked out with
// logarithms.
const tiny = 1e-280

// em carries out expectation maximisation of layers that look at the same contexts.
type em struct {
	engine engine.Engine
	o      *observations
	c      *contexts
	states int
	weight []float64 // of every row; 0 without neighbours

	theta, likelihood *matrix // columns x C, observations x C
	shift             []float64
	joint, expected   []float64 // expected counts of (l, a, j, i), columns x C, and of (observation, i), observations x C

	merged *mergedSums // one of the two ways to take the sums over all rows; full also steps in for merged
	full   *fullSums
}

func newEM(e engine.Engine, o *observations, c *contexts, states int) *em {
	s := &em{
		engine: e, o: o, c: c, states: states, weight: make([]float64, len(c.weight)),
		theta: newMatrix(e, c.x.Cols, states), likelihood: newMatrix(e, o.count, states), shift: make([]float64, o.count),
		joint: make([]float64, c.x.Cols*states), expected: make([]float64, o.count*states),
	}
	for r, w := range c.weight {
		if !c.alone(r) {
			s.weight[r] = w
		}
	}
	if mergeable(c, o) {
		s.merged = newMergedSums(e, s)
	} else {
		s.full = newFullSums(e, s)
	}
	return s
}

func (s *em) release() {
	release(s.engine, s.theta, s.likelihood)
	if s.merged != nil {
		s.merged.release(s.engine)
	}
	if s.full != nil {
		s.full.release(s.engine)
	}
}

// expect sets the expected counts under the parameters of a layer (Eq. 3, with the factor n_uaj/N_ua that
// Eq. 2 requires) and returns the log-likelihood of all vertices with neighbours (Eq. 1).
func (s *em) expect(y *layer) (float64, error) {
	y.theta(s.theta.host)
	if err := s.theta.push(); err != nil {
		return 0, err
	}
	y.emission.likelihood(s.engine.Workers(), s.states, s.o, s.likelihood.host, s.shift)
	if err := s.likelihood.push(); err != nil {
		return 0, err
	}
	if s.merged != nil {
		value, ok, err := s.merged.expect(s)
		if ok || err != nil {
			return value, err
		}
	}
	if s.full == nil {
		s.full = newFullSums(s.engine, s)
	}
	return s.full.expect(s, y)
}

// maximise replaces the parameters by those of the expected counts.
func (s *em) maximise(y *layer, smoothing float64) {
	y.maximise(s.joint, smoothing)
	y.emission.maximise(s.states, s.o, s.expected, smoothing)
}

// fit runs expectation maximisation from the parameters of a layer and returns the log-likelihood before
// the first and after every iteration.
func (s *em) fit(ctx context.Context, y *layer, opt *Options) ([]float64, error) {
	var history []float64
	last := math.Inf(-1)
	for iteration := 0; ; iteration++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		value, err := s.expect(y)
		if err != nil {
			return nil, err
		}
		history = append(history, value)
		objective := value
		if opt.Smoothing > 0 {
			objective += opt.Smoothing * y.logarithms()
		}
		if iteration == opt.Iterations || iteration > 0 && objective-last <= opt.Tolerance*math.Abs(objective) {
			return history, nil
		}
		last = objective
		s.maximise(y, opt.Smoothing)
	}
}

// logLikelihood adds up the rows: evidence is of every row, natural logarithms of the factors that were
// left out of it are in shift.
func (s *em) logLikelihood(evidence []float64) float64 {
	total := 0.0
	for r, w := range s.weight {
		if w > 0 {
			total += w * (math.Log(evidence[r]) + s.shift[s.c.observation[r]])
		}
	}
	return total
}

// setMarginal sets the marginal of a layer to the mean posterior of the last expectation.
func (s *em) setMarginal(y *layer) {
	clear(y.marginal)
	for at, count := range s.expected {
		y.marginal[at%s.states] += count
	}
	normalise(y.marginal, 0)
}
