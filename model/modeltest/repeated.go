package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
)

// repeated lists checks that the same work gives the same bits, however it is done.
func repeated() []Check {
	return []Check{
		{Name: "fit twice", What: "an estimator that is used again gives the same file", Run: fitTwice},
		{Name: "options left alone", What: "learning changes neither the estimator nor the data", Run: leftAlone},
		{Name: "five runs", What: "five fits with 1, 2 and 8 workers give the same file", Run: sameRuns},
		{Name: "save and load", What: "a model that was saved predicts the same bits, and is saved as the same file",
			Run: saveAndLoad},
		{Name: "part and whole", What: "an example is predicted to the same bits whatever is beside it", Run: partAndWhole},
		{Name: "learned and kept", What: "a learner predicts what its model does", Run: learnedAndKept},
		{Name: "hidden classes", What: "what a learner says does not depend on the classes outside of its training part",
			Needs: classifies, Run: hiddenClasses},
		{Name: onDevices, What: "a model that was fitted on the CPU predicts the same on a GPU", Run: devices},
	}
}

// file returns the bytes of the file of a model.
func file(m model.Model) ([]byte, error) {
	dir, err := os.MkdirTemp("", "modeltest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.grove")
	if err := model.Save(path, m); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// loaded writes a model and reads it for an engine.
func loaded(m model.Model, e engine.Engine) (model.Model, error) {
	dir, err := os.MkdirTemp("", "modeltest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.grove")
	if err := model.Save(path, m); err != nil {
		return nil, err
	}
	return model.Load(path, e)
}

// fitFile fits an estimator and returns the file of its model.
func fitFile(est model.Estimator, d *dataset.Dataset, e engine.Engine) ([]byte, error) {
	m, err := model.Fit(context.Background(), d, est, e)
	if err != nil {
		return nil, err
	}
	return file(m)
}

func fitTwice(s *Subject) error {
	train, _, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	est, err := s.Estimator(train)
	if err != nil {
		return err
	}
	first, err := fitFile(est, train, s.Engine)
	if err != nil {
		return err
	}
	second, err := fitFile(est, train, s.Engine)
	if err == nil && !bytes.Equal(first, second) {
		err = errors.New("the second file is another one")
	}
	return err
}

func leftAlone(s *Subject) error {
	train, test, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	est, err := s.Estimator(train)
	if err != nil {
		return err
	}
	state := func() (string, error) {
		params, err := json.Marshal(est.Params())
		if err != nil {
			return "", err
		}
		data, err := json.Marshal([]any{train, test})
		return fmt.Sprintf("%s %s %v %s", est, params, est.Grid(), data), err
	}
	before, err := state()
	if err != nil {
		return err
	}
	m, err := model.Fit(context.Background(), train, est, s.Engine)
	if err != nil {
		return err
	}
	if _, err := m.Predict(context.Background(), test, nil); err != nil {
		return err
	}
	after, err := state()
	if err == nil && before != after {
		err = errors.New("the estimator or the data are others afterwards")
	}
	return err
}

func sameRuns(s *Subject) error {
	train, _, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	var first []byte
	for run, workers := range []int{1, 2, 8, 2, 8} {
		on := s.on(engine.NewCPU(workers))
		est, err := on.Estimator(train)
		if err != nil {
			return err
		}
		got, err := fitFile(est, train, on.Engine)
		if err != nil {
			return err
		}
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) {
			return fmt.Errorf("run %d, with %d workers, gives another file", run+1, workers)
		}
	}
	return nil
}

func saveAndLoad(s *Subject) error {
	train, err := classify(graphs(24, 1, labelled))
	if err != nil {
		return err
	}
	test, err := classify(graphs(10, 2, labelled))
	if err != nil {
		return err
	}
	for _, d := range [][2]*dataset.Dataset{
		{train, test}, {asNumbers(train), asNumbers(test)}, {ofVertices(train), ofVertices(test)},
	} {
		if s.Family.Check(s.Name, d[0]) != nil {
			continue
		}
		m, err := s.fit(d[0])
		if err != nil {
			return err
		}
		want, err := m.Predict(context.Background(), d[1], nil)
		if err != nil {
			return err
		}
		again, err := loaded(m, s.Engine)
		if err != nil {
			return err
		}
		got, err := again.Predict(context.Background(), d[1], nil)
		if err != nil {
			return err
		}
		if err := sameBits(got, want); err != nil {
			return err
		}
		one, err := file(m)
		if err != nil {
			return err
		}
		two, err := file(again)
		if err != nil {
			return err
		}
		if !bytes.Equal(one, two) {
			return errors.New("the model that was loaded is saved as another file")
		}
	}
	return nil
}

