package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render"
)

// maskReport is what masks on the paths of a graph say of it.
type maskReport struct {
	WholeLoss  float64            `json:"whole_loss"` // of the predicted class, with all paths
	Loss       float64            `json:"loss"`       // with the masks
	EmptyLoss  float64            `json:"empty_loss"` // without any path
	PathCount  int                `json:"n_paths"`
	MaskSum    float64            `json:"kept"`
	Iterations int                `json:"iterations"`
	Converged  bool               `json:"converged"`
	Edges      []model.MaskedEdge `json:"edges"` // all, the highest score first
	Top        int                `json:"n_top"` // how many of them are selected
	Motif      []model.MaskedEdge `json:"motif"` // the largest connected part of those
	Paths      []model.MaskedPath `json:"paths"` // those of the highest masks
	InMotif    *float64           `json:"in_planted_motif,omitempty"`

	all []model.MaskedPath
}

// mostPaths is the number of paths that are listed for a graph.
const mostPaths = 20

func newMaskReport(x *model.Mask) *maskReport {
	r := &maskReport{
		WholeLoss: x.WholeLoss, Loss: x.Loss, EmptyLoss: x.EmptyLoss, PathCount: len(x.Paths),
		Iterations: x.Iterations, Converged: x.Converged, Edges: x.Edges, all: x.Paths,
	}
	for _, p := range x.Paths {
		r.MaskSum += p.Mask
		if p.Mask > 0 {
			r.Paths = append(r.Paths, p)
		}
	}
	slices.SortStableFunc(r.Paths, func(a, b model.MaskedPath) int { return cmp.Compare(b.Mask, a.Mask) })
	r.Paths = r.Paths[:min(mostPaths, len(r.Paths))]
	return r
}

// choose selects the given number of edges, 0 standing for those of at least half the highest score.
func (r *maskReport) choose(edges int) {
	top := gckn.TopEdges(r.Edges, edges)
	r.Top, r.Motif = len(top), gckn.LargestComponent(top)
}

// compare notes which share of the edges with the highest scores lies in the planted motif of a graph, taking as many
// as the motif has. Nothing is noted where the graph has no motif.
func (r *maskReport) compare(d *dataset.Dataset, g int) {
	if d.Motif == nil {
		return
	}
	planted := map[[2]int32]bool{}
	from, to := d.Batch.Vertices(g)
	for u := from; u < to; u++ {
		for at := d.Batch.RowPtr[u]; at < d.Batch.RowPtr[u+1]; at++ {
			if v := d.Batch.Col[at]; d.Motif.Arcs[at] {
				planted[[2]int32{min(u, v) - from, max(u, v) - from}] = true
			}
		}
	}
	if len(planted) == 0 {
		return
	}
	inside := 0.0
	for _, e := range r.Edges[:len(planted)] {
		if planted[[2]int32{min(e.From, e.To), max(e.From, e.To)}] {
			inside++
		}
	}
	inside = inside / float64(len(planted))
	r.InMotif = &inside
}

// summary says in a line what the masks found.
func (r *maskReport) summary(labels []string) string {
	text := fmt.Sprintf("loss %.3f, %.3f with %.1f of %s", r.WholeLoss, r.Loss, r.MaskSum,
		model.Count(r.PathCount, "path"))
	if len(r.Motif) == 0 {
		return text + fmt.Sprintf("; no path is needed: of an empty graph the model says the same (loss %.3f)", r.EmptyLoss)
	}
	name := func(v int32) string {
		if labels == nil {
			return fmt.Sprint(v)
		}
		return labels[v]
	}
	var edges []string
	for _, e := range r.Motif[:min(8, len(r.Motif))] {
		edges = append(edges, name(e.From)+"-"+name(e.To))
	}
	if len(r.Motif) > len(edges) {
		edges = append(edges, "...")
	}
	return text + "; " + strings.Join(edges, " ")
}

// drawOn makes the drawing of graph g one of the scores of its edges.
func (r *maskReport) drawOn(drawing *render.Drawing, d *dataset.Dataset, g int) {
	drawing.Contributions = nil
	drawing.Measure = "share of the paths through an edge that the decision needs"
	drawing.Positive, drawing.Negative = "", ""
	drawing.ArcScores = arcScores(d, g, r.Edges)
	drawing.Faded = outside(d, g, r.Motif)
}

// arcScores returns the score of the edge of every arc of graph g.
func arcScores(d *dataset.Dataset, g int, edges []model.MaskedEdge) []float64 {
	of := make(map[[2]int32]float64, len(edges))
	for _, e := range edges {
		of[[2]int32{e.From, e.To}] = e.Score
	}
	from, to := d.Batch.Vertices(g)
	var scores []float64
	for u := from; u < to; u++ {
		for _, v := range d.Batch.Neighbors(u) {
			score, known := of[[2]int32{u - from, v - from}]
			if !known {
				score = of[[2]int32{v - from, u - from}]
			}
			scores = append(scores, score)
		}
	}
	return scores
}

// outside lists the vertices of graph g that no edge of the motif has.
func outside(d *dataset.Dataset, g int, motif []model.MaskedEdge) []int {
	in := map[int32]bool{}
	for _, e := range motif {
		in[e.From], in[e.To] = true, true
	}
	from, to := d.Batch.Vertices(g)
	var out []int
	for v := range to - from {
		if !in[v] && len(motif) > 0 {
			out = append(out, int(v))
		}
	}
	return out
}
