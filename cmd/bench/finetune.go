package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/train"
	"github.com/spf13/cobra"
)

// fineTuning are learning curves of networks that start from anchors of other graphs.
type fineTuning struct {
	data, on, from, plot   string
	sizes                  []int
	seeds, epochs, filters int
}

func fineTuneCommand() *cobra.Command {
	f := &fineTuning{}
	c := &cobra.Command{
		Use: "finetune", Short: "Draw what anchors learned on other graphs are worth", Args: noArguments,
		Long: `Finetune draws learning curves of gckn-subtree-sup: accuracy on a quarter of a data set, drawn at random
for each seed, against the number of labelled graphs that it learns from. It starts from anchors by k-means
on these graphs, on all graphs but that quarter, without their classes, or on another data set whose labels
have the same names, without its classes or trained end to end with them.`,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr()) },
	}
	p := c.Flags()
	p.StringVar(&f.data, "data", defaultData(),
		"folder that holds tu/NAME and molecules/NAME/NAME.csv.gz (default $GROVE_DATA or ../shared/data)")
	p.Lookup("data").DefValue = ""
	p.StringVar(&f.on, "on", "Mutagenicity", "data set to learn")
	p.StringVar(&f.from, "from", "AIDS", "data set that anchors are learned on; empty for none")
	p.StringVar(&f.plot, "plot", "", "also draw the curves, to a file .svg or .png")
	p.IntSliceVar(&f.sizes, "sizes", []int{100, 300, 1000, 3000}, "numbers of labelled graphs")
	p.IntVar(&f.seeds, "seeds", 5, "number of seeds")
	p.IntVar(&f.epochs, "epochs", 30, "epochs of each training; nothing chooses among them")
	p.IntVar(&f.filters, "filters", 32, "anchors of a layer")
	return c
}

// arm is a way to start.
type arm struct {
	name   string
	from   func(seed int) *gckn.Pretrained // nil: from the labelled graphs
	freeze int
	epochs int
}

func (f *fineTuning) run(ctx context.Context, stdout, stderr io.Writer) error {
	d, err := f.open(f.on)
	if err != nil {
		return err
	}
	arms, err := f.arms(ctx, d)
	if err != nil {
		return err
	}
	var curves []render.Curve
	fmt.Fprintf(stdout, "| anchors |")
	for _, n := range f.sizes {
		fmt.Fprintf(stdout, " %d graphs |", n)
	}
	fmt.Fprintln(stdout)
	for i, a := range arms {
		if i == 0 {
			fmt.Fprintf(stdout, "|---|%s\n", string(slices.Repeat([]byte("---|"), len(f.sizes))))
		}
		curve := render.Curve{Name: a.name}
		fmt.Fprintf(stdout, "| %s |", a.name)
		for _, n := range f.sizes {
			var scores []float64
			for seed := range f.seeds {
				score, err := f.score(ctx, d, &a, n, seed)
				if err != nil {
					return fmt.Errorf("%s, %d graphs, seed %d: %w", a.name, n, seed, err)
				}
				scores = append(scores, 100*score)
				fmt.Fprintf(stderr, "%s, %d graphs, seed %d: %.1f %%\n", a.name, n, seed, 100*score)
			}
			mean, deviation := eval.MeanStd(scores)
			curve.X, curve.Y = append(curve.X, float64(n)), append(curve.Y, mean)
			curve.Deviation = append(curve.Deviation, deviation)
			fmt.Fprintf(stdout, " %.1f ± %.1f |", mean, deviation)
		}
		fmt.Fprintln(stdout)
		curves = append(curves, curve)
	}
	if f.plot == "" {
		return nil
	}
	figure, err := render.Lines(render.Chart{
		Title: fmt.Sprintf("gckn-subtree-sup on %s, by where its anchors start", f.on),
		X:     render.Axis{Label: "labelled graphs", Log: true}, Y: render.Axis{Label: "accuracy in percent"},
	}, curves)
	if err != nil {
		return err
	}
	return figure.Save(f.plot)
}

// open reads a data set of the TU collection, or a table of molecules, whose hydrogens become vertices as they are in
// that.
func (f *fineTuning) open(name string) (*dataset.Dataset, error) {
	if folder := filepath.Join(f.data, "molecules", name); name != "" {
		if _, err := os.Stat(folder); err == nil {
			return dataset.Reading{Molecules: dataset.Molecules{Hydrogens: true}}.Open(filepath.Join(folder, name+".csv.gz"))
		}
	}
	return dataset.Open(filepath.Join(f.data, "tu", name))
}

