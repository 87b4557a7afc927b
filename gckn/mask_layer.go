package gckn

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/graph"
)

// maskLayer is a layer on the paths of one graph (section 4):
//
//	out_j[u] = K_j^(-1/2) norm(u) * pool over paths p of j vertices from u of M_j[p] kappa_j(Z, p)
//
// A mean divides by the number of paths whatever their masks, a maximum is that of the masked values.
type maskLayer struct {
	size, filters, dim int
	lengths            []int
	scale, shift       []float64 // of the kernel of each length
	anchors            []float64 // size x filters x dim
	invSqrt            []float64 // lengths x filters x filters
	local              Pooling
	masked             bool

	vertices int
	paths    [][]int32 // of each length: the vertices of one path after those of another
	first    [][]int   // of each length: the number of the first path from every vertex, and of all

	mask     [][]float64 // of each length; nil in a layer without masks
	channels []*maskChannel
}

// maskChannel is what a layer makes of one channel that enters it.
type maskChannel struct {
	unit, norm []float64   // vertices x dim, and of each vertex
	given      bool        // the rows are used as they are, with norm 1
	kappa      [][]float64 // of each length: paths x filters
	pooled     [][]float64 // of each length: vertices x filters, before norm and projection
	best       [][]int     // of each length: the path that attains each maximum, -1 without paths
	out        [][]float64 // of each length: vertices x filters
}

func newMaskLayer(l *layer, anchors, invSqrt []float64, b *graph.Batch) *maskLayer {
	y := &maskLayer{
		size: l.pooling.Size, filters: l.filters(), dim: l.stored.Shape()[2], lengths: l.pooling.Lengths(),
		anchors: anchors, invSqrt: invSqrt, local: l.local, masked: l.pooling.Size > 1, vertices: b.NumVertices(),
	}
	if !y.masked {
		y.local = Sum // a single vertex is its own path
	}
	for _, j := range y.lengths {
		scale, shift := l.pooling.Kernel.Scale(j)
		y.scale, y.shift = append(y.scale, scale), append(y.shift, shift)
	}
	y.paths, y.first = make([][]int32, len(y.lengths)), make([][]int, len(y.lengths))
	for u := range y.vertices {
		y.mark()
		b.Visit(l.pooling.Route, int32(u), y.size, func(path []int32) {
			if i := len(path) - y.lengths[0]; i >= 0 {
				y.paths[i] = append(y.paths[i], path...)
			}
		})
	}
	y.mark()
	return y
}

// mark notes how many paths there are so far.
func (y *maskLayer) mark() {
	for i := range y.lengths {
		y.first[i] = append(y.first[i], y.count(i))
	}
}

// count returns the number of paths of length i.
func (y *maskLayer) count(i int) int { return len(y.paths[i]) / y.lengths[i] }

// path returns the vertices of path p of length i.
func (y *maskLayer) path(i, p int) []int32 { return y.paths[i][p*y.lengths[i] : (p+1)*y.lengths[i]] }

// masks returns the number of masks.
func (y *maskLayer) masks() int {
	n := 0
	for i := range y.lengths {
		if y.masked {
			n += y.count(i)
		}
	}
	return n
}

// weight returns the mask of path p of length i.
func (y *maskLayer) weight(i, p int) float64 {
	if !y.masked {
		return 1
	}
	return y.mask[i][p]
}

// compare computes the kernel values of all paths in a channel, whose rows are x.
func (y *maskLayer) compare(c *maskChannel, x []float64, given bool) {
	q, d, n := y.filters, y.dim, y.vertices
	c.given = given
	c.unit, c.norm = append(c.unit[:0], x...), make([]float64, n)
	scores := make([]float64, n*y.size*q)
	for v := range n {
		row := c.unit[v*d : (v+1)*d]
		c.norm[v] = 1
		if !given {
			c.norm[v] = math.Sqrt(simd.Dot(row, row))
			simd.Scale(1/max(c.norm[v], normEps), row)
		}
		for z := range y.size * q {
			scores[v*y.size*q+z] = simd.Dot(row, y.anchors[z*d:(z+1)*d])
		}
	}
	c.kappa = make([][]float64, len(y.lengths))
	for i := range y.lengths {
		c.kappa[i] = make([]float64, y.count(i)*q)
		for p := range y.count(i) {
			kappa := c.kappa[i][p*q : (p+1)*q]
			for at, v := range y.path(i, p) {
				s := (int(v)*y.size + at) * q
				simd.Axpy(1, scores[s:s+q], kappa)
			}
			for f, sum := range kappa {
				kappa[f] = math.Exp(y.scale[i]*sum + y.shift[i])
			}
		}
	}
}

