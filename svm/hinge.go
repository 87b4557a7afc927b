package svm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
)

// FitSparseClassifier solves the problems of [FitKernelClassifier] under the kernel <x_i, x_j> of the rows of a sparse
// matrix, without a matrix of kernel values: the time for a step is linear in the entries, and so is the memory. The
// conditions of the optimum are met within the same tolerance, o.Tolerance, so that decisions agree within a few times
// as much; the optimum itself is the same. Options.ClassWeights, NoShrinking and MaxSteps have no meaning here.
//
// It is the method of multipliers on the constraints that margins are positive (Rockafellar, 1976), whose steps are
// solved by a semismooth Newton method (Li, Sun and Toh, SIAM J. Optim. 28, 2018). With multipliers a_i, y_i = +1 or -1
// and f_i = <w, x_i> + b it minimises over w and b
//
//	1/2 |w|^2 + (b - b')^2 / (2 tau) + sum_i h_i(1 - y_i f_i),    h_i'(m) = clip(a_i + sigma m, 0, C),
//
// and takes the h_i' for the next multipliers, with a larger sigma and the new b for b'. The functions h_i are
// quadratic where they are not linear, so that Newton's equation has the order of the rows there, few of all;
// conjugate gradients solve it, preconditioned by the columns that weigh most ([nearly]). w is always a sum of
// rows, and every step reads all rows once. The first multipliers are those that coordinate descent finds in a few
// passes over the rows (Hsieh et al., ICML 2008), from 0 or from those of the C before, stretched: of all a_i = 0
// most rows would be where h is quadratic. A solution without a multiplier of C is that of every larger C too.
//
// Errors are those of FitKernelClassifier. Results have the same bits for any number of workers.
func FitSparseClassifier(
	ctx context.Context, x *Sparse, rows, classes []int, grid []float64, o KernelOptions,
) ([]*KernelClassifier, error) {
	if err := x.check(); err != nil {
		return nil, err
	}
	if len(classes) != x.Len() {
		return nil, fmt.Errorf("%d classes for a matrix of %d rows: give each row its class", len(classes), x.Len())
	}
	rows, err := checkRows(x.Len(), rows)
	if err != nil {
		return nil, err
	}
	out, err := pairsOf(rows, classes, grid)
	if err != nil {
		return nil, err
	}
	o = o.withDefaults(len(rows))
	for p, pair := range out[0].Pairs {
		first, second := out[0].Classes[pair.First], out[0].Classes[pair.Second]
		h := newHinge(x, rows, classes, first, second, o)
		for g, c := range grid {
			e, err := h.solve(ctx, c)
			if err != nil {
				return nil, fmt.Errorf("class %d against class %d: %w", first, second, err)
			}
			out[g].Pairs[p].Expansion = *e
		}
	}
	return out, nil
}

// hinge separates two classes by the method of multipliers.
type hinge struct {
	x         *Sparse
	rows      []int
	y         []float64
	tolerance float64
	longest   float64 // squared length of a row
	workers   int

	c, sigma, tau float64
	multiplier    []float64 // a
	next          []float64 // h'
	anchor        float64   // b'

	gamma    []float64 // w = sum gamma_i x_i
	w        []float64
	bias     float64
	decision []float64 // without the bias

	excess    []float64 // gamma - y next
	step      []float64 // of gamma
	direction []float64 // of w
	stepBias  float64
	along     []float64 // of the decisions, without the bias
	free      []int     // rows where h is quadratic
	places    []int32   // of columns, see [Sparse.some]
	heavy     heavy     // columns
	steps     int
}

func newHinge(x *Sparse, rows, classes []int, first, second int, o KernelOptions) *hinge {
	h := &hinge{x: x, tolerance: o.Tolerance, workers: o.Workers}
	for _, r := range rows {
		switch classes[r] {
		case first:
			h.rows, h.y = append(h.rows, r), append(h.y, 1)
		case second:
			h.rows, h.y = append(h.rows, r), append(h.y, -1)
		}
	}
	n := len(h.rows)
	for _, v := range []*[]float64{
		&h.multiplier, &h.next, &h.gamma, &h.decision, &h.excess, &h.step, &h.along,
	} {
		*v = make([]float64, n)
	}
	for _, r := range h.rows {
		h.longest = max(h.longest, x.square(r))
	}
	h.places = make([]int32, x.Columns)
	h.heavy = heaviest(x, h.rows)
	h.w, h.direction = make([]float64, x.Columns), make([]float64, x.Columns)
	return h
}

const (
	descents     = 30   // of coordinate descent
	firstSigma   = 10   // in units of the largest multiplier
	growth       = 3    // of sigma from one choice of the multipliers to the next
	maxSigma     = 1e5  // in units of C
	anchored     = 1e-4 // curvature that holds the bias, in terms of that of one row where h is quadratic
	unbalanced   = 1e-7 // sum of the coefficients, in units of C for each of them, that is rounding
	loosened     = 10   // the hold of the bias, where it keeps the coefficients from their sum
	maxOuter     = 100
	maxInner     = 40
	fewSteps     = 5   // for one choice of the multipliers: sigma may grow
	manySteps    = 12  // sigma is too large
	slow         = 0.4 // share of the violation that a choice of the multipliers leaves: sigma is too small
	innerShare   = 0.1 // of the violation that the minimum of a step may leave
	freeForced   = 0.01
	maxFreeSteps = 500
)

