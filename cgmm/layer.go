package cgmm

import (
	"math"
	"math/rand/v2"
)

// layer holds the parameters of one layer. The first layer is one that looks at a single constant column:
// its transition is the prior P(Q=i).
type layer struct {
	states   int   // C
	previous []int // layers that it looks at, from 0; none for the first layer
	below    []int // their states
	arcs     int   // A; 1 for the first layer

	layerWeight []float64 // P(L=l), one for each layer it looks at
	arcWeight   []float64 // P^l(S=a), layers x A
	transition  []float64 // P^{l,a}(Q=i|q=j) in row column(l, a, j) and column i: columns() x C

	emission emission
	marginal []float64 // mean posterior over the vertices that it was fitted on
}

// newLayer returns a layer without parameters. The first layer has no previous ones.
func newLayer(in *Input, states int, previous, below []int) *layer {
	y := &layer{states: states, previous: previous, below: below, arcs: in.arcs()}
	if len(previous) == 0 {
		y.below, y.arcs = []int{1}, 1
	}
	y.emission = newEmission(in)
	return y
}

// allocate makes room for the parameters.
func (y *layer) allocate() {
	y.layerWeight = make([]float64, len(y.below))
	y.arcWeight = make([]float64, len(y.below)*y.arcs)
	y.transition = make([]float64, y.columns()*y.states)
	y.marginal = make([]float64, y.states)
	y.emission.allocate(y.states)
}

// columns returns the number of columns (l, a, j) of a context.
func (y *layer) columns() int { return y.column(len(y.below), 0) }

// column returns the column of layer l, arc label a and state 0; the other states follow.
func (y *layer) column(l, a int) int {
	at := 0
	for _, states := range y.below[:l] {
		at += y.arcs * states
	}
	if a > 0 {
		at += a * y.below[l]
	}
	return at
}

// draw sets random parameters: every distribution uniform random numbers, normalised.
func (y *layer) draw(rng *rand.Rand, o *observations) {
	y.allocate()
	random(rng, y.layerWeight)
	for l := range y.below {
		random(rng, y.arcWeight[l*y.arcs:(l+1)*y.arcs])
	}
	for c := range y.columns() {
		random(rng, y.transition[c*y.states:(c+1)*y.states])
	}
	y.emission.draw(rng, y.states, o)
}

func random(rng *rand.Rand, p []float64) {
	for i := range p {
		p[i] = rng.Float64()
	}
	normalise(p, 0)
}

// normalise divides p, with smoothing added to every entry, by its sum; without any mass it becomes uniform.
func normalise(p []float64, smoothing float64) {
	sum := 0.0
	for i := range p {
		p[i] += smoothing
		sum += p[i]
	}
	for i := range p {
		if sum > 0 {
			p[i] /= sum
		} else {
			p[i] = 1 / float64(len(p))
		}
	}
}

// theta writes P(L=l) P^l(S=a) P^{l,a}(Q=i|q=j) to a matrix of columns() x C: a context times it is P(Q=i).
func (y *layer) theta(out []float64) {
	c := y.states
	row := 0
	for l, states := range y.below {
		for a := range y.arcs {
			weight := y.layerWeight[l] * y.arcWeight[l*y.arcs+a]
			for range states {
				for i := range c {
					out[row*c+i] = weight * y.transition[row*c+i]
				}
				row++
			}
		}
	}
}

// maximise sets the weights and transitions to the normalised expected counts of (l, a, j, i), columns() x
// C, which it overwrites (section 3.2, M-step).
func (y *layer) maximise(joint []float64, smoothing float64) {
	c := y.states
	clear(y.layerWeight)
	clear(y.arcWeight)
	row := 0
	for l, states := range y.below {
		for a := range y.arcs {
			for range states {
				for _, count := range joint[row*c : (row+1)*c] {
					y.arcWeight[l*y.arcs+a] += count
				}
				copy(y.transition[row*c:], joint[row*c:(row+1)*c])
				normalise(y.transition[row*c:(row+1)*c], smoothing)
				row++
			}
			y.layerWeight[l] += y.arcWeight[l*y.arcs+a]
		}
		normalise(y.arcWeight[l*y.arcs:(l+1)*y.arcs], smoothing)
	}
	normalise(y.layerWeight, smoothing)
}

// logarithms returns the sum of the logarithms of all probabilities that smoothing applies to: smoothing times
// it is the logarithm of the prior whose mode expectation maximisation then climbs to.
func (y *layer) logarithms() float64 {
	sum := 0.0
	for _, probabilities := range [][]float64{y.layerWeight, y.arcWeight, y.transition, y.emission.discrete} {
		for _, p := range probabilities {
			sum += math.Log(p)
		}
	}
	return sum
}
