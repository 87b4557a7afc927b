package engine

import (
	"math"

	"gorgonia.org/tensor"
)

// BatchNorm holds what the normalisation of the columns of a matrix by the moments of a batch knows and keeps. All
// tensors are 1 x d.
type BatchNorm struct {
	Scale, Shift *tensor.Dense

	// Mean and Variance are moving averages: with Training they become (1-Momentum) times themselves plus Momentum times
	// the moment of the batch, of which the variance is the unbiased one (of a single row, the biased one, zero). Without
	// Training they are the moments.
	Mean, Variance *tensor.Dense

	// BatchMean and BatchDeviation are written with Training, for the gradient: the mean of the batch, and 1 divided by
	// sqrt(variance + Epsilon) of the biased variance.
	BatchMean, BatchDeviation *tensor.Dense

	Momentum, Epsilon float64
	Training, Rectify bool
}

// least returns the smallest result.
func (b *BatchNorm) least() float64 {
	if b.Rectify {
		return 0
	}
	return math.Inf(-1)
}

// Dropout says which elements are dropped. The random number of element i, counted by rows, is word i mod 4 of
// Philox4x32-10 (Salmon et al., SC 2011) divided by 2^32: the counter has the words i/4, Stream and the two of Step,
// the lower one first, and the key has those of Seed. What must not be dropped alike differs in one of the three.
type Dropout struct {
	Rate   float64 // at least 0 and below 1
	Seed   uint64
	Step   uint64
	Stream uint32
}

// Kept returns what random words of elements must at least be, and the factor of these elements.
func (d Dropout) Kept() (least uint32, factor float64) {
	return uint32(min(math.Ceil(d.Rate*0x1p32), 0x1p32-1)), 1 / (1 - d.Rate)
}

// counter and key return the arguments of Philox4x32-10 for the four elements from 4 block on.
func (d Dropout) counter(block uint32) [4]uint32 {
	return [4]uint32{block, d.Stream, uint32(d.Step), uint32(d.Step >> 32)}
}

func (d Dropout) key() [2]uint32 { return [2]uint32{uint32(d.Seed), uint32(d.Seed >> 32)} }
