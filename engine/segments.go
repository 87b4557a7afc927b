package engine

// Segments are consecutive runs of items, each item standing for a row of a matrix. Weights multiply
// the rows of a sum or a mean, which is then divided by the sum of the weights (zero where that is
// zero); a maximum takes none.
type Segments struct {
	Offsets []int32   // ascending; one more than there are segments
	Index   []int32   // row of each item; nil: item i is row i
	Weights []float64 // of each item; nil: ones
}

// row returns the row that item i stands for.
func (s *Segments) row(i int32) int {
	if s.Index == nil {
		return int(i)
	}
	return int(s.Index[i])
}

// total returns the sum of the weights of some items.
func (s *Segments) total(from, to int32) float64 {
	if s.Weights == nil {
		return float64(to - from)
	}
	sum := 0.0
	for _, w := range s.Weights[from:to] {
		sum += w
	}
	return sum
}

// Shares returns the factor of every item in the sum or mean of its segment, nil for ones.
func (s *Segments) Shares(pool Pooling) []float64 {
	if pool != Mean {
		return s.Weights
	}
	shares := make([]float64, s.Offsets[len(s.Offsets)-1])
	for g := range len(s.Offsets) - 1 {
		from, to := s.Offsets[g], s.Offsets[g+1]
		total := s.total(from, to)
		for i := from; i < to && total != 0; i++ {
			shares[i] = 1 / total
			if s.Weights != nil {
				shares[i] = s.Weights[i] / total
			}
		}
	}
	return shares
}
