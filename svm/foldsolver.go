package svm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
)

// foldSolver takes the Newton steps of many problems on the same rows side by side.
type foldSolver struct {
	rows     *standardRows
	options  Options
	problems []*foldProblem
}

// NoSolutionError is that of [FitFolds] where Newton's method goes to and fro between the pieces around an optimum at
// which a row has margin 0. [FitClassifier] finds it by way of other values of C.
type NoSolutionError struct{ C float64 }

func (e *NoSolutionError) Error() string {
	return fmt.Sprintf("no solution for C = %g after %d Newton steps: leave out this C", e.C, maxNewton)
}

// foldProblem separates one class from the others on one part. Vectors of the solver have an entry for each column and
// one for the intercept.
type foldProblem struct {
	part    *part
	label   []int8 // of each row: 1 or -1, 0 outside of the part
	penalty []float64
	path    *Path

	v, trial                []float64
	decision, trialDecision []float64 // of all rows
	objective               float64
	blur                    float64 // share of the objective that is rounding of extrapolated decisions

	active  []bool    // rows in the sums
	actives int       // their number
	gram    []float64 // sum of x x' over them, lower triangle
	target  []float64 // sum of y x over them
	enter   waiting
	leave   waiting

	root                               cholesky // of the Hessian at an earlier point
	rootC                              float64  // its C, 0 where there is none
	slow                               bool     // conjugate gradients took many steps with it
	gradient                           []float64
	residual, direction, image, scaled []float64 // of conjugate gradients

	logC     []float64
	old      [][]float64 // v at the last values of C
	seen     [][]float32 // and its decisions
	changed  int         // rows that the last pass moved in or out
	steps    int
	unseen   int
	guesses  int     // solutions in a row that were extrapolated
	reached  float64 // precision
	done     bool
	measures bool // the next pass computes the decisions of trial
	err      error
}

// waiting collects rows for one product.
type waiting struct {
	rows []float64
	held int
}

// add makes a problem of a class and a part.
func (s *foldSolver) add(p *part, classes, train []int, positive int) {
	n, order := s.rows.n, s.rows.p
	f := &foldProblem{
		part: p, label: make([]int8, n), penalty: make([]float64, order), path: &Path{},
		v: make([]float64, order), trial: make([]float64, order),
		decision: make([]float64, n), trialDecision: make([]float64, n),
		active: make([]bool, n), actives: len(train), gram: make([]float64, order*order), target: make([]float64, order),
		gradient: make([]float64, order),
	}
	for _, row := range train {
		f.label[row] = -1
		if classes[row] == positive {
			f.label[row] = 1
		}
	}
	for j, scale := range p.scale {
		f.penalty[j] = scale * scale
	}
	copy(f.active, p.train)
	rows := min(gatherRows, n) * order
	f.enter.rows, f.leave.rows = make([]float64, rows), make([]float64, rows)
	s.problems = append(s.problems, f)
}

// share is the number of workers for each of the problems that work at the same time.
func (s *foldSolver) share() int { return max(s.options.Workers/max(len(s.problems), 1), 1) }

// begin sums up the rows of all parts: the sum of every set of rows that are in the same parts is computed once.
func (s *foldSolver) begin(ctx context.Context) error {
	if len(s.problems) == 0 {
		return nil
	}
	r := s.rows
	cells := map[string]int{}
	of := make([]int, r.n)
	var key []byte
	var members []string
	for i := range r.n {
		key = key[:0]
		for f := range r.parts {
			if r.parts[f].train[i] {
				key = append(key, 1)
			} else {
				key = append(key, 0)
			}
		}
		cell, ok := cells[string(key)]
		if !ok {
			cell = len(members)
			cells[string(key)] = cell
			members = append(members, string(key))
		}
		of[i] = cell
	}
	if len(members) > len(r.parts)+1 { // nothing to share: each part adds up its own
		return s.beginAlone(ctx)
	}
	sums, buffers := make([][]float64, len(members)), make([]waiting, len(members))
	for c := range sums {
		sums[c] = make([]float64, r.p*r.p)
		buffers[c].rows = make([]float64, min(gatherRows, r.n)*r.p)
	}
	err := r.each(ctx, func(first int, d *design) {
		parallel.For(r.workers, len(sums), func(c int) {
			for i := range d.numRows() {
				if of[first+i] == c {
					buffers[c].take(r, d, i, sums[c], 1, 1)
				}
			}
		})
		s.addTargets(first, d)
	})
	if err != nil {
		return err
	}
	for c := range sums {
		buffers[c].flush(r.p, sums[c], 1, r.workers)
	}
	for _, f := range s.problems {
		which := slices.IndexFunc(r.parts, func(p part) bool { return &p.train[0] == &f.part.train[0] })
		for c, sum := range sums {
			if members[c][which] == 1 {
				addTo(f.gram, sum)
			}
		}
	}
	return nil
}

