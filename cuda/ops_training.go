//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// NormalizeRowsGrad implements [engine.Engine].
func (e *Engine) NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps float64) error {
	if err := engine.CheckNormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms, eps); err != nil {
		return err
	}
	if unit.Dtype() == tensor.Float32 {
		return normalizeRowsGradOn(e, xGrad, unitGrad, normGrad, unit, norms, float32(eps))
	}
	return normalizeRowsGradOn(e, xGrad, unitGrad, normGrad, unit, norms, eps)
}

func normalizeRowsGradOn[T real](e *Engine, xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps T) error {
	n, d := unit.Shape()[0], unit.Shape()[1]
	if n*d == 0 {
		return nil
	}
	k := e.begin("NormalizeRowsGrad")
	to, ofUnit, ofNorms, rows, lengths := of[T](k, xGrad), of[T](k, unitGrad), of[T](k, normGrad), of[T](k, unit), of[T](k,
		norms)
	return k.run(func(s *stream) error {
		group := lanes(blocksOf(d, 4))
		return normalizeRowsGrad(s, linear(n*group, 256), to, ofUnit, ofNorms, rows, lengths, int32(n), int32(d), eps,
			int32(group))
	})
}

// Linear implements [engine.Engine].
func (e *Engine) Linear(y, x, weight, bias *tensor.Dense) error {
	if err := engine.CheckLinear(y, x, weight, bias); err != nil {
		return err
	}
	if x.Dtype() == tensor.Float32 {
		return linearOn[float32](e, y, x, weight, bias)
	}
	return linearOn[float64](e, y, x, weight, bias)
}

func linearOn[T real](e *Engine, y, x, weight, bias *tensor.Dense) error {
	n, d, outputs := x.Shape()[0], x.Shape()[1], weight.Shape()[0]
	if n*outputs == 0 {
		return nil
	}
	k := e.begin("Linear")
	to, rows, w, b := of[T](k, y), of[T](k, x), of[T](k, weight), of[T](k, bias)
	return k.run(func(s *stream) error {
		operations[T](s, 2, n, outputs, d)
		return linearLayer(s, linear(n*outputs*32, 256), to, rows, w, b, int32(n), int32(outputs), int32(d))
	})
}

// OutputLoss implements [engine.Engine].
func (e *Engine) OutputLoss(loss, grad, x, y *tensor.Dense, kind engine.Loss, weights []float64) error {
	if err := engine.CheckOutputLoss(loss, grad, x, y, kind, weights); err != nil {
		return err
	}
	return e.losses(loss, grad, weights, func(loss, grad *tensor.Dense, weights []float64) error {
		if x.Dtype() == tensor.Float32 {
			return outputLossOn[float32](e, loss, grad, x, y, kind, weights)
		}
		return outputLossOn[float64](e, loss, grad, x, y, kind, weights)
	})
}

func outputLossOn[T real](e *Engine, loss, grad, x, y *tensor.Dense, kind engine.Loss, weights []float64) error {
	n, c := x.Shape()[0], x.Shape()[1]
	if n == 0 && weights == nil {
		return nil
	}
	k := e.begin("OutputLoss")
	losses, gradient, from, targets := of[T](k, loss), of[T](k, grad), of[T](k, x), of[T](k, y)
	shares := uploadAs[T](k, weights)
	return k.run(func(s *stream) error {
		group := lanes(blocksOf(c, 4))
		if kind == engine.LogisticLoss {
			exponentials[T](s, func() int { return n * c })
		}
		return outputLoss(s, lossGrid(n*group, weights), losses, gradient, from, targets, shares, int32(n), int32(c),
			int32(kind), int32(group))
	})
}

// SegmentReduceGrad implements [engine.Engine]. The items are sorted by their rows, so that each element is added up
// by one group of lanes in the order of the items: a sum or a mean goes back as a pooling of gradients, a maximum
// by its winners.
func (e *Engine) SegmentReduceGrad(xGrad, outGrad, x *tensor.Dense, s engine.Segments, pool engine.Pooling) error {
	if err := engine.CheckSegmentReduceGrad(xGrad, outGrad, x, s, pool); err != nil {
		return err
	}
	if x.Dtype() == tensor.Float32 {
		return segmentReduceGradOn[float32](e, xGrad, outGrad, x, s, pool)
	}
	return segmentReduceGradOn[float64](e, xGrad, outGrad, x, s, pool)
}

