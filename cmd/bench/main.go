// Command bench measures Grove on this machine: the operations of the engine, and the stages of its
// models beside measured figures of the published code. It prints a table on standard output and its
// progress on standard error.
//
// Every figure is the median of several samples after a warm-up. With one worker the seconds are CPU
// seconds (user and system time of all threads, garbage collection included), which load on the machine
// disturbs less; with more workers, and on a device, they are wall-clock seconds, and those of operations on a
// GPU the time between events. The inputs of an operation lie on the device before it is timed, but not in its
// cache.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/engine"
	"github.com/spf13/cobra"
)

func main() {
	executable, err := os.Executable()
	if err != nil {
		executable = os.Args[0]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cmd := command([]string{executable})
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(exitCode(err))
	}
}

// usageError is a mistake on the command line.
type usageError struct{ error }

// exitCode is 2 for wrong usage and 1 for a failure.
func exitCode(err error) int {
	if errors.As(err, &usageError{}) {
		return 2
	}
	return 1
}

// flags are those of the root command.
type flags struct {
	ops, models []string
	stages      []string
	data        string
	settings    settings
	json, plot  string
	html        string
	python      string
	profile     string
	bare        bool
	count       []string
}

// command returns the command line. executable is how the program runs itself on portable code.
func command(executable []string) *cobra.Command {
	f := &flags{}
	root := &cobra.Command{
		Use:           "bench",
		Short:         "Measure the operations of the engine and the stages of the models",
		Long:          longHelp(),
		Args:          noArguments,
		SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), executable, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	p := root.Flags()
	p.StringSliceVar(&f.ops, "op", nil, "operations to measure, separated by commas; all or none")
	p.StringSliceVar(&f.models, "model", nil,
		"models to measure, separated by commas; a data set means all its models; all or none")
	p.StringSliceVar(&f.stages, "stage", nil,
		"stages of models to measure: read, fit, encode, select, epoch, folds; default all")
	p.StringVar(&f.data, "data", defaultData(),
		"folder that holds tu/NAME, text/NAME and folds/NAME (default $GROVE_DATA or ../shared/data)")
	p.Lookup("data").DefValue = ""
	p.StringVar(&f.settings.Device, "device", "auto",
		"device that computes: auto (the first GPU, or else the CPU), cpu, cuda or cuda:N")
	p.IntVar(&f.settings.Workers, "workers", 1, "goroutines that compute; 1 also compares with 2")
	p.IntVar(&f.settings.Repeat, "repeat", 5, "samples of each measurement; what takes long gets fewer, but at least two")
	p.StringVar(&f.json, "json", "", "also write the report to this file; - for standard output in place of the table")
	p.StringVar(&f.plot, "plot", "", "also draw the operations under the roofline of the machine, to a file .svg or .png")
	p.StringVar(&f.html, "html", "", "also write the report as a page to this file: tables that sort, samples, roofline")
	p.StringVar(&f.python, "torch", "",
		"Python that has torch (for instance python3): sparse-matmul-power-law is compared with torch.sparse in the same run")
	p.StringVar(&f.profile, "profile", "",
		"write a CPU profile of the run to this file, for go tool pprof; its tag benchmark holds the name")
	p.BoolVar(&f.settings.Quick, "quick", false, "tiny inputs, to see that everything runs; says nothing about speed")
	p.BoolVar(&f.bare, "bare", false, "time only: no rates of the machine, no portable code, no second worker")
	p.StringSliceVar(&f.count, "count", nil,
		"in place of times count launches, copies, handovers and exponentials on a GPU, real or simulated: all, or some of "+
			strings.Join(workloadNames(), ", "))
	p.Lookup("count").NoOptDefVal = "all"
	root.AddCommand(listCommand(), compareCommand(), plotCommand(), predictCommand(), fineTuneCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	return root
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%q is not a command of bench: see bench --help", args[0])}
	}
	return nil
}

func defaultData() string {
	if dir := os.Getenv("GROVE_DATA"); dir != "" {
		return dir
	}
	return filepath.Join("..", "shared", "data")
}

