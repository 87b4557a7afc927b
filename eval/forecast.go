package eval

import (
	"math"
	"sync"
	"time"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
)

// forecast projects from the first piece of an evaluation how long the rest of it takes. A fold costs what its settings
// share, and for each setting what its learner costs and several trainings; the first training that ends, or has come
// some way by what it reports, stands for all.
type forecast struct {
	p         *Problem
	trainings float64 // of a setting in a fold, in terms of the first one
	more      int     // folds that follow those of the problem, for one setting
	left      float64 // share of the settings that the checkpoint does not know
	began     time.Time

	mu          sync.Mutex
	represented bool
	once        time.Duration // what all folds share
	shared      time.Duration // what the settings of a fold share
	represent   time.Duration // of a setting in a fold, or of a setting where there is one learner for all folds
	said        bool
}

// leastWatched is how long a training that reports its progress is watched before it stands for others.
const leastWatched = time.Second

// newForecast begins a forecast over so many settings in folds, nil where nobody asks for one.
func (p *Problem) newForecast(trainings float64, pieces int) *forecast {
	if p.Forecast == nil {
		return nil
	}
	if p.now == nil {
		p.now = time.Now
	}
	return &forecast{p: p, trainings: trainings, left: p.Checkpoint.left(pieces), began: p.now()}
}

// learner notes what a learner has cost, of which some is shared.
func (f *forecast) learner(since time.Time, once, shared time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.represented {
		f.represented, f.once, f.shared = true, once, shared
		f.represent = max(f.p.now().Sub(since)-once-shared, 0)
	}
}

// learned projects all of the evaluation from the time that one training takes.
func (f *forecast) learned(training time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.said {
		return
	}
	f.said = true
	p := f.p
	settings := float64(len(p.Estimators)) * f.left
	waves := wavesOf(len(p.Folds), p.Workers)
	more := wavesOf(f.more, p.Workers)
	learn, represent := f.trainings*float64(training), float64(f.represent)
	all := float64(f.once)
	switch {
	case p.abreast != nil:
		pieces := (float64(len(p.Folds))*settings + float64(f.more)) * f.trainings
		all += float64(f.shared) + represent + math.Ceil(pieces/trainingsAbreast)*float64(training)
	case p.FromTrain:
		all += waves*(float64(f.shared)+settings*(represent+learn)) + more*(float64(f.shared)+represent+learn)
	default:
		all += float64(f.shared) + settings*(represent+waves*learn)
		if f.more > 0 {
			all += represent + more*learn
		}
	}
	p.Forecast(max(time.Duration(all)-p.now().Sub(f.began), 0))
}

// wavesOf is how often workers take a fold each until all are done.
func wavesOf(folds, workers int) float64 { return math.Ceil(float64(folds) / float64(workers)) }

// watch returns what a training that begins now is to report its progress to.
func (f *forecast) watch(since time.Time) func(done, total int) {
	var mu sync.Mutex
	var first time.Time // report, and what was done then
	from := 0
	return func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		now := f.p.now()
		switch {
		case first.IsZero():
			first, from = now, done
		case done > from && now.Sub(first) >= leastWatched:
			rest := float64(now.Sub(first)) * float64(total-done) / float64(done-from)
			f.learned(now.Sub(since) + time.Duration(rest))
		}
	}
}

// one is the cost of training for one value of a grid in terms of training for all of them. The values of C are trained
// one by one; others are lengths of one training.
func one(g model.Grid) float64 {
	if len(g.Values) == 0 {
		return 1
	}
	if g.Name == "C" {
		return 1 / float64(len(g.Values))
	}
	sum, most := 0.0, 0.0
	for _, v := range g.Values {
		sum, most = sum+v, math.Max(most, v)
	}
	if most <= 0 {
		return 1
	}
	return sum / float64(len(g.Values)) / most
}

// nestedTrainings returns the trainings of a setting in a fold of a nested cross-validation: one for each inner fold,
// and one on the whole training part if the setting is the best one so far.
func (p *Problem) nestedTrainings(inner []split.Fold) float64 {
	if p.candidates() == 1 && p.Calibration == Uncalibrated && !p.Validated {
		return 1
	}
	n := float64(len(p.Estimators))
	folds := float64(len(inner))
	if p.Halving && n > 1 {
		folds = halvedTrainings(len(inner))
	}
	return folds + one(p.grids[0])*(1+math.Log(n))/n
}
