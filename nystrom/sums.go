package nystrom

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
)

// sums holds the weighted sum of the points of each cluster, by position, in float64.
type sums[T simd.Float] struct {
	*cloud[T]
	k       int
	sum     []float64 // k x p x d
	mass    []float64 // total weight of each cluster
	members []int     // points of each cluster

	// Where the table is small, the weights of its rows are added up in place of the rows.
	rowWeights []float64 // k x p x rows of the table, or nil
}

// move says that a point goes from one cluster (-1: none) to another.
type move struct{ point, from, to int32 }

func newSums[T simd.Float](c *cloud[T], k int) *sums[T] {
	s := &sums[T]{cloud: c, k: k, sum: make([]float64, k*c.p*c.d), mass: make([]float64, k), members: make([]int, k)}
	if rows := c.table.Shape()[0]; c.rows != nil && k*rows <= c.n {
		s.rowWeights = make([]float64, k*c.p*rows)
	}
	return s
}

// of returns the sum of position j of cluster f.
func (s *sums[T]) of(f, j int) []float64 { return s.sum[(f*s.p+j)*s.d : (f*s.p+j+1)*s.d] }

// apply carries out the moves. Each cluster takes its own in their order, whatever the number of workers.
func (s *sums[T]) apply(moves []move) error {
	if len(moves) == 0 {
		return nil
	}
	leaving, joining := make([][]int32, s.k), make([][]int32, s.k)
	for _, m := range moves {
		if m.from >= 0 {
			leaving[m.from] = append(leaving[m.from], m.point)
		}
		joining[m.to] = append(joining[m.to], m.point)
	}
	parallel.For(s.workers, s.k, func(f int) {
		for _, i := range leaving[f] {
			s.add(f, int(i), -s.weight(int(i)))
		}
		s.members[f] -= len(leaving[f])
		if s.members[f] == 0 {
			s.empty(f)
		}
		for _, i := range joining[f] {
			s.add(f, int(i), s.weight(int(i)))
		}
		s.members[f] += len(joining[f])
	})
	if s.rowWeights == nil {
		return nil
	}
	return s.multiply()
}

// add adds a point to cluster f with the given weight.
func (s *sums[T]) add(f, i int, weight float64) {
	s.mass[f] += weight
	for j := range s.p {
		if s.rowWeights != nil {
			s.rowWeights[(f*s.p+j)*s.table.Shape()[0]+int(s.rowOf(i, j))] += weight
			continue
		}
		sum := s.of(f, j)
		for e, v := range s.at(i, j) {
			sum[e] += weight * float64(v)
		}
	}
}

// empty makes the sums of cluster f zero, free of rounding.
func (s *sums[T]) empty(f int) {
	s.mass[f] = 0
	clear(s.sum[f*s.p*s.d : (f+1)*s.p*s.d])
	if s.rowWeights != nil {
		rows := s.table.Shape()[0]
		clear(s.rowWeights[f*s.p*rows : (f+1)*s.p*rows])
	}
}

// multiply computes the sums from the weights of the rows.
func (s *sums[T]) multiply() error {
	rows := s.table.Shape()[0]
	weights, out := make([]T, len(s.rowWeights)), make([]T, len(s.sum))
	for i, w := range s.rowWeights {
		weights[i] = T(w)
	}
	dst, coefficients := matrix(s.eng, out, s.k*s.p, s.d), matrix(s.eng, weights, s.k*s.p, rows)
	err := s.eng.MatMul(dst, coefficients, s.table, engine.MatMul{Alpha: 1})
	for i, v := range out {
		s.sum[i] = float64(v)
	}
	return err
}
