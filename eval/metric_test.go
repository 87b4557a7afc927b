package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
)

// named gives the classes of a problem names, which metrics count them by.
func named(p Problem, classes int) Problem {
	for c := range classes {
		p.Targets.Names = append(p.Targets.Names, fmt.Sprint("class ", c))
	}
	return p
}

func TestEveryMetricChoosesTheBetterSetting(t *testing.T) {
	for _, classes := range []int{2, 3} {
		for _, m := range Metrics(false) {
			for _, c := range Calibrations() {
				p := named(problem(t, 120, classes, 2.5, 0.5, 3), classes)
				p.Metric, p.Calibration = m, c
				o, err := Nested(context.Background(), p)
				if err != nil {
					t.Fatal(err)
				}
				if o.Metric != m || len(o.Folds) != 5 || len(o.Scores) != len(Metrics(false)) {
					t.Errorf("%s: the outcome has metric %s of %d folds and %d scores", m, o.Metric, len(o.Folds), len(o.Scores))
				}
				for f, choice := range o.Chosen {
					if choice.Setting != 1 {
						t.Errorf("%d classes, %s, %s: fold %d chose %+v", classes, m, c, f, choice)
					}
				}
				for f, said := range o.Predicted {
					for i, row := range rowsOf(said.Probabilities) {
						sum := 0.0
						for _, q := range row {
							sum += q
						}
						if len(row) != classes || math.Abs(sum-1) > 1e-12 {
							t.Fatalf("%s: probabilities %v of example %d of fold %d", c, row, i, f)
						}
					}
					if again := m.Score(said, p.Targets.Of(p.Folds[f].Test)); again != o.Folds[f] {
						t.Errorf("%s of fold %d is %g, its predictions say %g", m, f, o.Folds[f], again)
					}
				}
			}
		}
	}
}

// A calibration tells of what it has not seen what happens: in ten bins of probability the shares are near.
func TestCalibratedProbabilitiesHold(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(5, 5))
	draw := func() (*model.Predictions, *model.Targets) {
		scores, truth := make([]float64, n), &model.Targets{Names: []string{"no", "yes"}, Classes: make([]int, n)}
		for i := range scores {
			scores[i] = 3 * rng.NormFloat64()
			if rng.Float64() < sigmoid(2*scores[i]-1) {
				truth.Classes[i] = 1
			}
		}
		return &model.Predictions{Classes: make([]int, n), Decisions: model.Column(scores)}, truth
	}
	for _, c := range Calibrations() {
		said, truth := draw()
		calibrator, err := c.Fit(said, truth)
		if err != nil {
			t.Fatal(err)
		}
		said, truth = draw()
		var count, positive, promised [10]float64
		for i, row := range rowsOf(calibrator.Probabilities(said)) {
			bin := min(int(10*row[1]), 9)
			count[bin]++
			positive[bin] += float64(truth.Classes[i])
			promised[bin] += row[1]
		}
		for bin := range count {
			if d := math.Abs(positive[bin] - promised[bin]); d > 5*math.Sqrt(count[bin]/4)+3 {
				t.Errorf("%s: of %g examples with p near %.2f %g are positive, %g promised", c, count[bin],
					float64(bin)/10+0.05, positive[bin], promised[bin])
			}
		}
	}
}

func TestCalibrationOfWhatIsDegenerate(t *testing.T) {
	for name, classes := range map[string][]int{"none": {}, "one class": {1, 1, 1}, "both": {0, 1, 0}} {
		truth := &model.Targets{Names: []string{"a", "b"}, Classes: classes}
		scores := []float64{model.NeverSeen, 0, -model.NeverSeen}[:len(classes)]
		for _, c := range Calibrations() {
			calibrator, err := c.Fit(&model.Predictions{Classes: classes, Decisions: model.Column(scores)}, truth)
			if err != nil {
				t.Fatal(err)
			}
			asked := &model.Predictions{Classes: make([]int, 3), Decisions: model.Column([]float64{model.NeverSeen, 0, 1})}
			for _, row := range rowsOf(calibrator.Probabilities(asked)) {
				if !(row[0] >= 0 && row[1] >= 0 && math.Abs(row[0]+row[1]-1) < 1e-12) {
					t.Errorf("%s, %s: probabilities %v", name, c, row)
				}
			}
		}
	}
	if _, err := Platt.Fit(&model.Predictions{Classes: []int{0}}, &model.Targets{Classes: []int{0}}); err == nil {
		t.Error("classes without decisions were calibrated")
	}
}

