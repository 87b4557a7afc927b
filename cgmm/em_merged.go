package cgmm

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
)

// mergedSums takes the sums with the hidden state summed out first. The evidence of a row r with
// observation o is linear in its context x,
//
//	evidence_r = sum_c x_rc G_co,   G = Theta E'   (columns x observations),
//
// with Theta as in [layer.theta] and E_oi = P(y=o|Q=i), and the expected counts are
//
//	joint_ci = Theta_ci (Z E)_ci,   expected_oi = E_oi (Z' Theta)_oi
//
// with Z_co the sum of w_r x_rc / evidence_r over the rows r with observation o.
//
// So a row costs a multiplication for each neighbour whatever the number of states, and the rest are dense
// products whose size does not depend on the number of vertices. It is the same expectation maximisation.
type mergedSums struct {
	pairs, gathered *engine.Sparse // rows x (column, observation), and its transpose
	g, z            *matrix        // columns x observations
	evidence, ratio *matrix        // rows x 1
	joint, expected *matrix
}

// mostPairs bounds the entries of G.
const mostPairs = 1 << 22

// mergeable reports whether G is small enough to be worth it.
func mergeable(c *contexts, o *observations) bool {
	pairs := c.x.Cols * o.count
	return pairs <= 1<<12 || pairs <= min(16*len(c.x.Col), mostPairs)
}

func newMergedSums(e engine.Engine, s *em) *mergedSums {
	x, rows := s.c.x, len(s.weight)
	m := &mergedSums{
		pairs: &engine.Sparse{Cols: x.Cols * s.o.count, RowPtr: x.RowPtr, Col: make([]int32, len(x.Col)), Values: x.Values},
		g:     newMatrix(e, x.Cols, s.o.count), z: newMatrix(e, x.Cols, s.o.count),
		evidence: newMatrix(e, rows, 1), ratio: newMatrix(e, rows, 1),
		joint: newMatrix(e, x.Cols, s.states), expected: newMatrix(e, s.o.count, s.states),
	}
	for r, observation := range s.c.observation {
		for at := x.RowPtr[r]; at < x.RowPtr[r+1]; at++ {
			m.pairs.Col[at] = x.Col[at]*int32(s.o.count) + observation
		}
	}
	m.gathered = cached(m.pairs.Transpose())
	m.pairs = cached(m.pairs)
	return m
}

func (m *mergedSums) release(e engine.Engine) {
	release(e, m.g, m.z, m.evidence, m.ratio, m.joint, m.expected)
}

// expect is [em.expect]. It returns false where evidence may have been lost to underflow.
func (m *mergedSums) expect(s *em) (value float64, ok bool, err error) {
	e, all := s.engine, s.c.x.Cols*s.o.count
	if err := e.Gemm(m.g.t, s.theta.t, s.likelihood.t, engine.Gemm{TransB: true, Alpha: 1}); err != nil {
		return 0, false, err
	}
	if err := e.SparseMatMul(m.evidence.t, m.pairs, m.g.as(all, 1)); err != nil {
		return 0, false, err
	}
	if err := m.evidence.pull(); err != nil {
		return 0, false, err
	}
	for r, w := range s.weight {
		switch p := m.evidence.host[r]; {
		case w == 0:
			m.ratio.host[r] = 0
		case p < tiny:
			return 0, false, nil
		default:
			m.ratio.host[r] = w / p
		}
	}
	if err := m.ratio.push(); err != nil {
		return 0, false, err
	}
	if err := e.SparseMatMul(m.z.as(all, 1), m.gathered, m.ratio.t); err != nil {
		return 0, false, err
	}
	if err := e.Gemm(m.joint.t, m.z.t, s.likelihood.t, engine.Gemm{Alpha: 1}); err != nil {
		return 0, false, err
	}
	if err := e.Gemm(m.expected.t, m.z.t, s.theta.t, engine.Gemm{TransA: true, Alpha: 1}); err != nil {
		return 0, false, err
	}
	if err := m.joint.pull(); err != nil {
		return 0, false, err
	}
	if err := m.expected.pull(); err != nil {
		return 0, false, err
	}
	simd.Mul(s.joint, m.joint.host, s.theta.host)
	simd.Mul(s.expected, m.expected.host, s.likelihood.host)
	return s.logLikelihood(m.evidence.host), true, nil
}
