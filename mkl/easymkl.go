package mkl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Norm is what the weights of the kernels are scaled to.
type Norm string

const (
	SumOne Norm = "sum" // eta = d / sum_m d_m, as the published code has it
	L2One  Norm = "l2"  // eta = d / |d|_2, as the article of EasyMKL has it
)

// Options are those of EasyMKL. Start from [DefaultOptions].
type Options struct {
	Lambda    float64 `json:"lambda"`    // regularisation, 0 to 1
	Norm      Norm    `json:"norm"`      // of the weights
	Scale     bool    `json:"scale"`     // first divide every kernel by its mean diagonal
	Tolerance float64 `json:"tolerance"` // of the objective, relative to it
}

// DefaultOptions returns the options of the published code.
func DefaultOptions() Options { return Options{Lambda: 0.1, Norm: SumOne, Tolerance: defaultTolerance} }

const defaultTolerance = 1e-9

// Check reports the first option that makes no sense.
func (o *Options) Check() error {
	switch {
	case !(o.Lambda >= 0 && o.Lambda <= 1):
		return fmt.Errorf("lambda %g, want 0 to 1", o.Lambda)
	case o.Norm != SumOne && o.Norm != L2One:
		return fmt.Errorf("norm %q of the weights, want %s or %s", o.Norm, SumOne, L2One)
	case !(o.Tolerance >= 0 && o.Tolerance < 1):
		return fmt.Errorf("tolerance %g, want 0 or a small number", o.Tolerance)
	}
	return nil
}

// ErrInseparable says that a weighted sum of the kernels cannot tell the classes apart, so that no weight is
// better than another.
var ErrInseparable = errors.New("the kernels do not tell the classes apart (their convex hulls meet), " +
	"so that weights are not defined: take a larger lambda, or kernels that see more")

// Solution is what EasyMKL learned for n objects and M kernels.
type Solution struct {
	Gamma     []float64 // the two distributions over the objects of each class, n
	Margins   []float64 // d_m = (Y gamma)' K_m (Y gamma), of the scaled kernels
	Weights   []float64 // eta
	Scales    []float64 // what each kernel was multiplied by first; nil: nothing
	Objective float64   // gamma' [(1-lambda) Y (sum_m K_m) Y + lambda I] gamma
	Gap       float64   // the objective is this near its minimum, up to rounding
	Bias      float64   // b of the machine f(x) = sum_j gamma_j y_j K(x, x_j) - b on the weighted kernel K
}

// Solve learns weights for the kernels of a family by EasyMKL (Aiolli and Donini, Neurocomputing 169, 2015) as
// its published code has it: with labels +1 and -1 on the diagonal of Y,
//
//	minimise gamma' [(1-lambda) Y (sum_m K_m) Y + lambda I] gamma
//	over gamma >= 0 that sums to 1 over each class, and take
//	eta_m proportional to d_m = (Y gamma)' K_m (Y gamma).
//
// It needs products with the sum of the kernels and their quadratic forms, no matrix: some hundreds of
// products in all. Errors are labels that are not +1 and -1, a class without objects, kernels whose numbers are
// not finite, a context that is done, and [ErrInseparable]. Results depend on the arguments alone.
func Solve(ctx context.Context, f Family, labels []float64, opt Options) (*Solution, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if err := checkLabels(labels, f.Objects()); err != nil {
		return nil, err
	}
	s := &Solution{}
	diagonals := make([]float64, f.Kernels())
	f.MeanDiagonals(diagonals)
	if opt.Scale {
		s.Scales = slices.Clone(diagonals)
		for m, d := range diagonals {
			if d > 0 {
				s.Scales[m], diagonals[m] = 1/d, 1
			}
		}
	}
	h := &hulls{labels: labels, factor: 1 - opt.Lambda, ridge: opt.Lambda, kernel: f.Sum(s.Scales)}
	p, err := h.minimise(ctx, opt.Tolerance)
	if err != nil {
		return nil, err
	}
	s.Gamma, s.Objective, s.Gap = p.gamma, p.value, max(p.gap, 0)
	z := signed(p.gamma, labels)
	s.Margins = make([]float64, f.Kernels())
	f.QuadraticForms(s.Margins, z)
	for m := range s.Scales {
		s.Margins[m] *= s.Scales[m]
	}
	if err := s.weigh(opt.Norm, diagonals); err != nil {
		return nil, err
	}
	s.Bias = bias(f.Sum(s.Combined()), labels, p.gamma)
	return s, nil
}

// negligible is the distance of the hulls, squared and relative to the mean diagonal, below which it is rounding.
const negligible = 1e-13

// weigh turns margins into weights.
func (s *Solution) weigh(norm Norm, diagonals []float64) error {
	sum, squares, size := 0.0, 0.0, 0.0
	for m := range s.Margins {
		d := max(s.Margins[m], 0) // a quadratic form is not negative but for rounding
		s.Margins[m] = d
		sum += d
		squares += d * d
		size += diagonals[m]
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return errors.New("the kernels have entries that are not finite")
	}
	if sum <= negligible*size {
		return ErrInseparable
	}
	by := sum
	if norm == L2One {
		by = math.Sqrt(squares)
	}
	s.Weights = make([]float64, len(s.Margins))
	for m, d := range s.Margins {
		s.Weights[m] = d / by
	}
	return nil
}

// Combined returns the weights of the kernels as they were given: eta times what they were scaled by.
func (s *Solution) Combined() []float64 {
	if s.Scales == nil {
		return s.Weights
	}
	w := make([]float64, len(s.Weights))
	for m, eta := range s.Weights {
		w[m] = eta * s.Scales[m]
	}
	return w
}

// bias returns 1/2 gamma' K Y gamma.
func bias(kernel func(dst, z []float64), labels, gamma []float64) float64 {
	image := make([]float64, len(gamma))
	kernel(image, signed(gamma, labels))
	return dot(gamma, image) / 2
}

func checkLabels(labels []float64, n int) error {
	if len(labels) != n {
		return fmt.Errorf("%d labels for %d objects", len(labels), n)
	}
	count := map[float64]int{}
	for i, y := range labels {
		if y != 1 && y != -1 {
			return fmt.Errorf("object %d has the label %g, want +1 or -1", i, y)
		}
		count[y]++
	}
	if count[1] == 0 || count[-1] == 0 {
		return fmt.Errorf("%d objects of the class +1 and %d of -1: want some of both", count[1], count[-1])
	}
	return nil
}

// signed returns Y gamma.
func signed(gamma, labels []float64) []float64 {
	z := make([]float64, len(gamma))
	for i, y := range labels {
		z[i] = y * gamma[i]
	}
	return z
}