func TestWhatAMetricNeeds(t *testing.T) {
	p := named(problem(t, 40, 2, 0.5), 2)
	p.Metric = MetricLogLoss
	if _, err := Nested(context.Background(), p); err == nil || !strings.Contains(err.Error(), "needs probabilities") {
		t.Errorf("error %v", err)
	}
	p.Calibration = Platt
	if _, err := Published(context.Background(), p); err == nil || !strings.Contains(err.Error(), "holds nothing out") {
		t.Errorf("error %v", err)
	}
}

// A fold whose test part has one class has no area under the curve and is left out; where no fold has one it is said.
func TestFoldsOfOneClass(t *testing.T) {
	p := named(problem(t, 60, 2, 0.5), 2)
	p.Metric = MetricAUC
	one := func(f split.Fold) split.Fold {
		var test []int
		for _, i := range f.Test {
			if p.Targets.Classes[i] == 1 {
				test = append(test, i)
			}
		}
		return split.Fold{Train: f.Train, Test: test}
	}
	p.Folds[2] = one(p.Folds[2])
	o, err := Nested(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(o.Folds[2]) || !(o.Mean > 0.9) {
		t.Errorf("folds %v, mean %g", o.Folds, o.Mean)
	}
	p.Folds = []split.Fold{p.Folds[2]}
	if _, err := Nested(context.Background(), p); err == nil || !strings.Contains(err.Error(), "have one class") {
		t.Errorf("error %v", err)
	}
}

// Where the classes are drawn at random no model is better than another: the tests say so but as often as their level
// allows, over 200 draws. The corrected one is made for folds, whose training parts overlap.
func TestTestsKeepTheirLevel(t *testing.T) {
	const draws, level = 200, 0.05
	var rejected [2]int
	for draw := range uint64(draws) {
		rng := rand.New(rand.NewPCG(draw, 9))
		y := labels(60, 2)
		rng.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
		folds, err := split.Stratified(y, 10, draw)
		if err != nil {
			t.Fatal(err)
		}
		var scores [2][]float64
		for m := range scores {
			drawn := make([]int, len(y)) // what the columns carry has nothing to do with the classes
			for i := range drawn {
				drawn[i] = rng.IntN(2)
			}
			e := classified{vectors: &noisy{classes: drawn, noise: 1, seed: 2*draw + uint64(m)}, c: []float64{1}}
			p := Problem{Work: nowhere(), Targets: &model.Targets{Classes: y}, Folds: folds, Estimators: []model.Estimator{e}}
			o, err := Nested(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			scores[m] = o.Folds
		}
		for k, p := range []float64{CorrectedT(scores[0], scores[1], 1.0/9), Wilcoxon(scores[0], scores[1])} {
			if p < level {
				rejected[k]++
			}
		}
	}
	t.Logf("rejected at %g: corrected t %d, signed ranks %d of %d", level, rejected[0], rejected[1], draws)
	most := int(draws*level + 3*math.Sqrt(draws*level*(1-level)))
	if rejected[0] > most {
		t.Errorf("the corrected t-test rejects %d of %d at level %g, at most %d are chance", rejected[0], draws, level, most)
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, math.NaN(), 0.9})
	for i, want := range []float64{0.04, 0.09, 0.09, math.NaN(), 0.9} {
		if math.Abs(got[i]-want) > 1e-15 || math.IsNaN(got[i]) != math.IsNaN(want) {
			t.Errorf("%v", got)
		}
	}
}

func TestComparisonsOfEqualScores(t *testing.T) {
	a := []float64{0.5, 0.75, 1}
	if p := CorrectedT(a, a, 0.1); p != 1 {
		t.Errorf("equal scores have p %g", p)
	}
	if p := CorrectedT(a, []float64{0.25, 0.5, 0.75}, 0.1); p != 0 {
		t.Errorf("a difference that never varies has p %g", p)
	}
	if p := Wilcoxon(a, a); p != 1 {
		t.Errorf("equal scores have p %g by ranks", p)
	}
	if p := CorrectedT(a[:1], a[1:2], 0.1); !math.IsNaN(p) {
		t.Errorf("one fold has p %g", p)
	}
	if _, err := MeanRanks([][]float64{{1, 2}, {1, math.NaN()}}, false); err == nil {
		t.Error("a missing score was ranked")
	}
}