// longHelp documents every operation and every model.
func longHelp() string {
	var s strings.Builder
	s.WriteString(`Bench measures the machine (copy bandwidth, rate of the dense product, exponentials), then the
operations of the engine, then the stages of the models. Without --op and --model it measures all but
the models that run only when named; with one of them, only what it names.

With one worker times are CPU seconds of the process, otherwise wall-clock seconds. Each is a median;
spread is the slowest sample minus the fastest over the median. The floor of an operation is the time
that its arithmetic, or reading its inputs and writing its outputs once, takes at the rates of the
machine, which are measured first. "over portable" is the rate over that of the portable code, measured in
the same run. On a GPU the times of operations are those between
events on its stream, with nothing that they read in its cache, those of models are wall-clock seconds, and
what works on the host is left out unless it is named. Rates of arithmetic follow from the properties of
the GPU, with what kernels made for that attain beside them.

`)
	writeList(&s)
	return s.String()
}

func writeList(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "Operations (--op):")
	for _, op := range operations() {
		fmt.Fprintf(t, "  %s\t%s\n", op.name, op.about)
	}
	fmt.Fprintln(t, "\nModels (--model), 128 filters unless they are trained end to end, sigma 0.6:")
	for _, m := range models() {
		fmt.Fprintf(t, "  %s\t%s\n", m.name, m.about)
	}
	t.Flush()
}

func listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the operations and models", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			writeList(cmd.OutOrStdout())
			return nil
		},
	}
}

// run measures what the flags ask for.
func (f *flags) run(ctx context.Context, executable []string, stdout, stderr io.Writer) error {
	if err := f.check(); err != nil {
		return usageError{err}
	}
	start := time.Now()
	e, err := engine.Open(f.settings.Device, f.settings.Workers)
	if err != nil {
		return usageError{fmt.Errorf("--device: %w", err)}
	}
	defer e.Close()
	opened := time.Since(start)
	ops, err := f.chosenOperations(elsewhere(e))
	if err != nil {
		return usageError{err}
	}
	models, err := f.chosenModels()
	if err != nil {
		return usageError{err}
	}
	r := newRunner(e, f.data, f.settings, f.bare, stderr)
	r.executable, r.only, r.python, r.json = executable, f.stages, f.python, f.json
	if f.count != nil {
		if err := r.count(ctx, f.count); err != nil {
			return err
		}
		return f.write(r.report, stdout)
	}
	if err := r.coldStart(opened); err != nil {
		return err
	}
	if f.profile != "" {
		file, err := os.Create(f.profile)
		if err != nil {
			return fmt.Errorf("--profile: %w", err)
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return fmt.Errorf("--profile: %w", err)
		}
		defer pprof.StopCPUProfile()
	}
	if err := r.run(ctx, ops, models); err != nil {
		if len(r.report.Results) == 0 {
			return err
		}
		table := flags{} // what was measured before a failure is worth having; the runner has written the file
		return errors.Join(err, table.write(r.report, stdout))
	}
	return f.write(r.report, stdout)
}

// check reports what is wrong with flags that need no device to be judged.
func (f *flags) check() error {
	for _, s := range f.stages {
		if !slices.Contains([]string{stageRead, stageFit, stageEncode, stageSelect, stageEpoch, stageFolds}, s) {
			return fmt.Errorf("--stage %q: want some of read, fit, encode, select, epoch, folds", s)
		}
	}
	for _, name := range f.count {
		if name != "all" && !slices.Contains(workloadNames(), name) {
			return fmt.Errorf("--count %s: want all or some of %s", name, strings.Join(workloadNames(), ", "))
		}
	}
	if f.count != nil && (f.ops != nil || f.models != nil) {
		return errors.New("--count takes no times: leave out --op and --model")
	}
	if f.settings.Workers < 1 || f.settings.Repeat < 2 {
		return fmt.Errorf("--workers %d --repeat %d: want at least 1 and 2", f.settings.Workers, f.settings.Repeat)
	}
	if f.plot != "" && f.bare {
		return errors.New("--plot and --bare: a roofline needs the rates of the machine, which --bare leaves out")
	}
	if f.html != "" {
		if err := atomicfile.Check(f.html); err != nil {
			return fmt.Errorf("--html %s: %w", f.html, err)
		}
	}
	return checkPicture("--plot", f.plot)
}

// write puts the report where the flags say.
func (f *flags) write(r *report, stdout io.Writer) error {
	if f.plot != "" {
		if err := r.savePlot(f.plot); err != nil {
			return fmt.Errorf("--plot: %w", err)
		}
	}
	if f.html != "" {
		if err := r.savePage(f.html); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	if f.json == "-" {
		return r.writeJSON(stdout)
	}
	if err := r.write(stdout); err != nil || f.json == "" {
		return err
	}
	return r.saveJSON(f.json)
}
