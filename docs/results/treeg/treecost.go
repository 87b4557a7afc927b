package main

import (
	"context"
	"fmt"
	"github.com/grove-graph/grove/internal/cputime"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/treeg"
	"github.com/spf13/cobra"
)

func treeCostCommand() *cobra.Command {
	quick := false
	c := &cobra.Command{
		Use: "tree-cost OUT.svg", Short: "Draw what a TREE-G tree costs by features, walk length, pointed ancestors and arcs",
		Long: `Fit one tree of depth 6 to random targets of random graphs with real attributes, one worker, all walk types,
and draw the CPU seconds of its search (the least of 9 fits, for as many graphs in every level) against the
number of features, the longest walk, the ancestors that a split may point to (their mean over the nodes) and
the arcs: straight lines by Lemma 4.2 of the paper.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if ext := strings.ToLower(filepath.Ext(args[0])); ext != ".svg" && ext != ".png" {
				return fmt.Errorf("%s: the name of a picture must end in .svg or .png", args[0])
			}
			costs, err := treeCosts(cmd.Context(), quick)
			if err != nil {
				return err
			}
			printCosts(cmd.OutOrStdout(), costs)
			return drawCosts(args[0], costs)
		},
	}
	c.Flags().BoolVar(&quick, "quick", false, "tiny graphs, to see that it runs; says nothing about speed")
	return c
}

// treeCost is the time of a tree against one of the sizes that it should be linear in.
type treeCost struct {
	of      string
	sizes   []float64
	seconds []float64
}

// costShape is what one tree is fitted to.
type costShape struct {
	graphs, vertices, features int
	degree                     float64
	length, distance           int
}

const costDepth = 6

// newRandom draws the same numbers for the same name in every run.
func newRandom(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(1, h.Sum64()))
}

// treeCosts measures trees that differ in one size at a time.
func treeCosts(ctx context.Context, quick bool) ([]treeCost, error) {
	base := costShape{graphs: 300, vertices: 100, features: 4, degree: 8, length: 2, distance: 2}
	repeats := 9
	if quick {
		base.graphs, base.vertices, repeats = 40, 60, 1
	}
	costs := []treeCost{{of: "features"}, {of: "longest walk"}, {of: "pointed ancestors"}, {of: "arcs"}}
	for i := range 6 {
		for k, change := range []func(*costShape){
			func(s *costShape) { s.features *= i + 1 },
			func(s *costShape) { s.length = i + 1 },
			func(s *costShape) { s.distance = i },
			func(s *costShape) { s.degree *= float64(i + 1) },
		} {
			s := base
			change(&s)
			b, err := s.batch()
			if err != nil {
				return nil, err
			}
			seconds, ancestors, err := s.measure(ctx, b, repeats)
			if err != nil {
				return nil, err
			}
			size := []float64{float64(s.features), float64(s.length), ancestors, float64(b.NumArcs())}[k]
			costs[k].sizes, costs[k].seconds = append(costs[k].sizes, size), append(costs[k].seconds, seconds)
		}
	}
	return costs, nil
}

// batch draws the graphs with attributes.
func (s *costShape) batch() (*graph.Batch, error) {
	r := newRandom("tree cost")
	n := s.graphs * s.vertices
	var arcs graph.ArcList
	offsets := []int32{0}
	for g := range s.graphs {
		offsets = append(offsets, int32((g+1)*s.vertices))
		for range int(s.degree * float64(s.vertices) / 2) {
			first := g * s.vertices
			arcs.From = append(arcs.From, int32(first+r.IntN(s.vertices)))
			arcs.To = append(arcs.To, int32(first+r.IntN(s.vertices)))
		}
	}
	b, err := graph.FromArcs(offsets, arcs, graph.BuildOptions{DropSelfLoops: true})
	if err != nil {
		return nil, err
	}
	b.AttributeDim, b.Attributes = s.features, make([]float64, n*s.features)
	for i := range b.Attributes {
		b.Attributes[i] = r.NormFloat64()
	}
	return b, nil
}

// measure returns the CPU seconds of the search for splits, the least of several fits, which other work on the machine
// disturbs least: of a tree all of whose graphs reach every level, in proportion to the graphs that reach its nodes.
// ancestors is the mean number of ancestors that a searched node may point to.
func (s *costShape) measure(ctx context.Context, b *graph.Batch, repeats int) (seconds, ancestors float64, err error) {
	opt := treeg.Defaults(treeg.Graphs, treeg.Single)
	opt.Growth, opt.MaxDepth, opt.MaxLeaves, opt.MinSplit, opt.MinLeaf = treeg.LevelWise, costDepth, 0, 2, 5
	opt.MaxLength, opt.MaxDistance, opt.Keep, opt.Constant = s.length, s.distance, 1, false
	r := newRandom("targets")
	y := make([]float64, b.NumGraphs())
	for i := range y {
		y[i] = r.NormFloat64()
	}
	e, err := engine.Open("cpu", 1)
	if err != nil {
		return 0, 0, err
	}
	d, err := treeg.Prepare(ctx, e, b, opt)
	if err != nil {
		return 0, 0, err
	}
	seconds = math.Inf(1)
	for range repeats {
		runtime.GC()
		before := cputime.Seconds()
		m, err := d.Fit(ctx, treeg.Targets{Values: y}, opt, nil)
		if err != nil {
			return 0, 0, err
		}
		spent := cputime.Seconds() - before
		var searched float64
		searched, ancestors = searchedGraphs(m.Trees(0)[0], s.distance)
		seconds = min(seconds, spent*costDepth*float64(len(y))/searched)
	}
	return seconds, ancestors, nil
}

// searchedGraphs adds up the graphs that reach the nodes of a tree above its last level, where splits are looked for,
// and returns the mean number of ancestors of such a node within a distance, by graphs.
func searchedGraphs(t *treeg.Tree, distance int) (graphs, ancestors float64) {
	depth := make([]int, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Split != nil {
			depth[n.LTE], depth[n.GT] = depth[i]+1, depth[i]+1
		}
		if depth[i] < costDepth {
			graphs += n.Weight
			ancestors += n.Weight * float64(min(depth[i], distance))
		}
	}
	return graphs, ancestors / graphs
}

// straight returns the least-squares line through the points and the share of the variance that it explains.
func (c *treeCost) straight() (constant, slope, explained float64) {
	n := float64(len(c.sizes))
	var x, y, xx, xy, yy float64
	for i, size := range c.sizes {
		x, y = x+size/n, y+c.seconds[i]/n
	}
	for i, size := range c.sizes {
		dx, dy := size-x, c.seconds[i]-y
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	if xx == 0 || yy == 0 {
		return y, 0, 0
	}
	return y - xy/xx*x, xy / xx, xy * xy / (xx * yy)
}

func printCosts(w io.Writer, costs []treeCost) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i := range costs {
		c := &costs[i]
		constant, slope, explained := c.straight()
		fmt.Fprintf(t, "%s\t", c.of)
		for _, size := range c.sizes {
			fmt.Fprintf(t, "%.4g\t", size)
		}
		fmt.Fprintf(t, "\nCPU seconds\t")
		for _, seconds := range c.seconds {
			fmt.Fprintf(t, "%.3f\t", seconds)
		}
		fmt.Fprintf(t, "%.3g + %.3g x, R² %.4f\n", constant, slope, explained)
	}
	t.Flush()
}

// drawCosts draws all lines on common axes: sizes as a share of the largest, seconds as one of what the straight line
// says there.
func drawCosts(path string, costs []treeCost) error {
	curves := make([]render.Curve, len(costs))
	for i := range costs {
		c := &costs[i]
		constant, slope, explained := c.straight()
		last := len(c.sizes) - 1
		whole := constant + slope*c.sizes[last]
		curve := &curves[i]
		curve.Name = fmt.Sprintf("%s, to %.4g (R² %.3f)", c.of, c.sizes[last], explained)
		for k, size := range c.sizes {
			if k > 0 && size <= c.sizes[k-1] {
				continue // small trees have no more ancestors to point to
			}
			curve.Marked = append(curve.Marked, len(curve.X))
			curve.X = append(curve.X, size/c.sizes[last])
			curve.Y = append(curve.Y, c.seconds[k]/whole)
		}
	}
	zero := 0.0
	figure, err := render.Lines(render.Chart{
		Title: "CPU time of a TREE-G tree of depth 6", Width: 820,
		X: render.Axis{Label: "size, share of the largest", Min: &zero},
		Y: render.Axis{Label: "time, share of the straight line at its end", Min: &zero},
	}, curves)
	if err != nil {
		return err
	}
	return figure.Save(path)
}
