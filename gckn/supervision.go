package gckn

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

func (r *supervision) newTrainer() *autodiff.Trainer {
	t := &autodiff.Trainer{
		Network: r.network, Source: r.source, Items: r.Train, Options: r.Options.train(),
		Start: r.start, Choose: r.Validation != nil, Watch: r.Watch, Checkpoint: r.Checkpoint,
		Step: func(done, total int) { r.Progress.Report("train", done, total) },
	}
	if r.Options.Alternate {
		t.After = r.solve
	}
	if r.validation != nil || r.unseen != nil {
		t.Score = r.score
	}
	if t.Checkpoint.Path != "" {
		t.Checkpoint.Of = r.identity()
	}
	return t
}

// start sets the parameters to those of the unsupervised model with a classifier on top.
func (r *supervision) start(ctx context.Context) error {
	items, b, err := r.startItems()
	if err != nil {
		return err
	}
	m, err := Fit(ctx, r.engine, b, r.Input, r.Options.Network, r.Progress)
	if err != nil {
		return fmt.Errorf("unsupervised start: %w", err)
	}
	for l, z := range r.network.Parameters().Anchors {
		if err := r.engine.Convert(z, m.Anchors(l)); err != nil {
			return err
		}
	}
	r.Progress.Report("classifier", 0, 1)
	defer r.Progress.Report("classifier", 1, 1)
	if len(items) == len(r.Train) {
		return r.solve(ctx)
	}
	some := r.network.NewEvaluator(r.source, items, scoreBatch, false)
	return r.solveFor(ctx, some, items)
}

// startItems returns the items that the first classifier is learned from, and the graphs for the anchors.
func (r *supervision) startItems() ([]int, *graph.Batch, error) {
	whole, held := r.Examples.Graphs.(inMemory)
	if r.Examples.vertices() {
		return r.Train, whole.Batch, nil
	}
	graphs, n := slices.Clone(r.Train), r.Options.StartGraphs
	if n == 0 && !held {
		n = StreamedStart
	}
	if n > 0 && n < len(graphs) {
		rng := rand.New(rand.NewPCG(r.Options.Network.Seed, startStream))
		rng.Shuffle(len(graphs), func(i, j int) { graphs[i], graphs[j] = graphs[j], graphs[i] })
		graphs = graphs[:n]
	}
	slices.Sort(graphs)
	b, err := r.Examples.Graphs.Select(graphs)
	return graphs, b, err
}

// startStream tells the draw of graphs for the start from other uses of the seed.
const startStream = 0x57a27 << 32

// solve sets the classifier to the minimum of the loss for the anchors as they are.
func (r *supervision) solve(ctx context.Context) error { return r.solveFor(ctx, r.all, r.Train) }

// solveFor is solve for the loss of some items.
func (r *supervision) solveFor(ctx context.Context, on *autodiff.Evaluator, items []int) error {
	x, err := on.Representations(ctx)
	if err != nil {
		return err
	}
	p := svm.LinearProblem{
		Loss: svm.Loss(r.Options.Loss), Outputs: r.Examples.outputs(), Decay: r.Options.Decay,
		Workers: r.engine.Workers(),
	}
	for _, i := range items {
		if r.Examples.Targets.Regression() {
			p.Values = append(p.Values, r.source.targets[i*p.Outputs:(i+1)*p.Outputs]...)
			continue
		}
		class := r.Examples.Targets.Classes[i]
		p.Classes = append(p.Classes, class)
		if w := r.Options.ClassWeights; w != nil {
			p.Weights = append(p.Weights, w[class])
		}
	}
	if p.Start, err = r.linear(); err != nil { // zeros at the start
		return err
	}
	linear, err := svm.FitLinear(ctx, x, nil, p)
	if err != nil {
		return fmt.Errorf("fitting the classifier: %w", err)
	}
	parameters := r.network.Parameters()
	if err := r.engine.Convert(parameters.Weight, matrixOf(linear.Weight)); err != nil {
		return err
	}
	return r.engine.Convert(parameters.Bias, matrixOf([][]float64{linear.Bias}))
}