// beginAlone sums up the rows of every part by itself.
func (s *foldSolver) beginAlone(ctx context.Context) error {
	r := s.rows
	err := r.each(ctx, func(first int, d *design) {
		parallel.For(r.workers, len(s.problems), func(k int) {
			f := s.problems[k]
			for i := range d.numRows() {
				if f.active[first+i] {
					f.enter.take(r, d, i, f.gram, 1, 1)
				}
			}
		})
		s.addTargets(first, d)
	})
	for _, f := range s.problems {
		f.enter.flush(r.p, f.gram, 1, r.workers)
	}
	return err
}

// addTargets adds the rows of a block to the targets of all problems.
func (s *foldSolver) addTargets(first int, d *design) {
	r := s.rows
	parallel.Each(r.workers, len(s.problems), func() func(k int) {
		buffer := make([]float64, r.p)
		return func(k int) {
			f := s.problems[k]
			for i := range d.numRows() {
				if y := f.label[first+i]; y != 0 {
					simd.Axpy(float64(y), r.some(d, i, i+1, buffer), f.target)
				}
			}
		}
	})
}

// take adds a row of a block to those that wait, and them to the sum when they are enough.
func (g *waiting) take(r *standardRows, d *design, i int, sum []float64, sign float64, workers int) []float64 {
	row := g.rows[g.held*r.p : (g.held+1)*r.p]
	r.fill(d, i, i+1, row)
	g.held++
	if g.held*r.p == len(g.rows) {
		g.flush(r.p, sum, sign, workers)
	}
	return row
}

// flush adds the rows that wait to the sum.
func (g *waiting) flush(p int, sum []float64, sign float64, workers int) {
	addGram(workers, true, p, g.held, sign, g.rows[:g.held*p], p, sum, p)
	g.held = 0
}

// reach solves all problems at c.
func (s *foldSolver) reach(ctx context.Context, c float64) error {
	for _, f := range s.problems {
		f.done, f.steps, f.unseen = false, 0, 0
	}
	parallel.For(s.options.Workers, len(s.problems), func(k int) { s.problems[k].predict(c) })
	for first := true; ; first = false {
		if err := s.pass(ctx, c); err != nil {
			return err
		}
		working := 0
		parallel.For(s.options.Workers, len(s.problems), func(k int) {
			if f := s.problems[k]; !f.done {
				f.advance(c, first, s.options.Tolerance, s.share())
			}
		})
		for _, f := range s.problems {
			if f.err != nil {
				return f.err
			}
			if !f.done {
				working++
			}
		}
		if working == 0 {
			break
		}
	}
	for _, f := range s.problems {
		f.remember(c)
	}
	return nil
}

// predict sets trial to the extrapolation to c with the lowest objective, as [history] does, with its decisions.
func (f *foldProblem) predict(c float64) {
	f.measures = false
	best := math.Inf(1)
	v, decision := make([]float64, len(f.v)), make([]float64, len(f.decision))
	for count := 1; count <= len(f.old); count++ {
		clear(v)
		clear(decision)
		for i, weight := range lagrange(f.logC[len(f.logC)-count:], math.Log(c)) {
			k := len(f.old) - count + i
			simd.Axpy(weight, f.old[k], v)
			simd.AxpyWide(weight, f.seen[k], decision)
		}
		if objective := f.valueAt(v, decision, c); objective < best {
			best = objective
			f.trial, v = v, f.trial
			f.trialDecision, decision = decision, f.trialDecision
		}
	}
	if len(f.old) == 0 {
		copy(f.trial, f.v)
		copy(f.trialDecision, f.decision)
	}
}

