package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/grove-graph/grove/columnar"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/parts"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Jobs that can be cut into parts: the names of their commands.
const (
	embedJob   = "embed"
	predictJob = "predict"
	evalJob    = "eval"
	compareJob = "compare"
	gramJob    = "gram"
	trainJob   = "train"
)

// cut is how a job is cut, and where its plan goes.
type cut struct {
	plan string
	size int
}

// addComputing declares the kind of device, and the size of a part under a name of its own.
func (f *cut) addComputing(fs *pflag.FlagSet, device *string, name string, size int, usage string) {
	fs.StringVar(device, "device", "cpu", "kind of device that computes the parts (see grove devices)")
	annotateWords(fs, "device", []string{"cpu", "cuda"})
	fs.IntVar(&f.size, name, size, usage)
	bound(fs, name, 1, 1<<40)
}

// addOutput declares the output of the job and the plan.
func (f *cut) addOutput(fs *pflag.FlagSet, out *string, usage string) {
	fs.StringVar(out, "out", "", "`FILE` "+usage)
	fs.StringVarP(&f.plan, "plan", "o", "", "`FILE` plan to write")
}

// check refuses outputs that cannot be written, and data that no part could read again.
func (f *cut) check(data string, outputs ...parts.Output) error {
	for _, o := range append(outputs, parts.Output{Flag: "plan", Path: f.plan}) {
		if err := writable("--"+o.Flag, o.Path); err != nil {
			return err
		}
	}
	if data == standardInput {
		return usagef("--data -: the parts read the data too: name a folder or a file")
	}
	return nil
}

// planned is what grove plan reports.
type planned struct {
	Plan   string `json:"plan"`
	Job    string `json:"job"`
	Unit   string `json:"unit"`
	Items  int    `json:"items"`
	Parts  int    `json:"parts"`
	Size   int    `json:"size"`   // items of a part
	Folder string `json:"folder"` // of the results of the parts

	Round int    `json:"round,omitempty"` // of a plan with several, and what its parts compute
	Pass  string `json:"pass,omitempty"`
}

// writePlan completes a plan and writes it, and says what is planned in words.
func (a *app) writePlan(p *parts.Plan, f *cut, e engine.Engine, leftOut []eval.LeftOut) error {
	f.describe(p, e)
	if err := p.Create(f.plan); err != nil {
		return fmt.Errorf("--plan %s: %w", f.plan, plain(err))
	}
	return a.emitPlanned(p, f.plan, leftOut)
}

// describe says in a plan how it is cut and who can compute its parts.
func (f *cut) describe(p *parts.Plan, e engine.Engine) {
	p.Program, p.Instructions, p.Device, p.Size = thisBuild().String(), simd.Level(), kindOf(e.String()), f.size
}

// emitPlanned says what is planned.
func (a *app) emitPlanned(p *parts.Plan, path string, leftOut []eval.LeftOut) error {
	r := planned{path, p.Job, p.Unit, p.Items, p.Parts(), p.Size, p.Folder(), p.Round, p.Pass}
	return a.emit(r, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %s, %d %s in %d parts of %d\n", r.Plan, r.Job, r.Items, r.Unit, r.Parts, r.Size)
		if r.Round > 0 {
			fact(w, "round", "%d, %s", r.Round, r.Pass)
		}
		fact(w, "run", "grove run-part %s --index I, for every I from 0 to %d", r.Plan, r.Parts-1)
		fact(w, "then", "grove merge %s", r.Plan)
		for _, left := range leftOut {
			fact(w, "left out", "%s: %s", left.Model, left.Why)
		}
	})
}

// planFlags are the flags of grove plan embed and predict.
type planFlags struct {
	cut
	device, data, model, out, ids string
}

func newPlan(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "plan",
		Short: "Cut a long job into parts that any machine runs",
		Long: `Cut a long job into parts, for a cluster or for one machine that may go down in the middle. A plan is a
small file that says what is computed from which data by which model, by their digests; grove run-part
computes one part of it, on any machine that sees the same files, as often as you like; grove merge writes
what the command itself would have written on one machine, byte for byte.

Cutting, running and putting together leave everything else to what you have: a loop in a shell, an array of
Slurm, a Job of Kubernetes (docs/cluster.md). What is cut by graphs reads a store (grove data convert --to
shards), of which a part reads its own graphs alone; an evaluation is cut by settings, a comparison by models
and folds, a kernel matrix by rows, on any data.`,
		Example: `  grove data convert new-molecules --to shards --out store
  grove plan embed --model model.grove --data store --out rows.npy -o plan.json
  for i in $(seq 0 19); do grove run-part plan.json --index $i; done
  grove merge plan.json`,
		Args: knownCommand,
		RunE: showHelp,
	}
	c.AddCommand(newPlanned(a, embedJob, "Plan to write graphs as vectors", "matrix to write, in NumPy's format",
		`Plan what grove embed --model does, one row for each graph.`, "rows.npy"))
	c.AddCommand(newPlanned(a, predictJob, "Plan to apply a trained model",
		"predictions to write, as comma-separated values",
		`Plan what grove predict does, one line for each graph.`, "predictions.csv"))
	search := newPlanEvalFlags()
	c.AddCommand(newPlanEval(a, search, func(c *cobra.Command, m *named) error { return a.planSearch(c, search, m) }))
	compare, _ := newPlanCompare(a)
	c.AddCommand(compare)
	gram := &planGramFlags{}
	c.AddCommand(newPlanGram(a, gram, func(c *cobra.Command, m *named) error { return a.planGram(c, gram, m) }))
	train := &planTrainFlags{}
	c.AddCommand(newPlanTrain(a, train, func(c *cobra.Command, m *named) error { return a.planTraining(c, train, m) }))
	return c
}

