package cgmm

import (
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"gorgonia.org/tensor"
)

// fullSums takes the sums with the posterior of every row: a product of contexts and Theta, Bayes' rule, and
// a product of the transposed contexts with the likelihoods over the evidence. It is for observations that
// are nearly all different, such as real attributes, and for evidence that needs logarithms.
type fullSums struct {
	prior, posterior *matrix // rows x C
	evidence         *matrix // rows x 1
	joint            *matrix

	transposed *engine.Sparse // columns x observations: an entry for each of the contexts
	rowOf      []int32        // of its entries
	share      []float64      // their values in the contexts
	byShown    *engine.Sparse // observations x rows, with the weights

	counts *matrix // observations x C
}

func newFullSums(e engine.Engine, s *em) *fullSums {
	rows := len(s.weight)
	t := s.c.x.Transpose()
	f := &fullSums{
		prior: newMatrix(e, rows, s.states), posterior: newMatrix(e, rows, s.states), evidence: newMatrix(e, rows, 1),
		joint: newMatrix(e, s.c.x.Cols, s.states), counts: newMatrix(e, s.o.count, s.states),
		transposed: &engine.Sparse{RowPtr: t.RowPtr, Col: make([]int32, len(t.Col)), Values: make([]float64, len(t.Col))},
		rowOf:      t.Col, share: t.Values,
	}
	byRow := &engine.Sparse{Cols: s.o.count, RowPtr: make([]int32, rows+1), Col: s.c.observation, Values: s.weight}
	for r := range rows {
		byRow.RowPtr[r+1] = int32(r + 1)
	}
	f.byShown = cached(byRow.Transpose())
	return f
}

func (f *fullSums) release(e engine.Engine) {
	release(e, f.prior, f.posterior, f.evidence, f.joint, f.counts)
}

// expect is [em.expect].
func (f *fullSums) expect(s *em, y *layer) (float64, error) {
	e := s.engine
	if err := e.SparseMatMul(f.prior.t, s.c.x, s.theta.t); err != nil {
		return 0, err
	}
	shown, likelihood, value, err := f.bayes(s, y)
	if err != nil {
		return 0, err
	}
	for at, r := range f.rowOf {
		f.transposed.Col[at] = shown[r]
		f.transposed.Values[at] = 0
		if w := s.weight[r]; w > 0 && f.evidence.host[r] > 0 {
			f.transposed.Values[at] = w / f.evidence.host[r]
			if f.share != nil {
				f.transposed.Values[at] *= f.share[at]
			}
		}
	}
	f.transposed.Cols = likelihood.Shape()[0]
	if err := e.SparseMatMul(f.joint.t, f.transposed, likelihood); err != nil {
		return 0, err
	}
	if err := e.SparseMatMul(f.counts.t, f.byShown, f.posterior.t); err != nil {
		return 0, err
	}
	if err := f.joint.pull(); err != nil {
		return 0, err
	}
	if err := f.counts.pull(); err != nil {
		return 0, err
	}
	simd.Mul(s.joint, f.joint.host, s.theta.host)
	copy(s.expected, f.counts.host)
	return value, nil
}

// bayes computes the posterior of every row from its prior. Rows whose evidence underflows are worked out
// with logarithms: each gets a likelihood of its own, posterior over prior, with evidence 1. shown is the row
// of the likelihood that belongs to every row.
func (f *fullSums) bayes(s *em, y *layer) (shown []int32, likelihood *tensor.Dense, value float64, err error) {
	rows := len(s.weight)
	evidence := f.evidence.as(rows)
	if err := s.engine.Posterior(f.posterior.t, evidence, f.prior.t, s.likelihood.t, s.c.observation); err != nil {
		return nil, nil, 0, err
	}
	if err := f.evidence.pull(); err != nil {
		return nil, nil, 0, err
	}
	var lost []int
	for r, w := range s.weight {
		if w > 0 && f.evidence.host[r] < tiny {
			lost = append(lost, r)
		}
	}
	if lost == nil {
		return s.c.observation, s.likelihood.t, s.logLikelihood(f.evidence.host), nil
	}
	if err := f.prior.pull(); err != nil {
		return nil, nil, 0, err
	}
	if err := f.posterior.pull(); err != nil {
		return nil, nil, 0, err
	}
	states := s.states
	more := newMatrix(s.engine, s.o.count+len(lost), states)
	copy(more.host, s.likelihood.host)
	shown = append([]int32(nil), s.c.observation...)
	value = 0
	for i, r := range lost {
		prior, posterior := f.prior.host[r*states:(r+1)*states], f.posterior.host[r*states:(r+1)*states]
		value += s.weight[r] * y.emission.bayes(s.o, int(shown[r]), prior, posterior)
		own := more.host[(s.o.count+i)*states : (s.o.count+i+1)*states]
		for i, p := range posterior {
			if p > 0 {
				own[i] = p / prior[i]
			}
		}
		shown[r] = int32(s.o.count + i)
		f.evidence.host[r] = 1
	}
	for r, w := range s.weight {
		if w > 0 && int(shown[r]) < s.o.count {
			value += w * (math.Log(f.evidence.host[r]) + s.shift[shown[r]])
		}
	}
	if err := f.posterior.push(); err != nil {
		return nil, nil, 0, err
	}
	return shown, more.t, value, more.push()
}
