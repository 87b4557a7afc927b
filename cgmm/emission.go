package cgmm

import (
	"math"
	"math/rand/v2"

	"github.com/grove-graph/grove/parallel"
)

// emission is P(y|Q=i): a categorical distribution of the label of a vertex, if it shows one, times a normal
// distribution for each attribute.
type emission struct {
	symbols  int       // labels; 0: none
	discrete []float64 // symbols x C: P(y=k|Q=i) in row k, column i

	dims int // attributes

	mean, variance []float64 // C x attributes, which are standardised
}

// minVariance is the least variance of a standardised attribute in a state: without it a state that holds
// on to a single vertex would make the likelihood infinite.
const minVariance = 1e-6

// newEmission returns an emission without parameters.
func newEmission(in *Input) emission {
	return emission{symbols: in.Labels, dims: in.Attributes}
}

// allocate makes the parameters.
func (e *emission) allocate(states int) {
	e.discrete = make([]float64, e.symbols*states)
	e.mean, e.variance = make([]float64, states*e.dims), make([]float64, states*e.dims)
}

// draw sets random parameters: uniform random numbers, normalised, and normal distributions of variance 1
// around the attributes of random observations.
func (e *emission) draw(rng *rand.Rand, states int, o *observations) {
	if e.symbols > 0 {
		row := make([]float64, e.symbols)
		for i := range states {
			random(rng, row)
			for k, value := range row {
				e.discrete[k*states+i] = value
			}
		}
	}
	if o.dims == 0 {
		return
	}
	for i := range states {
		id := rng.IntN(o.count)
		for d := range o.dims {
			e.mean[i*o.dims+d] = o.reals[id*o.dims+d]
			e.variance[i*o.dims+d] = 1
		}
	}
}

// chunk is the number of observations that one piece of parallel work covers.
const chunk = 256

// likelihood writes exp(-shift_o) P(y_o|Q=i) for every observation o and state i to out (observations x C) and
// the shifts, natural logarithms. A label alone needs no shift. With attributes the factors are multiplied as
// logarithms, and the largest of a row becomes one. A row without any likelihood keeps zeros.
func (e *emission) likelihood(workers int, states int, o *observations, out, shift []float64) {
	if o.dims == 0 {
		for id := range o.count {
			shift[id] = 0
			e.symbol(o.symbols[id], out[id*states:(id+1)*states])
		}
		return
	}
	constant := e.constants(states, o.dims)
	parallel.Chunks(workers, o.count, chunk, func(from, to int) {
		for id := from; id < to; id++ {
			row := out[id*states : (id+1)*states]
			copy(row, constant)
			e.logarithms(o, id, row)
			shift[id] = fromLogarithms(row)
		}
	})
}

// symbol writes P(y=k|Q=i) for every state, ones for an unknown symbol.
func (e *emission) symbol(k int32, row []float64) {
	if k == unknown {
		fill(row, 1)
		return
	}
	copy(row, e.discrete[int(k)*len(row):])
}

// constants returns the logarithm of the constant of the normal distributions of every state.
func (e *emission) constants(states, dims int) []float64 {
	constant := make([]float64, states)
	for i := range constant {
		for _, v := range e.variance[i*dims : (i+1)*dims] {
			constant[i] -= 0.5 * math.Log(2*math.Pi*v)
		}
	}
	return constant
}

// logarithms adds the rest of log P(y_o|Q=i) for every state.
func (e *emission) logarithms(o *observations, id int, row []float64) {
	states := len(row)
	if e.symbols > 0 && o.symbols[id] != unknown {
		k := int(o.symbols[id])
		for i, value := range e.discrete[k*states : (k+1)*states] {
			row[i] += math.Log(value)
		}
	}
	z := o.reals[id*o.dims : (id+1)*o.dims]
	for i := range row {
		mean, variance := e.mean[i*o.dims:(i+1)*o.dims], e.variance[i*o.dims:(i+1)*o.dims]
		for d, x := range z {
			row[i] -= (x - mean[d]) * (x - mean[d]) / (2 * variance[d])
		}
	}
}

// fromLogarithms exponentiates a row after taking its largest entry off, which it returns.
func fromLogarithms(row []float64) (largest float64) {
	largest = math.Inf(-1)
	for _, x := range row {
		largest = max(largest, x)
	}
	if math.IsInf(largest, -1) {
		clear(row)
		return 0
	}
	for i, x := range row {
		row[i] = math.Exp(x - largest)
	}
	return largest
}

// bayes computes the posterior of an observation with logarithms and returns the logarithm of its evidence, -Inf
// (and a posterior of zeros) where it has none.
func (e *emission) bayes(o *observations, id int, prior, posterior []float64) float64 {
	copy(posterior, e.constants(len(prior), o.dims))
	e.logarithms(o, id, posterior)
	for i, p := range prior {
		posterior[i] += math.Log(p)
	}
	largest := fromLogarithms(posterior)
	sum := 0.0
	for _, p := range posterior {
		sum += p
	}
	if sum == 0 {
		return math.Inf(-1)
	}
	for i := range posterior {
		posterior[i] /= sum
	}
	return largest + math.Log(sum)
}

// maximise sets the parameters to those of the expected counts of (observation, state), observations x C
// (section 3.2, M-step; for a normal distribution mean and variance under the posterior).
func (e *emission) maximise(states int, o *observations, expected []float64, smoothing float64) {
	clear(e.discrete)
	for id, k := range o.symbols {
		if k != unknown {
			for i, count := range expected[id*states : (id+1)*states] {
				e.discrete[int(k)*states+i] += count
			}
		}
	}
	normaliseColumns(e.discrete, states, smoothing)
	if o.dims > 0 {
		e.fitNormal(states, o, expected)
	}
}

// normaliseColumns makes every column of a matrix of the given number of columns a distribution.
func normaliseColumns(p []float64, columns int, smoothing float64) {
	column := make([]float64, len(p)/columns)
	for i := range columns {
		for k := range column {
			column[k] = p[k*columns+i]
		}
		normalise(column, smoothing)
		for k, value := range column {
			p[k*columns+i] = value
		}
	}
}

// fitNormal sets means and variances; a state without mass gets mean 0 and variance 1, those of all vertices.
func (e *emission) fitNormal(states int, o *observations, expected []float64) {
	dims := o.dims
	mass, z := make([]float64, states), []float64(nil)
	clear(e.mean)
	clear(e.variance)
	accumulate := func(add func(i int, count float64)) {
		for id := range o.count {
			z = o.reals[id*dims : (id+1)*dims]
			for i, count := range expected[id*states : (id+1)*states] {
				if count > 0 {
					add(i, count)
				}
			}
		}
	}
	accumulate(func(i int, count float64) {
		mass[i] += count
		for d, x := range z {
			e.mean[i*dims+d] += count * x
		}
	})
	for i, m := range mass {
		for d := range dims {
			if m > 0 {
				e.mean[i*dims+d] /= m
			}
		}
	}
	accumulate(func(i int, count float64) {
		for d, x := range z {
			x -= e.mean[i*dims+d]
			e.variance[i*dims+d] += count * x * x
		}
	})
	for i, m := range mass {
		for d := range dims {
			v := &e.variance[i*dims+d]
			if *v = max(*v/m, minVariance); !(m > 0) {
				*v = 1
			}
		}
	}
}