func newPlanned(a *app, job, short, out, long, file string) *cobra.Command {
	f := &planFlags{}
	c := &cobra.Command{
		Use:   job + " --model model.grove --data STORE --out " + file + " -o plan.json",
		Short: short,
		Long: long + `

The results of the parts lie beside the plan, in a folder with the name of the plan and the ending .parts,
until grove merge puts them together. Starting one takes some tenths of a second: where that counts, take larger ones.

A part is refused by another version of grove, on another kind of device or with other instructions of the
processor (GROVE_SIMD, see grove devices), and where the data or the model are not those of the plan any more:
all of them could change the bits.`,
		Example: `  grove plan ` + job + ` --model model.grove --data store --out ` + file + ` -o plan.json
  grove plan ` + job + ` --model model.grove --data store --out ` + file + ` --part-graphs 100000 -o plan.json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return a.plan(c, job, f) },
	}
	addFlags(c.Flags(), groupData, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.model, "model", "", "`FILE` model that grove train wrote")
		fs.StringVar(&f.data, "data", "", "`DIR` store to read (grove data convert --to shards writes one)")
	})
	addFlags(c.Flags(), groupComputing, func(fs *pflag.FlagSet) {
		f.addComputing(fs, &f.device, "part-graphs", 5000, "`N` graphs of a part")
	})
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		f.addOutput(fs, &f.out, out)
		if job == embedJob {
			fs.StringVar(&f.ids, "ids", "", "`FILE` comma-separated values to write, what each row is")
		}
		a.addOutputFlags(fs)
	})
	return c
}

func (a *app) plan(c *cobra.Command, job string, f *planFlags) error {
	if err := requireFlags(c, "model", "data", "out", "plan"); err != nil {
		return err
	}
	p := &parts.Plan{Job: job, Unit: "graphs"}
	for _, o := range []parts.Output{{Flag: "out", Path: f.out}, {Flag: "ids", Path: f.ids}} {
		if o.Path == "" {
			continue
		}
		if columnar.Named(o.Path) {
			return usagef("--%s %s: results of parts are put one behind the other, which this format does not allow; "+
				"name a file .npy or .csv", o.Flag, o.Path)
		}
		p.Outputs = append(p.Outputs, o)
	}
	if err := f.check(f.data, p.Outputs...); err != nil {
		return err
	}
	if dataset.FormatOf(f.data) != dataset.StoreFormat {
		return usagef("--data %s: only a store can be cut into parts; "+
			"make one with grove data convert %s --to shards --out STORE", f.data, f.data)
	}
	e, err := a.open(&computing{device: f.device}, 0)
	if err != nil {
		return err
	}
	m, err := loadModel(f.model, e)
	if err != nil {
		return err
	}
	if err := cuttable(job, f.model, m); err != nil {
		return err
	}
	shards, err := dataset.OpenShards(f.data)
	if err != nil {
		return err
	}
	w := model.NewStoredWork(shards, e)
	defer func() { _ = w.Close() }()
	if err := w.HasVertices(); err != nil {
		return err
	}
	digest, err := parts.FileDigest(f.model)
	if err != nil {
		return err
	}
	p.Items = shards.NumGraphs()
	p.Inputs = []parts.Input{
		{Flag: "model", Path: f.model, Digest: digest}, {Flag: "data", Path: f.data, Digest: shards.Digest()},
	}
	return a.writePlan(p, &f.cut, e, nil)
}

// cuttable refuses a model that does not do the job graph by graph.
func cuttable(job, path string, m model.Model) error {
	h := m.About()
	if job == embedJob {
		if _, ok := m.(model.Embedder); !ok {
			return fmt.Errorf("--model %s: %s represents nothing by vectors", path, h.Model)
		}
		return nil
	}
	if h.Task == model.NodeTask || h.Task == model.EdgeTask {
		return fmt.Errorf("--model %s: it predicts for every %s, and a plan cuts between graphs", path, h.Task.Noun())
	}
	return nil
}

// kindOf returns the kind of a device, of which a machine may have several: cuda for cuda:1.
func kindOf(device string) string {
	kind, _, _ := strings.Cut(device, ":")
	return kind
}
