package svm

// Raw returns the weights of a problem for features that are not standardised, and the constant that then belongs to
// them: <w, (x-mean)/scale> + b = <w/scale, x> + (b - <w, mean/scale>).
func (m *Model) Raw(problem int) (weights []float64, constant float64) {
	constant = m.Bias[problem]
	weights = make([]float64, len(m.Weights[problem]))
	for j, w := range m.Weights[problem] {
		weights[j] = w / m.Scaler.Scale[j]
		constant -= weights[j] * m.Scaler.Mean[j]
	}
	return weights, constant
}
