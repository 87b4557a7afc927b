package modeltest

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
)

// Names of checks of which some models promise less than the last bit.
const (
	otherPlaces = "vertices permuted"
	doubled     = "weight two"
	vertexOrder = "fit on permuted vertices"
	graphOrder  = "fit on permuted graphs"
	labelCodes  = "labels renamed"
	columnOrder = "columns permuted"
	onDevices   = "devices"
)

// laws lists the metamorphic laws: what is the same data written down otherwise is learned and predicted the same.
func laws() []Check {
	return []Check{
		asked(otherPlaces, "a graph is predicted the same with its vertices in another order", otherVertices),
		asked("graphs permuted", "graphs are predicted the same in another order", otherGraphs),
		asked("disjoint copies", "graphs are predicted the same with a copy of all beside them, and so are vertices",
			copies),
		asked(vertexOrder, "vertices in another order give the same model", fitOtherVertices),
		asked(graphOrder, "graphs in another order give the same model", fitOtherGraphs),
		asked(labelCodes, "labels of vertices with other codes give the same model", otherLabels),
		asked(columnOrder, "columns of attributes in another order give the same model", permutedColumns),
		{Name: doubled, What: "an arc of weight two counts as two arcs of one vertex to another",
			Needs: func(f *model.Family) bool { return f.Weights }, Run: weightTwo},
	}
}

// asked returns the check that two predictions agree as far as the family promises.
func asked(name, what string, both func(*Subject) (got, want *model.Predictions, err error)) Check {
	return Check{Name: name, What: what, Run: func(s *Subject) error {
		got, want, err := both(s)
		if err != nil {
			return err
		}
		return agree(got, want, s.Promise(name).Tolerance)
	}}
}

// sets returns graphs to learn from and others to predict.
func sets(c content) (train, test []graph.Graph) { return graphs(24, 1, c), graphs(10, 2, c) }

// says fits a model on some graphs and returns what it says of the others.
func (s *Subject) says(train, test []graph.Graph) (*model.Predictions, error) {
	d, err := s.dataset(train)
	if err != nil {
		return nil, err
	}
	other, err := s.dataset(test)
	if err != nil {
		return nil, err
	}
	return s.predict(d, other)
}

// saysBoth fits one model and returns what it says of two data sets.
func (s *Subject) saysBoth(train, one, other *dataset.Dataset) (got, want *model.Predictions, err error) {
	m, err := s.fit(train)
	if err != nil {
		return nil, nil, err
	}
	if want, err = m.Predict(context.Background(), one, nil); err != nil {
		return nil, nil, err
	}
	got, err = m.Predict(context.Background(), other, nil)
	return got, want, err
}

func otherVertices(s *Subject) (got, want *model.Predictions, err error) {
	train, test, err := s.fitted(labelled)
	if err != nil {
		return nil, nil, err
	}
	other, err := s.dataset(shuffled(graphs(10, 2, labelled), 3))
	if err != nil {
		return nil, nil, err
	}
	return s.saysBoth(train, test, other)
}

func otherGraphs(s *Subject) (got, want *model.Predictions, err error) {
	train, test, err := s.fitted(labelled)
	if err != nil {
		return nil, nil, err
	}
	order := rand.New(rand.NewPCG(4, 4)).Perm(test.NumGraphs())
	got, want, err = s.saysBoth(train, test, test.Select(order))
	if err == nil {
		want = want.Of(order)
	}
	return got, want, err
}

func copies(s *Subject) (got, want *model.Predictions, err error) {
	train, test, err := s.fitted(labelled)
	if err != nil {
		return nil, nil, err
	}
	if slices.Contains(s.Family.Tasks, model.NodeTask) {
		// Both copies of every graph are one graph, of two components.
		return s.ofTwins(train)
	}
	twice := append(split.All(test.NumGraphs()), split.All(test.NumGraphs())...)
	got, want, err = s.saysBoth(train, test, test.Select(twice))
	if err == nil {
		want = want.Of(twice)
	}
	return got, want, err
}

