package modeltest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
)

// scarce lists checks on data in which there is little to learn, or something missing: a model learns from them and
// predicts numbers, or says in one line why not.
func scarce() []Check {
	return []Check{
		{Name: "no graphs", What: "learning from nothing is an error of one line", Run: noGraphs},
		{Name: "zero options", What: "the zero estimator learns, or is refused in one line", Run: zeroOptions},
		{Name: "one class", What: "graphs of a single class are learned, or refused in one line",
			Needs: classifies, Run: oneClass},
		{Name: "class never seen", What: "a class that no example of training has gets probability 0 and the lowest decision",
			Needs: classifies, Run: absentClass},
		{Name: "one graph", What: "a single graph is learned, or refused in one line", Run: oneGraph},
		{Name: "empty graph", What: "a graph without vertices is learned from and predicted",
			Run: edges(func(int) graph.Graph { return graph.Graph{} })},
		{Name: "isolated vertices", What: "graphs of single vertices are learned from and predicted",
			Run: edges(func(n int) graph.Graph { return graph.Graph{NumVertices: n} })},
		{Name: "no arcs", What: "graphs of which none has an arc are learned, or refused in one line", Run: noArcs},
		{Name: "missing attributes", What: "attributes that files leave empty are learned from and predicted",
			Run: missing},
		{Name: "missing targets", What: "examples without a target are passed over", Run: missingTargets},
		{Name: "label never seen", What: "a graph with a label that no graph of training has is predicted", Run: unseen},
		{Name: "cancelled", What: "a cancelled context ends the learning within a second, with its error", Run: cancelled},
		{Name: "tasks", What: "of the tasks and targets, those declared are learned and the others refused in one line",
			Run: tasks},
	}
}

func classifies(f *model.Family) bool { return f.Classes }

// learnsOrRefuses fits on d and predicts other; each may be refused in one line.
func learnsOrRefuses(s *Subject, d, other *dataset.Dataset) error {
	m, err := s.fit(d)
	if err != nil {
		return oneLine(err)
	}
	p, err := m.Predict(context.Background(), other, nil)
	if err != nil {
		return oneLine(err)
	}
	return finite(p, m.About(), other.NumGraphs())
}

// learns fits on d and predicts other.
func learns(s *Subject, d, other *dataset.Dataset) error {
	m, err := s.fit(d)
	if err != nil {
		return err
	}
	p, err := m.Predict(context.Background(), other, nil)
	if err != nil {
		return err
	}
	return finite(p, m.About(), other.NumGraphs())
}

func noGraphs(s *Subject) error {
	train, _, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	est, err := s.Estimator(train)
	if err != nil {
		return err
	}
	none := train.Select(nil)
	if _, err := est.Learner(context.Background(), model.NewWork(none, s.Engine)); err == nil {
		// What learns nothing without targets may wait for them.
		if _, err = model.Fit(context.Background(), none, est, s.Engine); err == nil {
			return errors.New("a model of no graphs")
		}
		return oneLine(err)
	} else if err := oneLine(err); err != nil {
		return err
	}
	return nil
}

func zeroOptions(s *Subject) error {
	train, _, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	est, err := s.Estimator(train)
	if err != nil {
		return err
	}
	kind := reflect.TypeOf(est)
	if kind.Kind() != reflect.Struct {
		return NotApplicable(fmt.Sprintf("the zero %s is no estimator", kind))
	}
	zero := reflect.Zero(kind).Interface().(model.Estimator)
	if _, err := zero.Learner(context.Background(), model.NewWork(train, s.Engine)); err != nil {
		return oneLine(err)
	}
	return nil
}

func oneClass(s *Subject) error {
	train, test, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	one := *train
	one.Classes, one.ClassNames = make([]int, train.NumGraphs()), train.ClassNames[:1]
	return learnsOrRefuses(s, &one, test)
}

func oneGraph(s *Subject) error {
	train, test, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	one := train.Select([]int{0})
	one.ClassNames = train.ClassNames[:1]
	return learnsOrRefuses(s, one, test)
}

// edges returns a check on graphs among which some are of one kind.
func edges(special func(n int) graph.Graph) func(*Subject) error {
	return func(s *Subject) error {
		for c := range content(2) {
			all := graphs(24, 1, c)
			for i := 3; i < 24; i += 5 {
				all[i] = shown(special(1+i%3), c)
			}
			d, err := s.dataset(all)
			if err != nil {
				return err
			}
			if err := learns(s, d, d); err != nil && !blind(s, d, err) {
				return err
			}
		}
		return nil
	}
}

// shown gives vertices what those of a content have.
func shown(g graph.Graph, c content) graph.Graph {
	if c == labelled {
		g.Labels, g.Arcs.Labels = make([]int32, g.NumVertices), make([]int32, 0)
		return g
	}
	g.AttributeDim, g.Attributes = numColumns, make([]float64, g.NumVertices*numColumns)
	return g
}

// blind reports whether an error says that a model does not see the attributes of d.
func blind(s *Subject, d *dataset.Dataset, err error) bool {
	return d.Batch.Labels == nil && !s.seesAttributes() && oneLine(err) == nil
}