// pool computes the output of the layer for a channel with the masks of the layer.
func (y *maskLayer) pool(c *maskChannel) {
	q := y.filters
	c.pooled, c.out, c.best = nil, nil, nil
	for i := range y.lengths {
		pooled, out, best := make([]float64, y.vertices*q), make([]float64, y.vertices*q), []int(nil)
		if y.local == Max {
			best = make([]int, y.vertices*q)
		}
		for u := range y.vertices {
			row := pooled[u*q : (u+1)*q]
			from, to := y.first[i][u], y.first[i][u+1]
			switch y.local {
			case Max:
				for f := range row {
					best[u*q+f] = -1
					for p := from; p < to; p++ {
						if v := y.weight(i, p) * c.kappa[i][p*q+f]; p == from || v > row[f] {
							best[u*q+f], row[f] = p, v
						}
					}
				}
			default:
				for p := from; p < to; p++ {
					simd.Axpy(y.weight(i, p), c.kappa[i][p*q:(p+1)*q], row)
				}
				if y.local == Mean && to > from {
					simd.Scale(1/float64(to-from), row)
				}
			}
			for f, v := range row {
				simd.Axpy(v*c.norm[u], y.invSqrt[(i*q+f)*q:(i*q+f+1)*q], out[u*q:(u+1)*q])
			}
		}
		c.pooled, c.out, c.best = append(c.pooled, pooled), append(c.out, out), append(c.best, best)
	}
}

// back adds, from the gradient with respect to the output of a channel, to that with respect to the masks and,
// unless in is nil, to that with respect to the rows that entered.
func (y *maskLayer) back(c *maskChannel, above [][]float64, in []float64, masks [][]float64) {
	q := y.filters
	scoreGrad, normGrad := make([]float64, y.vertices*y.size*q), make([]float64, y.vertices)
	slope := make([]float64, q) // with respect to the sum over the paths of a vertex
	for i := range y.lengths {
		pass := func(p, f int) {
			g := slope[f] * c.kappa[i][p*q+f]
			if y.masked {
				masks[i][p] += g
			}
			if in == nil {
				return
			}
			for at, v := range y.path(i, p) {
				scoreGrad[(int(v)*y.size+at)*q+f] += g * y.weight(i, p) * y.scale[i]
			}
		}
		for u := range y.vertices {
			for f := range slope {
				slope[f] = simd.Dot(above[i][u*q:(u+1)*q], y.invSqrt[(i*q+f)*q:(i*q+f+1)*q])
			}
			normGrad[u] += simd.Dot(slope, c.pooled[i][u*q:(u+1)*q])
			simd.Scale(c.norm[u], slope)
			from, to := y.first[i][u], y.first[i][u+1]
			if y.local == Mean && to > from {
				simd.Scale(1/float64(to-from), slope)
			}
			for f := range slope {
				if y.local == Max {
					if p := c.best[i][u*q+f]; p >= 0 {
						pass(p, f)
					}
					continue
				}
				for p := from; p < to; p++ {
					pass(p, f)
				}
			}
		}
	}
	if in != nil {
		y.backToRows(c, scoreGrad, normGrad, in)
	}
}

// backToRows adds the gradient with respect to the rows, from those with respect to their inner products with
// the anchors and to their norms.
func (y *maskLayer) backToRows(c *maskChannel, scoreGrad, normGrad, in []float64) {
	d, width := y.dim, y.size*y.filters
	unitGrad := make([]float64, d)
	for v := range y.vertices {
		clear(unitGrad)
		for z := range width {
			simd.Axpy(scoreGrad[v*width+z], y.anchors[z*d:(z+1)*d], unitGrad)
		}
		unit, row := c.unit[v*d:(v+1)*d], in[v*d:(v+1)*d]
		switch norm := c.norm[v]; {
		case c.given:
			simd.Axpy(1, unitGrad, row)
		case norm >= normEps:
			simd.Axpy(1/norm, unitGrad, row)
			simd.Axpy(normGrad[v]-simd.Dot(unit, unitGrad)/norm, unit, row)
		default:
			simd.Axpy(1/normEps, unitGrad, row)
			if norm > 0 {
				simd.Axpy(normGrad[v]*normEps/norm, unit, row)
			}
		}
	}
}
