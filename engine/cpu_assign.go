package engine

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// assignTile is the number of points whose similarities exist at a time: with 1024 anchors and
// float32 they fill half a megabyte, which stays in the second-level cache.
const assignTile = 128

// Assign implements [Engine]. Points that are rows of the table themselves are multiplied with the
// anchors tile by tile. Sequences of rows share the products of the table with the anchors, which
// are computed once when the table is smaller than the list of points.
func (e *CPU) Assign(index []int32, best *tensor.Dense, points Points, z *tensor.Dense) error {
	if err := CheckAssign(index, best, points, z); err != nil {
		return err
	}
	typed(z, assign[float32], assign[float64])(e.workers, index, best, points, z)
	return nil
}

func assign[T simd.Float](workers int, index []int32, best *tensor.Dense, points Points, z *tensor.Dense) {
	p, q, d := points.Size, z.Shape()[1], z.Shape()[2]
	n, rows := points.Len(), points.Table.Shape()[0]
	table, anchors, similarity, columns := data[T](points.Table), data[T](z), data[T](best), bestColumns(best)
	ld := max(d, 1)

	var shared []T // rows x (p q): products of every table row with every position of every anchor
	if points.Rows != nil && rows <= n {
		shared = make([]T, rows*p*q)
		simd.Gemm(workers, false, true, rows, p*q, d, 1, table, ld, anchors, ld, 0, shared, p*q)
	}
	parallel.Each(workers, (n+assignTile-1)/assignTile, func() func(int) {
		sims := make([]T, assignTile*q)
		var gathered []T
		if points.Rows != nil && shared == nil {
			gathered = make([]T, assignTile*d)
		}
		return func(tile int) {
			from := tile * assignTile
			to := min(from+assignTile, n)
			m := to - from
			switch {
			case points.Rows == nil:
				simd.Gemm(1, false, true, m, q, d, 1, table[from*d:], ld, anchors, ld, 0, sims, q)
			case shared != nil:
				for i := range m {
					seq := points.Rows[(from+i)*p : (from+i+1)*p]
					sim := sims[i*q : (i+1)*q]
					copy(sim, shared[int(seq[0])*p*q:])
					for j := 1; j < p; j++ {
						at := (int(seq[j])*p + j) * q
						simd.Add(sim, sim, shared[at:at+q])
					}
				}
			default:
				for j := range p {
					for i := range m {
						row := int(points.Rows[(from+i)*p+j])
						copy(gathered[i*d:(i+1)*d], table[row*d:(row+1)*d])
					}
					beta := T(1)
					if j == 0 {
						beta = 0
					}
					simd.Gemm(1, false, true, m, q, d, 1, gathered, ld, anchors[j*q*d:], ld, beta, sims, q)
				}
			}
			for i := range m {
				row := sims[i*q : (i+1)*q]
				f, sim := simd.ArgMax(row)
				index[from+i] = int32(f)
				if columns > 0 {
					similarity[(from+i)*columns] = sim
				}
				if columns == 2 {
					row[f] = T(math.Inf(-1))
					_, similarity[(from+i)*2+1] = simd.ArgMax(row)
				}
			}
		}
	})
}