// seesAttributes reports whether the model of the subject looks at attributes.
func (s *Subject) seesAttributes() bool {
	train, _, err := s.fitted(attributed)
	if err != nil {
		return false
	}
	est, err := s.Estimator(train)
	if err != nil {
		return false
	}
	encoding, err := est.Sees(model.NewWork(train, s.Engine))
	if err != nil || encoding == nil {
		return false
	}
	_, attributes := encoding.Width()
	return attributes >= numColumns
}

func noArcs(s *Subject) error {
	all := graphs(24, 1, labelled)
	for i := range all {
		all[i].Arcs = graph.ArcList{}
	}
	d, err := s.dataset(all)
	if err != nil {
		return err
	}
	return learnsOrRefuses(s, d, d)
}

func missing(s *Subject) error {
	if !s.seesAttributes() {
		return NotApplicable("it sees no attributes")
	}
	train, test, err := s.fitted(attributed)
	if err != nil {
		return err
	}
	for _, d := range []*dataset.Dataset{train, test} {
		for at := 1; at < len(d.Batch.Attributes); at += 7 {
			d.Missing = append(d.Missing, at)
			d.Batch.Attributes[at] = 0
		}
	}
	return learns(s, train, test)
}

func missingTargets(s *Subject) error {
	train, test, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	hidden := *train
	if hidden.Classes = slices.Clone(train.Classes); hidden.Classes != nil {
		hidden.Classes[2], hidden.Classes[5] = -1, -1
	} else {
		hidden.Targets = slices.Clone(train.Targets)
		hidden.Targets[2], hidden.Targets[5] = math.NaN(), math.NaN()
	}
	return learns(s, &hidden, test)
}

func unseen(s *Subject) error {
	train, test, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	for i := range test.LabelCodes {
		if test.LabelCodes[i] == "0" { // the first vertices of the test have a label of their own
			test.LabelCodes = slices.Clone(test.LabelCodes)
			test.LabelCodes[i] = "99"
			test.LabelNames = test.LabelCodes
		}
	}
	return learns(s, train, test)
}

// patience is how soon a cancelled learning must end. The best of a few tries counts: a busy machine only adds.
const patience = time.Second

func cancelled(s *Subject) error {
	d, err := s.dataset(graphs(200, 1, labelled))
	if err != nil {
		return err
	}
	est, err := s.Estimator(d, setting{"epochs", "500"}, setting{"estimators", "500"}, setting{"iterations", "4"})
	if err != nil {
		return err
	}
	before, stop := context.WithCancel(context.Background())
	stop()
	if _, err := model.Fit(before, d, est, s.Engine); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("cancelled before it began: %v", err)
	}
	took := patience
	for try := 0; try < 3 && took >= patience; try++ {
		ctx, stop := context.WithCancel(context.Background())
		var at time.Time
		timer := time.AfterFunc(10*time.Millisecond, func() { at = time.Now(); stop() })
		_, err := model.Fit(ctx, d, est, s.Engine)
		if timer.Stop() {
			stop()
			return nil // it was done before
		}
		<-ctx.Done()
		if took = time.Since(at); err != nil && !errors.Is(err, context.Canceled) {
			return fmt.Errorf("cancelled on its way: %w", err)
		}
	}
	if took >= patience {
		return fmt.Errorf("it ended %s after it was cancelled", took)
	}
	return nil
}

func tasks(s *Subject) error {
	train, err := classify(graphs(24, 1, labelled))
	if err != nil {
		return err
	}
	test, err := classify(graphs(10, 2, labelled))
	if err != nil {
		return err
	}
	edged, err := train.ByEdge()
	if err != nil {
		return err
	}
	for _, ask := range []struct {
		of       model.Task
		learned  bool
		d, other *dataset.Dataset
	}{
		{model.GraphTask, s.Family.Classes, train, test},
		{model.GraphTask, s.Family.Regression, asNumbers(train), asNumbers(test)},
		{model.NodeTask, s.Family.Classes, ofVertices(train), ofVertices(test)},
		{model.EdgeTask, s.Family.Classes, edged, edged},
	} {
		m, err := s.fit(ask.d)
		declared := slices.Contains(s.Family.Tasks, ask.of) && ask.learned
		switch {
		case !declared && err == nil:
			return fmt.Errorf("%s (%s) is learned and not declared", ask.of, ask.d.Task)
		case !declared:
			if err := oneLine(err); err != nil {
				return err
			}
			continue
		case err != nil:
			return fmt.Errorf("%s (%s): %w", ask.of, ask.d.Task, err)
		}
		p, err := m.Predict(context.Background(), ask.other, nil)
		if err != nil {
			return fmt.Errorf("%s (%s): %w", ask.of, ask.d.Task, err)
		}
		if err := finite(p, m.About(), model.TargetsOf(ask.other).Len()); err != nil {
			return fmt.Errorf("%s (%s): %w", ask.of, ask.d.Task, err)
		}
		if m.About().Task != ask.of {
			return fmt.Errorf("a model of task %s of data of task %s", m.About().Task, ask.of)
		}
	}
	return nil
}
