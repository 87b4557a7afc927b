package engine

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/engine/outline"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
)

// seedChunk is the number of points that one piece of parallel work covers.
const seedChunk = 4096

// PlusPlus implements [Engine].
func (e *CPU) PlusPlus(start []int32, s *Seeding) error {
	if err := CheckPlusPlus(start, s); err != nil {
		return err
	}
	if s.Table.Dtype().Size() == 4 {
		return plusPlus[float32](e.workers, start, s)
	}
	return plusPlus[float64](e.workers, start, s)
}

func plusPlus[T simd.Float](workers int, start []int32, s *Seeding) error {
	return newSeeder[T](workers, len(start), s).draw(start)
}

// draw draws the centres, of which the first is given.
func (p *seeder[T]) draw(start []int32) error {
	tried := start[:1]
	for f := range start {
		if err := p.stopped(); err != nil {
			return err
		}
		if f > 0 {
			tried = make([]int32, p.candidates(len(start)))
			for t := range tried {
				tried[t] = p.find(p.Draws[(f-1)*len(tried)+t] * p.potential)
			}
		}
		p.try(tried)
		start[f] = p.choose(tried)
	}
	return nil
}

// seeder is the state of PlusPlus. Most of its speed comes from the triangle inequality: a candidate that is twice as
// far from the centre of a point as the point itself cannot be nearer to the point. Of long rows the outlines rule out
// most others. Similarities in T then say which candidate reduces the potential most, unless rounding could decide, and
// exact ones are for that candidate alone.
type seeder[T simd.Float] struct {
	*Seeding
	workers, n, d int
	x             []T // the table, rounded
	units         float64
	slack         float64 // of a squared distance: rounding in T, and rows that are slightly longer than 1
	rounding      float64 // bound of the error of a similarity in T
	outlines      []T     // of the rows, see package outline; nil: of none
	allowance     float64 // of a similarity of outlines
	outlinedFrom  int     // number of chosen centres from which on outlines of many points are looked at

	chosen    []int32
	nearest   []int32   // which of the chosen centres is nearest to each point
	distance  []float64 // squared, from it
	mass      []float64 // of the points at that distance
	potential float64   // sum of the masses

	reach    [][]float64 // see findReach
	pieces   []seedPiece
	products []T
}

// seedPiece is the state of one chunk of points.
type seedPiece struct {
	open  []int32 // points that some candidate may be nearer to
	found []nearer
	gain  []float64 // by how much each candidate reduces the potential, and
	error []float64 // how far that may be off
	sum   float64   // of the masses

	similarities int // that were computed one by one
}

// nearer says that a candidate may be nearer to a point than the chosen centres are. Until the candidate is settled the
// mass is unknown.
type nearer struct {
	point, candidate int32
	distance, mass   float64
}

const (
	// outlinedCentres is the number of centres from which on outlines of rows are worth making.
	outlinedCentres = 128
	// firstOutlined is the number of chosen centres from which on outlines of many points are looked at: to few centres
	// most points are so far that any candidate may be nearer.
	firstOutlined = 8
	// alone is how many times as long a product of two rows takes by itself as among those of a whole table.
	alone = 4
)

func newSeeder[T simd.Float](workers, centres int, s *Seeding) *seeder[T] {
	n, rows, d := s.Len(), s.Table.Shape()[0], s.Table.Shape()[1]
	p := &seeder[T]{
		Seeding: s, workers: workers, n: n, d: d, x: make([]T, rows*d), potential: math.Inf(1),
		outlinedFrom: firstOutlined, nearest: make([]int32, n), distance: slices.Repeat([]float64{math.Inf(1)}, n),
		mass: slices.Repeat([]float64{math.Inf(1)}, n), pieces: make([]seedPiece, (n+seedChunk-1)/seedChunk),
	}
	elements, units := s.Grids()
	p.units = units
	table, shift := data[T](s.Table), 1.5*0x1p52/elements // adding it rounds
	longest := make([]float64, (rows+seedChunk-1)/seedChunk)
	parallel.Chunks(workers, rows, seedChunk, func(from, to int) {
		for i := from * d; i < to*d; i++ {
			p.x[i] = T(float64(table[i]) + shift - shift)
		}
		for r := from; r < to; r++ {
			x := p.row(r)
			longest[from/seedChunk] = max(longest[from/seedChunk], float64(simd.Dot(x, x)))
		}
	})
	excess, size, unit := 0.0, float64(s.Size), 0x1p-53
	for _, square := range longest {
		excess = max(excess, square-1)
	}
	if s.Table.Dtype().Size() == 4 {
		unit = 0x1p-24
		p.rounding = 1.1 * (1 + excess) * size * (float64(d) + size) * unit
	}
	if centres >= outlinedCentres {
		if basis := outline.New(workers, p.x, rows, d); basis != nil {
			p.outlines, p.allowance = basis.Of(workers, p.x, rows), size*basis.Allowance()
		}
	}
	p.slack = size * (8*float64(d+4)*unit + 4*excess)
	return p
}

