package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// rightChecks are part A.
func rightChecks(s *session) []check {
	const operations = "bits of operations in three runs"
	all := []check{
		{"devices", s.listDevices},
		{"conformance with cuBLAS", s.onCuBLAS(func() (any, string, error) { return s.conformance(withCuBLAS) })},
		{"conformance without cuBLAS", s.onGPU(func() (any, string, error) { return s.conformance(withoutCuBLAS) })},
		{"conformance of the plain kernels", s.long(s.test("cuda", "TestConformance/plain", "", 90*time.Second))},
		{"kernels and memory", s.test("cuda", "", "Conformance|Toolkit|Failure|Driver|Damaged", 150*time.Second)},
	}
	for _, scene := range scenes {
		all = append(all, check{"failure: " + scene.about, s.test("cuda", scene.test, "", 60*time.Second)})
	}
	all = append(all, check{"failure: a process that is killed", s.onGPU(s.killed)})
	for _, g := range goldens {
		run := s.test(g.program, g.tests, g.skip, 90*time.Second)
		if g.long {
			run = s.long(run)
		}
		all = append(all, check{"golden values: " + g.family, run})
	}
	all = append(all,
		check{operations, s.onGPU(func() (any, string, error) { return s.sameBits("cuda:0", withoutCuBLAS, "", 2) })},
		check{operations + ", cuBLAS", s.onCuBLAS(func() (any, string, error) {
			return s.sameBits("cuda:0", withCuBLAS, "^Gemm/", 2)
		})},
		check{"bits of operations on two devices", s.onGPU(s.bitsOnTwoDevices)},
		check{"bits of models in three runs", s.onGPU(s.modelBits)},
		check{"models on the CPU and the GPU", s.test("modeltest", "TestEveryModel/.*/devices", "", 90*time.Second)},
	)
	for _, t := range []string{"memcheck", "racecheck", "synccheck", "initcheck"} {
		all = append(all, check{"compute-sanitizer " + t, s.onGPU(func() (any, string, error) { return s.sanitizer(t) })})
	}
	return all
}

// scenes are tests of package cuda that play failures, each scene in a process of its own.
var scenes = []struct{ about, test string }{
	{"any GPU", "TestFailuresOfAnyGPU"},
	{"no driver", "TestWithoutADriverTheProgramStarts"},
	{"damaged kernels", "TestDamagedKernelsAreRefused"},
	{"opened again", "TestEngineOpensAgain"},
	{"on request, of a simulated GPU", "TestFailuresAreOneLineWithTheRemedy"},
}

// goldens are the tests that hold models on a device against independent implementations. Whole trainings, which
// repeat what the others show, are left out.
var goldens = []struct {
	family, program, tests, skip string
	long                         bool // on a simulated GPU
}{
	{"gckn", "gckn", "Golden", "Supervis|Mask|Regression", false},
	{"gckn, trained", "autodiff", "Golden|StayOnTheDevice", "", true},
	{"treeg", "treeg", "EnginesFit|Golden", "", true},
	{"wl", "wl", "Golden|SameOnADevice", "", false},
	{"mpgk", "mpgk", "Golden|SameOnADevice", "", false},
	{"cgmm", "cgmm", "Golden|SameOnADevice", "", false},
}

// found is what grove devices says of GPUs.
type found struct {
	CUDA    string `json:"cuda"`
	Needs   string `json:"needs"`
	CuBLAS  string `json:"cublas"`
	Problem string `json:"problem"`
	Devices []struct {
		Name    string `json:"name"`
		Problem string `json:"problem"`
	} `json:"devices"`
}

// name is that of the first GPU.
func (f *found) name() string {
	if len(f.Devices) == 0 {
		return "no GPU"
	}
	return f.Devices[0].Name
}

// usable says why no GPU can be used, nil where the first one can.
func (f *found) usable() error {
	switch {
	case f.Problem != "":
		return notRun("no GPU: %s", f.Problem)
	case len(f.Devices) == 0:
		return notRun("no GPU was found")
	case f.Devices[0].Problem != "":
		return notRun("no GPU: %s", f.Devices[0].Problem)
	}
	return nil
}

