package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// planted returns a session on a kit whose programs are the given shell scripts.
func planted(t *testing.T, programs map[string]string) *session {
	t.Helper()
	if _, err := exec.LookPath("timeout"); err != nil {
		t.Skip(err)
	}
	kit := t.TempDir()
	if err := os.MkdirAll(filepath.Join(kit, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, script := range programs {
		err := os.WriteFile(filepath.Join(kit, "bin", name), []byte("#!/bin/sh\n"+script), 0o777)
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := newSession(kit, t.TempDir(), "A", allSizes["tiny"], false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs checks as a part and returns what is in its file.
func (s *session) run(t *testing.T, checks ...check) map[string]resultRead {
	t.Helper()
	if _, err := s.part(checks); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(s.out, "a.json"))
	if err != nil {
		t.Fatal(err)
	}
	var part partRead
	if err := json.Unmarshal(text, &part); err != nil {
		t.Fatal(err)
	}
	all := map[string]resultRead{}
	for _, c := range part.Checks {
		all[c.Check] = c
	}
	return all
}

const oneGPU = `echo '{"cuda": {"cuda": "12.4", "needs": "11.8", "devices": [{"name": "a GPU"}]}}'`

func TestAPartGoesOnPastFailures(t *testing.T) {
	s := planted(t, map[string]string{
		"grove": oneGPU, "fails": "echo this is wrong >&2; exit 3", "hangs": "sleep 30 & sleep 30",
		"fine.test": "echo '--- PASS: TestA (0.0s)'; echo '    --- SKIP: TestA/b (0.0s)'; echo '        x.go:1: no b'",
	})
	call := func(p program) func() (any, string, error) {
		return func() (any, string, error) { _, err := s.call(p); return nil, "", err }
	}
	start := time.Now()
	all := s.run(t,
		check{"devices", s.listDevices},
		check{"fails", call(program{path: "fails", limit: time.Minute})},
		check{"hangs", call(program{path: "hangs", limit: 300 * time.Millisecond})},
		check{"absent", call(program{path: "nowhere", limit: time.Minute})},
		check{"test", s.test("fine", "TestA", "", time.Minute)},
		check{"left out", func() (any, string, error) { return nil, "", notRun("no tool") }},
		check{"too late", func() (any, string, error) {
			s.until = time.Now()
			return call(program{path: "fails", limit: time.Minute})()
		}},
	)
	for name, want := range map[string][2]string{
		"devices": {passed, "a GPU"}, "fails": {failed, "exit status 3: this is wrong"}, "hangs": {failed, "no end after"},
		"absent": {failed, "nowhere"}, "test": {passed, "1 tests"}, "left out": {leftOut, "no tool"},
		"too late": {leftOut, "the time of the part was used up"},
	} {
		if r := all[name]; r.Status != want[0] || !strings.Contains(r.Why, want[1]) {
			t.Errorf("%s: %s %q, want %v", name, r.Status, r.Why, want)
		}
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("a program that hangs was waited for: %v", took)
	}
	var verdict strings.Builder
	if n := s.file.print(&verdict); n != 3 || !strings.HasSuffix(strings.TrimSpace(verdict.String()), " s") ||
		!strings.Contains(verdict.String(), "2 passed, 3 FAILED, 2 not run") {
		t.Errorf("%d failures in the verdict\n%s", n, verdict.String())
	}
}

func TestWithoutAGPUNothingElseRuns(t *testing.T) {
	s := planted(t, map[string]string{"grove": `echo '{"cuda": {"problem": "no NVIDIA driver"}}'`})
	for _, name := range []string{"A", "B", "C"} {
		i := slices.IndexFunc(parts, func(p struct {
			name   string
			about  string
			checks func(*session) []check
		}) bool {
			return p.name == name
		})
		for check, r := range s.run(t, parts[i].checks(s)...) {
			want := leftOut
			if check == "devices" {
				want = failed
			}
			if r.Status != want || !strings.Contains(r.Why, "no NVIDIA driver") && r.Why != errTiny.Error() {
				t.Errorf("%s: %s %q", check, r.Status, r.Why)
			}
		}
		s.file.Checks = nil
	}
}

func TestBitsAreCompared(t *testing.T) {
	s := planted(t, map[string]string{"grove": oneGPU, "conformance": `
case "$GROVE_CUBLAS" in off) b=1 ;; *) b=2 ;; esac
echo '{"cases": [{"case": "x", "bits": "'$b'", "worst": 0.5}, {"case": "y", "bits": "'$(date +%N)'"}]}'`})
	all := s.run(t,
		check{"devices", s.listDevices},
		check{"before", func() (any, string, error) { return s.sameBits("cuda:0", withoutCuBLAS, "", 1) }},
		check{"suite", func() (any, string, error) { return s.conformance(withoutCuBLAS) }},
		check{"again", func() (any, string, error) { return s.sameBits("cuda:0", withoutCuBLAS, "", 2) }},
		check{"two", s.bitsOnTwoDevices},
	)
	for name, want := range map[string]string{"before": "there is no first run", "suite": "difference 0.50",
		"again": "2 of 4 results have other bits, that of y", "two": "there is one GPU"} {
		if r := all[name]; !strings.Contains(r.Why, want) {
			t.Errorf("%s: %s %q, want %q", name, r.Status, r.Why, want)
		}
	}
}

// Cases that failed, and shards that broke down, show whatever else happened to other shards.
func TestOtherShardsHideNoFailure(t *testing.T) {
	s := planted(t, map[string]string{"conformance": `case "$*" in *1/2*) echo broken; exit 3 ;; esac
echo '{"cases": [{"case": "x", "error": "wrong"}]}'; exit 1`})
	s.sizes.tiny, s.sizes.shards = false, 2
	r := s.run(t, check{"suite", func() (any, string, error) { return s.conformance(withoutCuBLAS) }})["suite"]
	if want := "1 of 1 cases failed"; r.Status != failed || !strings.Contains(r.Why, want) {
		t.Errorf("%s %q, want %q", r.Status, r.Why, want)
	}
	if err := worst([]error{nil, errNoTime, errors.New("broken")}); err == nil || isNotRun(err) {
		t.Errorf("a shard that broke down beside one without time: %v", err)
	}
	if err := worst([]error{nil, errNoTime}); !isNotRun(err) {
		t.Errorf("a shard without time: %v", err)
	}
	if err := worst(make([]error, 2)); err != nil {
		t.Error(err)
	}
}

func TestOnlyTheKillCountsAsTheKill(t *testing.T) {
	for train, want := range map[string][2]string{
		"exec sleep 9":        {passed, "serves the next process"},
		"echo no GPU; exit 3": {failed, "exit status 3: no GPU"},
		"exit 0":              {leftOut, "ended before"},
	} {
		s := planted(t, map[string]string{"grove": `[ "$1" != train ] || { ` + train + `; }`, "conformance": "true"})
		if r := s.run(t, check{"killed", s.killed})["killed"]; r.Status != want[0] || !strings.Contains(r.Why, want[1]) {
			t.Errorf("%s: %s %q, want %v", train, r.Status, r.Why, want)
		}
	}
}

func TestShardsAddUp(t *testing.T) {
	r := &suiteRun{bits: map[string]string{}}
	err := errors.Join(
		r.add([]byte(`{"engine": "e", "cases": [{"case": "a", "worst": 0.1, "bits": "1"}]}`), nil),
		r.add([]byte(`{"cases": [{"case": "b", "error": "wrong"}], "not_run": ["c"], "lost": 1}`),
			errors.New("exit status 1")))
	if err != nil || r.Cases != 2 || r.Fails != 1 || r.NotRun != 1 || r.Lost != 1 || r.Failed[0] != "b: wrong" {
		t.Errorf("%v: %+v", err, r)
	}
	if err := r.add(nil, errors.New("killed")); err == nil || err.Error() != "killed" {
		t.Errorf("a shard without a report: %v", err)
	}
}

func TestSanitizersAreRead(t *testing.T) {
	s := planted(t, nil)
	tools := t.TempDir()
	t.Setenv("PATH", tools+":"+os.Getenv("PATH"))
	for script, want := range map[string]string{
		"echo '========= ERROR SUMMARY: 0 errors'":                                     "",
		"echo '========= ERROR SUMMARY: 12 errors'; exit 9":                            "12 errors",
		"echo '========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)'": "1 hazard",
		"echo '========= Error: No attachable process found'; exit 1":                  "No attachable",
		"echo 'nothing of note'":                                                       "no summary",
	} {
		err := os.WriteFile(filepath.Join(tools, "compute-sanitizer"), []byte("#!/bin/sh\n"+script), 0o777)
		if err != nil {
			t.Fatal(err)
		}
		r := s.run(t, check{"s", func() (any, string, error) { return s.sanitizer("memcheck") }})["s"]
		if (r.Status == passed) != (want == "") || !strings.Contains(r.Why, want) {
			t.Errorf("%q: %s %q, want %q", script, r.Status, r.Why, want)
		}
	}
}

// What ncu is to look at are kernels that there are.
func TestProfiledKernelsExist(t *testing.T) {
	kernels, err := os.ReadFile("../../cuda/kernels.resources.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range profiled {
		pattern := regexp.MustCompile(p.kernel)
		found := false
		for line := range strings.Lines(string(kernels)) {
			name, _, _ := strings.Cut(line, " ")
			found = found || pattern.MatchString(name)
		}
		if !found {
			t.Errorf("%s: no kernel matches %s", p.operation, p.kernel)
		}
	}
	if len(profiled) != 12 {
		t.Errorf("%d kernels, want 12", len(profiled))
	}
}

// Nothing is lost of what a program says, whichever way it says it.
func TestBothStreamsAreKept(t *testing.T) {
	s := planted(t, map[string]string{"speaks": "echo out; echo err >&2; exit 1"})
	var log strings.Builder
	s.log = &log
	for range 20 {
		log.Reset()
		out, err := s.call(program{path: "speaks", limit: time.Minute})
		said := log.String()
		if err == nil || string(out) != "out\n" || !strings.Contains(said, "out\n") || !strings.Contains(said, "err\n") {
			t.Fatalf("%q, %v, log %q", out, err, said)
		}
	}
}
