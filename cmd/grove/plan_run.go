package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/parts"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// indexVariables are where schedulers leave the number of a task in an array.
func indexVariables() []string {
	return []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"}
}

// runPartFlags are the flags of grove run-part.
type runPartFlags struct {
	computing
	index string
}

func newRunPart(a *app) *cobra.Command {
	f := &runPartFlags{}
	c := &cobra.Command{
		Use:   "run-part plan.json --index I",
		Short: "Compute a part of a plan",
		Long: `Compute a part of what grove plan has cut, and leave the result beside the plan, with a receipt. A part
that is done costs nothing; any part may run again, anywhere, and twice at once. A part that is killed
leaves nothing, and is run again.

Without --index the number is that of the task in an array: of ` + strings.Join(indexVariables(), ",\n") + `.
With --index - numbers are read from standard input, as --index takes them, line by line until it ends, and each line is
answered when its parts are done: what parts share is read once.

The exit status is 3 where the part is refused because its bits could differ from those of the others, and 1
where it failed otherwise, as by a full disk, and may be run again.`,
		Example: `  grove run-part plan.json --index 3
  grove run-part plan.json --index 0-9,12        # several, one after another
  next-numbers | grove run-part plan.json --index -   # those that somebody hands out`,
		Args:        onePlan,
		Annotations: map[string]string{readsArguments: "plan.json"},
		RunE:        func(c *cobra.Command, args []string) error { return a.runParts(c.Context(), f, args[0]) },
	}
	addFlags(c.Flags(), groupComputing, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.index, "index", "", "`I` number of the part, from 0; or several, as 0-9,12; -: from standard input")
		fs.StringVar(&f.device, "device", "", "device that computes, of the kind of the plan (default: any of that kind)")
		annotateWords(fs, "device", []string{"cpu", "cuda", everyGPU})
		fs.IntVar(&f.workers, "workers", 0, "`N` threads, 0: one for every CPU; results do not depend on it")
		bound(fs, "workers", 0, 1<<12)
	})
	addFlags(c.Flags(), groupOutput, a.addOutputFlags)
	return c
}

// onePlan wants the name of a plan.
func onePlan(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%swant one plan, the file that grove plan wrote", at(c))
	}
	return nil
}

// partReport is what grove run-part reports of each part.
type partReport struct {
	Plan string `json:"plan"`
	*parts.Receipt
	Done bool `json:"done_before"` // nothing was computed
}

func (a *app) runParts(ctx context.Context, f *runPartFlags, path string) error {
	p, err := parts.Open(path)
	if err != nil {
		return err
	}
	if f.workers > 0 { // threads for everything: what else the machine has is for other parts
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(min(f.workers, runtime.GOMAXPROCS(0))))
	}
	worker := &partWorker{app: a, plan: p, path: path, where: f.computing}
	if f.index == "-" {
		if f.device == everyGPU {
			return usagef("--device %s: with --index - start a process for each GPU, with --device cuda:0 and so on", everyGPU)
		}
		return a.runNamedParts(ctx, worker, os.Stdin)
	}
	index, by := indexOf(f.index, os.Getenv)
	indices, err := partsOf(index, by, p.Parts())
	if err != nil {
		return err
	}
	compute := worker.run
	if f.device == everyGPU {
		compute = worker.runOnEveryGPU
	}
	reports, err := compute(ctx, indices)
	if err != nil {
		return err
	}
	return a.emit(reports, func(w io.Writer) { worker.say(w, reports) })
}

// runNamedParts computes parts whose numbers come line by line, and says so of each line when it is done.
func (a *app) runNamedParts(ctx context.Context, worker *partWorker, from io.Reader) error {
	if a.json {
		return usagef("--json: of --index - every line has its own answer, in words")
	}
	lines := make(chan string)
	var failed error
	go func() { // who waits for input must hear of Ctrl-C
		defer close(lines)
		s := bufio.NewScanner(from)
		for s.Scan() {
			lines <- s.Text()
		}
		failed = s.Err()
	}()
	for {
		var line string
		var more bool
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, more = <-lines:
		}
		if !more {
			return failed
		}
		indices, err := partsOf(line, "standard input", worker.plan.Parts())
		if err != nil {
			return err
		}
		reports, err := worker.run(ctx, indices)
		if err != nil {
			return err
		}
		if err := a.emit(reports, func(w io.Writer) { worker.say(w, reports) }); err != nil {
			return err
		}
	}
}

// run computes parts and reports of each.
func (w *partWorker) run(ctx context.Context, indices []int) ([]partReport, error) {
	reports := []partReport{}
	for _, i := range indices {
		r, done, err := w.plan.Run(ctx, i, w.compute)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
		reports = append(reports, partReport{w.path, r, done})
	}
	return reports, nil
}

// say tells of parts in words, a line each.
func (w *partWorker) say(to io.Writer, reports []partReport) {
	for _, r := range reports {
		how := fmt.Sprintf("%.2f s", r.Seconds)
		if r.Done {
			how = "done before"
		}
		fmt.Fprintf(to, "%s: part %d of %d, %s %d to %d, %s\n",
			w.path, r.Part, w.plan.Parts(), w.plan.Unit, r.From, r.To-1, how)
	}
}

// indexOf returns the numbers of parts from the flag, or where there is none from the environment, and where they are
// from.
func indexOf(flag string, environment func(string) string) (index, by string) {
	index, by = flag, "--index"
	for _, name := range indexVariables() {
		if index == "" {
			if index = environment(name); index != "" {
				by = name
			}
		}
	}
	return index, by
}

