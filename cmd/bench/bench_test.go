package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
)

// runAsProgram makes the test binary behave as the command, for runs that start another process.
const runAsProgram = "GROVE_BENCH_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(runAsProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// execute runs the command line in this process.
func execute(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	t.Setenv(runAsProgram, "1")
	cmd := command([]string{os.Args[0]})
	var out, progress bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&progress)
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(context.Background())
	return out.String(), progress.String(), err
}

// dataFolder writes small generated data sets under the names that the models ask for.
func dataFolder(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, m := range models() {
		if m.generate != nil {
			continue
		}
		kind, opt := "molecules", dataset.SynthOptions{Graphs: 24, Vertices: 12}
		if strings.Contains(m.about, "degrees") {
			kind, opt = "power-law", dataset.SynthOptions{Graphs: 24, Vertices: 10, Degree: 4}
		}
		d, err := dataset.Synth(kind, opt)
		if err != nil {
			t.Fatal(err)
		}
		d.Name = filepath.Base(m.dataset)
		if err := dataset.WriteTU(filepath.Join(root, filepath.FromSlash(m.dataset)), d); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestEveryBenchmarkRuns(t *testing.T) {
	file, picture := filepath.Join(t.TempDir(), "out.json"), filepath.Join(t.TempDir(), "roofline.svg")
	stdout, stderr, err := execute(t, "--quick", "--repeat", "2", "--op", "all",
		"--model", "all,collab,molecules-path,power-law-path", "--data", dataFolder(t), "--json", file, "--plot", picture)
	if err != nil {
		t.Fatal(err)
	}
	r, err := readReport(file)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]result{}
	for _, res := range r.Results {
		byName[res.Name] = res
		if !(res.Seconds > 0) || len(res.Wall) < 2 || len(res.CPU) != len(res.Wall) {
			t.Errorf("%s: %g seconds from samples %v and %v", res.Name, res.Seconds, res.Wall, res.CPU)
		}
		if !strings.Contains(stdout, res.Name) {
			t.Errorf("the table does not show %s", res.Name)
		}
	}
	noFloor := map[string]bool{ // their work is not known beforehand
		"path-classes": true, "kmeans": true, "sample": true, "c-svm-1": true, "c-svm-10": true, "c-svm-100": true,
	}
	for _, op := range operations() {
		res, ok := byName[op.name]
		if op.kind == deviceAlone {
			if ok {
				t.Errorf("operation %s was measured without a device", op.name)
			}
			continue
		}
		if !ok || !(res.Rate > 0) || res.Unit == "" || res.Shape == "" {
			t.Errorf("operation %s: %+v", op.name, res)
		}
		if r.Machine.SIMD != "portable" && op.kind != large && !(res.OverPortable > 0) {
			t.Errorf("operation %s was not compared with portable code", op.name)
		}
		if !noFloor[op.name] && !(res.Floor > 0) {
			t.Errorf("operation %s has no floor", op.name)
		}
	}
	for _, m := range models() {
		stages := []string{stageRead, stageFit, stageEncode, stageTotal}
		if !m.noSelect {
			stages = append(stages, stageSelect, stageWhole)
		}
		if m.trained {
			stages = []string{stageEpoch}
		}
		for _, stage := range stages {
			if _, ok := byName[m.name+"/"+stage]; !ok {
				t.Errorf("model %s has no stage %s", m.name, stage)
			}
		}
		if !strings.Contains(stderr, "model "+m.name) {
			t.Errorf("no progress of model %s on standard error", m.name)
		}
	}
	if encode := byName["nci1-path/encode"]; encode.Throughput == nil ||
		!(encode.Throughput.Paths > encode.Throughput.Vertices) {
		t.Errorf("throughput %+v of an encoding", encode.Throughput)
	}
	drawn, err := os.ReadFile(picture)
	if err != nil || !strings.Contains(string(drawn), ">matmul ") || !strings.Contains(string(drawn), ">copy ") {
		t.Errorf("the picture does not show the operations: %v", err)
	}
	if len(r.Targets) > 0 {
		t.Errorf("tiny inputs were held against targets: %v", r.Targets)
	}
	if r.Machine.Rates.Peak32 == 0 || r.Machine.Rates.Gonum == 0 || r.Machine.Rates.Copy == 0 ||
		r.Machine.Rates.Exp64 == 0 {
		t.Errorf("rates of the machine are missing: %+v", r.Machine.Rates)
	}
}

func TestOperationsRunOnGeneratedGraphsWithoutData(t *testing.T) {
	stdout, _, err := execute(t, "--quick", "--bare", "--repeat", "2", "--data", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"generated molecules", "generated power-law", "nci1-path was left out: there is no"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report does not say %q:\n%s", want, stdout)
		}
	}
}

