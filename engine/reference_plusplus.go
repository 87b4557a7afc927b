package engine

import "math"

// PlusPlus implements [Engine].
func (Reference) PlusPlus(start []int32, s *Seeding) error {
	if err := CheckPlusPlus(start, s); err != nil {
		return err
	}
	table, d := values(s.Table), s.Table.Shape()[1]
	elements, units := s.Grids()
	distance := func(x, y int) float64 {
		sum := 0.0
		for j := range s.Size {
			for c := range d {
				sum += math.RoundToEven(table[s.row(x, j)*d+c]*elements) / elements *
					(math.RoundToEven(table[s.row(y, j)*d+c]*elements) / elements)
			}
		}
		return max(0, 2*(float64(s.Size)-sum))
	}
	mass := make([]float64, s.Len())
	for i := range mass {
		mass[i] = s.mass(i, distance(i, int(start[0])), units)
	}
	find := func(target float64) int {
		sum := 0.0
		for i, m := range mass {
			if sum += m; sum >= target {
				return i
			}
		}
		return len(mass) - 1
	}
	candidates := s.candidates(len(start))
	for f := 1; f < len(start); f++ {
		potential := 0.0
		for _, m := range mass {
			potential += m
		}
		least, best := math.Inf(1), []float64(nil)
		for _, u := range s.Draws[(f-1)*candidates : f*candidates] {
			y, sum, with := find(u*potential), 0.0, make([]float64, len(mass))
			for i, m := range mass {
				with[i] = min(m, s.mass(i, distance(i, y), units))
				sum += with[i]
			}
			if sum < least {
				start[f], least, best = int32(y), sum, with
			}
		}
		mass = best
	}
	return nil
}
