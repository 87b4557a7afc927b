package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"
)

// costs are the seconds that what is counted takes beside the work of the kernels. A prediction is
//
//	max(host, device) + waits * Wait
//	host   = handovers * Handover + submissions * Submission + updates * Update + (copies, clears and moves) * Copy
//	         + bytes between host and device / Link
//	device = sum over kernels of launches * (Launch + serial seconds) + arithmetic / (peak * share * fill)
//	         + bytes of operands / (bandwidth * Share)
//
// where fill is the share of the multiprocessors that have a block, and share what a kernel attains on a full device.
// What Grove itself does on the host is not in it.
type costs struct {
	Handover   float64 // a task to the thread of the context and back
	Submission float64 // a call that hands a kernel or a graph to the driver
	Update     float64 // a call that changes a node of a graph
	Launch     float64 // of the device between one small kernel and the next
	Copy       float64 // a small asynchronous copy or clear
	Wait       float64 // for a stream
	Link       float64 // bytes a second between host and device
	Share      float64 // of peaks and bandwidth that kernels attain where no cycle model said otherwise
}

// assumed are the costs for an H200. None was measured on one.
var assumed = costs{Handover: 3e-6, Submission: 3e-6, Update: 5e-7, Launch: 2e-6, Copy: 6e-6, Wait: 8e-6, Link: 50e9,
	Share: 0.5}

// attained are the shares of their floors that kernels reach in the cycle model of a third-party simulator, by the
// beginning of their names.
var attained = map[string]float64{"path_trie": 0.22, "path_grad": 0.06, "sparse_matmul": 0.60, "place": 0.93,
	"normalize_rows": 0.87, "adam": 0.85, "segment_reduce": 0.74}

// powerLaw is the share of its floor that a sparse product attains there on a graph whose degrees follow a power law:
// its rows of X come from memory several times.
const powerLaw = 0.25

// serial are the seconds that a launch of a kernel takes whatever its blocks, because its steps wait for each other:
// 218 550 clocks of the cycle model for matrices of order 32, and for order 128, of which models of the default size
// are, the rounds of spectral_large.
var serial = map[string]float64{"spectral_large": rotations(128), "spectral_small": 218550.0 / 1980e6}

// rotations returns the seconds of the sweeps over the pairs of blocks of 16 columns of a matrix at the clock of an
// H200: 9 for order 128 and 12 for 512, as the same method takes on a processor. In the cycle model a round is 40 500
// clocks for order 40 and 49 800 for 72, of which 290 are for each row, of arithmetic of which an H200 does twice as
// much in a clock.
func rotations(order float64) float64 {
	sweeps := 9 + 1.5*math.Log2(order/128)
	return sweeps * (order/16 - 1) * (29000 + 145*order) / 1980e6
}

// valueCycles are the clocks of a multiprocessor for a value of a column that is searched for splits, by histograms in
// the same cycle model: 16 columns of 4096 in 74 557 clocks of 20 multiprocessors.
const valueCycles = 74557.0 * 20 / (16 * 4096)

// byPrefix returns the entry for a kernel, or otherwise.
func byPrefix(table map[string]float64, kernel string, otherwise float64) float64 {
	for prefix, x := range table {
		if strings.HasPrefix(kernel, prefix) {
			return x
		}
	}
	return otherwise
}

// predictor predicts times on a GPU from counts.
type predictor struct {
	hardware hardware
	costs
	counted map[string]counted
}

// predicted is a time with what makes it up, in seconds.
type predicted struct{ host, device, waits float64 }

func (p predicted) seconds() float64 { return max(p.host, p.device) + p.waits }

func (p predicted) times(n float64) predicted {
	return predicted{p.host * n, p.device * n, p.waits * n}
}

// seconds returns the seconds of the arithmetic of a kernel on a full device at its peaks.
func (w kernelWork) seconds(r rates) float64 {
	return w.Exponentials32/r.Exp32 + w.Exponentials64/r.Exp64 + w.Operations32/r.Peak32 + w.Operations64/r.Peak64
}

