package treeg

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/rounds"
)

// storedCase is a boosting on a store, with histograms that few graphs are enough for.
type storedCase struct {
	t       *testing.T
	data    *dataset.Dataset
	store   string
	options Options
}

// memory returns the model that memory gives.
func (c *storedCase) memory() []byte {
	c.t.Helper()
	ctx := context.Background()
	encoding, err := Estimator{Options: c.options}.Sees(model.NewWork(c.data, engine.NewCPU(1)))
	if err != nil {
		c.t.Fatal(err)
	}
	b, err := encoding.Apply(c.data)
	if err != nil {
		c.t.Fatal(err)
	}
	d, err := Prepare(ctx, engine.NewCPU(1), b, c.options)
	if err != nil {
		c.t.Fatal(err)
	}
	d.large = 200
	m, err := d.Fit(ctx, c.targets(), c.options, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.text(m)
}

func (c *storedCase) targets() Targets {
	if c.data.Classes == nil {
		return Targets{Values: c.data.Targets}
	}
	return Targets{Classes: c.data.Classes}
}

func (c *storedCase) text(m *Model) []byte {
	c.t.Helper()
	text, err := m.MarshalJSON()
	if err != nil {
		c.t.Fatal(err)
	}
	return text
}

// stored returns what a role gets, with blocks of so many graphs, of which as many bytes are kept.
func (c *storedCase) stored(by *rounds.Rounds, block, workers int, room int64) ([]byte, error) {
	c.t.Helper()
	shards, err := dataset.OpenShards(c.store)
	if err != nil {
		c.t.Fatal(err)
	}
	defer shards.Close()
	w := model.NewStoredWork(shards, engine.NewCPU(workers))
	l, err := Estimator{Options: c.options}.onDisk(w)
	if err != nil {
		c.t.Fatal(err)
	}
	on := l.(*diskLearner)
	f, err := newStoredFit(engine.NewCPU(workers), on.empty, on.graphs, c.targets(), c.options)
	if err != nil {
		c.t.Fatal(err)
	}
	f.by, f.block, f.few, f.large, f.room = by, block, 90, 200, room
	m, err := f.fit(context.Background())
	if err != nil {
		return nil, err
	}
	return c.text(m), nil
}

// inRounds returns what rounds of parts of so many graphs give, and the number of rounds.
func (c *storedCase) inRounds(block, part int) ([]byte, int) {
	c.t.Helper()
	dir, pass := filepath.Join(c.t.TempDir(), "known"), ""
	var results [][]byte
	for round := 0; ; round++ {
		all := func(visit func(r io.Reader) error) error {
			for _, one := range results {
				if err := visit(bytes.NewReader(one)); err != nil {
					return err
				}
			}
			return nil
		}
		text, err := c.stored(rounds.Lead(dir, pass, all), block, 1, 0)
		var next *rounds.NextError
		if err == nil {
			return text, round
		}
		if !errors.As(err, &next) {
			c.t.Fatal(err)
		}
		pass, results = next.Pass, nil
		for from := 0; from < c.data.NumGraphs(); from += part {
			var out bytes.Buffer
			to := min(from+part, c.data.NumGraphs())
			if _, err := c.stored(rounds.Take(dir, pass, from, to, &out), block, 2, 0); !errors.Is(err, rounds.ErrDone) {
				c.t.Fatal(err)
			}
			results = append(results, out.Bytes())
		}
	}
}

// Trees that grow by histograms of blocks have the bytes of those that grow in memory: for any size of blocks and
// parts, any number of workers, whether blocks are kept or read again; of classes and numbers, of all graphs in a round
// and of some, where a feature occurs in few blocks, and where some graphs have no target.
func TestBlocksOfGraphsGrowTheTreesOfMemory(t *testing.T) {
	for name, test := range map[string]struct {
		classes int
		change  func(*Options)
	}{
		"two classes":      {2, func(*Options) {}},
		"three":            {3, func(o *Options) { o.MaxFeatures = 2 }},
		"numbers":          {0, func(o *Options) { o.MaxLength, o.MinLeaf = 1, 20 }},
		"level by level":   {2, func(o *Options) { o.Growth, o.MaxDepth, o.MaxLeaves = LevelWise, 4, 0 }},
		"some in a round":  {2, func(o *Options) { o.Subsample = 0.7 }},
		"exact thresholds": {2, func(o *Options) { o.Bins = 0 }},
		"no cycles":        {2, func(o *Options) { o.Walks, o.Directions = []Walk{Target, Source}, BothWays }},
	} {
		t.Run(name, func(t *testing.T) {
			data, store := inStore(t, 330, test.classes)
			o := Defaults(Graphs, Boosting)
			o.Estimators, o.Bins, o.Keep, o.Seed = 2, 16, 0.6, 5
			test.change(&o)
			c := &storedCase{t, data, store, o}
			want := c.memory()
			for _, as := range []struct {
				block, workers int
				room           int64
			}{{64, 2, 0}, {7, 1, 1 << 30}, {300, 2, 1 << 20}} {
				if o.Subsample < 1 {
					break // which reads the graphs that it draws
				}
				if got, err := c.stored(nil, as.block, as.workers, as.room); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%+v: other trees, %v", as, err)
				}
			}
			part := map[string]int{"two classes": 170, "numbers": 70, "exact thresholds": 330, "some in a round": 330}[name]
			if part == 0 {
				return
			}
			got, passes := c.inRounds(64, part)
			if !bytes.Equal(got, want) {
				t.Errorf("parts of %d: other trees", part)
			}
			if many := o.Bins > 0; many != (passes > 10) {
				t.Errorf("%d rounds", passes)
			}
		})
	}
}