// row returns a row of the rounded table.
func (p *seeder[T]) row(r int) []T { return p.x[r*p.d : (r+1)*p.d] }

// similarity returns the similarity of the points x and y in T.
func (p *seeder[T]) similarity(x, y int) (sum T) {
	for j := range p.Size {
		sum += simd.Dot(p.row(p.Seeding.row(x, j)), p.row(p.Seeding.row(y, j)))
	}
	return sum
}

// outlined returns the similarity of the outlines of the points x and y, computed in T.
func (p *seeder[T]) outlined(x, y int) float64 {
	outline := func(i, j int) []T { return p.outlines[p.Seeding.row(i, j)*outline.Width:][:outline.Width] }
	var sum T
	for j := range p.Size {
		sum += simd.Dot(outline(x, j), outline(y, j))
	}
	return float64(sum)
}

// exact returns the similarity of the points x and y without any rounding.
func (p *seeder[T]) exact(x, y int) (sum float64) {
	for j := range p.Size {
		switch r, s := any(p.row(p.Seeding.row(x, j))), any(p.row(p.Seeding.row(y, j))); r := r.(type) {
		case []float32:
			sum += simd.DotWide(r, s.([]float32))
		case []float64:
			sum += simd.Dot(r, s.([]float64))
		}
	}
	return sum
}

// between turns a similarity into a squared distance.
func (p *seeder[T]) between(similarity float64) float64 {
	return max(0, 2*(float64(p.Size)-similarity))
}

// try finds all points that may be nearer to one of the given points than to the chosen centres.
func (p *seeder[T]) try(tried []int32) {
	p.findReach(tried)
	open := p.findOpen()

	// With many open points, multiply the whole table with all candidates at once, or its outlines.
	many := 2*open >= p.Table.Shape()[0]
	outlined := p.outlines != nil && (!many || len(p.chosen) >= p.outlinedFrom)
	var products []T
	switch {
	case many && outlined:
		products = p.multiply(p.outlines, outline.Width, tried)
	case many:
		products = p.multiply(p.x, p.d, tried)
	}
	off := 2.1 * p.rounding * p.units // of the mass of a point of weight 1
	parallel.For(p.workers, len(p.pieces), func(i int) {
		piece, sims := &p.pieces[i], make([]T, len(tried))
		piece.found, piece.gain, piece.error = piece.found[:0], make([]float64, len(tried)), make([]float64, len(tried))
		piece.similarities = 0
		for _, x := range piece.open {
			near := float64(p.Size) - p.distance[x]/2 - p.rounding // a candidate with less similarity is not nearer
			if products != nil {
				p.gather(sims, products, int(x))
			}
			if outlined || products == nil {
				piece.similarities += p.multiplyPoint(sims, products != nil, tried, int(x), near)
			}
			for t, sim := range sims {
				if float64(sim) <= near {
					continue
				}
				distance := p.between(float64(sim))
				piece.found = append(piece.found, nearer{point: x, candidate: int32(t), distance: distance})
				piece.gain[t] += p.mass[x] - p.Seeding.mass(int(x), distance, p.units)
				piece.error[t] += p.weight(int(x))*off + 1
			}
		}
	})
	if many && outlined {
		p.judge(len(tried))
	}
}

// judge gives the outlines of many points up for a while where the products that they save of the whole table take less
// time than the similarities that they do not rule out.
func (p *seeder[T]) judge(tried int) {
	similarities := 0
	for i := range p.pieces {
		similarities += p.pieces[i].similarities
	}
	if alone*similarities*p.d > p.Table.Shape()[0]*tried*(p.d-outline.Width) {
		p.outlinedFrom = len(p.chosen) * 3 / 2
	}
}

// settle makes the distances of a candidate exact, and its gain.
func (p *seeder[T]) settle(t int, y int32) {
	parallel.For(p.workers, len(p.pieces), func(i int) {
		piece := &p.pieces[i]
		piece.gain[t], piece.error[t] = 0, 0
		for o := range piece.found {
			f := &piece.found[o]
			if f.candidate != int32(t) {
				continue
			}
			f.distance = p.between(p.exact(int(f.point), int(y)))
			f.mass = p.Seeding.mass(int(f.point), f.distance, p.units)
			piece.gain[t] += max(0, p.mass[f.point]-f.mass)
		}
	})
}

// multiplyPoint computes in T the similarities of point x with those of the given points that are in reach, unless
// their outlines say that they are not above near; the others are set to -Inf. With bounded, those of the outlines are
// in sims already. It returns how many it has computed.
func (p *seeder[T]) multiplyPoint(sims []T, bounded bool, tried []int32, x int, near float64) (computed int) {
	for t, y := range tried {
		bound := float64(sims[t])
		sims[t] = T(math.Inf(-1))
		if p.distance[x] <= p.reach[t][p.nearest[x]] {
			continue
		}
		if p.outlines != nil {
			if !bounded {
				bound = p.outlined(x, int(y))
			}
			if bound+p.allowance <= near {
				continue
			}
		}
		sims[t] = p.similarity(x, int(y))
		computed++
	}
	return computed
}

