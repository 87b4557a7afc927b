package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// The environment of programs with and without cuBLAS.
const (
	withCuBLAS    = "GROVE_CUBLAS=all"
	withoutCuBLAS = "GROVE_CUBLAS=off"
)

// suiteRun is what the shards of the conformance suite found on one device.
type suiteRun struct {
	Engine string   `json:"engine"`
	Cases  int      `json:"cases"`
	Failed []string `json:"failed,omitempty"` // cases with what was wrong, some of them
	Fails  int      `json:"fails"`
	NotRun int      `json:"not_run"`
	Lost   int      `json:"lost,omitempty"` // times that the device could not be used any more
	Worst  float64  `json:"worst"`          // largest difference as a share of the admissible one
	bits   map[string]string
}

// suite runs the cases of the conformance suite that match a pattern, in shards at the same time.
func (s *session) suite(device, env, pattern string) (*suiteRun, error) {
	const limit = 100 * time.Second
	shards := s.sizes.shards
	if s.sizes.tiny {
		shards = 1
	}
	all := &suiteRun{bits: map[string]string{}}
	errs := make([]error, shards)
	var wait sync.WaitGroup
	var adding sync.Mutex
	for i := range shards {
		wait.Go(func() {
			begin := min(limit, s.left()-15*time.Second) // beyond it what was found is written
			if begin < time.Second {
				errs[i] = errNoTime
				return
			}
			out, err := s.call(program{path: "conformance", limit: limit + 30*time.Second, env: []string{env}, args: []string{
				"-device", device, "-run", pattern, "-shard", fmt.Sprintf("%d/%d", i+1, s.sizes.shards), "-limit", begin.String()}})
			adding.Lock()
			defer adding.Unlock()
			errs[i] = all.add(out, err)
		})
	}
	wait.Wait()
	return all, worst(errs)
}

// worst joins what is wrong with some shards, which others without time must not hide; or else why these were not run.
func worst(errs []error) error {
	wrong := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return err == nil || isNotRun(err) })
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	return errors.Join(errs...)
}

// add adds the report of a shard. Its exit status says nothing that the report does not.
func (r *suiteRun) add(report []byte, err error) error {
	var shard struct {
		Engine string `json:"engine"`
		Cases  []struct {
			Case, Bits, Error string
			Worst             float64
		} `json:"cases"`
		NotRun []string `json:"not_run"`
		Lost   int      `json:"lost"`
	}
	if bad := json.Unmarshal(report, &shard); bad != nil {
		if err != nil {
			return err
		}
		return bad
	}
	r.Engine = shard.Engine
	r.Cases += len(shard.Cases)
	r.NotRun += len(shard.NotRun)
	r.Lost += shard.Lost
	for _, c := range shard.Cases {
		r.Worst = max(r.Worst, c.Worst)
		r.bits[c.Case] = c.Bits
		if c.Error == "" {
			continue
		}
		if r.Fails++; len(r.Failed) < 50 {
			r.Failed = append(r.Failed, c.Case+": "+c.Error)
		}
	}
	return nil
}

// conformance holds a device against the reference, and keeps the bits of what it computed.
func (s *session) conformance(env string) (any, string, error) {
	r, err := s.suite("cuda:0", env, "")
	if err != nil && r.Fails == 0 { // cases that failed say more than shards that did not end
		return r, "", err
	}
	if s.bits == nil {
		s.bits = map[string]map[string]string{}
	}
	s.bits[env] = r.bits
	if r.Fails+r.NotRun > 0 {
		first := ""
		if len(r.Failed) > 0 {
			first = "; " + r.Failed[0]
		}
		return r, "", fmt.Errorf("%d of %d cases failed, %d were not run%s", r.Fails, r.Cases, r.NotRun, first)
	}
	return r, fmt.Sprintf("%d cases, the largest difference %.2f of the admissible one", r.Cases, r.Worst), nil
}

