package treegtest

import (
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// EachGolden runs a subtest for every file of one of the given kinds, decoded.
func EachGolden[T any](t *testing.T, test func(t *testing.T, g *T), kinds ...string) {
	testfiles.Golden(t, "treeg", testfiles.OfKind(kinds...), func(t *testing.T, raw []byte) {
		test(t, testfiles.Decode[T](t, raw))
	})
}

// GoldenSplit is a split function as the files write it.
type GoldenSplit struct {
	K       int
	D       int
	Walk    walks.Walk
	Agg     *walks.Aggregation
	Pointer int
	Rho     *string
	Theta   float64
}

// Split returns the split as the search has it.
func (s *GoldenSplit) Split() walks.Split {
	out := walks.Split{Feature: s.K, Length: s.D, Walk: s.Walk, Pointer: s.Pointer, Threshold: s.Theta}
	out.Arcs = walks.Arcs{Type: walks.AllArcs}
	if s.Agg != nil {
		out.Aggregation = *s.Agg
	}
	out.Above = s.Rho != nil && *s.Rho == "+"
	return out
}

// GoldenGraph has labels, which are one-hot features, or features.
type GoldenGraph struct {
	N        int
	Edges    [][2]int
	Labels   []int `json:"vertex_label"`
	Features [][]float64
}

// Dense returns the graph with its features, or its labels as so many of them.
func (g *GoldenGraph) Dense(features int) Dense {
	a := make([][]float64, g.N)
	for i := range a {
		a[i] = make([]float64, g.N)
	}
	for _, e := range g.Edges {
		a[e[0]][e[1]], a[e[1]][e[0]] = 1, 1
	}
	out := Dense{N: g.N, Matrices: map[walks.Arcs][][]float64{{Type: walks.AllArcs}: a}, Features: g.Features}
	for _, label := range g.Labels {
		f := make([]float64, features)
		f[label] = 1
		out.Features = append(out.Features, f)
	}
	return out
}