func segmentReduceGradOn[T real](e *Engine, xGrad, outGrad, x *tensor.Dense, s engine.Segments,
	pool engine.Pooling) error {
	rows, q := x.Shape()[0], x.Shape()[1]
	if rows*q == 0 {
		return nil
	}
	items := itemsByRow(s, rows)
	if pool != engine.Max {
		return e.SegmentReduce(xGrad, outGrad, items.gradients(s.Shares(pool)), engine.Sum)
	}
	k := e.begin("SegmentReduceGrad")
	to, gradient, from := of[T](k, xGrad), of[T](k, outGrad), of[T](k, x)
	offsets, index := upload(k, s.Offsets), upload(k, s.Index)
	order, segment := upload(k, items.order), upload(k, items.segment)
	winners := scratch[int32](k, (len(s.Offsets)-1)*q)
	search := winnersOf(k, winners, from, offsets, index, pointer[int32]{}, s.Offsets, q)
	gather := gatherMaxima(k, to, gradient, winners, order, segment, items.offsets, q)
	return k.run(func(st *stream) error {
		if err := search(st); err != nil {
			return err
		}
		return gather(st)
	})
}

// rowItems are the items of segments sorted by the row that they stand for.
type rowItems struct {
	offsets []int32 // of the rows in order
	order   []int32 // items, ascending for every row
	segment []int32 // of every item
}

func itemsByRow(s engine.Segments, rows int) rowItems {
	count := int(s.Offsets[len(s.Offsets)-1])
	r := rowItems{make([]int32, rows+1), make([]int32, count), make([]int32, count)}
	for g := range len(s.Offsets) - 1 {
		for i := s.Offsets[g]; i < s.Offsets[g+1]; i++ {
			r.segment[i] = int32(g)
		}
	}
	row := func(i int) int32 {
		if s.Index == nil {
			return int32(i)
		}
		return s.Index[i]
	}
	for i := range count {
		r.offsets[row(i)+1]++
	}
	for i := range rows {
		r.offsets[i+1] += r.offsets[i]
	}
	at := append([]int32(nil), r.offsets...)
	for i := range count {
		r.order[at[row(i)]] = int32(i)
		at[row(i)]++
	}
	return r
}

// gradients are the segments that pool the gradients of segments into those of the rows, given the shares of the items.
func (r rowItems) gradients(shares []float64) engine.Segments {
	back := engine.Segments{Offsets: r.offsets, Index: make([]int32, len(r.order))}
	if shares != nil {
		back.Weights = make([]float64, len(r.order))
	}
	for k, i := range r.order {
		back.Index[k] = r.segment[i]
		if shares != nil {
			back.Weights[k] = shares[i]
		}
	}
	return back
}

// winnersOf returns what enqueues the search for the winners of segments with the given offsets; of segments that are
// too long the winners of pieces come first.
func winnersOf[T real](k *op, winners pointer[int32], x pointer[T], offsets, index, candidates pointer[int32],
	bounds []int32, q int) func(*stream) error {
	group := lanes(q)
	launch := func(winners, offsets, candidates pointer[int32], segments int) func(*stream) error {
		return func(s *stream) error {
			g := linear(segments*blocksOf(q, group)*group, 256)
			return segmentWinners(s, g, winners, x, offsets, index, candidates, int32(segments), int32(q), int32(group))
		}
	}
	pieces, rest := cutSegments(bounds)
	if pieces == nil {
		return launch(winners, offsets, candidates, len(bounds)-1)
	}
	ofPieces := scratch[int32](k, (len(pieces)-1)*q)
	first := launch(ofPieces, upload(k, pieces), candidates, len(pieces)-1)
	then := winnersOf(k, winners, x, upload(k, rest), index, ofPieces, rest, q)
	return func(s *stream) error {
		if err := first(s); err != nil {
			return err
		}
		return then(s)
	}
}

// gatherMaxima returns what enqueues the sums of the gradients that the items of every row have won; of rows with too
// many items the sums of pieces come first.
func gatherMaxima[T real](k *op, xGrad, outGrad pointer[T], winners, order, segment pointer[int32], bounds []int32,
	q int) func(*stream) error {
	group, rows := lanes(q), len(bounds)-1
	launch := func(to pointer[T], offsets pointer[int32], rows int) func(*stream) error {
		return func(s *stream) error {
			g := linear(rows*blocksOf(q, group)*group, 256)
			return segmentMaxGrad(s, g, to, outGrad, winners, offsets, order, segment, int32(rows), int32(q), int32(group))
		}
	}
	pieces, rest := cutSegments(bounds)
	if pieces == nil {
		return launch(xGrad, upload(k, bounds), rows)
	}
	ofPieces := scratch[T](k, (len(pieces)-1)*q)
	first := launch(ofPieces, upload(k, pieces), len(pieces)-1)
	then := segmentWork[T, T]{out: xGrad, x: ofPieces, offsets: upload(k, rest), segments: rows, q: q,
		pool: engine.Sum}.plan(k, rest)
	return func(s *stream) error {
		if err := first(s); err != nil {
			return err
		}
		return then(s)
	}
}