// ofTwins predicts the vertices of graphs, and those of graphs that are each of them and its copy.
func (s *Subject) ofTwins(train *dataset.Dataset) (got, want *model.Predictions, err error) {
	_, test := sets(labelled)
	twins := make([]graph.Graph, len(test))
	var at []int // the vertex that each vertex of the twins is
	first := 0
	for i, g := range test {
		twins[i] = twin(g)
		for v := range 2 * g.NumVertices {
			at = append(at, first+v%g.NumVertices)
		}
		first += g.NumVertices
	}
	one, err := s.dataset(test)
	if err != nil {
		return nil, nil, err
	}
	two, err := s.dataset(twins)
	if err != nil {
		return nil, nil, err
	}
	got, want, err = s.saysBoth(ofVertices(train), ofVertices(one), ofVertices(two))
	if err == nil {
		want = want.Of(at)
	}
	return got, want, err
}

// twin returns a graph beside a copy of itself.
func twin(g graph.Graph) graph.Graph {
	t := graph.Graph{NumVertices: 2 * g.NumVertices, Labels: append(slices.Clone(g.Labels), g.Labels...)}
	for shift := range 2 {
		for i := range g.Arcs.From {
			t.Arcs.From = append(t.Arcs.From, g.Arcs.From[i]+int32(shift*g.NumVertices))
			t.Arcs.To = append(t.Arcs.To, g.Arcs.To[i]+int32(shift*g.NumVertices))
		}
		t.Arcs.Labels = append(t.Arcs.Labels, g.Arcs.Labels...)
	}
	return t
}

func fitOtherVertices(s *Subject) (got, want *model.Predictions, err error) {
	train, test := sets(labelled)
	if want, err = s.says(train, test); err != nil {
		return nil, nil, err
	}
	got, err = s.says(shuffled(train, 5), test)
	return got, want, err
}

func fitOtherGraphs(s *Subject) (got, want *model.Predictions, err error) {
	train, test, err := s.fitted(labelled)
	if err != nil {
		return nil, nil, err
	}
	if want, err = s.predict(train, test); err != nil {
		return nil, nil, err
	}
	got, err = s.predict(train.Select(rand.New(rand.NewPCG(6, 6)).Perm(train.NumGraphs())), test)
	return got, want, err
}

func otherLabels(s *Subject) (got, want *model.Predictions, err error) {
	train, test, err := s.fitted(labelled)
	if err != nil {
		return nil, nil, err
	}
	if want, err = s.predict(train, test); err != nil {
		return nil, nil, err
	}
	place := []int{3, 0, 4, 1, 2}
	a, err := renamed(train, place)
	if err != nil {
		return nil, nil, err
	}
	b, err := renamed(test, place)
	if err != nil {
		return nil, nil, err
	}
	got, err = s.predict(a, b)
	return got, want, err
}

func permutedColumns(s *Subject) (got, want *model.Predictions, err error) {
	if !s.seesAttributes() {
		return nil, nil, NotApplicable("it sees no attributes")
	}
	train, test := sets(attributed)
	if want, err = s.says(train, test); err != nil {
		return nil, nil, err
	}
	order := []int{2, 0, 1}
	got, err = s.says(withColumns(train, order), withColumns(test, order))
	return got, want, err
}

// weightTwo doubles arcs by their weight, and by a second arc of another type where types count together.
func weightTwo(s *Subject) error {
	heavy := func(all []graph.Graph) []graph.Graph {
		for i := range all {
			arcs := &all[i].Arcs
			arcs.Labels, arcs.Weights = nil, make([]float64, len(arcs.From))
			for k := range arcs.Weights {
				arcs.Weights[k] = float64(1 + k%2)
			}
		}
		return all
	}
	twice := func(all []graph.Graph) []graph.Graph {
		for i := range all {
			arcs := &all[i].Arcs
			n := len(arcs.From)
			arcs.Labels, arcs.Types = nil, make([]int32, n)
			for k := 1; k < n; k += 2 {
				arcs.From, arcs.To = append(arcs.From, arcs.From[k]), append(arcs.To, arcs.To[k])
				arcs.Types = append(arcs.Types, 1)
			}
		}
		return all
	}
	train, test := sets(labelled)
	want, err := s.says(heavy(train), heavy(test))
	if err != nil {
		return err
	}
	train, test = sets(labelled)
	got, err := s.says(twice(train), twice(test))
	if err != nil {
		return err
	}
	return agree(got, want, s.Promise(doubled).Tolerance)
}
