package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// insideChecks are part C.
func insideChecks(s *session) []check {
	var data string
	all := []check{
		{"devices", s.listDevices},
		{"data", s.onGPU(func() (_ any, line string, err error) {
			data, line, err = s.dataLikeNCI1()
			return nil, line, err
		})},
	}
	for _, v := range variants {
		all = append(all, check{"variant: " + v.about, s.onGPU(func() (any, string, error) { return s.variant(v, data) })})
	}
	all = append(all, check{"variant: plain kernels", s.onGPU(s.tunedAndPlain)})
	for _, p := range profiled {
		all = append(all, check{"ncu: " + p.operation, s.onGPU(func() (any, string, error) { return s.profile(p, data) })})
	}
	return all
}

// variant is another way to do the same, by an environment variable, on operations or models of bench.
type variant struct {
	about  string
	env    string
	ops    string
	models string
}

var variants = []variant{
	{"Grove's own products in place of cuBLAS", withoutCuBLAS, "matmul,matmul-tf32,matmul-bfloat16,matmul-thin,assign",
		"none"},
	{"PTX of the oldest GPU in place of machine code", "CUDA_FORCE_PTX_JIT=1", "matmul,sparse-matmul,path-trie,assign," +
		"segment-sum,invsqrt", "none"},
	{"memory given back to the driver at once", "GROVE_CUDA_POOL=off", "none", "train-nci1-path"},
	{"every launch waited for", "CUDA_LAUNCH_BLOCKING=1", "segment-sum,adam", "train-nci1-path"},
}

// pair holds the seconds of the same work in two ways.
type pair struct {
	Name    string  `json:"name"`
	Usual   float64 `json:"usual_seconds"`
	Variant float64 `json:"variant_seconds"`
	Ratio   float64 `json:"variant_over_usual"`
}

// variant measures both ways, one after the other.
func (s *session) variant(v variant, data string) (any, string, error) {
	if v.env == withoutCuBLAS && (s.sim || s.devices.CuBLAS == "") {
		return nil, "", notRun("no cuBLAS was found")
	}
	var seconds [2]map[string]float64
	for i, env := range []string{"", v.env} {
		args := []string{"--device", "cuda", "--bare", "--op", v.ops, "--model", v.models, "--stage", "epoch"}
		report, _, err := s.benchIn(env, "variant", data, 60*time.Second, args...)
		if err != nil {
			return nil, "", err
		}
		var m measured
		if err := json.Unmarshal(report, &m); err != nil {
			return nil, "", err
		}
		seconds[i] = map[string]float64{}
		for _, r := range m.Results {
			seconds[i][r.Name] = r.Seconds
		}
	}
	return pairs(seconds[0], seconds[1])
}

// pairs puts times beside each other.
func pairs(usual, variant map[string]float64) (any, string, error) {
	var all []pair
	var line []string
	for _, name := range slices.Sorted(maps.Keys(usual)) {
		if v, ok := variant[name]; ok {
			p := pair{name, usual[name], v, v / usual[name]}
			all, line = append(all, p), append(line, fmt.Sprintf("%s %.2f", name, p.Ratio))
		}
	}
	if len(all) == 0 {
		return nil, "", fmt.Errorf("nothing was measured in both ways")
	}
	return all, "times as long: " + strings.Join(line, ", "), nil
}

// tunedAndPlain runs the benchmarks of the kernels beside those of their plain ancestors.
func (s *session) tunedAndPlain() (any, string, error) {
	args := []string{"-test.run", "^$", "-test.bench", "TunedAndPlain", "-test.benchtime", "0.2s"}
	if s.sizes.tiny {
		args = append(args, "-test.short", "-test.benchtime", "1x")
	}
	out, err := s.call(program{path: "cuda.test", args: args, limit: 120 * time.Second})
	if err != nil {
		return nil, "", err
	}
	return readBenchmarks(string(out))
}

