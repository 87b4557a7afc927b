package treeg_test

import (
	"bytes"
	"context"
	"reflect"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/treeg"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Data that are kept compact give the trees and predictions of data that are not, of all ensembles, also where walks
// are too many for bytes.
func TestCompactDataGiveTheSameTrees(t *testing.T) {
	defer func(from int) { walks.CompactFrom = from }(walks.CompactFrom)
	sets := map[string]dataset.SynthOptions{
		"molecules": {Graphs: 80, Seed: 2}, "red-isolated": {Graphs: 60, Vertices: 20, Seed: 2},
		"rings-cliques": {Graphs: 40, Vertices: 40, Seed: 2}, // cliques of 40 vertices have 1521 walks of length 2
	}
	for kind, sizes := range sets {
		d, err := dataset.Synth(kind, sizes)
		if err != nil {
			t.Fatal(err)
		}
		for _, ensemble := range []treeg.Ensemble{treeg.Boosting, treeg.Forest, treeg.ExtraTrees, treeg.Single} {
			opt := treeg.Defaults(treeg.Graphs, ensemble)
			opt.Estimators, opt.MaxLength = min(opt.Estimators, 4), 3
			var dumps []string
			var said []*model.Predictions
			for _, from := range []int{1 << 30, 0} {
				walks.CompactFrom = from
				m, err := model.Fit(context.Background(), d, treeg.Estimator{Options: opt}, enginetest.Open(t, 2))
				if err != nil {
					t.Fatal(err)
				}
				var dump bytes.Buffer
				if err := m.(model.Dumper).WriteText(&dump, -1, nil); err != nil {
					t.Fatal(err)
				}
				p, err := m.Predict(context.Background(), d, nil)
				if err != nil {
					t.Fatal(err)
				}
				dumps, said = append(dumps, dump.String()), append(said, p)
			}
			if dumps[0] != dumps[1] {
				t.Errorf("%s, %s: other trees", kind, ensemble)
			}
			if !reflect.DeepEqual(said[0].Classes, said[1].Classes) {
				t.Errorf("%s, %s: other predictions", kind, ensemble)
			}
		}
	}
}
