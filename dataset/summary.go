package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Summary describes a data set in numbers.
type Summary struct {
	Name       string `json:"name"`
	Task       string `json:"task"`
	Graphs     int    `json:"graphs"`
	Vertices   int    `json:"vertices"`
	Arcs       int    `json:"arcs"` // an undirected edge counts twice
	Directed   bool   `json:"directed"`
	Labels     int    `json:"labels"`     // distinct vertex labels, 0 where there are none
	ArcLabels  int    `json:"arc_labels"` // distinct arc labels, 0 where there are none
	Attributes int    `json:"attributes"` // real values of a vertex
	Missing    int    `json:"missing_attributes"`
	ArcTypes   int    `json:"arc_types"` // adjacency matrices, 0 where arcs have no type
	ArcWeights bool   `json:"arc_weights"`

	AttributeNames []string `json:"attribute_names,omitempty"`

	ClassNames []string `json:"class_names,omitempty"`
	ClassSizes []int    `json:"class_sizes,omitempty"`
	Unlabelled int      `json:"unlabelled"` // vertices, or graphs, without a class or target
	Targets    []string `json:"targets,omitempty"`
	Splits     []string `json:"splits,omitempty"`

	SmallestGraph int  `json:"smallest_graph"` // in vertices
	LargestGraph  int  `json:"largest_graph"`
	EmptyGraphs   int  `json:"empty_graphs"`
	Isolated      int  `json:"isolated_vertices"`
	MaxDegree     int  `json:"max_degree"`
	Components    int  `json:"components"`
	Motif         bool `json:"motif"`
	Bytes         int  `json:"bytes"` // memory of the batch

	Skipped []string `json:"skipped,omitempty"` // molecules that were left out
	Notes   []string `json:"notes,omitempty"`
}

// Summary counts what the data set holds.
func (d *Dataset) Summary() Summary {
	b := d.Batch
	s := Summary{
		Name: d.Name, Task: d.Task.String(), Graphs: b.NumGraphs(), Vertices: b.NumVertices(), Arcs: b.NumArcs(),
		Directed: b.Directed, Labels: b.NumLabels, ArcLabels: len(d.ArcLabelNames), ArcWeights: b.ArcWeights != nil,
		Attributes: b.AttributeDim, AttributeNames: d.AttributeNames, Missing: len(d.Missing),
		ClassNames: d.ClassNames, Targets: d.TargetNames, Motif: d.Motif != nil,
		Isolated: b.Isolated(), Bytes: b.Bytes(), Notes: d.Notes,
		Skipped: d.Skipped,
	}
	for _, t := range b.ArcTypes {
		s.ArcTypes = max(s.ArcTypes, int(t)+1)
	}
	if len(d.ClassNames) > 0 {
		s.ClassSizes = d.ClassSizes()
	}
	for _, split := range d.Splits {
		s.Splits = append(s.Splits, split.Name)
	}
	_, s.Components = b.Components()
	s.SmallestGraph = math.MaxInt
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		size := int(to - from)
		s.SmallestGraph, s.LargestGraph = min(s.SmallestGraph, size), max(s.LargestGraph, size)
		if size == 0 {
			s.EmptyGraphs++
		}
	}
	if b.NumGraphs() == 0 {
		s.SmallestGraph = 0
	}
	for u := range b.NumVertices() {
		s.MaxDegree = max(s.MaxDegree, b.Degree(int32(u)))
	}
	switch d.Task {
	case NodeClassification, GraphClassification:
		for _, c := range slices.Concat(d.VertexClasses, d.Classes) {
			if c < 0 {
				s.Unlabelled++
			}
		}
	case NodeRegression, GraphRegression:
		for i := range len(d.Targets) / max(len(d.TargetNames), 1) {
			if !d.HasTarget(i) {
				s.Unlabelled++
			}
		}
	}
	return s
}

// add counts a piece of a data set.
func (s *Summary) add(d *Dataset) {
	piece := d.Summary()
	if s.Task == "" { // the first
		*s = piece
		return
	}
	s.Graphs += piece.Graphs
	s.Vertices += piece.Vertices
	s.Arcs += piece.Arcs
	s.Missing += piece.Missing
	s.ArcTypes = max(s.ArcTypes, piece.ArcTypes)
	s.Unlabelled += piece.Unlabelled
	for c, n := range piece.ClassSizes {
		s.ClassSizes[c] += n
	}
	s.SmallestGraph, s.LargestGraph = min(s.SmallestGraph, piece.SmallestGraph), max(s.LargestGraph, piece.LargestGraph)
	s.EmptyGraphs += piece.EmptyGraphs
	s.Isolated += piece.Isolated
	s.MaxDegree = max(s.MaxDegree, piece.MaxDegree)
	s.Components += piece.Components
	s.Notes = append(s.Notes, piece.Notes...)
	s.Bytes += piece.Bytes - 8 // all batches begin their offsets of graphs and of arcs by 0
}

// String writes the summary for a person, a line for each fact.
func (s Summary) String() string {
	var text strings.Builder
	line := func(name, format string, values ...any) {
		fmt.Fprintf(&text, "%-18s %s\n", name, fmt.Sprintf(format, values...))
	}
	line("name", "%s", s.Name)
	line("task", "%s", s.Task)
	line("graphs", "%d", s.Graphs)
	line("vertices", "%d (%d to %d in a graph, mean %.2f)",
		s.Vertices, s.SmallestGraph, s.LargestGraph, float64(s.Vertices)/float64(max(s.Graphs, 1)))
	if s.Directed {
		line("arcs", "%d, directed", s.Arcs)
	} else {
		line("arcs", "%d, both directions of every edge", s.Arcs)
	}
	line("vertex labels", "%s", countOrNone(s.Labels))
	line("arc labels", "%s", countOrNone(s.ArcLabels))
	if s.ArcTypes > 0 {
		line("arc types", "%d", s.ArcTypes)
	}
	if s.ArcWeights {
		line("arc weights", "known")
	}
	attributes := countOrNone(s.Attributes)
	if s.AttributeNames != nil {
		attributes += ": " + abridged(s.AttributeNames)
	}
	line("attributes", "%s", attributes)
	if len(s.ClassNames) > 0 {
		var classes []string
		for c, name := range s.ClassNames {
			classes = append(classes, fmt.Sprintf("%s (%d)", name, s.ClassSizes[c]))
		}
		line("classes", "%d: %s", len(classes), strings.Join(classes, ", "))
	}
	if len(s.Targets) > 0 {
		line("targets", "%s", strings.Join(s.Targets, ", "))
	}
	if s.Unlabelled > 0 {
		what := "graphs"
		if s.Task == NodeClassification.String() || s.Task == NodeRegression.String() {
			what = "vertices"
		}
		line("unlabelled", "%d %s", s.Unlabelled, what)
	}
	if len(s.Splits) > 0 {
		line("splits", "%s", strings.Join(s.Splits, ", "))
	}
	line("isolated vertices", "%d", s.Isolated)
	line("max degree", "%d", s.MaxDegree)
	line("components", "%d", s.Components)
	if s.EmptyGraphs > 0 {
		line("empty graphs", "%d", s.EmptyGraphs)
	}
	if s.Motif {
		line("motif", "known")
	}
	line("memory", "%.2f MB", float64(s.Bytes)/1e6)
	for _, molecule := range s.Skipped {
		line("left out", "%s", molecule)
	}
	for _, note := range s.Notes {
		line("note", "%s", note)
	}
	return text.String()
}

func countOrNone(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}
