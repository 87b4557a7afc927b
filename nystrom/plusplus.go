package nystrom

import (
	"context"
	"math"

	"github.com/grove-graph/grove/engine"
)

// plusPlus is the k-means++ start of [KMeans], with several candidates for every anchor. It returns the points to start
// from.
func (c *cloud[T]) plusPlus(ctx context.Context, wide *widePoints[T], k int, draw func() float64) ([]int, error) {
	drawn := make([]int32, k)
	drawn[0] = c.findByWeight(draw() * c.totalWeight)
	s := &engine.Seeding{
		Points:  engine.Points{Table: c.table, Rows: c.rows, Size: c.p},
		Weights: c.weights, Stop: ctx.Err,
	}
	for range k - 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for range 2 + int(math.Log(float64(k))) {
			s.Draws = append(s.Draws, draw())
		}
	}
	e := c.eng
	if wide != nil {
		e, s.Table = wide.engine, wide.table
	}
	if err := e.PlusPlus(drawn, s); err != nil {
		return nil, err
	}
	start := make([]int, k)
	for f, i := range drawn {
		start[f] = int(i)
	}
	return start, nil
}

// findByWeight returns the first point at which the cumulative weight is not below target.
func (c *cloud[T]) findByWeight(target float64) int32 {
	for x := range c.n {
		if target -= c.weight(x); target <= 0 {
			return int32(x)
		}
	}
	return int32(c.n - 1)
}
