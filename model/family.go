package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/modelfile"
)

// Verb is what somebody wants of the models of a family. Some options make sense for some verbs only.
type Verb string

// The verbs.
const (
	Eval  Verb = "eval"
	Train Verb = "train"
	Embed Verb = "embed" // represent graphs without their targets: estimators are an [Encoder]
	Gram  Verb = "gram"  // kernel matrices: learners are a [Grammer]
)

// Family is a group of models that share their options and the kind of their files. What it declares chooses the checks
// of package modeltest and what the command line offers.
type Family struct {
	Title  string // "GCKN"
	Kind   string // of its model files
	Models []Name
	Verbs  []Verb

	Tasks      []Task
	Regression bool   // it learns numbers
	Classes    bool   // it learns classes
	Bare       bool   // estimators are [Unsupervised]: files may hold what was learned without targets alone
	Learns     string // what it learns from graphs without their targets, "anchors" for instance; "" for nothing
	Weights    bool   // it sees the weights of arcs
	Streams    bool   // it trains on graphs that stay on disk, see [Work]
	// Inner are the inner folds of nested selection where none are asked for: "5", "1/10" for a part held out, or "auto",
	// which is one of the two by the number of examples.
	Inner string

	// New returns the options of a model with their defaults.
	New func(model string) Options
	// Load makes a model from the parts of a file. The head is checked; f.Take gives the tensors, and all must be
	// taken. It returns an error where the parts do not fit each other.
	Load func(e engine.Engine, h *Head, parts json.RawMessage, f *modelfile.File) (Model, error)
}

// Name is a model of a family with a line on what it is.
type Name struct {
	Name, Short string
	Slow        bool // it takes minutes where other models of its family take seconds
	// Brief are flags with which it takes part where all models that are not slow do, on many graphs, so that it does not
	// take most of the time.
	Brief string
}

// Options are the options of a model by name, each with one value or with several: a grid of estimators.
type Options interface {
	// Declare lists the parameters that a verb knows.
	Declare(s *param.Set, verb Verb)
	// Check reports what is wrong with the values, before any data are read: a [param.Error].
	Check() error
	// Estimators returns the product of the lists for some work, whose data defaults may depend on, in the order in which
	// ties are decided. What estimators can share they share. Errors are [param.Error].
	Estimators(w *Work, seed uint64) ([]Estimator, error)
}

// BareOptions are options by name of a family whose models may be learned without targets.
type BareOptions interface {
	// Bare reports whether such a model is asked for. There is one estimator then, an [Unsupervised] one.
	Bare() bool
}

// DeclareFeatures declares the parameter that says what of its data a vertex shows, with the kinds that a family knows.
func DeclareFeatures(s *param.Set, value *dataset.Features, allowed ...dataset.Features) {
	param.Choice(s, value, "features", allowed,
		"what of its data a vertex shows; attributes are standardised, raw ones are not")
}

var registry struct {
	sync.Mutex
	families []*Family
}

// Register makes a family known. It panics where a name or kind is taken.
func Register(f Family) {
	registry.Lock()
	defer registry.Unlock()
	for _, other := range registry.families {
		for _, m := range f.Models {
			if other.Kind == f.Kind || slices.ContainsFunc(other.Models, func(n Name) bool { return n.Name == m.Name }) {
				panic(fmt.Sprintf("model: kind %s or model %s is registered twice", f.Kind, m.Name))
			}
		}
	}
	registry.families = append(registry.families, &f)
	slices.SortStableFunc(registry.families, func(a, b *Family) int { return strings.Compare(a.Kind, b.Kind) })
}

// Families lists the families that are registered, by kind.
func Families() []*Family {
	registry.Lock()
	defer registry.Unlock()
	return slices.Clone(registry.families)
}

// FamilyOf returns the family of a model, nil where none is registered.
func FamilyOf(name string) *Family {
	for _, f := range Families() {
		if slices.ContainsFunc(f.Models, func(m Name) bool { return m.Name == name }) {
			return f
		}
	}
	return nil
}

// CheckTask returns a [param.Error] where no model of the family has a task.
func (f *Family) CheckTask(name string, task Task) error {
	if slices.Contains(f.Tasks, task) {
		return nil
	}
	var able []string
	for _, other := range Families() {
		if slices.Contains(other.Tasks, task) {
			for _, m := range other.Models {
				able = append(able, m.Name)
			}
		}
	}
	return param.Errorf("task", task, "%s predicts nothing of %s, unlike %s", name, task.Plural(),
		strings.Join(able, ", "))
}

// Check returns an error where the family does not learn what a data set asks for.
func (f *Family) Check(name string, d *dataset.Dataset) error {
	t := TargetsOf(d)
	switch {
	case t.Task == EdgeTask && f.CheckTask(name, EdgeTask) != nil:
		return f.CheckTask(name, EdgeTask)
	case t.Task == NodeTask && !slices.Contains(f.Tasks, NodeTask):
		return fmt.Errorf("%s predicts something of graphs; data set %s has a task for every vertex", name, d.Name)
	case t.Regression() && !f.Regression:
		return fmt.Errorf("%s classifies %ss; data set %s has targets in place of classes", name, t.Task.Noun(), d.Name)
	case !t.Regression() && !f.Classes:
		return fmt.Errorf("%s predicts numbers; data set %s has classes", name, d.Name)
	}
	return nil
}