func TestStagesCanBeChosen(t *testing.T) {
	stdout, _, err := execute(t, "--quick", "--bare", "--repeat", "2", "--model", "mutag-path", "--stage", "encode",
		"--data", dataFolder(t), "--json", "-")
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 1 || r.Results[0].Name != "mutag-path/encode" {
		t.Errorf("measured %+v, want the encoding alone", r.Results)
	}
}

func TestReportOnStandardOutputIsJSONAlone(t *testing.T) {
	stdout, _, err := execute(t, "--quick", "--bare", "--repeat", "2", "--op", "gram", "--json", "-", "--workers", "2")
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 1 || r.Results[0].Name != "gram" || r.Results[0].Workers != 2 ||
		r.Results[0].Seconds != median(r.Results[0].Wall) {
		t.Errorf("unexpected report %+v", r)
	}
}

func TestReportsSurviveJSON(t *testing.T) {
	want := &report{
		Date: "2026-01-02T03:04:05Z",
		Machine: host{System: "linux/amd64", Processor: "P", CPUs: 2, SIMD: "avx2",
			Rates: rates{Copy: 1e10, Peak32: 1e11}},
		Settings: settings{Workers: 1, Repeat: 5}, Notes: []string{"a note"},
		Results: []result{{Name: "gram", Workers: 1, timing: timing{Wall: []float64{2, 1}, CPU: []float64{1, 1.5}},
			Seconds: 1.25, Rate: 3, Unit: "FLOP/s"}},
		Targets: []verdict{{Name: "gram", What: "speed", Measured: 3, Sense: "at least", Limit: 2, Holds: true}},
	}
	file := filepath.Join(t.TempDir(), "r.json")
	if err := want.saveJSON(file); err != nil {
		t.Fatal(err)
	}
	got, err := readReport(file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read back %+v, want %+v", got, want)
	}
}

func TestComparePrintsRatios(t *testing.T) {
	dir := t.TempDir()
	save := func(name string, r *report) string {
		file := filepath.Join(dir, name)
		if err := r.saveJSON(file); err != nil {
			t.Fatal(err)
		}
		return file
	}
	a := save("a.json", &report{Date: "d1",
		Machine: host{Processor: "P", SIMD: "avx2", Rates: rates{Copy: 1e9, Peak32: 1e11}}, Results: []result{
			{Name: "gram", Workers: 1, Seconds: 3, Fraction: 0.25}, {Name: "assign", Workers: 1, Seconds: 1}}})
	b := save("b.json", &report{Date: "d2", Machine: host{Processor: "Q", SIMD: "avx2", Device: "GPU",
		Rates: rates{Copy: 4e9, Peak32: 1e11}}, Results: []result{
		{Name: "gram", Device: "gpu", Seconds: 2}, {Name: "matmul", Workers: 1, Seconds: 1}}})
	stdout, _, err := execute(t, "compare", a, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1.50x", "3.00 s", "2.00 s", "only in A: assign", "only in B: matmul",
		"the machines differ", "25 %", "cpu and gpu", "4.00x"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// The page has a row for every result, with the dots of its samples, and is the same for the same report.
func TestPageHoldsTheReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	others := 0.5
	r := &report{Date: "2026-01-02T03:04:05Z", Machine: host{System: "linux/amd64", Go: "go1.26", CPUs: 2, Others: &others,
		Rates: rates{Copy: 1e10, Peak32: 1e11}}, Settings: settings{Workers: 1, Repeat: 3},
		Results: []result{
			{Name: "gram", Workers: 1, timing: timing{Wall: []float64{2, 3}, CPU: []float64{1, 4}}, Seconds: 2.5, Rate: 7e9,
				Unit: "FLOP/s", Floor: 1, Bound: "arithmetic", Fraction: 0.4, Operations: 1e9, Bytes: 1e8, OverPortable: 3.5},
			{Name: "mutag-path/fit", Workers: 1, timing: timing{Wall: []float64{1}, CPU: []float64{1}}, Seconds: 1,
				Published: 2, OverPublished: 2},
		},
		Targets: []verdict{{Name: "gram", What: "fast", Measured: 2, Sense: "at least", Limit: 3}}, Notes: []string{"a note"},
	}
	for range 2 {
		before, _ := os.ReadFile(file)
		if err := r.savePage(file); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil || before != nil && string(before) != string(text) {
			t.Errorf("another page, %v", err)
		}
		for _, want := range []string{`<th scope="row">gram</th>`, `<th scope="row">mutag-path/fit</th>`, "3.50x", "2.50 s",
			`aria-label="samples: 1 s 4 s"`, "40 %", "MISSED", "a note", "roofline", "0.50 CPUs busy"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("the page does not hold %q", want)
			}
		}
	}
}

