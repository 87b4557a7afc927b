package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// speedChecks are part B.
func speedChecks(s *session) []check {
	var data, large string // folders as bench --data takes them
	all := []check{
		{"devices", s.listDevices},
		{"data", s.onGPU(func() (_ any, line string, err error) {
			data, line, err = s.dataLikeNCI1()
			return nil, line, err
		})},
	}
	bench := func(name string, limit time.Duration, args func() []string) {
		all = append(all, check{name, s.onGPU(func() (any, string, error) { return s.bench(name, data, limit, args()...) })})
	}
	for i, ops := range operationGroups {
		bench(fmt.Sprintf("operations at NCI1 size, %d of %d", i+1, len(operationGroups)), 100*time.Second,
			func() []string { return []string{"--device", "cuda", "--model", "none", "--op", ops} })
	}
	all = append(all, check{"rivals on the same arrays", s.onGPU(s.rivals)})
	bench("NCI1 encoded, warm", 60*time.Second, func() []string {
		return []string{"--device", "cuda", "--op", "none", "--model", "nci1", "--stage", "read,fit,encode"}
	})
	all = append(all, check{"NCI1 encoded, cold", s.onGPU(func() (any, string, error) { return s.cold(data) })})
	bench("training on the GPU", 60*time.Second, func() []string { return training("cuda") })
	bench("ten folds side by side", 60*time.Second, func() []string {
		return []string{"--device", "cuda", "--workers", "1", "--op", "none", "--model", "train-nci1-path",
			"--stage", "folds"}
	})
	bench("training on one CPU core", 60*time.Second, func() []string { return training("cpu") })
	all = append(all,
		check{"data for operations at 2 GB", s.onGPU(func() (_ any, _ string, err error) {
			large = filepath.Join(s.work, "large")
			return nil, fmt.Sprintf("%d graphs", s.sizes.large),
				s.generate(filepath.Join(large, "tu", "NCI1"), "molecules", s.sizes.large, 30)
		})},
		check{largeCheck, s.onGPU(func() (any, string, error) {
			return s.bench("large", large, 90*time.Second, "--device", "cuda", "--model", "none", "--op", largeOperations)
		})},
	)
	for _, trees := range s.sizes.trees {
		bench("trees: "+trees, 60*time.Second, func() []string {
			return []string{"--device", "cuda", "--model", "none", "--op", trees}
		})
	}
	all = append(all, check{"ten folds", s.onGPU(func() (any, string, error) { return s.tenFolds(data) })})
	return all
}

// operationGroups are the operations of the engine in groups for a process each, so that one that hangs takes no more
// than its group along.
var operationGroups = []string{
	"matmul,matmul-double,matmul-tf32,matmul-bfloat16,matmul-thin,normalize-rows,convert,upload," +
		"download,place,place-columns",
	"sparse-matmul,sparse-matmul-dense,sparse-matmul-power-law,sparse-matmul-rows,sparse-matmul-cols," +
		"histogram-intersection",
	"path-trie,path-trie-double,path-trie-vertex,path-trie-max,path-early,path-early-dense,walk-pool," +
		"nonbacktracking,nonbacktracking-dense,path-grad,path-grad-label,path-grad-label-double,walk-grad",
	"path-power-law,walk-pool-power-law",
	"gram,invsqrt,invsqrt-large,invsqrt-grad,assign,assign-paths,segment-sum,segment-max,segment-neighbors,posterior," +
		"softmax-cross-entropy,adam,project,project-grad,gram-grad,invsqrt-grad-step,linear",
	"linear-grad,batch-norm,batch-norm-grad,rectify,rectify-grad,dropout,sparse-matmul-add",
	"cgmm-iteration-20-1,cgmm-iteration-40-1,cgmm-iteration-20-4,cgmm-iteration-40-4,cgmm-iteration-soft",
	"cgmm-embedding",
	"subset-walks,dynamic-features,best-splits,best-splits-histogram",
}

// largeOperations are those whose inputs and outputs take 2 GB and more on a set of 70 000 graphs like those of NCI1.
const largeOperations = "matmul,normalize-rows,convert,place,sparse-matmul,path-trie,walk-pool"

// largeCheck is the check whose inputs no prediction is of.
const largeCheck = "operations at 2 GB"

func training(device string) []string {
	return []string{"--device", device, "--workers", "1", "--op", "none", "--model", "train-nci1-path,train-nci1-subtree",
		"--stage", "epoch"}
}

