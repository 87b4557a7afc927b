package treeg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/storetest"
	"github.com/grove-graph/grove/model"
)

// inStore returns generated molecules of some classes, none for numbers, in memory and as a store.
func inStore(t *testing.T, graphs int, classes int) (*dataset.Dataset, string) {
	t.Helper()
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: graphs, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	switch classes {
	case 0:
		d.Task, d.Classes, d.ClassNames, d.TargetNames = dataset.GraphRegression, nil, nil, []string{"arcs"}
		for g := range graphs {
			from, to := d.Batch.Vertices(g)
			d.Targets = append(d.Targets, float64(d.Batch.RowPtr[to]-d.Batch.RowPtr[from]))
		}
		d.Targets[7] = math.NaN()
	case 3:
		d.ClassNames = append(d.ClassNames, "third")
		for g := 0; g < graphs; g += 3 {
			d.Classes[g] = 2
		}
	}
	return d, storetest.Write(t, d)
}

// Trees that draw a share of the graphs in every round are the same from a store, of which a round is in memory, as
// from memory, and say the same: the file of the model has the same bytes.
func TestTreesOfStoresAreThoseOfMemory(t *testing.T) {
	for name, c := range map[string]struct {
		classes  int
		features dataset.Features
		change   func(*Options)
	}{
		"two classes":         {2, "", func(*Options) {}},
		"three":               {3, "", func(o *Options) { o.MaxFeatures = 2 }},
		"numbers":             {0, "", func(o *Options) { o.Growth, o.Walks = LevelWise, []Walk{Source, Target} }},
		"degrees":             {2, dataset.DegreeFeatures, func(*Options) {}},
		"all graphs a round":  {2, "", func(o *Options) { o.Subsample = 1 }},
		"held out for a stop": {2, "", func(o *Options) { o.Patience = 2 }},
	} {
		t.Run(name, func(t *testing.T) {
			d, path := inStore(t, 300, c.classes)
			o := Defaults(Graphs, Boosting)
			o.Estimators, o.Subsample = 8, 0.3
			c.change(&o)
			s := Estimator{Options: o, Features: c.features}
			shards, err := dataset.OpenShards(path)
			if err != nil {
				t.Fatal(err)
			}
			onDisk := model.NewStoredWork(shards, engine.NewCPU(2))
			defer onDisk.Close()
			if l, err := s.onDisk(onDisk); err != nil || (l == nil) != (o.Patience > 0) {
				t.Fatalf("a learner on disk: %t, %v", l != nil, err)
			}
			storetest.SameModel(t, path, d, s, nil)
			var said [2]*model.Predictions
			for i, w := range []*model.Work{model.NewWork(d, engine.NewCPU(1)), onDisk} {
				if said[i], err = learned(w, s); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(said[0].Classes, said[1].Classes) {
				t.Error("other classes")
			}
		})
	}
}

// learned returns what a learner of some graphs says of others.
func learned(w *model.Work, s Estimator) (*model.Predictions, error) {
	l, err := s.Learner(context.Background(), w)
	if err != nil {
		return nil, err
	}
	known := model.TargetsOf(w.Data)
	var train, test []int
	for i := range 300 {
		if i%5 == 0 {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	all, err := l.Learn(context.Background(), model.Trial{Train: train, Known: known.Only(train), Test: test, Workers: 2})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// failing are graphs that cannot be read any more after some rounds.
type failing struct {
	storedGraphs
	rounds int
}

var errKilled = errors.New("killed")

func (f *failing) Select(graphs []int) (*graph.Batch, error) {
	if f.rounds--; f.rounds < 0 {
		return nil, errKilled
	}
	return f.storedGraphs.Select(graphs)
}

// A boosting that is killed in any round goes on from the round before and ends with the same trees. A checkpoint of
// another one is refused, and so is one where no rounds are kept. With few graphs rounds on all of them read these for
// every tree.
func TestBoostingGoesOnAfterAKill(t *testing.T) {
	d, path := inStore(t, 60, 3)
	shards, err := dataset.OpenShards(path)
	if err != nil {
		t.Fatal(err)
	}
	defer shards.Close()
	for _, share := range []float64{0.5, 1} {
		t.Run(fmt.Sprint(share), func(t *testing.T) { goesOn(t, d, shards, share) })
	}
}

// goesOn kills a boosting whose rounds draw a share of the graphs, in each of its rounds.
func goesOn(t *testing.T, d *dataset.Dataset, shards *dataset.Shards, share float64) {
	o := Defaults(Graphs, Boosting)
	o.Estimators, o.Subsample = 3, share
	w := model.NewStoredWork(shards, engine.NewCPU(1))
	l, err := Estimator{Options: o}.onDisk(w)
	if err != nil {
		t.Fatal(err)
	}
	on := l.(*diskLearner)
	fit := func(rounds int, o Options, checkpoint string) ([]byte, error) {
		m, err := FitStored(context.Background(), engine.NewCPU(1), on.empty, &failing{on.graphs, 1 + rounds},
			Targets{Classes: d.Classes}, o, nil, checkpoint, nil)
		if err != nil {
			return nil, err
		}
		return m.MarshalJSON()
	}
	whole, err := fit(math.MaxInt-1, o, "")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "checkpoint")
	for rounds := range 3 {
		os.Remove(file)
		if _, err := fit(rounds, o, file); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if again, err := fit(math.MaxInt-1, o, file); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("killed after %d rounds: other trees, %v", rounds, err)
		}
	}
	o.Seed++
	if _, err := fit(math.MaxInt-1, o, file); err == nil {
		t.Error("the checkpoint of another seed is no error")
	}
	s := Estimator{Options: Defaults(Graphs, Forest), Checkpoint: file}
	if _, err := model.FitWork(context.Background(), w, s, nil); err == nil {
		t.Error("a checkpoint of a forest is no error")
	}
}
