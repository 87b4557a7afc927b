package nystrom

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
)

// sums holds the weighted sum of the points of each cluster, by position, in float64.
type sums[T simd.Float] struct {
	*cloud[T]
	k       int
	wide    *widePoints[T] // nil: the host adds up
	sum     []float64      // k x p x d
	mass    []float64      // total weight of each cluster
	members []int          // points of each cluster

	// Where the table is small, the weights of its rows are added up in place of the rows.
	rowWeights []float64 // k x p x rows of the table, or nil
}

// move says that a point goes from one cluster (-1: none) to another.
type move struct{ point, from, to int32 }

func newSums[T simd.Float](c *cloud[T], w *widePoints[T], k int) *sums[T] {
	s := &sums[T]{cloud: c, k: k, wide: w, sum: make([]float64, k*c.p*c.d), mass: make([]float64, k),
		members: make([]int, k)}
	if rows := c.table.Shape()[0]; c.rows != nil && k*rows <= c.n {
		s.rowWeights = make([]float64, k*c.p*rows)
	}
	return s
}

// of returns the sum of position j of cluster f.
func (s *sums[T]) of(f, j int) []float64 { return s.sum[(f*s.p+j)*s.d : (f*s.p+j+1)*s.d] }

// apply carries out the moves. Each cluster takes its own in their order, on any engine and with any number of workers.
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
	rows := engine.Segments{Offsets: []int32{0}, Index: make([]int32, 0, s.p*len(moves)),
		Weights: make([]float64, 0, s.p*len(moves))}
	for f := range s.k {
		for _, i := range leaving[f] {
			s.mass[f] -= s.weight(int(i))
		}
		if s.members[f] -= len(leaving[f]); s.members[f] == 0 {
			s.empty(f)
			leaving[f] = nil
		}
		for _, i := range joining[f] {
			s.mass[f] += s.weight(int(i))
		}
		s.members[f] += len(joining[f])
		for j := range s.p {
			for _, i := range leaving[f] {
				rows.Index, rows.Weights = append(rows.Index, s.rowOf(int(i), j)), append(rows.Weights, -s.weight(int(i)))
			}
			for _, i := range joining[f] {
				rows.Index, rows.Weights = append(rows.Index, s.rowOf(int(i), j)), append(rows.Weights, s.weight(int(i)))
			}
			rows.Offsets = append(rows.Offsets, int32(len(rows.Index)))
		}
	}
	if s.rowWeights == nil {
		sum := matrix(s.eng, s.sum, s.k*s.p, s.d)
		if s.wide != nil && len(rows.Index)*s.d >= wideSums {
			return s.wide.addRows(sum, rows)
		}
		return s.eng.AddRows(sum, s.table, rows)
	}
	tableRows := s.table.Shape()[0]
	for fj := range s.k * s.p {
		for i := rows.Offsets[fj]; i < rows.Offsets[fj+1]; i++ {
			s.rowWeights[fj*tableRows+int(rows.Index[i])] += rows.Weights[i]
		}
	}
	return s.multiply()
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
	err := s.eng.Gemm(dst, coefficients, s.table, engine.Gemm{Alpha: 1})
	for i, v := range out {
		s.sum[i] = float64(v)
	}
	return err
}