// of returns the time of what is counted.
func (p *predictor) of(c counts) predicted {
	r, clocks := p.hardware.peaks(), float64(p.hardware.Multiprocessors)*float64(p.hardware.ClockMHz)*1e6
	copies := c.Uploads + c.Downloads + c.Clears + c.Moves
	t := predicted{
		host: c.Handovers*p.Handover + c.Submissions*p.Submission + c.Updates*p.Update + copies*p.Copy +
			(c.UploadBytes+c.DownloadBytes)/p.Link,
		device: c.OperandBytes / (r.Copy * p.Share), waits: c.Waits * p.Wait,
	}
	for name, launches := range c.Kernels {
		w := c.Work[name]
		t.device += launches * (p.Launch + byPrefix(serial, name, 0))
		if launches > 0 && w.Blocks > 0 {
			fill := min(w.Blocks/launches/float64(p.hardware.Multiprocessors), 1)
			t.device += w.seconds(r)/(fill*byPrefix(attained, name, p.Share)) + w.Values*valueCycles/(fill*clocks)
		}
	}
	return t
}

// operation returns the time of one call at full size, and its floor.
func (p *predictor) operation(name string, share float64) (t predicted, floor float64) {
	r, c := p.hardware.peaks(), p.counted[name]
	floor = max(c.Bytes/r.Copy, c.Floor.seconds(r))
	t = p.of(counts{Handovers: c.Handovers, Submissions: c.Submissions, Updates: c.Updates, Uploads: c.Uploads,
		Downloads: c.Downloads, Clears: c.Clears, Moves: c.Moves, Waits: c.Waits, Kernels: c.Kernels})
	t.device += floor / share
	return t, floor
}

// aim is one that the redesign of the GPU engine has on an H200.
type aim struct {
	what, want string
	needs      []string // workloads
	predict    func(p *predictor) (t predicted, says string)
}

const (
	nci1Steps, nci1Graphs = 129, 4110.0

	// CPU seconds of an epoch of GCKN-path on NCI1, with 32 and with 512 filters and batches of as many graphs, on one
	// core of an AMD EPYC (Zen 5) with AVX-512: the median of five, and of two.
	coreEpoch, coreEpoch512 = 0.053, 1.66
)

func aims() []aim {
	ofOperation := func(name string, share float64) func(p *predictor) (predicted, string) {
		return func(p *predictor) (predicted, string) {
			t, floor := p.operation(name, share)
			return t, fmt.Sprintf("%s of the floor, %s", percent(floor/t.device), duration(floor))
		}
	}
	epoch := func(name string, steps, core, further float64) func(p *predictor) (predicted, string) {
		return func(p *predictor) (predicted, string) {
			t := p.of(p.counted[name].counts)
			t.device += further
			t = t.times(steps)
			return t, fmt.Sprintf("%s a step; %s as fast as a core, which takes %s", duration(t.seconds()/steps),
				times(core/t.seconds()), duration(core))
		}
	}
	return []aim{
		{"path pooling, NCI1, 128 filters", "half of its floor", []string{"path-trie"},
			ofOperation("path-trie", attained["path_trie"])},
		{"sparse product, power law of 10 million arcs", "0.6 of the copy bandwidth", []string{"sparse-matmul-power-law"},
			ofOperation("sparse-matmul-power-law", powerLaw)},
		{"assignment, 300 000 points to 1024 anchors", "half of the float32 peak", []string{"assign"},
			ofOperation("assign", assumed.Share)},
		{"NCI1 encoded, warm", "3 ms", []string{"encode-nci1-path"}, func(p *predictor) (predicted, string) {
			return p.of(p.counted["encode-nci1-path"].counts), "GCKN-path, 128 filters, float64"
		}},
		{"epoch of NCI1, 32 filters, batches of 32", "5 times a core", []string{"train-nci1-path"},
			epoch("train-nci1-path", nci1Steps, coreEpoch, 0)},
		{"epoch of NCI1, 512 filters, batches of 512", "40 times a core", []string{"train-nci1-path-512"},
			epoch("train-nci1-path-512", nci1Graphs/512, coreEpoch512, rotations(512)-rotations(128))},
		{"ten folds side by side", "5 times ten one after another", []string{"train-nci1-path", "train-nci1-path-folds"},
			func(p *predictor) (predicted, string) {
				t := p.of(p.counted["train-nci1-path-folds"].counts).times(0.9 * nci1Steps)
				turns := p.of(p.counted["train-nci1-path"].counts).times(abreast * 0.9 * nci1Steps).seconds()
				return t, fmt.Sprintf("an epoch of each, %s as fast as one after another, which take %s",
					times(turns/t.seconds()), duration(turns))
			}},
		{"20 trees of the planted task", "15 s", []string{"treeg-planted"}, func(p *predictor) (predicted, string) {
			return p.planted(20), "from searches of a smaller task with as many attributes"
		}},
	}
}

