package svm

import (
	"math"

	"github.com/grove-graph/grove/parallel"
)

// heavy are the columns of a sparse matrix that weigh most.
type heavy struct {
	place []int32 // of each column among them, from 1 on; 0: none of them
	count int
}

const mostHeavy = 128 // more save few steps of conjugate gradients, and take longer to factorise

// heaviest finds the columns with the largest sums of squares over some rows.
func heaviest(x *Sparse, rows []int) heavy {
	weight := make([]float64, x.Columns)
	for _, i := range rows {
		scale := x.scale(i)
		for e := x.RowPtr[i]; e < x.RowPtr[i+1]; e++ {
			v := scale * x.value(e)
			weight[x.Column[e]] += v * v
		}
	}
	var best []int // falling
	for c, w := range weight {
		if w == 0 || len(best) == mostHeavy && w <= weight[best[mostHeavy-1]] {
			continue
		}
		best = append(best, c)
		for k := len(best) - 1; k > 0 && weight[best[k]] > weight[best[k-1]]; k-- {
			best[k], best[k-1] = best[k-1], best[k]
		}
		best = best[:min(len(best), mostHeavy)]
	}
	h := heavy{place: make([]int32, x.Columns), count: len(best)}
	for k, c := range best {
		h.place[c] = int32(k + 1)
	}
	return h
}

// nearly is a matrix close to X X' + tau 1 1' + ridge I that is easily inverted: it has the heavy columns of X as they
// are, and of all others what they add to the diagonal. With the former and sqrt(tau) 1 as columns of Z it is D + Z Z',
// and by Woodbury's formula
//
//	(D + Z Z')^-1 = D^-1 - D^-1 Z (I + Z' D^-1 Z)^-1 Z' D^-1.
type nearly struct {
	z       Sparse    // without its last column
	last    float64   // value of that
	inverse []float64 // D^-1
	root    cholesky  // of I + Z' D^-1 Z
	small   []float64 // numbers for the columns of Z
}

// nearly returns the one of some rows of a matrix.
func (h *heavy) nearly(x *Sparse, rows []int, ridge, tau float64, workers int) *nearly {
	n := &nearly{last: math.Sqrt(tau), inverse: make([]float64, len(rows)), small: make([]float64, h.count+1),
		z: Sparse{Columns: h.count, RowPtr: make([]int, 1, len(rows)+1)}, root: cholesky{workers: workers}}
	for k, i := range rows {
		d, scale := x.alone(i)+ridge, x.scale(i)
		for e := x.RowPtr[i]; e < x.RowPtr[i+1]; e++ {
			v := scale * x.value(e)
			if p := h.place[x.Column[e]]; p > 0 {
				n.z.Column, n.z.Value = append(n.z.Column, p-1), append(n.z.Value, float32(v))
			} else {
				d += v * v
			}
		}
		n.z.RowPtr = append(n.z.RowPtr, len(n.z.Column))
		n.inverse[k] = 1 / d
	}
	n.factorise()
	return n
}

// factorise makes the factor of I + Z' D^-1 Z.
func (n *nearly) factorise() {
	order := len(n.small)
	n.root.resize(order)
	l := n.root.l
	clear(l)
	below := l[(order-1)*order:]
	for i, d := range n.inverse {
		columns, values := n.z.Column[n.z.RowPtr[i]:n.z.RowPtr[i+1]], n.z.Value[n.z.RowPtr[i]:n.z.RowPtr[i+1]]
		for e, a := range columns {
			v := d * float64(values[e])
			row := l[int(a)*order:]
			for f, b := range columns {
				if b <= a {
					row[b] += v * float64(values[f])
				}
			}
			below[a] += v * n.last
		}
		below[order-1] += d * n.last * n.last
	}
	for k := range order {
		l[k*order+k]++
		n.root.floor[k] = 0.5 // it is at least 1
	}
	n.root.factor()
}

// solve writes the inverse times b to out.
func (n *nearly) solve(b, out []float64) {
	clear(n.small)
	end := len(n.small) - 1
	for i, v := range b {
		out[i] = n.inverse[i] * v
		n.z.addRow(out[i], i, n.small)
		n.small[end] += n.last * out[i]
	}
	n.root.solve(n.small)
	tail := n.last * n.small[end]
	parallel.Chunks(n.root.workers, len(out), sparseChunk, func(from, to int) {
		for i := from; i < to; i++ {
			out[i] -= n.inverse[i] * (n.z.dot(i, n.small) + tail)
		}
	})
}