// dataLikeNCI1 returns the folder of $GROVE_DATA, where it has NCI1, or generates sets like it and like MUTAG.
func (s *session) dataLikeNCI1() (folder, line string, err error) {
	if given := os.Getenv("GROVE_DATA"); given != "" && !s.sizes.tiny {
		if _, err := os.Stat(filepath.Join(given, "tu", "NCI1")); err == nil {
			return given, "that of $GROVE_DATA", nil
		}
	}
	folder = filepath.Join(s.work, "data")
	err = errors.Join(s.generate(filepath.Join(folder, "tu", "NCI1"), "molecules", s.sizes.graphs, 30),
		s.generate(filepath.Join(folder, "tu", "MUTAG"), "molecules", min(s.sizes.graphs, 188), 18))
	return folder, fmt.Sprintf("%d generated molecules of 30 vertices in place of NCI1", s.sizes.graphs), err
}

// measured is a report of bench, of which the verdict needs this much.
type measured struct {
	Results []struct {
		Name    string  `json:"name"`
		Seconds float64 `json:"seconds"`
		Device  string  `json:"device"`
	} `json:"results"`
	Targets []struct {
		Holds bool `json:"holds"`
	} `json:"targets"`
	Notes []string `json:"notes"`
}

// bench runs the benchmark and keeps its report.
func (s *session) bench(name, data string, limit time.Duration, args ...string) (any, string, error) {
	report, line, err := s.benchIn("", name, data, limit, args...)
	if report == nil {
		return nil, line, err
	}
	return report, line, err
}

// benchIn is bench with an environment variable set.
func (s *session) benchIn(
	env, name, data string, limit time.Duration, args ...string,
) (report json.RawMessage, line string, err error) {
	if data == "" {
		return nil, "", notRun("there are no data")
	}
	file := filepath.Join(s.work, strings.NewReplacer(" ", "-", ",", "").Replace(name)+".json")
	args = append(args, "--data", data, "--json", file)
	if s.sizes.tiny {
		args = append(args, "--quick", "--repeat", "2")
	}
	p := program{path: "bench", args: args, limit: limit}
	if env != "" {
		p.env = []string{env}
	}
	_, failure := s.call(p)
	text, err := os.ReadFile(file) // which has what was measured before a failure
	if err != nil {
		return nil, "", cmp.Or(failure, err)
	}
	var m measured
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, "", cmp.Or(failure, err)
	}
	if failure != nil {
		return text, "", failure
	}
	if len(m.Results) == 0 {
		return text, "", fmt.Errorf("nothing was measured: %s", strings.Join(m.Notes, "; "))
	}
	missed := 0
	for _, t := range m.Targets {
		if !t.Holds {
			missed++
		}
	}
	line = fmt.Sprintf("%d figures", len(m.Results))
	if len(m.Targets) > 0 {
		line += fmt.Sprintf(", %d of %d targets missed", missed, len(m.Targets))
	}
	return text, line, nil
}

// cold encodes NCI1 by processes of their own, from the start of the process to the file: the first finds nothing of
// the kit in the caches of system and driver that other checks have not put there.
func (s *session) cold(data string) (any, string, error) {
	if data == "" {
		return nil, "", notRun("there are no data")
	}
	var seconds []float64
	for i := range s.sizes.runs {
		start := time.Now()
		_, err := s.call(program{path: "grove", limit: 60 * time.Second, args: []string{"embed", "gckn-path",
			"--filters", fmt.Sprint(s.sizes.columns), "--data", filepath.Join(data, "tu", "NCI1"), "--device", "cuda",
			"-o", filepath.Join(s.work, fmt.Sprintf("cold%d.npy", i))}})
		if err != nil {
			return nil, "", err
		}
		seconds = append(seconds, time.Since(start).Seconds())
	}
	return map[string][]float64{"seconds": seconds}, fmt.Sprintf("%.2f s, then %.2f s, each with reading and anchors",
		seconds[0], seconds[len(seconds)-1]), nil
}

// tenFolds evaluates a model from reading to the table of accuracies.
func (s *session) tenFolds(data string) (any, string, error) {
	if data == "" {
		return nil, "", notRun("there are no data")
	}
	times := map[string]float64{}
	for _, device := range []string{"cuda", "cpu"} {
		start := time.Now()
		_, err := s.call(program{path: "grove", limit: 90 * time.Second, args: []string{"eval", "gckn-path",
			"--filters", fmt.Sprint(s.sizes.columns), "--data", filepath.Join(data, "tu", "NCI1"), "--device", device,
			"--cv", "10", "--json"}})
		if err != nil {
			return times, "", err
		}
		times[device] = time.Since(start).Seconds()
	}
	return map[string]any{"seconds": times}, fmt.Sprintf("%.1f s with the GPU, %.1f s on the CPU alone", times["cuda"],
		times["cpu"]), nil
}
