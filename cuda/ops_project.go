//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Project implements [engine.Engine].
func (e *Engine) Project(y, x, a *tensor.Dense, p engine.Projection) error {
	if err := engine.CheckProject(y, x, a, p); err != nil {
		return err
	}
	if x.Dtype() == tensor.Float32 {
		return projectOn[float32](e, "Project", y, x, a, p, false)
	}
	return projectOn[float64](e, "Project", y, x, a, p, false)
}

// ProjectGrad implements [engine.Engine].
func (e *Engine) ProjectGrad(xGrad, aGrad, yGrad, x, a *tensor.Dense, p engine.Projection) error {
	if err := engine.CheckProjectGrad(xGrad, aGrad, yGrad, x, a, p); err != nil {
		return err
	}
	if x.Dtype() == tensor.Float32 {
		return projectGradOn[float32](e, xGrad, aGrad, yGrad, x, a, p)
	}
	return projectGradOn[float64](e, xGrad, aGrad, yGrad, x, a, p)
}

func projectGradOn[T real](e *Engine, xGrad, aGrad, yGrad, x, a *tensor.Dense, p engine.Projection) error {
	if xGrad != nil {
		if err := projectOn[T](e, "ProjectGrad", xGrad, yGrad, a, p, true); err != nil {
			return err
		}
	}
	if aGrad != nil {
		return projectToMatrices[T](e, aGrad, x, yGrad, p)
	}
	return nil
}

// launchChannels is the number of channels that a launch of project or project_grad takes.
const launchChannels = 8

// channels are those of one launch.
type channels struct {
	from, first, count int32
	ends               [launchChannels]int32
}

// channelsOf returns the channels of a projection, launch by launch.
func channelsOf(p engine.Projection) []channels {
	var all []channels
	for from := 0; from < len(p.Offsets)-1; from += launchChannels {
		c := channels{from: int32(from), first: p.Offsets[from]}
		c.count = int32(copy(c.ends[:], p.Offsets[from+1:]))
		all = append(all, c)
	}
	return all
}

// interleaved is the number of channels of rows that are, and else 0.
func interleaved(p engine.Projection) int32 {
	if p.Interleaved {
		return int32(len(p.Offsets) - 1)
	}
	return 0
}

// The sides of the tiles of a projection: the large ones where they keep a GPU busy.
const largeProjection, smallProjection = 64, 32

// tiles is the number of tiles of a side that cover some channels.
func (c *channels) tiles(q, side int) int {
	n, first := 0, c.first
	for _, end := range c.ends[:c.count] {
		n += blocksOf(int(end-first), side) * blocksOf(q, side)
		first = end
	}
	return n
}

// projectOn projects x into y, or, transposed, its gradient, which lies as y does, into that of x.
func projectOn[T real](e *Engine, name string, y, x, a *tensor.Dense, p engine.Projection, transposed bool) error {
	matrices, q := a.Shape()[0], a.Shape()[1]
	k := e.begin(name)
	to, from, factors := of[T](k, y), of[T](k, x), of[float64](k, a)
	interleavedX, interleavedY := int32(0), interleaved(p)
	if transposed {
		interleavedX, interleavedY = interleavedY, 0
	}
	return k.run(func(s *stream) error {
		for _, c := range channelsOf(p) {
			launch, blocks := project[T], c.tiles(q, largeProjection)
			if blocks < manyTiles/2 {
				launch, blocks = projectSmall[T], c.tiles(q, smallProjection)
			}
			operations[T](s, 2, int(c.ends[c.count-1]-c.first), q, q)
			if err := launch(s, grid{blocks: dim{x: min(blocks, maxBlocks)}, threads: dim{x: 256}}, to, from, factors,
				int32(matrices), int32(q), number(transposed), interleavedX, interleavedY, c.from, c.first, c.count,
				c.ends[0], c.ends[1], c.ends[2], c.ends[3], c.ends[4], c.ends[5], c.ends[6], c.ends[7]); err != nil {
				return err
			}
		}
		return nil
	})
}

// projectRows is the least number of rows of a channel that is worth a split of its own.
const projectRows = 512

// projectToMatrices computes the gradient of the matrices.
func projectToMatrices[T real](e *Engine, aGrad, x, yGrad *tensor.Dense, p engine.Projection) error {
	matrices, q := aGrad.Shape()[0], aGrad.Shape()[1]
	elements := matrices * q * q
	if elements == 0 {
		return nil
	}
	k := e.begin("ProjectGrad")
	to, from, gradient := of[float64](k, aGrad), of[T](k, x), of[T](k, yGrad)
	launch, side := projectGrad[T], largeProjection
	if matrices*blocksOf(q, side)*blocksOf(q, side) < manyTiles/2 {
		launch, side = projectGradSmall[T], smallProjection
	}
	tiles, longest := matrices*blocksOf(q, side)*blocksOf(q, side), 1
	for c := range len(p.Offsets) - 1 {
		longest = max(longest, int(p.Offsets[c+1]-p.Offsets[c]))
	}
	splits := max(1, min(blocksOf(manyTiles, tiles), longest/projectRows))
	split := blocksOf(longest, splits)
	all := channelsOf(p)
	if len(all) == 0 {
		all = []channels{{}} // which makes zeros
	}
	partial := to
	if len(all) > 1 || splits > 1 {
		partial = scratch[float64](k, splits*elements)
	}
	return k.run(func(s *stream) error {
		for i, c := range all {
			operations[T](s, 2, int(c.ends[max(c.count-1, 0)]-c.first), q, q)
			g := grid{blocks: dim{x: min(tiles, maxBlocks), y: splits}, threads: dim{x: 256}}
			if err := launch(s, g, partial, from, gradient, int32(matrices), int32(q), interleaved(p), int32(split), c.from,
				c.first, c.count, c.ends[0], c.ends[1], c.ends[2], c.ends[3], c.ends[4], c.ends[5], c.ends[6],
				c.ends[7]); err != nil {
				return err
			}
			if partial == to {
				continue
			}
			if err := matmulCombine(s, linear(elements, 256), to, partial, int64(elements), int32(splits), 1,
				min(float64(i), 1)); err != nil {
				return err
			}
		}
		return nil
	})
}