func TestWrongUsageIsRefusedInOneLine(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(t.TempDir(), "bare.json")
	if err := (&report{Date: "d"}).saveJSON(bare); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"unknown operation", []string{"--op", "matmull"}, 2, "path-trie"},
		{"unknown model", []string{"--model", "nci2"}, 2, "nci1-subtree"},
		{"unknown stage", []string{"--stage", "train"}, 2, "encode"},
		{"a single sample", []string{"--repeat", "1"}, 2, "--repeat"},
		{"no workers", []string{"--workers", "0"}, 2, "--workers"},
		{"unknown flag", []string{"--fast"}, 2, "--fast"},
		{"unknown device", []string{"--device", "tpu"}, 2, "want auto, cpu, cuda"},
		{"operation of a device", []string{"--device", "cpu", "--op", "upload"}, 2, "--device cuda"},
		{"picture of an unknown kind", []string{"--plot", "roof.pdf"}, 2, ".svg or .png"},
		{"roofline without rates", []string{"--plot", "roof.svg", "--bare"}, 2, "--bare"},
		{"page that cannot be written", []string{"--html", filepath.Join(broken, "x.html")}, 2, "--html"},
		{"plot of nothing", []string{"plot", "a.json"}, 2, "a file .svg"},
		{"plot of a report without rates", []string{"plot", bare, filepath.Join(t.TempDir(), "x.svg")}, 1, "--bare"},
		{"stray argument", []string{"gram"}, 2, "gram"},
		{"compare of one", []string{"compare", "a.json"}, 2, "two reports"},
		{"report that is not there", []string{"compare", "absent.json", "absent.json"}, 1, "absent.json"},
		{"report that is broken", []string{"compare", broken, broken}, 1, "broken.json"},
		{"report that cannot be written", []string{"--quick", "--bare", "--op", "gram", "--json", filepath.Join(broken, "x")},
			1, "--json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := execute(t, c.args...)
			if err == nil {
				t.Fatal("accepted")
			}
			if exitCode(err) != c.code || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("exit status %d, error %q; want %d and %q", exitCode(err), err, c.code, c.want)
			}
		})
	}
}

func TestHelpDocumentsEveryName(t *testing.T) {
	help, _, err := execute(t, "--help")
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := execute(t, "list")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, op := range operations() {
		lines = append(lines, op.name, op.about)
	}
	for _, m := range models() {
		lines = append(lines, m.name, m.about)
	}
	for _, line := range lines {
		if !strings.Contains(help, line) || !strings.Contains(list, line) {
			t.Errorf("%q is not in the help and the list", line)
		}
	}
}