// solve solves at c, from the solution at the C before it.
func (h *hinge) solve(ctx context.Context, c float64) (*Expansion, error) {
	h.steps = 0
	if h.c > 0 {
		if h.c <= c && slices.Max(h.multiplier) < h.c {
			h.c = c
			return h.expansion(), nil
		}
		h.stretch(c)
	}
	h.descend(ctx, c)
	h.c, h.sigma = c, firstSigma*slices.Max(h.multiplier)
	h.anchor = h.bias
	violation, loose := math.Inf(1), 1.0
	for range maxOuter {
		h.tau = loose / (anchored * h.sigma)
		steps, before := h.steps, violation
		last := violation <= h.tolerance
		if err := h.minimise(ctx, innerShare*min(max(violation, h.tolerance), 1), last); err != nil {
			return nil, err
		}
		copy(h.multiplier, h.next)
		h.anchor = h.bias
		for i, e := range h.excess { // w by the multipliers alone
			h.step[i] = -e
		}
		h.stepBias = 0
		h.directionOf(h.step)
		h.measure()
		h.move(1)
		var bias float64
		if violation, bias = h.violation(); violation <= h.tolerance {
			if math.Abs(sum(h.gamma)) <= h.balance() {
				h.bias = bias
				return h.expansion(), nil
			}
			if last {
				loose *= loosened
			}
			continue
		}
		switch used := h.steps - steps; {
		case used >= maxInner: // and no minimum
			h.sigma /= growth * growth
		case used <= fewSteps || violation > slow*before:
			h.sigma = min(growth*h.sigma, maxSigma*c)
		case used > manySteps:
			h.sigma /= growth
		}
	}
	return nil, fmt.Errorf("no solution for C = %g: the conditions of the optimum are violated by %.2g after %d steps",
		c, violation, h.steps)
}

// stretch goes over to another C. It multiplies the multipliers by the factor that gives the lowest objective of the
// dual among those that the bound allows.
func (h *hinge) stretch(c float64) {
	factor := c / h.c
	if square := simd.Dot(h.gamma, h.decision); square > 0 {
		factor = min(factor, sum(h.multiplier)/square)
	}
	for _, v := range [][]float64{h.multiplier, h.gamma, h.w, h.decision} {
		simd.Scale(factor, v)
	}
	for i, a := range h.multiplier {
		h.multiplier[i] = min(a, c)
	}
}

// descend goes on from the multipliers by coordinate descent on the dual, where what the bias changes by is the weight
// of one more column that is as long as the rows are on average. Rows come in an order of their own in every pass.
func (h *hinge) descend(ctx context.Context, c float64) {
	n := len(h.rows)
	order, squares := make([]int, n), make([]float64, n)
	for i, r := range h.rows {
		order[i], squares[i] = i, h.x.square(r)
	}
	constant := sum(squares) / float64(n)
	random := rand.New(rand.NewPCG(1, 0))
	for range descents {
		if ctx.Err() != nil {
			return
		}
		random.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		worst := 0.0
		for _, i := range order {
			r, y, a := h.rows[i], h.y[i], h.multiplier[i]
			gap := 1 - y*(h.x.dot(r, h.w)+h.x.alone(r)*h.gamma[i]+h.bias)
			next := min(max(a+gap/(squares[i]+constant), 0), c)
			if next == a {
				continue
			}
			worst = max(worst, math.Abs(gap))
			h.multiplier[i], h.gamma[i] = next, y*next
			h.x.addRow(y*(next-a), r, h.w)
			h.bias += constant * y * (next - a)
		}
		if worst <= h.tolerance {
			break
		}
	}
	copy(h.direction, h.w)
	copy(h.step, h.gamma)
	h.measure()
	copy(h.decision, h.along)
}

// minimise finds the minimum over w and b at fixed multipliers, as closely as the decisions may be off. The last one
// balances the coefficients too.
func (h *hinge) minimise(ctx context.Context, off float64, last bool) error {
	for range maxInner {
		if err := ctx.Err(); err != nil {
			return err
		}
		h.evaluate()
		gradient, gradientBias := h.directionOf(h.excess), (h.bias-h.anchor)/h.tau
		squared := simd.Dot(gradient, gradient)
		for i, e := range h.excess {
			squared += e * e * h.x.alone(h.rows[i])
			gradientBias -= h.y[i] * h.next[i]
		}
		unbalance := innerShare * h.balance()
		if !last {
			unbalance = max(unbalance, off*h.sigma*float64(len(h.free))) // what moves the bias by so much
		}
		if math.Sqrt(squared) <= off && math.Abs(gradientBias) <= unbalance {
			return nil
		}
		h.steps++
		h.newton(gradient, gradientBias)
		h.measure()
		t := minimumOf(h.slope())
		if t == 0 {
			return nil // rounding leaves nothing to gain
		}
		h.move(t)
	}
	return nil
}