// linear returns the classifier of the network.
func (r *supervision) linear() (*svm.Linear, error) {
	p := r.network.Parameters()
	weight, err := hostRows(p.Weight)
	if err != nil {
		return nil, err
	}
	bias, err := hostRows(p.Bias)
	if err != nil {
		return nil, err
	}
	return &svm.Linear{Weight: weight, Bias: bias[0]}, nil
}

// hostRows returns the rows of a matrix of any engine.
func hostRows(x *tensor.Dense) ([][]float64, error) {
	values, err := engine.Float64s(x)
	return slices.Collect(slices.Chunk(values, x.Shape()[1])), err
}

// matrixOf is the inverse of hostRows.
func matrixOf(rows [][]float64) *tensor.Dense {
	return tensor.New(tensor.WithShape(len(rows), len(rows[0])), tensor.WithBacking(slices.Concat(rows...)))
}

// score returns the score of the validation part, if there is one, and tells of the outputs for the unseen.
func (r *supervision) score(ctx context.Context, epoch int) (scores []float64, err error) {
	if r.validation != nil {
		score, err := r.validation.Score(ctx)
		if err != nil {
			return nil, err
		}
		scores = append(scores, score)
	}
	if r.unseen == nil {
		return scores, nil
	}
	logits, err := r.unseen.Logits(ctx)
	if err != nil {
		return nil, err
	}
	outputs, err := hostRows(logits)
	if err != nil {
		return nil, err
	}
	absent := r.Examples.Targets.Absent()
	for _, row := range outputs {
		for k := range r.scale {
			row[k] = row[k]*r.scale[k] + r.shift[k]
		}
		for _, class := range absent {
			row[class] = model.NeverSeen
		}
	}
	r.Predicted(epoch, matrixOf(outputs))
	return scores, nil
}

func (r *supervision) release() {
	for _, on := range []*autodiff.Evaluator{r.all, r.validation, r.unseen} {
		if on != nil {
			on.Release()
		}
	}
	r.network.Release()
	r.engine.Release(r.network.Parameters().List()...)
	r.engine.Release(r.source.labels)
}

// identity says what the training depends on, for its checkpoints.
func (r *supervision) identity() map[string]string {
	o := r.Options
	o.Epochs, o.Patience, o.MaxLoss = 0, 0, 0 // may be others when a training goes on
	options, err := json.Marshal(o)
	if err != nil {
		options = []byte(err.Error()) // numbers that JSON has not are refused by Check
	}
	data := sha256.New()
	if named, ok := r.Examples.Graphs.(interface{ Digest() string }); ok {
		digest(data, []byte(named.Digest()))
	} else if b, ok := r.Examples.Graphs.(inMemory); ok {
		digest(data, b.Offsets, b.RowPtr, b.Col, b.Labels, b.Attributes)
	}
	digest(data, wide(r.Examples.Targets.Classes), r.Examples.Targets.Values)
	parts := sha256.New()
	for _, items := range [][]int{r.Train, r.Validation} {
		digest(parts, wide(items))
	}
	return map[string]string{
		"data": hex.EncodeToString(data.Sum(nil)), "parts": hex.EncodeToString(parts.Sum(nil)),
		"options": string(options),
	}
}

// digest adds lists of numbers to a hash, each after its length.
func digest(h hash.Hash, lists ...any) {
	for _, list := range lists {
		if err := binary.Write(h, binary.LittleEndian, int64(binary.Size(list))); err != nil {
			panic(err) // a hash takes everything
		}
		if err := binary.Write(h, binary.LittleEndian, list); err != nil {
			panic(err)
		}
	}
}

func wide(items []int) []int64 {
	out := make([]int64, len(items))
	for i, v := range items {
		out[i] = int64(v)
	}
	return out
}