// readBenchmarks reads lines such as "BenchmarkTunedAndPlain/Gemm/tuned-16   100   2033 ns/op".
func readBenchmarks(out string) (any, string, error) {
	tuned, plain := map[string]float64{}, map[string]float64{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[3] != "ns/op" {
			continue
		}
		parts := strings.Split(fields[0], "/")
		ns, err := strconv.ParseFloat(fields[2], 64)
		if err != nil || len(parts) != 3 {
			continue
		}
		into := tuned
		if strings.HasPrefix(parts[2], "plain") {
			into = plain
		}
		into[parts[1]] = ns / 1e9
	}
	return pairs(tuned, plain)
}

// profiled are the kernels that take most of the time of what people do, with an operation of bench that launches them.
var profiled = []struct{ operation, kernel string }{
	{"matmul", "^matmul_(medium_|tall_|wide_|short_)?f32$"},
	{"matmul-tf32", "^matmul_tf32_f32$"},
	{"sparse-matmul", "^sparse_matmul_f32$"},
	{"path-trie", "^path_trie_(wide_)?[48]_f32$"},
	{"path-grad", "^path_grad_(wide_)?[48]_f32$"},
	{"walk-pool", "^walk_(step|small)_f32$"},
	{"assign", "^assign_f32$"},
	{"segment-sum", "^segment_reduce_(wide_)?f32$"},
	{"invsqrt", "^spectral_(large|small)_f64$"},
	{"histogram-intersection", "^histogram_intersection_f32$"},
	{"best-splits", "^best_splits_f64$"},
	{"posterior", "^posterior_f(32|64)$"},
}

// profile counts what one launch of a kernel does, with Nsight Compute.
func (s *session) profile(of struct{ operation, kernel string }, data string) (any, string, error) {
	path, err := tool("ncu")
	if err == nil && s.sim {
		err = notRun("a simulated GPU has no counters")
	}
	if err != nil {
		return nil, "", err
	}
	if data == "" {
		return nil, "", notRun("there are no data")
	}
	args := []string{"--target-processes", "all", "--kernel-name", "regex:" + of.kernel, "--launch-skip", "1",
		"--launch-count", "1", "--section", "SpeedOfLight", "--section", "MemoryWorkloadAnalysis", "--section", "Occupancy",
		"--section", "LaunchStats", "--section", "WarpStateStats", "--csv",
		filepath.Join(s.kit, "bin", "bench"), "--device", "cuda", "--bare",
		"--repeat", "2", "--model", "none", "--op", of.operation, "--data", data}
	if s.sizes.tiny {
		args = append(args, "--quick")
	}
	out, err := s.call(program{path: path, args: args, limit: 60 * time.Second, env: []string{withoutCuBLAS}})
	if strings.Contains(string(out), "ERR_NVGPUCTRPERM") {
		return nil, "", notRun("the driver gives performance counters to administrators alone (ERR_NVGPUCTRPERM)")
	}
	if err != nil {
		return nil, "", err
	}
	return readProfile(string(out))
}

// readProfile reads the table of ncu --csv: a line for each metric of a launch.
func readProfile(out string) (any, string, error) {
	var table strings.Builder
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, `"`) {
			table.WriteString(line)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(table.String())).ReadAll()
	if err != nil || len(rows) < 2 {
		return nil, "", fmt.Errorf("no kernel was profiled: %s", lastLine(out))
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	kernel, metric := column("Kernel Name"), column("Metric Name")
	unit, value := column("Metric Unit"), column("Metric Value")
	if min(kernel, metric, unit, value) < 0 {
		return nil, "", fmt.Errorf("not the table of ncu: %v", rows[0])
	}
	data := struct {
		Kernel  string            `json:"kernel"`
		Metrics map[string]string `json:"metrics"`
	}{rows[1][kernel], map[string]string{}}
	for _, row := range rows[1:] {
		data.Metrics[row[metric]] = strings.TrimSpace(row[value] + " " + row[unit])
	}
	line := data.Kernel
	for _, name := range []string{"Duration", "Memory Throughput", "Compute (SM) Throughput", "Achieved Occupancy"} {
		if v, ok := data.Metrics[name]; ok {
			line += fmt.Sprintf(", %s %s", strings.ToLower(name), v)
		}
	}
	return data, line, nil
}