// planted returns the time of trees of the planted task of 170 000 vertices, from the counts on a smaller one with as
// many attributes.
func (p *predictor) planted(trees float64) predicted {
	c := p.counted["treeg-planted"]
	full := c.counts.times(trees * c.Round.Searches)
	const larger = 170000.0 / plantedCounted
	for name, w := range full.Work {
		w.Operations64, w.Values = w.Operations64*larger, w.Values*larger
		full.Work[name] = w
	}
	full.UploadBytes, full.OperandBytes = full.UploadBytes*larger, full.OperandBytes*larger
	return p.of(full)
}

func predictCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "predict COUNTS.json",
		Short: "Predict times on an H200 from a report of --count",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("predict wants a report that --count --json wrote, not %d arguments", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := readReport(args[0])
			if err != nil {
				return err
			}
			if len(r.Counts) == 0 {
				return fmt.Errorf("%s: a report without counts: write one with --count --json", args[0])
			}
			return (&predictor{theH200, assumed, r.Counts}).write(cmd.OutOrStdout())
		},
	}
}

// write prints the predictions as a table of Markdown.
func (p *predictor) write(w io.Writer) error {
	r := p.hardware.peaks()
	fmt.Fprintf(w, "%s: %s; %sB/s; %sFLOP/s in float32 and %sFLOP/s in float64; ", p.hardware.Name, &p.hardware,
		prefixed(r.Copy), prefixed(r.Peak32), prefixed(r.Peak64))
	fmt.Fprintf(w, "%s/s exponentials in float32 and %s/s in float64.\n", prefixed(r.Exp32), prefixed(r.Exp64))
	fmt.Fprintf(w, "Assumed: a handover %s, a submission %s, an update %s, a launch on the device %s, a small copy %s, "+
		"a wait %s, ", duration(p.Handover), duration(p.Submission), duration(p.Update), duration(p.Launch), duration(p.Copy),
		duration(p.Wait))
	fmt.Fprintf(w, "%sB/s between host and device, %s of peaks where nothing better is known.\n\n", prefixed(p.Link),
		percent(p.Share))
	fmt.Fprintln(w, "| what | aim | predicted | host | device | waits | that is |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	predictions := 0
	for _, a := range aims() {
		known := true
		for _, name := range a.needs {
			_, there := p.counted[name]
			known = known && there
		}
		if !known {
			fmt.Fprintf(w, "| %s | %s | not counted: %s | | | | |\n", a.what, a.want, strings.Join(a.needs, ", "))
			continue
		}
		predictions++
		t, says := a.predict(p)
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", a.what, a.want, duration(t.seconds()), duration(t.host),
			duration(t.device), duration(t.waits), says)
	}
	if predictions == 0 {
		return errors.New("the report has no counts of a workload that is predicted")
	}
	return nil
}
