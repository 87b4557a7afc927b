package mkl

// Machine classifies by the sign of f(x) = sum_j Coef_j K(x, x_j) - Bias, where K is a weighted sum of kernels.
type Machine struct {
	Coef      []float64 // gamma_j y_j of the training objects; many are zero
	Bias      float64
	Objective float64
}

// Machine returns the machine of EasyMKL's own gamma on the weighted kernel.
func (s *Solution) Machine(labels []float64) *Machine {
	return &Machine{Coef: signed(s.Gamma, labels), Bias: s.Bias, Objective: s.Objective}
}

// bias returns 1/2 gamma' K Y gamma.
func bias(kernel func(dst, z []float64), labels, gamma []float64) float64 {
	image := make([]float64, len(gamma))
	kernel(image, signed(gamma, labels))
	return dot(gamma, image) / 2
}

// Decisions returns f(x_i) of the training objects themselves.
func (m *Machine) Decisions(f Family, weights []float64) []float64 {
	out := make([]float64, len(m.Coef))
	f.Sum(weights)(out, m.Coef)
	for i := range out {
		out[i] -= m.Bias
	}
	return out
}