// balance is by how much the sum of the coefficients may differ from 0: by what does not show in the decisions when it
// is taken from the free ones.
func (h *hinge) balance() float64 {
	support := 1
	for _, a := range h.multiplier {
		if a > 0 {
			support++
		}
	}
	return min(unbalanced*float64(support)*h.c, innerShare*h.tolerance/h.longest)
}

// evaluate computes the derivatives of h, where it is quadratic, and by how much gamma misses them.
func (h *hinge) evaluate() {
	h.free = h.free[:0]
	for i, y := range h.y {
		a := h.multiplier[i] + h.sigma*(1-y*(h.decision[i]+h.bias))
		switch {
		case a <= 0:
			a = 0
		case a >= h.c:
			a = h.c
		default:
			h.free = append(h.free, i)
		}
		h.next[i] = a
		h.excess[i] = h.gamma[i] - y*a
	}
}

// directionOf writes the sum of rows with the given coefficients to direction, and returns it.
func (h *hinge) directionOf(coefficients []float64) []float64 {
	clear(h.direction)
	for i, c := range coefficients {
		if c != 0 {
			h.x.addRow(c, h.rows[i], h.direction)
		}
	}
	return h.direction
}

// measure computes the decisions along the direction: the pass over all rows.
func (h *hinge) measure() {
	parallel.Chunks(h.workers, len(h.rows), sparseChunk, func(from, to int) {
		for i := from; i < to; i++ {
			r := h.rows[i]
			h.along[i] = h.x.dot(r, h.direction) + h.x.alone(r)*h.step[i]
		}
	})
}

// slope returns the derivative of the objective along the step, and the next one, as functions of the share of it.
func (h *hinge) slope() func(t float64) (slope, curvature float64) {
	linear, square := simd.Dot(h.w, h.direction), simd.Dot(h.direction, h.direction)
	for i, s := range h.step {
		alone := h.x.alone(h.rows[i])
		linear += alone * h.gamma[i] * s
		square += alone * s * s
	}
	linear += (h.bias - h.anchor) * h.stepBias / h.tau
	square += h.stepBias * h.stepBias / h.tau
	return func(t float64) (slope, curvature float64) {
		slope, curvature = linear+t*square, square
		for i, y := range h.y {
			d := y * (h.along[i] + h.stepBias)
			a := h.multiplier[i] + h.sigma*(1-y*(h.decision[i]+h.bias)-t*d)
			switch {
			case a <= 0:
			case a >= h.c:
				slope -= h.c * d
			default:
				slope -= a * d
				curvature += h.sigma * d * d
			}
		}
		return slope, curvature
	}
}

// move takes a share of the step, after measure.
func (h *hinge) move(t float64) {
	simd.Axpy(t, h.direction, h.w)
	simd.Axpy(t, h.step, h.gamma)
	simd.Axpy(t, h.along, h.decision)
	h.bias += t * h.stepBias
}

// violation returns by how much the conditions of the optimum are violated, in units of the decision, and the bias
// between: no decision that may grow is below one that may fall, but for that.
func (h *hinge) violation() (violation, bias float64) {
	up, down := math.Inf(-1), math.Inf(1)
	sum, count := 0.0, 0
	for i, y := range h.y {
		a, gap := h.multiplier[i], y-h.decision[i]
		if a > 0 && a < h.c {
			sum += gap
			count++
		}
		if y > 0 && a < h.c || y < 0 && a > 0 {
			up = max(up, gap)
		}
		if y > 0 && a > 0 || y < 0 && a < h.c {
			down = min(down, gap)
		}
	}
	bias = (up + down) / 2
	if count > 0 {
		bias = sum / float64(count)
	}
	return up - down, bias
}

// expansion returns the solution. What the multipliers miss of the sum 0 is taken from the free ones in equal parts.
func (h *hinge) expansion() *Expansion {
	left, free := sum(h.gamma), 0
	for _, a := range h.multiplier {
		if a > 0 && a < h.c {
			free++
		}
	}
	e := &Expansion{Objects: []int{}, Coefficients: []float64{}, Bias: h.bias, Steps: h.steps}
	var order []int
	for i, a := range h.multiplier {
		if a > 0 {
			order = append(order, i)
		}
		e.Objective += h.gamma[i]*h.decision[i]/2 - a
	}
	slices.SortFunc(order, func(i, j int) int { return h.rows[i] - h.rows[j] })
	for _, i := range order {
		c := h.y[i] * h.multiplier[i]
		if h.multiplier[i] < h.c && free > 0 {
			c = h.y[i] * min(max(h.y[i]*(c-left/float64(free)), 0), h.c)
		}
		e.Objects, e.Coefficients = append(e.Objects, h.rows[i]), append(e.Coefficients, c)
	}
	return e
}
