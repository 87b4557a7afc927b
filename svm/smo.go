package svm

import (
	"context"
	"fmt"
	"math"
)

// dual is the problem that all kernel machines come down to. With m variables b, of which variable t
// belongs to object item[t] of the kernel,
//
//	minimise 1/2 sum_tu b_t b_u K_tu + sum_t p_t b_t    over    sum_t b_t = 0,  C low_t <= b_t <= C high_t,
//
// where low_t <= 0 <= high_t and one of them is 0. For the C-SVM b_t = y_t alpha_t and p_t = -y_t; for
// the epsilon-SVR every object has two variables, alpha and -alpha*, with p = epsilon - y and -epsilon - y.
type dual struct {
	kernel Kernel
	item   []int
	p      []float64
	low    []float64
	high   []float64
}

// smo solves a dual problem for one C after another by sequential minimal optimisation with LIBSVM's
// rules: the working set by second-order information (Fan, Chen and Lin, Working set selection using
// second order information, JMLR 6, 2005, WSS 2), and shrinking (Chang and Lin, LIBSVM, section 5.1). Steps
// of Newton's method between them keep their number small where C is large, see [smo.newton].
//
// With F = K b + p, moving b_t up changes the objective by F_t, relative to a common constant. At the
// optimum no variable that can go down has an F above that of one that can go up.
//
// All slices are in the solver's own order, in which the first active variables are the ones in work; id
// tells where they came from.
type smo struct {
	dual
	options KernelOptions
	c       float64
	id      []int
	b, f    []float64
	diag    []float64
	up      []bool    // b < C high
	down    []float64 // 1 where b > C low, else 0
	active  int
	ki, kj  []float64
	steps   int
	fresh   int // steps when f was last computed anew

	work       float64 // of the pairs since the last step of Newton's method
	due        float64 // work to reach before the next one is thought of
	indefinite bool    // Newton's method has raised the objective

	first   int     // variable with the smallest f among those that can go up
	lowest  float64 // its f
	highest float64 // largest f among those that can go down
}

const (
	flat        = 1e-12 // curvature that stands in for none, as in LIBSVM
	shrinkEvery = 1000  // steps between looks at what can be left out, at most
	nearFactor  = 10    // multiple of the tolerance at which everything is looked at again
	freshSteps  = 50000 // steps after which f is computed anew at the end, for what rounding has added up
)

func newSMO(d dual, o KernelOptions) *smo {
	m := len(d.item)
	s := &smo{
		dual: d, options: o, id: make([]int, m), b: make([]float64, m), f: append([]float64(nil), d.p...),
		diag: make([]float64, m), up: make([]bool, m), down: make([]float64, m), active: m,
		ki: make([]float64, m), kj: make([]float64, m),
	}
	for t, item := range d.item {
		s.id[t] = t
		s.diag[t] = d.kernel.Diagonal(item)
	}
	return s
}

// solve goes on from the solution for the last C to that for another.
func (s *smo) solve(ctx context.Context, c float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.scale(c)
	s.steps, s.fresh, s.work, s.due = 0, 0, 0, 0
	period := min(len(s.b), shrinkEvery)
	countdown, near := period, false
	s.look()
	for {
		if s.highest-s.lowest <= s.options.Tolerance {
			if s.whole() {
				if s.steps-s.fresh < freshSteps {
					return nil
				}
				s.active, s.fresh = 0, s.steps
			}
			if err := s.restore(); err != nil {
				return err
			}
			countdown = 1 // what can be left out has changed
			continue
		}
		if countdown--; countdown == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !s.options.NoShrinking {
				if !near && s.highest-s.lowest <= nearFactor*s.options.Tolerance {
					near = true
					if err := s.restore(); err != nil {
						return err
					}
				}
				s.shrink()
			}
			countdown = period
		}
		if s.steps++; s.steps > s.options.MaxSteps {
			return fmt.Errorf("no solution for C = %g after %d steps: normalise the kernel, leave out this C or raise "+
				"the tolerance", c, s.options.MaxSteps)
		}
		moved, err := s.step()
		if err != nil {
			return err
		}
		if !moved { // rounding leaves nothing to gain
			if s.whole() {
				return nil
			}
			if err := s.restore(); err != nil {
				return err
			}
		}
		if !s.options.pairsOnly && s.newtonDue() {
			if err := s.newton(); err != nil {
				return err
			}
		}
	}
}

