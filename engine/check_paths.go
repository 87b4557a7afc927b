package engine

import (
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// CheckPathPool returns the number of filters q of a call of PathPool with these arguments, or the first
// thing that does not fit: a shape, a dtype, a row of the index or a root that does not exist.
func CheckPathPool(out []*tensor.Dense, scores, norms *tensor.Dense, p *PathPooling) (q int, err error) {
	return checkPooling("PathPool", out, scores, norms, p)
}

// CheckPathPoolGrad is [CheckPathPool] for a call of PathPoolGrad.
func CheckPathPoolGrad(scoreGrad, normGrad *tensor.Dense, outGrad []*tensor.Dense, scores, norms *tensor.Dense,
	p *PathPooling) (q int, err error) {
	if q, err = checkPooling("PathPoolGrad", outGrad, scores, norms, p); err != nil {
		return 0, err
	}
	ck := checks{op: "PathPoolGrad"}
	ck.shape("the gradient of the scores", scoreGrad, scores.Shape()...)
	ck.that(normGrad == nil || norms != nil, "a gradient is asked for norms that are nil")
	if normGrad != nil && norms != nil {
		ck.shape("the gradient of the norms", normGrad, norms.Shape()...)
	}
	ck.float(scores, scoreGrad, normGrad)
	return q, ck.err
}

// poolingRows checks the index into a table of the given number of rows, and the roots.
func (ck *checks) poolingRows(p *PathPooling, rows int) {
	ck.within(p.Index, rows, "vertex %d has row %d of a table of %d")
	ck.that(p.Ranks == nil || len(p.Ranks) == rows, "%d ranks for %d rows", len(p.Ranks), rows)
	for i, roots := range p.Roots {
		last, n := int32(-1), int32(p.Graph.NumVertices())
		for _, v := range roots {
			if v <= last || v >= n {
				ck.that(false, "root %d after root %d of length %d: want ascending vertices below %d", v, last, p.Lengths()[i], n)
				break
			}
			last = v
		}
	}
}

// checkPooling checks what the operation op shares with its gradient; out has the shape of the outputs.
func checkPooling(op string, out []*tensor.Dense, scores, norms *tensor.Dense, p *PathPooling) (q int, err error) {
	ck := checks{op: op}
	ck.that(p.Route >= graph.Paths && p.Route <= graph.NonBacktracking, "route %d is unknown", int(p.Route))
	ck.that(p.Pool >= Sum && p.Pool <= Max, "pooling %d is unknown", int(p.Pool))
	ck.that(p.Size >= 1, "path size %d, want at least 1", p.Size)
	if !ck.dims("scores", scores, 2) {
		return 0, ck.err
	}
	rows, cols := scores.Shape()[0], scores.Shape()[1]
	ck.that(cols%p.Size == 0, "%d score columns for paths of %d vertices", cols, p.Size)
	if ck.err != nil {
		return 0, ck.err
	}
	q = cols / p.Size
	lengths := len(p.Lengths())
	ck.that(len(out) == lengths, "%d outputs for %d lengths", len(out), lengths)
	ck.that(p.Roots == nil || len(p.Roots) == lengths, "roots of %d lengths, want %d", len(p.Roots), lengths)
	ck.that(p.Graph != nil || (p.Size == 1 && p.Index == nil && p.Roots == nil), "no graph")
	if ck.err != nil {
		return 0, ck.err
	}
	vertices := rows
	if p.Graph != nil {
		vertices = p.Graph.NumVertices()
		ck.that(p.Index != nil || rows == vertices, "%d score rows for %d vertices", rows, vertices)
		ck.that(p.Index == nil || len(p.Index) == vertices, "index of %d vertices, want %d", len(p.Index), vertices)
	}
	for i, o := range out {
		n := vertices
		if p.Roots != nil && p.Roots[i] != nil {
			n = len(p.Roots[i])
		}
		ck.shape("out", o, n, q)
		ck.float(scores, o)
	}
	ck.optional("norms", norms, rows)
	ck.float(scores, norms)
	if ck.err == nil {
		ck.poolingRows(p, rows)
	}
	return q, ck.err
}
