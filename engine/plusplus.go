package engine

import "math"

// Seeding is what the start of k-means is drawn from, see [Engine].PlusPlus. The squared distance of two points x and y
// of p rows is
//
//	d(x, y) = max(0, 2 (p - sum_i <q(x_i), q(y_i)>))
//
// with every element rounded to a multiple of 2^-b by q, and the mass of point i with a centre y is w_i d(x_i, y),
// rounded to a whole number of units. Both grids are so coarse that sums of float64 are exact: they have the same bits
// in any order, on any engine. b is 25 for p = 1 and 23 for p = 16, about as fine as float32, and a unit is less than
// 2^-48 of the largest sum of masses that there can be.
type Seeding struct {
	Points            // rows have norm 1 or less, up to rounding
	Weights []float64 // w, one for each point and positive; nil: ones

	// Draws are uniform numbers in [0, 1), the same number of them, that of the candidates, for each point to be drawn.
	Draws []float64

	// Stop, unless nil, is asked now and then; an error of it ends the operation.
	Stop func() error
}

// candidates returns the number of candidates for each of k points but the first.
func (s *Seeding) candidates(k int) int {
	if k == 1 {
		return 0
	}
	return len(s.Draws) / (k - 1)
}

// Grids returns 2^b, the grid of the elements, and the units in a mass of 1, both powers of two.
func (s *Seeding) Grids() (elements, masses float64) {
	total := float64(s.Len())
	if s.Weights != nil {
		total = 0
		for _, w := range s.Weights {
			total += w
		}
	}
	_, rows := math.Frexp(float64(s.Size))           // Size < 2^rows
	_, most := math.Frexp(total * float64(8*s.Size)) // distances are below 8 p, also where rows are slightly too long
	return math.Ldexp(1, (52-rows)/2), math.Ldexp(1, 52-most)
}

// weight returns the weight of point i.
func (s *Seeding) weight(i int) float64 {
	if s.Weights == nil {
		return 1
	}
	return s.Weights[i]
}

// mass returns the mass of point i at a squared distance from its centre.
func (s *Seeding) mass(i int, distance, units float64) float64 {
	return math.RoundToEven(s.weight(i) * distance * units)
}

// stopped asks Stop.
func (s *Seeding) stopped() error {
	if s.Stop == nil {
		return nil
	}
	return s.Stop()
}

// row returns the row of the table at position j of point i.
func (p *Points) row(i, j int) int {
	if p.Rows == nil {
		return i
	}
	return int(p.Rows[i*p.Size+j])
}
