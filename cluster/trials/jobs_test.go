package trials

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// job is something that is cut into parts.
type job struct {
	line []string // of grove plan, without plan and output
	out  string   // name of the output
	one  []string // of grove, which makes the output in one process; nil: parts that run one after another do
}

// jobs are those of 100 000 molecules that the other trials leave out, and a kernel and a search of 5000.
func jobs(t *testing.T) []job {
	few := filepath.Join(t.TempDir(), "few")
	must(t, grove, "data", "synth", "molecules", "--graphs", "5000", "--seed", "3", "--out", few)
	train := func(size int, model ...string) job {
		line := append(append([]string{"train"}, model...), "--seed", "1", "--data", store)
		return job{append(line, "--part-graphs", fmt.Sprint(size)), "model.grove", append(line, "-o")}
	}
	return []job{
		{[]string{"gram", "wl-oa", "--data", few, "--part-rows", "500"}, "K.npy",
			[]string{"gram", "wl-oa", "--data", few, "-o"}},
		{[]string{"gram", "wl", "--data", few, "--part-rows", "500", "--nystrom", "200"}, "Z.npy",
			[]string{"gram", "wl", "--data", few, "--nystrom", "200", "-o"}},
		{[]string{"compare", "majority", "linear", "--data", store, "--cv", "3", "--inner", "1/10", "--seed", "1"},
			"comparison.json", nil},
		{[]string{"eval", "gckn-path", "--data", few, "--grid", "paper", "--path-size", "3,4", "--filters", "32",
			"--pooling", "sum", "--global-pooling", "sum", "--seed", "1", "--part-settings", "2"}, "search.state", nil},
		train(25000, "cgmm", "--c", "0.1", "--layers", "2", "--states", "5"),
		train(25000, "wl", "--machine", "linear", "--c", "0.1", "--iterations", "2"),
		train(25000, "treeg", "--estimators", "1", "--growth", "level-wise", "--max-depth", "3"),
	}
}

// Every job has the bytes of one process: by two workers of this machine, with a worker that is killed three times, and
// with who submits it killed. Nothing else is left. It takes ten minutes and more: make test-cluster JOBS=all.
func TestAllJobs(t *testing.T) {
	long(t)
	for _, j := range jobs(t) {
		t.Run(strings.Join(j.line[:2], " "), func(t *testing.T) {
			want := j.byOneProcess(t)
			for name, how := range map[string]func(t *testing.T, plan string){
				"local":              j.local,
				"workers killed":     j.workersKilled,
				"submitter killed":   j.submitterKilled,
				"everything at once": j.everythingKilled,
			} {
				t.Run(name, func(t *testing.T) {
					p := j.plan(t)
					begun := time.Now()
					how(t, p)
					t.Logf("%.1f s", time.Since(begun).Seconds())
					if got, err := os.ReadFile(beside(p, j.out)); err != nil || !bytes.Equal(got, want) {
						t.Errorf("%v, or other bytes than those of one process", err)
					}
					left, err := os.ReadDir(filepath.Dir(p))
					if err != nil || len(left) != 2 { // the plan and the output
						t.Errorf("%v, left: %v", err, left)
					}
				})
			}
		})
	}
}

// plan cuts the job into parts, in a folder of its own.
func (j *job) plan(t *testing.T) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "plan.json")
	must(t, grove, append(append([]string{"plan"}, j.line...), "--out", beside(p, j.out), "-o", p)...)
	return p
}

// byOneProcess returns the output that one process makes.
func (j *job) byOneProcess(t *testing.T) []byte {
	t.Helper()
	var out string
	begun := time.Now()
	if j.one != nil {
		out = filepath.Join(t.TempDir(), j.out)
		must(t, grove, append(j.one, out)...)
	} else {
		p := j.plan(t)
		out = beside(p, j.out)
		for part := 0; ; part++ {
			if said, err := exec.Command(grove, "run-part", p, "--index", fmt.Sprint(part)).CombinedOutput(); err != nil {
				if part == 0 {
					t.Fatalf("%s", said)
				}
				break // behind the last one
			}
		}
		must(t, grove, "merge", p)
	}
	t.Logf("one process: %.1f s", time.Since(begun).Seconds())
	made, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func (*job) local(t *testing.T, plan string) {
	must(t, cluster, "local", "--workers", "2", "--grove", grove, plan)
}

// patient waits for the end of a submission, however long it takes.
func patient(t *testing.T, s *process) {
	t.Helper()
	if err := <-s.ended; err != nil {
		t.Fatalf("%v: %s", err, s.said.String())
	}
}

// kills calls kill three times while a submission goes on.
func kills(t *testing.T, s *process, kill func()) {
	t.Helper()
	for range 3 {
		select {
		case err := <-s.ended:
			s.ended <- err
			return
		case <-time.After(1500 * time.Millisecond):
			kill()
		}
	}
}

func (*job) workersKilled(t *testing.T, plan string) {
	victim := worker(t)
	worker(t)
	s := submit(t, plan)
	kills(t, s, func() {
		victim.kill()
		victim = worker(t)
	})
	patient(t, s)
}

func (*job) submitterKilled(t *testing.T, plan string) {
	worker(t)
	worker(t)
	s := submit(t, plan)
	kills(t, s, func() {
		s.kill()
		<-s.ended
		s = submit(t, plan)
	})
	patient(t, s)
}

func (*job) everythingKilled(t *testing.T, plan string) {
	victim := worker(t)
	worker(t)
	s := submit(t, plan)
	kills(t, s, func() {
		victim.kill()
		s.kill()
		<-s.ended
		victim, s = worker(t), submit(t, plan)
	})
	patient(t, s)
}