// listDevices asks which devices there are. It is the first check of every part.
func (s *session) listDevices() (any, string, error) {
	text, err := s.call(program{path: "grove", args: []string{"devices", "--json"}, limit: 60 * time.Second})
	if err != nil {
		return nil, "", err
	}
	var all struct {
		CUDA json.RawMessage `json:"cuda"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, "", err
	}
	if err := json.Unmarshal(all.CUDA, &s.devices); err != nil {
		return nil, "", err
	}
	if err := s.devices.usable(); err != nil {
		return json.RawMessage(text), "", fmt.Errorf("%w", asFailure{err})
	}
	line := fmt.Sprintf("%d, the first %s; the driver has CUDA %s, the kernels need %s", len(s.devices.Devices),
		s.devices.name(), s.devices.CUDA, s.devices.Needs)
	return json.RawMessage(text), line, nil
}

// asFailure makes a failure of a reason not to run.
type asFailure struct{ because error }

func (f asFailure) Error() string { return f.because.Error() }

// onGPU leaves a check out where there is no GPU to be used.
func (s *session) onGPU(run func() (any, string, error)) func() (any, string, error) {
	return func() (any, string, error) {
		if err := s.devices.usable(); err != nil {
			return nil, "", err
		}
		return run()
	}
}

var errTiny = notRun("takes too long for tiny sizes; make test-sim runs it")

// long leaves out what takes long where all sizes are tiny.
func (s *session) long(run func() (any, string, error)) func() (any, string, error) {
	if s.sizes.tiny {
		return func() (any, string, error) { return nil, "", errTiny }
	}
	return run
}

func (s *session) onCuBLAS(run func() (any, string, error)) func() (any, string, error) {
	return s.onGPU(func() (any, string, error) {
		switch {
		case s.sim:
			return nil, "", notRun("cuBLAS does not run on a simulated GPU")
		case s.devices.CuBLAS == "":
			return nil, "", notRun("no cuBLAS was found")
		}
		return run()
	})
}

// test runs tests of a package on the GPU, for so long at most, and longer on a simulated one, which is a processor
// that others use. Tests that skip themselves, all of them, are not run.
func (s *session) test(pkg, run, skip string, limit time.Duration) func() (any, string, error) {
	if s.sim {
		limit *= 3
	}
	return s.onGPU(func() (any, string, error) {
		args := []string{"-test.v", "-test.short", "-test.run", run}
		if skip != "" {
			args = append(args, "-test.skip", skip)
		}
		out, err := s.call(program{path: pkg + ".test", args: args, env: []string{"GROVE_TEST_DEVICE=cuda"}, limit: limit})
		ran := readTests(string(out))
		switch {
		case len(ran.Failed) > 0:
			return ran, "", fmt.Errorf("%d of %d tests failed: %s", len(ran.Failed), ran.all(), strings.Join(ran.Failed, ", "))
		case err != nil:
			return ran, "", err
		case ran.Passed == 0 && len(ran.Skipped) > 0:
			return ran, "", notRun("%s", ran.Why)
		case ran.Passed == 0:
			return ran, "", fmt.Errorf("no test ran")
		}
		return ran, fmt.Sprintf("%d tests", ran.Passed), nil
	})
}

// tested is what a test program says.
type tested struct {
	Passed  int      `json:"passed"` // tests and subtests
	Failed  []string `json:"failed,omitempty"`
	Skipped []string `json:"skipped,omitempty"`
	Why     string   `json:"skipped_because,omitempty"` // of the last one
}

func (t *tested) all() int { return t.Passed + len(t.Failed) + len(t.Skipped) }

func readTests(out string) *tested {
	t := &tested{}
	skipped := false
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		verdict, isVerdict := strings.CutPrefix(line, "--- ")
		if !isVerdict {
			if skipped {
				if _, t.Why, skipped = strings.Cut(line, ": "); t.Why == "" {
					t.Why = line
				}
				skipped = false
			}
			continue
		}
		what, name, _ := strings.Cut(verdict, ": ")
		name, _, _ = strings.Cut(name, " (")
		switch what {
		case "PASS":
			t.Passed++
		case "FAIL":
			t.Failed = append(t.Failed, name)
		case "SKIP":
			t.Skipped, skipped = append(t.Skipped, name), true
		}
	}
	return t
}

// killed ends a training without a warning, after which the GPU must serve the next process.
func (s *session) killed() (any, string, error) {
	data, err := s.synth("molecules", s.sizes.graphs, 30)
	if err != nil {
		return nil, "", err
	}
	end := 3 * time.Second
	if s.sizes.tiny {
		end = 300 * time.Millisecond
	}
	_, err = s.call(program{path: "grove", limit: end, kill: true, args: []string{"train", "gckn-path-sup", "--data", data,
		"--device", "cuda", "--epochs", "1000", "-o", filepath.Join(s.work, "killed.grove")}})
	switch {
	case err == nil:
		return nil, "", notRun("the training ended before it was killed")
	case !errors.Is(err, errKilled):
		return nil, "", err
	}
	if _, err := os.Stat(filepath.Join(s.work, "killed.grove")); err == nil {
		return nil, "", fmt.Errorf("a training that was killed left a model")
	}
	_, err = s.call(program{path: "conformance", limit: 60 * time.Second,
		args: []string{"-device", "cuda", "-run", "^Convert/"}})
	return nil, "the GPU serves the next process", err
}

// synth generates a data set, once, and returns its folder.
func (s *session) synth(kind string, graphs, vertices int) (string, error) {
	folder := filepath.Join(s.work, fmt.Sprintf("%s-%d-%d", kind, graphs, vertices))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	return folder, s.generate(folder, kind, graphs, vertices)
}

func (s *session) generate(folder, kind string, graphs, vertices int) error {
	_, err := s.call(program{path: "grove", limit: 120 * time.Second, args: []string{"data", "synth", kind, "--graphs",
		fmt.Sprint(graphs), "--vertices", fmt.Sprint(vertices), "--seed", "1", "--out", folder}})
	return err
}