func partAndWhole(s *Subject) error {
	train, test, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	if err := partsOf(s, train, test); err != nil || s.Family.Check(s.Name, ofVertices(train)) != nil {
		return err
	}
	return partsOf(s, ofVertices(train), ofVertices(test))
}

// partsOf fits a model and holds what it says of some graphs, or of their vertices, against what it says of all.
func partsOf(s *Subject, train, test *dataset.Dataset) error {
	m, err := s.fit(train)
	if err != nil {
		return err
	}
	whole, err := m.Predict(context.Background(), test, nil)
	if err != nil {
		return err
	}
	for _, part := range [][]int{{3}, {0, 7, 2}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}} {
		got, err := m.Predict(context.Background(), test.Select(part), nil)
		if err != nil {
			return err
		}
		examples := part
		if test.Task.PerVertex() {
			examples = nil
			for _, g := range part {
				for from, to := test.Batch.Vertices(g); from < to; from++ {
					examples = append(examples, int(from))
				}
			}
		}
		if err := sameBits(got, whole.Of(examples)); err != nil {
			return fmt.Errorf("each %s of graphs %d alone: %w", m.About().Task.Noun(), part, err)
		}
	}
	return nil
}

func learnedAndKept(s *Subject) error {
	train, _, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	if err := keptOf(s, train); err != nil || s.Family.Check(s.Name, ofVertices(train)) != nil {
		return err
	}
	return keptOf(s, ofVertices(train))
}

// keptOf holds what a learner says of some graphs, or vertices, against what its model says of them.
func keptOf(s *Subject, train *dataset.Dataset) error {
	est, err := s.Estimator(train)
	if err != nil {
		return err
	}
	w := model.NewWork(train, s.Engine)
	learner, err := est.Learner(context.Background(), w)
	if err != nil {
		return err
	}
	var part, rest []int
	for i := range model.TargetsOf(train).Len() {
		if i%3 == 2 {
			rest = append(rest, i)
		} else {
			part = append(part, i)
		}
	}
	known := model.TargetsOf(train).Only(part)
	t := model.Trial{Train: part, Known: known, Test: rest, Grid: est.Grid().Values, Workers: 1}
	said, err := learner.Learn(context.Background(), t)
	if err != nil {
		return err
	}
	if len(said) != est.Grid().Size() {
		return fmt.Errorf("%d predictions for %d values of %s", len(said), est.Grid().Size(), est.Grid().Name)
	}
	t.Test = nil
	m, err := learner.Model(context.Background(), t)
	if err != nil {
		return err
	}
	kept, err := m.Predict(context.Background(), train, nil)
	if err != nil {
		return err
	}
	for i, c := range kept.Of(rest).Classes {
		if said[0].Classes[i] != c {
			return fmt.Errorf("%s %d: class %d of the learner, %d of its model", known.Task.Noun(), rest[i],
				said[0].Classes[i], c)
		}
	}
	return nil
}

func devices(s *Subject) error {
	if !engine.Has("cuda") {
		return NotApplicable("the program is built without a GPU engine")
	}
	e, err := engine.Open("cuda", 1)
	if err != nil {
		return NotApplicable("there is no GPU: " + err.Error())
	}
	defer e.Close()
	train, test, err := s.fitted(labelled)
	if err != nil {
		return err
	}
	m, err := s.fit(train)
	if err != nil {
		return err
	}
	want, err := m.Predict(context.Background(), test, nil)
	if err != nil {
		return err
	}
	on, err := loaded(m, e)
	if err != nil {
		return err
	}
	got, err := on.Predict(context.Background(), test, nil)
	if err != nil {
		return err
	}
	return agree(got, want, s.Promise(onDevices).Tolerance)
}
