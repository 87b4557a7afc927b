package gckn

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// maskNetwork computes the representation of one graph with a mask on each of its paths, and the gradient with
// respect to the masks. It works in float64 on a list of the paths.
type maskNetwork struct {
	global   Pooling
	concat   bool
	vertices int
	input    []float64 // vertices x d
	unit     bool      // the input is used as it is, with norm 1
	layers   []*maskLayer
}

// maxMasked bounds the kernel values of one graph that are held at once, half a gigabyte.
const maxMasked = 1 << 26

// newMaskNetwork lays out the only graph of b.
func newMaskNetwork(m *Model, b *graph.Batch) (*maskNetwork, error) {
	w := &maskNetwork{global: m.opt.GlobalPooling, concat: m.opt.Concat, vertices: b.NumVertices()}
	copies := 1
	for l, y := range m.layers {
		if paths := countPaths(b, y.pooling.Route, y.pooling.Size); paths*float64(y.filters()*copies) > maxMasked {
			return nil,
				fmt.Errorf("%.3g paths of up to %d vertices are too many for a mask on each; take a model with shorter paths",
					paths, y.pooling.Size)
		}
		w.layers = append(w.layers, newMaskLayer(y, float64s(m.engine, y.stored), float64s(m.engine, y.wide.invSqrt), b))
		copies = m.opt.channels(l)
	}
	channels, err := m.inputChannels(b)
	if err != nil {
		return nil, err
	}
	in := channels[0]
	rows, d := float64s(m.engine, in.rows), m.input.dim()
	engine.Release(m.engine, in.rows)
	w.unit = in.unit
	for v := range w.vertices {
		r := int(in.row(int32(v)))
		w.input = append(w.input, rows[r*d:(r+1)*d]...)
	}
	return w, nil
}

// countPaths returns the number of paths or walks of all sizes.
func countPaths(b *graph.Batch, route graph.Route, size int) float64 {
	total := 0.0
	for _, walks := range b.WalkCounts(size) {
		total += walks
	}
	if route == graph.Walks || total <= maxMasked/16 { // no graph has more paths than walks
		return total
	}
	total = 0
	for _, paths := range b.PathCounts(size) {
		total += float64(paths)
	}
	return total
}

// size returns the number of masks.
func (w *maskNetwork) size() int {
	n := 0
	for _, y := range w.layers {
		n += y.masks()
	}
	return n
}

// split views a vector over all masks layer by layer and length by length.
func (w *maskNetwork) split(all []float64) [][][]float64 {
	out := make([][][]float64, len(w.layers))
	for l, y := range w.layers {
		if !y.masked {
			continue
		}
		for i := range y.lengths {
			n := y.count(i)
			out[l] = append(out[l], all[:n:n])
			all = all[n:]
		}
	}
	return out
}

// list names the paths of a vector over all masks.
func (w *maskNetwork) list(all []float64) []MaskedPath {
	out := make([]MaskedPath, 0, len(all))
	for l, of := range w.split(all) {
		for i, masks := range of {
			for p, v := range masks {
				out = append(out, MaskedPath{l + 1, w.layers[l].path(i, p), v})
			}
		}
	}
	return out
}

// represent returns the representation of the graph with the given masks, in the order of [Model.Transform].
func (w *maskNetwork) represent(mask []float64) []float64 {
	var representation []float64
	masks := w.split(mask)
	in := [][]float64{w.input}
	for l, y := range w.layers {
		y.mask = masks[l]
		var out [][]float64
		for c, x := range in {
			if c == len(y.channels) {
				y.channels = append(y.channels, &maskChannel{})
			}
			if ch := y.channels[c]; l > 0 || ch.kappa == nil { // what enters the first layer stays the same
				y.compare(ch, x, l == 0 && w.unit)
			}
			y.pool(y.channels[c])
			out = append(out, y.channels[c].out...)
		}
		if w.pooled(l) {
			representation = append(representation, w.readout(out, y.filters)...)
		}
		in = out
	}
	return representation
}

// pooled reports whether the output of layer l is part of the representation.
func (w *maskNetwork) pooled(l int) bool { return w.concat || l == len(w.layers)-1 }

// gradient computes, from the gradient with respect to what represent returned last, that with respect to
// the masks.
func (w *maskNetwork) gradient(grad, slope []float64) {
	clear(grad)
	grads := w.split(grad)
	lowest := 0
	for !w.layers[lowest].masked {
		lowest++
	}
	end := len(slope)
	var above [][]float64 // gradient with respect to the output of the layer at hand
	for l := len(w.layers) - 1; l >= lowest; l-- {
		y := w.layers[l]
		var out [][]float64
		for _, c := range y.channels {
			out = append(out, c.out...)
		}
		if above == nil {
			for range out {
				above = append(above, make([]float64, w.vertices*y.filters))
			}
		}
		if w.pooled(l) {
			width := y.filters * len(out)
			w.readoutGrad(above, slope[end-width:end], out, y.filters)
			end -= width
		}
		var below [][]float64
		for c, ch := range y.channels {
			var in []float64
			if l > lowest {
				in = make([]float64, w.vertices*y.dim)
				below = append(below, in)
			}
			y.back(ch, above[c*len(y.lengths):(c+1)*len(y.lengths)], in, grads[l])
		}
		above = below
	}
}

// readout pools the vertices of all channels; the column of filter f of channel c is f*channels + c.
func (w *maskNetwork) readout(channels [][]float64, q int) []float64 {
	pooled := make([]float64, len(channels)*q)
	for c, x := range channels {
		for f := range q {
			sum, largest := 0.0, math.Inf(-1)
			for u := range w.vertices {
				sum += x[u*q+f]
				largest = max(largest, x[u*q+f])
			}
			switch {
			case w.vertices == 0:
			case w.global == Mean:
				sum /= float64(w.vertices)
			case w.global == Max:
				sum = largest
			}
			pooled[f*len(channels)+c] = sum
		}
	}
	return pooled
}

// readoutGrad adds the gradient through readout. The first vertex that attains a maximum takes it.
func (w *maskNetwork) readoutGrad(grad [][]float64, slope []float64, channels [][]float64, q int) {
	for c, x := range channels {
		for f := range q {
			g := slope[f*len(channels)+c]
			if w.global == Mean {
				g /= float64(w.vertices)
			}
			first := 0
			for u := range w.vertices {
				if w.global != Max {
					grad[c][u*q+f] += g
				} else if x[u*q+f] > x[first*q+f] {
					first = u
				}
			}
			if w.global == Max && w.vertices > 0 {
				grad[c][first*q+f] += g
			}
		}
	}
}
