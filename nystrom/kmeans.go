package nystrom

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"gorgonia.org/tensor"
)

// KMeansOptions holds the options of [KMeans]. The zero value asks for the published settings.
type KMeansOptions struct {
	MaxIterations int     // Lloyd iterations at most; 0 means 100, negative none
	Tolerance     float64 // stop when the objective changes by less, relatively; 0 means 1e-6, negative never
	Seed          uint64  // of the k-means++ start

	// Workers bounds the goroutines that work beside the engine; 0 means as many as the engine's own,
	// where it tells, or one. The result does not depend on it.
	Workers int

	Init   []int          // the points to start from, one for each cluster; nil draws them by k-means++
	Source func() float64 // uniform numbers in [0,1) for k-means++; nil draws them from Seed
}

// Clusters is the result of [KMeans] for n points and k clusters.
type Clusters struct {
	// Anchors is p x k x d, of the table's dtype: a matrix of k rows for each position. The rows have
	// norm 1, unless a mean was shorter than 1e-4 or a point that an empty cluster took shorter than 1.
	Anchors *tensor.Dense

	Assignment     []int32   // the anchor nearest to each point, the first of equals
	FinalObjective float64   // of Anchors and Assignment
	Objective      []float64 // of each iteration, before its update
	Iterations     int
	Init           []int // the points that the clusters started from
}

// KMeans clusters points of p unit vectors by spherical k-means (docs/conventions.md, 12). The
// similarity of a point x and an anchor z is sum_i <x_i, z_i>, at most p, and the objective, to be
// maximised, is the weighted mean over points of the similarity with the nearest anchor.
//
// The start is k-means++ with squared distances 2(p - similarity), not below 0, times the weight of the
// point. The first anchor is drawn by weight. Every later one is the best of 2 + floor(ln k) candidates, the
// one that leaves the smallest sum of distances (the first of equals); a candidate is the first point
// whose cumulative distance is not below a uniform number times the sum. Once all distances are zero,
// because there are fewer distinct points than clusters, that is point 0: repeated anchors are normal.
//
// Each iteration assigns the points (the first of equally near anchors wins), and replaces each anchor by
// the weighted mean of its points, every position divided by max(norm, 1e-4). Empty clusters take, one after
// another, the point with the lowest similarity (the first of equals), whose similarity then counts as 1;
// with p > 1 that may still be the lowest, and several clusters then take the same point. Iterations end
// with the update after which [KMeansOptions] says to stop.
//
// The squared distances of the start are exact sums, see [engine.Seeding]. Where eng is a device it draws the start,
// adds up the points of clusters in the order of the host, and finds the nearest anchors of many points at a time. The
// host looks again at those whose two largest similarities differ by no more than rounding explains: the result does
// not depend on the device.
//
// Rows of the table must have norm 1 or less; shorter rows are taken as they are. The weights must be
// positive. KMeans returns an error for points that are missing, not finite or longer than 1, and for
// a context that is done.
func KMeans(ctx context.Context, eng engine.Engine, points Points, k int, opt KMeansOptions) (*Clusters, error) {
	if k < 1 {
		return nil, fmt.Errorf("k-means: %d clusters: want at least 1", k)
	}
	if err := points.check(); err != nil {
		return nil, fmt.Errorf("k-means: %w", err)
	}
	if opt.MaxIterations == 0 {
		opt.MaxIterations = 100
	}
	if opt.Tolerance == 0 {
		opt.Tolerance = 1e-6
	}
	if opt.Source == nil {
		opt.Source = rand.New(rand.NewPCG(opt.Seed, 0)).Float64
	}
	if opt.Workers == 0 {
		opt.Workers = eng.Host().Workers()
	}
	opt.Workers = max(opt.Workers, 1)
	if points.Table.Dtype() == tensor.Float32 {
		return cluster[float32](ctx, eng, points, k, opt)
	}
	return cluster[float64](ctx, eng, points, k, opt)
}

func cluster[T simd.Float](
	ctx context.Context, eng engine.Engine, points Points, k int, opt KMeansOptions,
) (*Clusters, error) {
	c, err := newCloud[T](eng, opt.Workers, points)
	if err != nil {
		return nil, fmt.Errorf("k-means: %w", err)
	}
	wide, err := newWidePoints(c.device, c, k)
	defer wide.close()
	if err != nil {
		return nil, err
	}
	start := opt.Init
	if start == nil {
		if start, err = c.plusPlus(ctx, wide, k, opt.Source); err != nil {
			return nil, err
		}
	}
	if len(start) != k {
		return nil, fmt.Errorf("k-means: %d points to start from for %d clusters", len(start), k)
	}
	for _, i := range start {
		if i < 0 || i >= c.n {
			return nil, fmt.Errorf("k-means: start from point %d of %d", i, c.n)
		}
	}
	return newLloyd(c, wide, start).run(ctx, opt)
}