// partsOf reads numbers of parts.
func partsOf(index, by string, of int) ([]int, error) {
	if index == "" {
		return nil, usagef("run-part: which part? Give --index 0 to %d (or run it as a task of an array)", of-1)
	}
	var list []int
	for field := range strings.SplitSeq(index, ",") {
		from, to, ranged := strings.Cut(field, "-")
		first, err := strconv.Atoi(from)
		last := first
		if ranged && err == nil {
			last, err = strconv.Atoi(to)
		}
		if err != nil || first < 0 || last < first || last >= of {
			return nil, usagef("%s %s: want numbers of parts from 0 to %d, as 3 or 0-9,12", by, index, of-1)
		}
		for i := first; i <= last; i++ {
			list = append(list, i)
		}
	}
	return list, nil
}

// refusal is an error that says why a part is not computed here: its bits could differ.
type refusal struct{ error }

func (e *refusal) Unwrap() error { return e.error }

// refuse returns a refusal.
func refuse(format string, values ...any) error { return &refusal{fmt.Errorf(format, values...)} }

// partWorker computes parts of a plan one after another. What they share is read once.
type partWorker struct {
	*app
	plan  *parts.Plan
	path  string
	where computing

	engine     engine.Engine
	model      model.Model // nil before the first part that is to be computed
	search     *search     // likewise, where the plan is to evaluate
	comparison *field      // or to compare
	rows       model.GramRows
}

// compute writes the results for graphs from one to the one before another.
func (w *partWorker) compute(ctx context.Context, from, to int, out []io.Writer) error {
	if err := w.check(); err != nil {
		return err
	}
	switch w.plan.Job {
	case evalJob:
		return w.searchPart(ctx, from, to, out[0])
	case compareJob:
		return w.comparePart(ctx, from, to, out[0])
	case gramJob:
		return w.gramPart(ctx, from, to, out[0])
	case trainJob:
		return w.trainPart(ctx, from, to, out[0])
	}
	if w.model == nil {
		if err := w.start(); err != nil {
			return err
		}
	}
	data := w.plan.Input("data")
	shards, err := dataset.OpenShardsRange(data, from, to)
	if err != nil {
		return err
	}
	work := model.NewStoredWork(shards, w.engine)
	defer func() { _ = work.Close() }()
	if err := w.same("data", shards.Digest()); err != nil {
		return err
	}
	switch w.plan.Job {
	case embedJob:
		var ids io.Writer
		if len(out) > 1 {
			ids = out[1]
		}
		return w.embedPart(ctx, w.model.(model.Embedder), work, from, w.plan.Items, out[0], ids)
	case predictJob:
		return w.predictPart(ctx, w.model, work, from, out[0])
	}
	return fmt.Errorf("%s: a plan to %s, which this program cannot cut", w.path, w.plan.Job)
}

// check refuses what may compute other bits than those of the plan.
func (w *partWorker) check() error {
	p := w.plan
	if this := thisBuild().String(); this != p.Program {
		return refuse("%s: planned by grove %s, and this is grove %s: their bits may differ; "+
			"use that one, or plan again", w.path, p.Program, this)
	}
	if level := simd.Level(); level != p.Instructions {
		return refuse("%s: planned with %s instructions, and this processor computes with %s: their bits may differ; "+
			"set GROVE_SIMD=%s, or plan again with GROVE_SIMD=%s", w.path, p.Instructions, level, p.Instructions, level)
	}
	w.where.device = cmp.Or(w.where.device, p.Device)
	if kindOf(w.where.device) != p.Device {
		return usagef("--device %s: the plan is one for %s", w.where.device, p.Device)
	}
	return nil
}

// start opens the device and reads the model.
func (w *partWorker) start() (err error) {
	p := w.plan
	file := p.Input("model")
	digest, err := parts.FileDigest(file)
	if err != nil {
		return err
	}
	if err := w.same("model", digest); err != nil {
		return err
	}
	if w.engine, err = w.open(&w.where, 0); err != nil {
		return err
	}
	m, err := loadModel(file, w.engine)
	if err == nil {
		err = cuttable(p.Job, file, m)
	}
	if err != nil {
		return err
	}
	w.model = m
	return nil
}

// same refuses an input that is not the one that was planned with.
func (w *partWorker) same(flag, digest string) error {
	for _, i := range w.plan.Inputs {
		if i.Flag == flag && i.Digest != digest {
			return refuse("--%s %s: it has changed since %s was made (digest %.12s, then %.12s); plan again",
				flag, w.plan.Path(i.Path), w.path, digest, i.Digest)
		}
	}
	return nil
}

// sameAs refuses inputs that are not those that were planned with.
func (w *partWorker) sameAs(inputs []parts.Input) error {
	for _, i := range inputs {
		if err := w.same(i.Flag, i.Digest); err != nil {
			return err
		}
	}
	return nil
}

// embedPart writes the rows of graphs before which so many come of all: with the head of the file in front of the
// first.
func (a *app) embedPart(
	ctx context.Context, m model.Embedder, w *model.Work, before, all int, to, about io.Writer,
) (err error) {
	columns, dtype := m.Width()
	rows := &npyWriter{w: to}
	if before == 0 {
		if rows, err = newNPY(to, dtype, all, columns); err != nil {
			return err
		}
	}
	rows.left = w.Data.NumGraphs() * columns
	var writing time.Duration
	return a.embedEach(ctx, rows, m, w, false, before, &rowIDs{out: about, rows: before}, &writing)
}

// predictPart writes the lines of graphs before which so many come: with the names of the columns in front of the
// first.
func (a *app) predictPart(ctx context.Context, m model.Model, w *model.Work, before int, to io.Writer) error {
	r := &predictReport{Classes: m.About().Classes, Task: m.About().Task}
	return a.predictAll(ctx, m, w, r, place{before, before}, func(t *predictionTable) error {
		return writeCSV(to, t.columns(), t.from == (place{}))
	})
}