// gather adds up the similarities of point x with the points that are tried from the products of its rows.
func (p *seeder[T]) gather(sims, products []T, x int) {
	width := p.Size * len(sims)
	clear(sims)
	for j := range p.Size {
		some := products[p.Seeding.row(x, j)*width+j*len(sims):][:len(sims)]
		for t := range sims {
			sims[t] += some[t]
		}
	}
}

// multiply multiplies every row of the table, or its outline (d elements), with those of the given points: entry
// j*len(tried)+t of a row of the result belongs to position j of candidate t.
func (p *seeder[T]) multiply(table []T, d int, tried []int32) []T {
	rows := make([]T, 0, p.Size*len(tried)*d)
	for j := range p.Size {
		for _, y := range tried {
			rows = append(rows, table[p.Seeding.row(int(y), j)*d:][:d]...)
		}
	}
	n, width, ld := p.Table.Shape()[0], p.Size*len(tried), max(d, 1)
	p.products = slices.Grow(p.products[:0], n*width)[:n*width]
	simd.Gemm(p.workers, false, true, n, width, d, 1, table, ld, rows, ld, 0, p.products, width)
	return p.products
}

// findReach finds, for each of the given points and chosen centre, the squared distance up to which the points of the
// centre are out of reach: a quarter of the squared distance of the two. Before the first choice all points belong to a
// centre that everything is in reach of.
func (p *seeder[T]) findReach(tried []int32) {
	p.reach = make([][]float64, len(tried))
	parallel.For(p.workers, len(tried), func(t int) {
		if len(p.chosen) == 0 {
			p.reach[t] = []float64{math.Inf(-1)}
		}
		for _, y := range p.chosen {
			p.reach[t] = append(p.reach[t], p.between(float64(p.similarity(int(tried[t]), int(y))))/4-p.slack)
		}
	})
}

// findOpen lists the points of each piece that are in reach of a candidate, and returns their number.
func (p *seeder[T]) findOpen() (open int) {
	lowest := slices.Clone(p.reach[0])
	for _, reach := range p.reach[1:] {
		for f, r := range reach {
			lowest[f] = min(lowest[f], r)
		}
	}
	parallel.For(p.workers, len(p.pieces), func(i int) {
		list := p.pieces[i].open[:0]
		for x := i * seedChunk; x < min((i+1)*seedChunk, p.n); x++ {
			if p.distance[x] > lowest[p.nearest[x]] {
				list = append(list, int32(x))
			}
		}
		p.pieces[i].open = list
	})
	for i := range p.pieces {
		open += len(p.pieces[i].open)
	}
	return open
}

// gain returns by how much a candidate reduces the potential, and how far that may be off.
func (p *seeder[T]) gain(t int) (gain, off float64) {
	for i := range p.pieces {
		gain, off = gain+p.pieces[i].gain[t], off+p.pieces[i].error[t]
	}
	return gain, off
}

// best returns the candidate with the largest gain, the first of equals, and makes its distances exact.
func (p *seeder[T]) best(tried []int32) int {
	sure := math.Inf(-1) // the least gain that one of them has for sure
	for t := range tried {
		gain, off := p.gain(t)
		sure = max(sure, gain-off)
	}
	best, most := 0, math.Inf(-1)
	for t, y := range tried {
		if gain, off := p.gain(t); gain+off < sure || slices.Contains(tried[:t], y) {
			continue
		}
		p.settle(t, y)
		if gain, _ := p.gain(t); gain > most {
			best, most = t, gain
		}
	}
	return best
}

// choose makes the point with the largest gain, the first of equals, the next centre, and returns it.
func (p *seeder[T]) choose(tried []int32) int32 {
	best, centre := p.best(tried), int32(len(p.chosen))
	p.chosen = append(p.chosen, tried[best])
	p.potential = 0
	parallel.For(p.workers, len(p.pieces), func(i int) {
		piece := &p.pieces[i]
		for _, f := range piece.found {
			if x := f.point; f.candidate == int32(best) && f.mass < p.mass[x] {
				p.distance[x], p.mass[x], p.nearest[x] = f.distance, f.mass, centre
			}
		}
		if piece.sum -= piece.gain[best]; centre == 0 {
			piece.sum = 0
			for _, m := range p.mass[i*seedChunk : min((i+1)*seedChunk, p.n)] {
				piece.sum += m
			}
		}
	})
	for i := range p.pieces {
		p.potential += p.pieces[i].sum
	}
	return tried[best]
}

// find returns the first point at which the sum of the masses is not below target.
func (p *seeder[T]) find(target float64) int32 {
	sum := 0.0
	for i := range p.pieces {
		if sum+p.pieces[i].sum < target {
			sum += p.pieces[i].sum
			continue
		}
		for x := i * seedChunk; x < min((i+1)*seedChunk, p.n); x++ {
			if sum += p.mass[x]; sum >= target {
				return int32(x)
			}
		}
	}
	return int32(p.n - 1)
}
