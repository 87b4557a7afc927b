package engine

import (
	"math"

	"gorgonia.org/tensor"
)

// Adam holds the constants of one step of Adam (Kingma and Ba, 2015, algorithm 1):
//
//	m1 = beta1 m1 + (1-beta1) g,  m2 = beta2 m2 + (1-beta2) g^2  with g = gradient + Decay parameter,
//	parameter -= Rate * m1/(1-beta1^Step) / (sqrt(m2/(1-beta2^Step)) + Epsilon)
type Adam struct {
	Rate, Beta1, Beta2, Epsilon float64
	Step                        int // number of this step, from 1
}

// AdamState is a tensor that Adam changes, its two moments, which it keeps, and its gradient. All have the same number
// of elements.
type AdamState struct {
	Parameter, Moment1, Moment2, Gradient *tensor.Dense
	Decay                                 float64 // L2 penalty Decay/2 |parameter|^2
}

// Corrected returns the factors of the moments that correct for their start at zero: the parameter
// decreases by rate * m1 / (root * sqrt(m2) + Epsilon), with rate = Rate/(1-Beta1^Step) and
// root = 1/sqrt(1-Beta2^Step).
func (a Adam) Corrected() (rate, root float64) {
	t := float64(a.Step)
	return a.Rate / (1 - math.Pow(a.Beta1, t)), 1 / math.Sqrt(1-math.Pow(a.Beta2, t))
}
