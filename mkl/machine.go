package mkl

import (
	"context"
	"fmt"
)

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

// FitKOMD trains K-OMD (Aiolli, Da San Martino and Sperduti, ICANN 2008) on the kernel K = sum_m weights_m K_m
// of a family; nil weights are ones. With n+ and n- objects of the classes it solves
//
//	minimise gamma' [(1-lambda) Y K Y + lambda n+ n- / (n+ + n-) I] gamma
//	over gamma >= 0 that sums to 1 over each class.
//
// The bias is half way between the classes: 1/2 gamma' K Y gamma. Errors are those of [Solve], but for
// [ErrInseparable].
func FitKOMD(ctx context.Context, f Family, weights, labels []float64, lambda float64) (*Machine, error) {
	if !(lambda >= 0 && lambda <= 1) {
		return nil, fmt.Errorf("lambda %g, want 0 to 1", lambda)
	}
	if weights != nil && len(weights) != f.Kernels() {
		return nil, fmt.Errorf("%d weights for %d kernels", len(weights), f.Kernels())
	}
	if err := checkLabels(labels, f.Objects()); err != nil {
		return nil, err
	}
	positive, n := 0.0, float64(len(labels))
	for _, y := range labels {
		if y > 0 {
			positive++
		}
	}
	kernel := f.Sum(weights)
	h := &hulls{labels: labels, factor: 1 - lambda, ridge: lambda * positive * (n - positive) / n, kernel: kernel}
	p, err := h.minimise(ctx, defaultTolerance)
	if err != nil {
		return nil, err
	}
	return &Machine{Coef: signed(p.gamma, labels), Bias: bias(kernel, labels, p.gamma), Objective: p.value}, nil
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