// options are those of all networks.
func (f *fineTuning) options() (gckn.SupervisedOptions, error) {
	network, err := gckn.Preset("gckn-subtree", 4, f.filters, 0.6)
	o := gckn.TunedSupervised(network)
	o.Alternate, o.Decays = false, nil // as docs/results/finetune.md measured it
	return o, err
}

// parts returns a quarter of the graphs to test on and the others, in an order drawn at random.
func parts(d *dataset.Dataset, seed int) (test, others []int, err error) {
	folds, err := split.Stratified(model.TargetsOf(d).Classes, 4, uint64(seed))
	if err != nil {
		return nil, nil, err
	}
	test, others = folds[0].Test, slices.Clone(folds[0].Train)
	rng := rand.New(rand.NewPCG(uint64(seed), 0xf17e))
	rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	return test, others, nil
}

// arms returns the ways to start, with anchors that are learned once for each seed.
func (f *fineTuning) arms(ctx context.Context, d *dataset.Dataset) ([]arm, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "finetune")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	learn := func(of *dataset.Dataset, seen []int, seed int, classes bool) (*gckn.Pretrained, error) {
		o := o
		o.Network.Seed, o.Epochs = uint64(seed), f.epochs
		w := model.NewWork(of, engine.NewCPU(1))
		if seen != nil {
			w = w.InFold(seen)
		}
		var m model.Model
		var err error
		if classes {
			m, err = model.FitWork(ctx, w, gckn.SupervisedEstimator{Options: o}, nil)
		} else {
			m, err = model.FitUnsupervised(ctx, w, gckn.Estimator{Options: o.Network})
		}
		if err != nil {
			return nil, err
		}
		path := filepath.Join(folder, "anchors.grove")
		if err := model.Save(path, m); err != nil {
			return nil, err
		}
		return gckn.ReadPretrained(path)
	}
	layers := len(o.Network.Layers)
	all := []arm{{"the labelled graphs", nil, 0, f.epochs}, {"the labelled graphs, frozen", nil, layers, f.epochs}}
	add := func(name string, learned []*gckn.Pretrained) {
		from := func(seed int) *gckn.Pretrained { return learned[seed] }
		all = append(all, arm{name, from, 0, f.epochs}, arm{name + ", frozen", from, layers, f.epochs})
	}
	var own []*gckn.Pretrained
	for seed := range f.seeds {
		_, others, err := parts(d, seed)
		if err != nil {
			return nil, err
		}
		slices.Sort(others)
		p, err := learn(d, others, seed, false)
		if err != nil {
			return nil, err
		}
		own = append(own, p)
	}
	add("all but the test graphs", own)
	if f.from == "" {
		return all, nil
	}
	other, err := f.open(f.from)
	if err != nil {
		return nil, err
	}
	for _, classes := range []bool{false, true} {
		if classes && other.NumClasses() == 0 {
			break
		}
		var learned []*gckn.Pretrained
		for seed := range f.seeds {
			p, err := learn(other, nil, seed, classes)
			if err != nil {
				return nil, err
			}
			learned = append(learned, p)
		}
		name := f.from
		if classes {
			name += " with its classes"
		}
		add(name, learned)
	}
	return all, nil
}

// score trains on n graphs and returns the accuracy on the test graphs.
func (f *fineTuning) score(ctx context.Context, d *dataset.Dataset, a *arm, n, seed int) (float64, error) {
	o, err := f.options()
	if err != nil {
		return 0, err
	}
	o.Network.Seed, o.Freeze = uint64(seed), a.freeze
	est := gckn.SupervisedEstimator{Options: o, Plan: train.Plan{EachEpoch: true}}
	if a.from != nil {
		est.From = a.from(seed)
	}
	test, others, err := parts(d, seed)
	if err != nil {
		return 0, err
	}
	if n > len(others) {
		return 0, fmt.Errorf("there are %d graphs to learn from", len(others))
	}
	some := slices.Sorted(slices.Values(others[:n]))
	l, err := est.Learner(ctx, model.NewWork(d, engine.NewCPU(1)).InFold(some))
	if err != nil {
		return 0, err
	}
	targets := model.TargetsOf(d)
	said, err := l.Learn(ctx, model.Trial{
		Train: some, Known: targets.Only(some), Test: test, Grid: []float64{float64(a.epochs)}, Workers: 1,
	})
	if err != nil {
		return 0, err
	}
	return eval.MetricAccuracy.Score(said[0], targets.Of(test)), nil
}