// valueAt returns the objective for a v with its decisions.
func (f *foldProblem) valueAt(v, decision []float64, c float64) float64 {
	penalty, loss := 0.0, 0.0
	for j, x := range v {
		penalty += f.penalty[j] * x * x
	}
	for i, y := range f.label {
		if margin := 1 - float64(y)*decision[i]; y != 0 && margin > 0 {
			loss += margin * margin
		}
	}
	return penalty/2 + c*loss
}

// pass computes the decisions of all trials that want them, and makes the sums those of their active rows.
func (s *foldSolver) pass(ctx context.Context, c float64) error {
	r := s.rows
	for _, f := range s.problems {
		f.changed = 0
	}
	err := r.each(ctx, func(first int, d *design) {
		blocks := (d.numRows() + standardBlock - 1) / standardBlock
		parallel.Each(r.workers, blocks, func() func(k int) {
			var buffer []float64
			if r.held == nil {
				buffer = make([]float64, standardBlock*r.p)
			}
			return func(k int) {
				from := k * standardBlock
				to := min(from+standardBlock, d.numRows())
				s.decide(first, from, to, r.some(d, from, to, buffer))
			}
		})
		parallel.For(r.workers, len(s.problems), func(k int) {
			if f := s.problems[k]; !f.done {
				f.move(r, first, d, s.share())
			}
		})
	})
	parallel.For(r.workers, len(s.problems), func(k int) {
		f := s.problems[k]
		f.enter.flush(r.p, f.gram, 1, s.share())
		f.leave.flush(r.p, f.gram, -1, s.share())
	})
	return err
}

// decide computes the decisions of some rows.
func (s *foldSolver) decide(first, from, to int, rows []float64) {
	p := s.rows.p
	for i := from; i < to; i++ {
		row := rows[(i-from)*p : (i-from+1)*p]
		for _, f := range s.problems {
			if f.measures && !f.done {
				f.trialDecision[first+i] = simd.Dot(row, f.trial)
			}
		}
	}
}

// move updates the sums by the rows of a block that are active at one of trial and the sums, not at the other.
func (f *foldProblem) move(r *standardRows, first int, d *design, workers int) {
	for i := range d.numRows() {
		at := first + i
		y := f.label[at]
		if y == 0 {
			continue
		}
		active := float64(y)*f.trialDecision[at] < 1
		if active == f.active[at] {
			continue
		}
		f.active[at] = active
		f.changed++
		if active {
			simd.Axpy(float64(y), f.enter.take(r, d, i, f.gram, 1, workers), f.target)
			f.actives++
		} else {
			simd.Axpy(-float64(y), f.leave.take(r, d, i, f.gram, -1, workers), f.target)
			f.actives--
		}
	}
}

