package gckn

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// Origin says what a network was made from.
type Origin struct {
	Model    string         `json:"model"`  // its registered name
	Digest   string         `json:"digest"` // SHA-256 of its file, in hexadecimal
	Training model.Training `json:"training"`
}

// String names it in a few words.
func (o *Origin) String() string {
	return fmt.Sprintf("%s of %s (%.8s)", o.Model, o.Training.Dataset, o.Digest)
}

// Pretrained is a network that trainings on other data may start from.
type Pretrained struct {
	Origin
	encoding   *dataset.Encoding
	network    *Model
	classes    []string    // of its classifier
	classifier *svm.Linear // on the representation, an output for each class; nil where it has none that is as simple
}

// ReadPretrained reads the network in a model file: of any model of this package, with a classifier or without.
func ReadPretrained(path string) (*Pretrained, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := model.Load(path, nil)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(raw)
	p := &Pretrained{Origin: Origin{m.About().Model, hex.EncodeToString(digest[:]), m.About().Training}}
	var of network
	switch m := m.(type) {
	case *classifierModel:
		of = m.network
	case *anchorsModel:
		of = m.network
	case *supervisedModel:
		of = m.network
		if t := m.trained; !t.Vertices && !t.Regression && !slices.Contains(t.Classifier.Bias, model.NeverSeen) {
			p.classes, p.classifier = m.Classes, t.Classifier
		}
	default:
		return nil, fmt.Errorf("%s: a %s has no anchors: want a GCKN", path, p.Model)
	}
	p.encoding, p.network = of.encoding, of.fitted
	return p, nil
}

// Options returns those of the network, whose layers may be trained further: the layers are not concatenated.
func (p *Pretrained) Options() Options {
	o := p.network.opt
	o.Layers, o.Concat = slices.Clone(o.Layers), false
	return o
}

// Features returns what the vertices show to the network.
func (p *Pretrained) Features() dataset.Features { return p.encoding.Features }

// Start is what a training starts from in place of k-means.
type Start struct {
	Anchors    []*tensor.Dense // of each layer, in host memory: PathSize x Filters x d
	Classifier *svm.Linear     // on the representation, for the classes of the data; nil: the minimum for these anchors
}

// Start returns the encoding of data of which another encoding was fitted, see [dataset.Encoding.Extended], and what a
// training on them starts from. In the anchors of the first layer a label that the network never saw has the column
// zero: like a label that a trained network never saw, it is orthogonal to all others, until training moves it.
// With classes, those of the data, the classifier is that of the network, whose classes must have the same names.
func (p *Pretrained) Start(by *dataset.Encoding, classes []string) (*dataset.Encoding, *Start, error) {
	encoding, err := p.encoding.Extended(by)
	if err != nil {
		return nil, nil, err
	}
	s := &Start{Anchors: make([]*tensor.Dense, len(p.network.layers))}
	for l := range s.Anchors {
		s.Anchors[l] = p.network.Anchors(l)
	}
	if s.Anchors[0], err = p.widened(encoding); err != nil || classes == nil {
		return encoding, s, err
	}
	s.Classifier, err = p.classifierFor(classes)
	return encoding, s, err
}

// widened returns the anchors of the first layer with columns of zeros for the labels of an extended encoding.
func (p *Pretrained) widened(extended *dataset.Encoding) (*tensor.Dense, error) {
	z, added := p.network.Anchors(0), len(extended.Labels)-len(p.encoding.Labels)
	if added == 0 {
		return z, nil
	}
	values, err := engine.Float64s(z)
	if err != nil {
		return nil, err
	}
	width := z.Shape()[2]
	known := width // the columns before the new ones
	if labels, _ := p.encoding.Width(); labels == 0 {
		known-- // after the labels comes the column of those never seen
	}
	var out []float64
	for row := range slices.Chunk(values, width) {
		out = append(append(append(out, row[:known]...), make([]float64, added)...), row[known:]...)
	}
	wide := tensor.New(tensor.WithShape(z.Shape()[0], z.Shape()[1], width+added), tensor.WithBacking(out))
	host := engine.NewCPU(1)
	typed := host.New(z.Dtype(), wide.Shape()...)
	return typed, host.Convert(typed, wide)
}

// classifierFor returns the classifier for classes in another order.
func (p *Pretrained) classifierFor(classes []string) (*svm.Linear, error) {
	if p.classifier == nil {
		return nil, fmt.Errorf("a %s of %s has no linear classifier of classes of graphs that a training could go on from",
			p.Model, p.Training.Dataset)
	}
	if len(classes) != len(p.classes) {
		return nil, fmt.Errorf("classes %s of the model, %s of the data: its classifier fits the same names alone",
			listed(p.classes), listed(classes))
	}
	c := &svm.Linear{}
	for _, name := range classes {
		k := slices.Index(p.classes, name)
		if k < 0 {
			return nil, fmt.Errorf("the model has no class %s: its classifier fits the same names alone", name)
		}
		c.Weight, c.Bias = append(c.Weight, slices.Clone(p.classifier.Weight[k])), append(c.Bias, p.classifier.Bias[k])
	}
	return c, nil
}

func listed(names []string) string { return fmt.Sprintf("%q", names) }

// difference names the first option in which two networks differ that anchors depend on, with the values; "" for none.
func (o *Options) difference(other *Options) (name string, value, want any) {
	if a, b := len(o.Layers), len(other.Layers); a != b {
		return "layers", a, b
	}
	for i, l := range o.Layers {
		switch w := other.Layers[i]; {
		case l.PathSize != w.PathSize:
			return "path-size", l.PathSize, w.PathSize
		case l.Filters != w.Filters:
			return "filters", l.Filters, w.Filters
		case l.Sigma != w.Sigma:
			return "sigma", l.Sigma, w.Sigma
		case l.Pooling != w.Pooling:
			return "pooling", l.Pooling, w.Pooling
		}
	}
	a, b := described{}, described{}
	for to, from := range map[*described]*Options{&a: o, &b: other} {
		*to = Estimator{Options: *from}.Params().(described)
	}
	switch {
	case o.Walk != other.Walk:
		return "walk", o.Walk, other.Walk
	case a.Lengths != b.Lengths:
		return "lengths", a.Lengths, b.Lengths
	case a.Exponent != b.Exponent:
		return "exponent", a.Exponent, b.Exponent
	case a.Regularisation != b.Regularisation:
		return "regularisation", a.Regularisation, b.Regularisation
	case o.PathNorms != other.PathNorms:
		return "norms", word(o.PathNorms, "path", "first"), word(other.PathNorms, "path", "first")
	case o.Epsilon != other.Epsilon:
		return "epsilon", o.Epsilon, other.Epsilon
	case a.Precision != b.Precision:
		return "precision", a.Precision, b.Precision
	}
	return "", nil, nil
}
