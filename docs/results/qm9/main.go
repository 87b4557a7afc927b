// Command qm9 trains a network for each target of a table of molecules on one map of a message passing kernel, by the
// protocol of Nikolentzos and Vazirgiannis (2018, section 4.3), and prints its errors on the part that was held out.
//
//	go run ./docs/results/qm9 -together -hydrogens $GROVE_DATA/molecules/QM9_small
//
// Of ten molecules in their order eight are for training, one for validation and the last for the test.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"time"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/mpgk"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

func main() {
	variant := flag.String("variant", "aa", "of the kernel: rr, ra, ar or aa")
	epochs := flag.Int("epochs", autodiff.DefaultMLP().Epochs, "passes over the training part")
	validate := flag.Bool("validate", false, "measure on the validation part")
	hydrogens := flag.Bool("hydrogens", false, "make hydrogens vertices")
	together := flag.Bool("together", false, "train one network for all targets, not one for each")
	flag.Parse()
	d := must(dataset.Reading{Molecules: dataset.Molecules{Hydrogens: *hydrogens}}.Open(flag.Arg(0)))
	var train, held []int
	for g := range d.NumGraphs() {
		switch {
		case g%10 < 8:
			train = append(train, g)
		case (g%10 == 8) == *validate:
			held = append(held, g)
		}
	}
	ctx, start := context.Background(), time.Now()
	x := features(ctx, d, train, *variant)
	fmt.Printf("mpgk-%s, %d molecules, %d features, %.0f s\n", *variant, d.NumGraphs(), x.Shape()[1],
		time.Since(start).Seconds())
	fmt.Println("target       mae     rmse  of a standard deviation: mae   rmse   seconds")
	o, width := autodiff.DefaultMLP(), 1
	o.Epochs = *epochs
	if *together {
		width = len(d.TargetNames)
	}
	for first := 0; first < len(d.TargetNames); first += width {
		start := time.Now()
		y := tensor.New(tensor.WithShape(d.NumGraphs(), width),
			tensor.WithBacking(columns(d.Targets, len(d.TargetNames), first, width)))
		network := must(autodiff.FitMLP(ctx, engine.NewCPU(1), x, y, train, o, nil))
		said := must(network.Predict(x, held)).Float64s()
		for k := range width {
			of := columns(y.Float64s(), width, k, 1)
			mae, rmse := errors(columns(said, width, k, 1), of, held)
			deviation := stat.PopStdDev(of, nil)
			fmt.Printf("%-7s %8.4g %8.4g %29.3f  %.3f  %8.0f\n", d.TargetNames[first+k], mae, rmse, mae/deviation,
				rmse/deviation, time.Since(start).Seconds())
		}
	}
}

// columns returns some columns of a matrix of so many.
func columns(x []float64, of, first, count int) (some []float64) {
	for ; len(x) > 0; x = x[of:] {
		some = append(some, x[first:first+count]...)
	}
	return some
}

// features returns the map of all molecules, of four iterations by 200 of them each, learned from the training part.
func features(ctx context.Context, d *dataset.Dataset, train []int, variant string) *tensor.Dense {
	options := must(mpgk.Preset("mpgk-" + variant))
	options.Landmarks, options.GraphLandmarks = 200, 200
	encoding := must(dataset.FitEncoding(d, dataset.LabelFeatures, train))
	encoding.Renumber(d, train)
	b := must(encoding.Apply(d))
	m := must(mpgk.Fit(ctx, engine.NewCPU(1), b.Select(train), options, nil))
	return must(m.Features(ctx, b, nil))
}

// errors returns the mean absolute error of values for some rows, and the root of the mean squared one.
func errors(values, y []float64, rows []int) (mae, rmse float64) {
	for i, g := range rows {
		mae += math.Abs(values[i] - y[g])
		rmse += (values[i] - y[g]) * (values[i] - y[g])
	}
	n := float64(len(rows))
	return mae / n, math.Sqrt(rmse / n)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