// sameBits runs the suite again, so many times, and wants the bits of the first run.
func (s *session) sameBits(device, env, pattern string, runs int) (any, string, error) {
	before := s.bits[env]
	if before == nil {
		return nil, "", notRun("there is no first run to compare with")
	}
	other := []string{}
	compared := 0
	for range runs {
		r, err := s.suite(device, env, pattern)
		for name, bits := range r.bits {
			if before[name] == "" || bits == "" { // a case that failed has none
				continue
			}
			if compared++; before[name] != bits {
				other = append(other, name)
			}
		}
		if err != nil && len(other) == 0 {
			return nil, "", err
		}
	}
	if len(other) > 0 {
		return other, "", fmt.Errorf("%d of %d results have other bits, that of %s for one", len(other), compared, other[0])
	}
	if compared == 0 {
		return nil, "", notRun("no case passed in both runs")
	}
	return nil, fmt.Sprintf("%d results have the bits of the first run", compared), nil
}

func (s *session) bitsOnTwoDevices() (any, string, error) {
	if len(s.devices.Devices) < 2 {
		return nil, "", notRun("there is one GPU")
	}
	if a, b := s.devices.Devices[0].Name, s.devices.Devices[1].Name; a != b {
		return nil, "", notRun("the GPUs differ: %s and %s", a, b)
	}
	return s.sameBits("cuda:1", withoutCuBLAS, "", 1)
}

// trained are models that are fitted again and again, with the arguments that keep that short.
var trained = [][]string{
	{"gckn-subtree", "--filters", "16"}, {"gckn-path-sup", "--filters", "16", "--epochs", "2"},
	{"treeg", "--estimators", "5"}, {"mpgk-aa"}, {"wl-oa"}, {"cgmm", "--layers", "2"},
}

// modelBits fits models several times and wants the same files.
func (s *session) modelBits() (any, string, error) {
	data, err := s.synth("molecules", min(s.sizes.graphs, 188), 18)
	if err != nil {
		return nil, "", err
	}
	var differ []string
	for _, m := range trained {
		sums := map[[sha256.Size]byte]bool{}
		for i := range s.sizes.runs {
			file := filepath.Join(s.work, fmt.Sprintf("%s-%d.grove", m[0], i))
			args := append([]string{"train", m[0], "--data", data, "--device", "cuda", "--seed", "1", "-o", file}, m[1:]...)
			if _, err := s.call(program{path: "grove", args: args, limit: 60 * time.Second}); err != nil {
				return nil, "", err
			}
			content, err := os.ReadFile(file)
			if err != nil {
				return nil, "", err
			}
			sums[sha256.Sum256(content)] = true
		}
		if len(sums) > 1 {
			differ = append(differ, m[0])
		}
	}
	if len(differ) > 0 {
		return differ, "", fmt.Errorf("the files of these differ: %s", strings.Join(differ, ", "))
	}
	return nil, fmt.Sprintf("%d models, each fitted %d times, are the same files", len(trained), s.sizes.runs), nil
}

// summary is the last line that a tool of compute-sanitizer writes.
var summary = regexp.MustCompile(`(ERROR|RACECHECK) SUMMARY: (\d+) (errors?|hazards?)`)

// sanitizer runs the cases that launch every kernel under a tool of compute-sanitizer. Memory comes from the driver,
// so that the tool sees the bounds of each tensor.
func (s *session) sanitizer(name string) (any, string, error) {
	path, err := tool("compute-sanitizer")
	if err == nil && s.sim {
		err = notRun("a simulated GPU watches its memory itself")
	}
	if err != nil {
		return nil, "", err
	}
	out, err := s.call(program{path: path, limit: 60 * time.Second, env: []string{"GROVE_CUDA_POOL=off", withoutCuBLAS},
		args: []string{"--tool", name, "--error-exitcode", "9", filepath.Join(s.kit, "bin", "conformance"),
			"-device", "cuda", "-cases", filepath.Join(s.kit, "one_case_a_kernel.txt"), "-limit", "45s",
			"-o", filepath.Join(s.work, name+".json")}})
	said := summary.FindStringSubmatch(string(out))
	switch {
	case said != nil && said[2] != "0":
		return string(out[:min(len(out), 20000)]), "", fmt.Errorf("%s %s", said[2], said[3])
	case err != nil:
		return nil, "", err
	case said == nil:
		return nil, "", fmt.Errorf("no summary: %s", lastLine(string(out)))
	}
	return nil, said[0], nil
}