// scale goes over to another C. It multiplies the variables by the factor that gives the lowest objective
// among those that the new bounds allow. f follows without a look at the kernel.
func (s *smo) scale(c float64) {
	linear, square := 0.0, 0.0
	for t, b := range s.b {
		linear += s.p[t] * b
		square += (s.f[t] - s.p[t]) * b
	}
	ratio := c / s.c // infinite at first, where all variables are 0
	factor := ratio
	if square > 0 && -linear/square > 0 {
		factor = min(ratio, -linear/square)
	}
	s.c = c
	for t, b := range s.b {
		switch {
		case b == 0:
		case factor < ratio:
			s.b[t] = min(max(factor*b, c*s.low[t]), c*s.high[t])
		case !s.up[t]:
			s.b[t] = c * s.high[t]
		case s.down[t] == 0:
			s.b[t] = c * s.low[t]
		default:
			s.b[t] = ratio * b
		}
		if change := s.f[t] - s.p[t]; change != 0 {
			s.f[t] = factor*change + s.p[t]
		}
		s.bound(t)
	}
}

// bound notes where variable t can go.
func (s *smo) bound(t int) {
	s.up[t] = s.b[t] < s.c*s.high[t]
	s.down[t] = 0
	if s.b[t] > s.c*s.low[t] {
		s.down[t] = 1
	}
}

// look finds what violates the conditions of the optimum most.
func (s *smo) look() { s.move(0) }

// move adds delta (K_i - K_j), whose rows are in ki and kj, to f and finds what violates the conditions
// of the optimum most.
func (s *smo) move(delta float64) {
	f := s.f[:s.active]
	ki, kj, up, down := s.ki[:len(f)], s.kj[:len(f)], s.up[:len(f)], s.down[:len(f)]
	first, lowest, highest := -1, math.Inf(1), math.Inf(-1)
	for t, v := range f {
		if delta != 0 {
			v += delta * (ki[t] - kj[t])
			f[t] = v
		}
		if v < lowest && up[t] {
			first, lowest = t, v
		}
		if v > highest && down[t] != 0 {
			highest = v
		}
	}
	s.first, s.lowest, s.highest = first, lowest, highest
}

// step moves the pair that promises the largest decrease of the objective to its minimum. It reports
// false where rounding swallows the step.
func (s *smo) step() (moved bool, err error) {
	i := s.first
	if err := s.kernel.Row(s.item[i], s.item[:s.active], s.ki[:s.active]); err != nil {
		return false, err
	}
	j, curvature := s.second(i)
	if err := s.kernel.Row(s.item[j], s.item[:s.active], s.kj[:s.active]); err != nil {
		return false, err
	}
	bi, bj := s.b[i], s.b[j]
	upward, downward := s.c*s.high[i]-bi, bj-s.c*s.low[j]
	delta := (s.f[j] - s.f[i]) / curvature
	switch {
	case delta < min(upward, downward):
		s.b[i], s.b[j] = min(bi+delta, s.c*s.high[i]), max(bj-delta, s.c*s.low[j])
	case upward <= downward:
		delta = upward
		s.b[i], s.b[j] = s.c*s.high[i], bj-delta
	default:
		delta = downward
		s.b[i], s.b[j] = bi+delta, s.c*s.low[j]
	}
	if s.b[i] == bi && s.b[j] == bj {
		return false, nil
	}
	s.bound(i)
	s.bound(j)
	s.move(delta)
	return true, nil
}

// second returns the partner of i that gives the largest decrease (F_j - F_i)^2 / (2 curvature), and the
// curvature along the pair.
func (s *smo) second(i int) (j int, curvature float64) {
	f := s.f[:s.active]
	ki, diag, down := s.ki[:len(f)], s.diag[:len(f)], s.down[:len(f)]
	fi, kii := f[i], diag[i]
	best, gain := -1, 0.0
	curvature = 1
	for t, v := range f {
		d := (v - fi) * down[t]
		a := kii + diag[t] - 2*ki[t]
		if a < flat {
			a = flat
		}
		if g := d * math.Abs(d); g*curvature > gain*a {
			best, gain, curvature = t, g, a
		}
	}
	return best, curvature
}
