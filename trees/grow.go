package trees

import (
	"math"

	"github.com/grove-graph/grove/parallel"
)

// bin holds sums over the examples of a bin, or of a node: of derivatives in whole units.
type bin struct {
	g, h int64
	n    int64
}

func (b *bin) add(o bin)     { b.g, b.h, b.n = b.g+o.g, b.h+o.h, b.n+o.n }
func (b bin) less(o bin) bin { return bin{b.g - o.g, b.h - o.h, b.n - o.n} }

// sumBits is the number of bits that sums of derivatives have at most: of an int64, less the sign and some slack.
const sumBits = 60

// growing is a tree that grows for one output.
type growing struct {
	*boosting
	nodes   Tree
	of      []bin   // of each example
	unit    float64 // of first derivatives
	unitH   float64 // of second ones
	scratch []int32
	found   []found // of each column
}

// found is a split that was found.
type found struct {
	gain   float64
	column int
	bin    int // the examples of higher bins go to Yes
	no     bin // sums of the others
}

// tree fits a tree for one output to some examples, which it reorders.
func (b *boosting) tree(output int, examples []int32) Tree {
	w := &growing{boosting: b, of: make([]bin, len(b.train)), scratch: make([]int32, len(examples)),
		found: make([]found, b.table.Columns)}
	outputs := len(b.m.Start)
	w.unit, w.unitH = unitOf(b.g, output, outputs), unitOf(b.h, output, outputs)
	var total bin
	for _, i := range examples {
		at := int(i)*outputs + output
		w.of[i] = bin{int64(math.RoundToEven(b.g[at] / w.unit)), int64(math.RoundToEven(b.h[at] / w.unitH)), 1}
		total.add(w.of[i])
	}
	w.grow(examples, nil, total, 0)
	return w.nodes
}

// unitOf returns a power of two of which a column of derivatives has at most so many that sums are exact.
func unitOf(x []float64, output, outputs int) float64 {
	largest := 0.0
	for i := output; i < len(x); i += outputs {
		largest = max(largest, math.Abs(x[i]))
	}
	if largest == 0 {
		return 1
	}
	_, exponent := math.Frexp(largest)
	_, rows := math.Frexp(float64(len(x) / outputs))
	return math.Ldexp(1, exponent+rows-sumBits)
}

// score is twice what a leaf of some examples reduces the loss by.
func (w *growing) score(b bin) float64 {
	g, h := float64(b.g)*w.unit, float64(b.h)*w.unitH+w.o.Lambda
	if h <= 0 {
		return 0
	}
	return g * g / h
}

// value is what a leaf adds to the score.
func (w *growing) value(b bin) float64 {
	h := float64(b.h)*w.unitH + w.o.Lambda
	if b.g == 0 || h <= 0 {
		return 0
	}
	value := -w.o.Rate * float64(b.g) * w.unit / h
	if w.m.Loss != Squared {
		value = max(-maxStep, min(value, maxStep))
	}
	return value
}

// grow adds the node of some examples with all that is below it and returns its number. histogram is that of the
// examples, nil where it is not there yet; grow gives it back.
func (w *growing) grow(examples []int32, histogram []bin, total bin, depth int) int {
	at := len(w.nodes)
	w.nodes = append(w.nodes, Node{Examples: len(examples)})
	var best found
	if depth < w.o.Depth && len(examples) >= 2*w.o.MinLeaf {
		if histogram == nil {
			histogram = w.histogram(examples)
		}
		best = w.search(histogram, total)
	}
	if !(best.gain > 0) {
		w.release(histogram)
		w.nodes[at].Value = w.value(total)
		return at
	}
	n := w.partition(examples, best)
	no, yes, ofYes := examples[:n], examples[n:], total.less(best.no)
	var ofNoHistogram, ofYesHistogram []bin
	if depth+1 < w.o.Depth { // the histogram of the larger child is what is left of that of both
		if len(no) < len(yes) {
			ofNoHistogram = w.histogram(no)
			ofYesHistogram = subtract(histogram, ofNoHistogram)
		} else {
			ofYesHistogram = w.histogram(yes)
			ofNoHistogram = subtract(histogram, ofYesHistogram)
		}
	} else {
		w.release(histogram)
	}
	w.nodes[at].Split, w.nodes[at].Gain = Split{best.column, w.binned.cuts[best.column][best.bin]}, best.gain/2
	left := w.grow(no, ofNoHistogram, best.no, depth+1)
	right := w.grow(yes, ofYesHistogram, ofYes, depth+1)
	w.nodes[at].No, w.nodes[at].Yes = left, right
	return at
}

func subtract(from, part []bin) []bin {
	for i := range from {
		from[i] = from[i].less(part[i])
	}
	return from
}

// release keeps a histogram for later.
func (b *boosting) release(histogram []bin) {
	if histogram != nil {
		b.spare = append(b.spare, histogram)
	}
}

// shared is the work, in examples times columns, from which several goroutines share it.
const shared = 1 << 14

// histogram sums the examples of a node by column and bin.
func (w *growing) histogram(examples []int32) []bin {
	b, workers := w.binned, w.workers
	var h []bin
	if last := len(w.spare) - 1; last >= 0 {
		h, w.spare = w.spare[last], w.spare[:last]
		clear(h)
	} else {
		h = make([]bin, b.first[len(b.cuts)])
	}
	if len(examples)*len(b.cuts) < shared {
		workers = 1
	}
	parallel.Chunks(workers, len(b.cuts), 8, func(from, to int) {
		for c := from; c < to; c++ {
			codes, sums := b.codes[c*b.rows:(c+1)*b.rows], h[b.first[c]:b.first[c+1]]
			if len(sums) == 1 {
				continue // of a constant column, which nothing asks for
			}
			for _, i := range examples {
				sums[codes[i]].add(w.of[i])
			}
		}
	})
	return h
}

// search returns the best split of a node, of gain 0 where there is none.
func (w *growing) search(histogram []bin, total bin) found {
	b, workers := w.binned, w.workers
	if len(histogram) < shared {
		workers = 1
	}
	whole, least := w.score(total), int64(w.o.MinLeaf)
	parallel.Chunks(workers, len(b.cuts), 64, func(from, to int) {
		for c := from; c < to; c++ {
			w.found[c] = found{}
			sums := histogram[b.first[c]:b.first[c+1]]
			var no bin
			for k := range sums[:len(sums)-1] {
				no.add(sums[k])
				if yes := total.less(no); no.n < least || yes.n < least {
					continue
				} else if gain := w.score(no) + w.score(yes) - whole; gain > w.found[c].gain {
					w.found[c] = found{gain, c, k, no}
				}
			}
		}
	})
	var best found
	for _, f := range w.found {
		if f.gain > best.gain {
			best = f
		}
	}
	if best.gain <= roundingOf*whole { // what rounding makes of no gain
		return found{}
	}
	return best
}

// roundingOf is the share of a sum that rounding may add.
const roundingOf = 1e-12

// partition moves the examples of Yes behind the others, each in their order, and returns the number of the others.
func (w *growing) partition(examples []int32, s found) int {
	codes := w.binned.codes[s.column*w.binned.rows:]
	n, m := 0, 0
	for _, i := range examples {
		if int(codes[i]) > s.bin {
			w.scratch[m] = i
			m++
		} else {
			examples[n] = i
			n++
		}
	}
	copy(examples[n:], w.scratch[:m])
	return n
}