// advance judges the trial after a pass, and makes the next one or is done.
func (f *foldProblem) advance(c float64, first bool, tolerance float64, workers int) {
	value := f.valueAt(f.trial, f.trialDecision, c)
	if !first {
		f.steps++
		slope, _ := f.slope(0, c)
		if value > f.objective+sufficient*slope+f.blur*f.objective && -slope > unseen*f.objective {
			if f.steps > maxNewton {
				f.err = &NoSolutionError{c}
				return
			}
			f.shorten(f.minimum(c))
			f.measures = f.blur > 0 // from exact decisions to the next ones no pass is needed
			return
		}
		if -slope <= unseen*f.objective {
			f.unseen++
		}
	}
	f.v, f.trial = f.trial, f.v
	f.decision, f.trialDecision = f.trialDecision, f.decision
	f.objective, f.blur = value, 0
	if first && len(f.old) > 0 {
		f.blur = extrapolated
	}
	f.gradientAt(c)
	if f.rootC > 0 {
		precision, lost := f.precision(), f.unseen > maxUnseen
		if (!first || f.guesses < maxGuesses) && (precision <= tolerance || lost && precision <= acceptable) {
			f.done, f.reached = true, precision
			if f.guesses++; f.steps > 0 {
				f.guesses = 0
			}
			return
		}
		if f.steps >= maxNewton {
			f.err = &NoSolutionError{c}
			return
		}
	}
	if f.slow || f.rootC == 0 || c > stretch*f.rootC || !f.conjugate(c, tolerance, false) {
		f.factorise(c, workers)
		copy(f.trial, f.gradient)
		simd.Scale(-1, f.trial)
		f.root.solve(f.trial)
		f.slow = false
		if f.root.raised {
			f.conjugate(c, tolerance, true)
		}
	}
	simd.Add(f.trial, f.trial, f.v)
	f.measures = true
}

const (
	extrapolated = 1e-5 // rounding of decisions that float32 were extrapolated from
	maxGuesses   = 2    // extrapolations in a row that are taken as they are: their decisions are extrapolated too
	stretch      = 8    // ratio of C up to which a factor preconditions
	shortSolve   = 4    // steps of conjugate gradients that cost less than a factor
	longSolve    = 8    // steps after which a factor is better
	forced       = 0.01 // reduction of the residual in one solve
)

// conjugate solves Newton's equation by conjugate gradients from 0, preconditioned by the factor of an earlier one, as
// well as it serves the next point. It reports false where that took too many steps.
func (f *foldProblem) conjugate(c, tolerance float64, again bool) bool {
	p := len(f.v)
	f.residual, f.direction = atLeast(f.residual, p), atLeast(f.direction, p)
	f.image = atLeast(f.image, p)
	clear(f.trial)
	copy(f.residual, f.gradient)
	simd.Scale(-1, f.residual)
	if again { // the factor is new
		copy(f.scaled, f.residual)
		f.root.forward(f.scaled)
	}
	f.root.backward(f.scaled)
	copy(f.direction, f.scaled)
	size := simd.Dot(f.residual, f.scaled)
	stop := max(forced*math.Sqrt(max(size, 0)), safety*tolerance*f.size())
	for step := range longSolve {
		f.slow = step >= shortSolve
		f.image = f.hessian(c, f.direction, f.image)
		curvature := simd.Dot(f.direction, f.image)
		if !(curvature > 0) {
			return false
		}
		length := size / curvature
		simd.Axpy(length, f.direction, f.trial)
		simd.Axpy(-length, f.image, f.residual)
		copy(f.scaled, f.residual)
		f.root.solve(f.scaled)
		next := simd.Dot(f.residual, f.scaled)
		if !(next > stop*stop) {
			return true
		}
		simd.Scale(next/size, f.direction)
		simd.Add(f.direction, f.direction, f.scaled)
		size = next
	}
	return false
}

// hessian writes the product of the Hessian with u to out.
func (f *foldProblem) hessian(c float64, u, out []float64) []float64 {
	f.gramTimes(u, out)
	for j, x := range u {
		out[j] = f.penalty[j]*x + 2*c*out[j]
	}
	return out
}

// gramTimes writes the product of the sum of x x' over the active rows with u to out.
func (f *foldProblem) gramTimes(u, out []float64) {
	p := len(u)
	clear(out)
	for i := range p {
		row := f.gram[i*p : i*p+i+1]
		out[i] += simd.Dot(row, u[:i+1])
		simd.Axpy(u[i], row[:i], out[:i])
	}
}

// precision is that of [Path], by the last factor. It leaves L^-1 times the step of the gradient, where conjugate
// gradients begin.
func (f *foldProblem) precision() float64 {
	f.scaled = atLeast(f.scaled, len(f.v))
	copy(f.scaled, f.gradient)
	simd.Scale(-1, f.scaled)
	f.root.forward(f.scaled)
	precision := math.Sqrt(simd.Dot(f.scaled, f.scaled))
	if size := f.size(); size > 0 {
		precision /= size
	}
	return precision
}

