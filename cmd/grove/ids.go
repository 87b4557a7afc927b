package main

import (
	"sort"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
)

// idCells returns what examples of a task are called where the data come from, those of some numbers or all of them: no
// columns where they have no names but their numbers.
func idCells(d *dataset.Dataset, task model.Task, examples []int) []cells {
	if d.GraphIDs == nil && d.VertexIDs == nil {
		return nil
	}
	all := map[model.Task]int{
		model.GraphTask: d.NumGraphs(), model.NodeTask: d.Batch.NumVertices(), model.EdgeTask: len(d.Edges),
	}[task]
	if examples != nil {
		all = len(examples)
	}
	example := func(i int) int {
		if examples != nil {
			return examples[i]
		}
		return i
	}
	var columns []cells
	add := func(name string, id func(example int) string) {
		c := cells{name: name, words: make([]string, all)}
		for i := range c.words {
			c.words[i] = id(example(i))
		}
		columns = append(columns, c)
	}
	if d.GraphIDs != nil {
		name := "graph id"
		if task == model.GraphTask {
			name = "id"
		}
		add(name, func(i int) string { return d.GraphIDs[graphOf(d, task, i)] })
	}
	if d.VertexIDs == nil {
		return columns
	}
	switch task {
	case model.NodeTask:
		add("id", func(i int) string { return d.VertexIDs[i] })
	case model.EdgeTask:
		first := func(i int) int32 { return d.Batch.Offsets[d.Edges[i].Graph] }
		add("from id", func(i int) string { return d.VertexIDs[first(i)+d.Edges[i].From] })
		add("to id", func(i int) string { return d.VertexIDs[first(i)+d.Edges[i].To] })
	}
	return columns
}

// graphOf returns the graph that an example of a task belongs to.
func graphOf(d *dataset.Dataset, task model.Task, example int) int {
	switch task {
	case model.NodeTask:
		return sort.Search(d.NumGraphs(), func(g int) bool { return int(d.Batch.Offsets[g+1]) > example })
	case model.EdgeTask:
		return d.Edges[example].Graph
	}
	return example
}

// idsOf returns the names of an example, of each column.
func idsOf(columns []cells, example int) []string {
	var ids []string
	for _, c := range columns {
		ids = append(ids, c.words[example])
	}
	return ids
}
