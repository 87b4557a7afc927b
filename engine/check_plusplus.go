package engine

import "math"

// CheckPlusPlus returns what is wrong with the arguments of PlusPlus. It reads all rows, weights and numbers drawn, but
// not the table.
func CheckPlusPlus(start []int32, s *Seeding) error {
	ck := checks{op: "PlusPlus"}
	if !ck.dims("the table", s.Table, 2) {
		return ck.err
	}
	ck.float(s.Table)
	ck.that(s.Size >= 1, "points of %d rows", s.Size)
	ck.that(s.Rows != nil || s.Size == 1, "points without rows have size 1, not %d", s.Size)
	ck.that(len(start) >= 1, "no points to draw")
	if ck.err != nil {
		return ck.err
	}
	ck.that(len(s.Rows)%s.Size == 0, "%d rows for points of %d", len(s.Rows), s.Size)
	ck.rowsOf(s.Rows, s.Table.Shape()[0])
	ck.within(start[:1], s.Len(), "start from point %[2]d of %[3]d")
	ck.that(s.Weights == nil || len(s.Weights) == s.Len(), "%d weights for %d points", len(s.Weights), s.Len())
	for i, w := range s.Weights {
		if !(w > 0) || math.IsInf(w, 0) {
			ck.that(false, "point %d has weight %g, want a positive one", i, w)
			break
		}
	}
	rounds := len(start) - 1
	ck.that(rounds == 0 || len(s.Draws) >= rounds && len(s.Draws)%rounds == 0,
		"%d numbers drawn for %d points after the first", len(s.Draws), rounds)
	for i, u := range s.Draws {
		if !(u >= 0 && u < 1) {
			ck.that(false, "number %d drawn is %g, want one in [0,1)", i, u)
			break
		}
	}
	return ck.err
}