// size is the length that the precision refers to.
func (f *foldProblem) size() float64 {
	squared := negligible * 2 * f.objective
	for j, x := range f.v {
		squared += f.penalty[j] * x * x
	}
	return math.Sqrt(squared)
}

// gradientAt computes the gradient at v from the sums, which are those of its active rows.
func (f *foldProblem) gradientAt(c float64) {
	f.gramTimes(f.v, f.gradient)
	for j, x := range f.v {
		f.gradient[j] = f.penalty[j]*x - 2*c*(f.target[j]-f.gradient[j])
	}
}

// factorise factorises the Hessian over the active rows.
func (f *foldProblem) factorise(c float64, workers int) {
	p, root := len(f.v), &f.root
	root.workers = workers
	root.resize(p)
	for i := range p {
		row := root.l[i*p : i*p+i+1]
		copy(row, f.gram[i*p:])
		simd.Scale(2*c, row)
		row[i] += f.penalty[i]
		root.floor[i] = f.penalty[i] / 2
	}
	if f.actives == 0 {
		root.l[p*p-1] = 1 // no row says anything about the intercept
	}
	root.floor[p-1] = root.l[p*p-1] * 0x1p-50
	root.factor()
	f.rootC = c
}

// slope returns the derivative of the objective along the way from v to trial, and the next one, at t of the way.
func (f *foldProblem) slope(t, c float64) (slope, curvature float64) {
	for j, w := range f.v {
		d := f.trial[j] - w
		slope += f.penalty[j] * d * (w + t*d)
		curvature += f.penalty[j] * d * d
	}
	for i, y := range f.label {
		d := float64(y) * (f.trialDecision[i] - f.decision[i])
		if margin := 1 - float64(y)*f.decision[i] - t*d; y != 0 && margin > 0 {
			slope -= 2 * c * margin * d
			curvature += 2 * c * d * d
		}
	}
	return slope, curvature
}

// minimum returns the t at which the objective is smallest on the way.
func (f *foldProblem) minimum(c float64) float64 {
	return minimumOf(func(t float64) (slope, curvature float64) { return f.slope(t, c) })
}

// shorten moves trial to a share of the way to it, with its decisions.
func (f *foldProblem) shorten(t float64) {
	for j, w := range f.v {
		f.trial[j] = w + t*(f.trial[j]-w)
	}
	for i, d := range f.decision {
		f.trialDecision[i] = d + t*(f.trialDecision[i]-d)
	}
}

// remember keeps the solution at c to extrapolate from.
func (f *foldProblem) remember(c float64) {
	var v []float64
	var seen []float32
	if len(f.old) == historyLength {
		v, seen = f.old[0], f.seen[0]
		f.old, f.seen, f.logC = f.old[1:], f.seen[1:], f.logC[1:]
	} else {
		v, seen = make([]float64, len(f.v)), make([]float32, len(f.decision))
	}
	copy(v, f.v)
	for i, d := range f.decision {
		seen[i] = float32(d)
	}
	f.old, f.seen, f.logC = append(f.old, v), append(f.seen, seen), append(f.logC, math.Log(c))
}

// keep writes the solution to the path, in terms of the standardised columns of the part.
func (f *foldProblem) keep(c float64) {
	d := len(f.v) - 1
	w, bias := make([]float64, d), f.v[d]
	for j, scale := range f.part.scale {
		w[j] = f.v[j] * scale
		bias += f.v[j] * f.part.shift[j]
	}
	f.path.C = append(f.path.C, c)
	f.path.Weight = append(f.path.Weight, w)
	f.path.Bias = append(f.path.Bias, bias)
	f.path.Objective = append(f.path.Objective, f.objective)
	f.path.Iterations = append(f.path.Iterations, f.steps)
	f.path.Precision = append(f.path.Precision, f.reached)
}
