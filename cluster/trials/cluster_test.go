package trials

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// graphs is how many molecules are embedded, and perPart how many in a part.
const (
	graphs  = 100_000
	perPart = 5000
)

// What the tests share: the programs, a server, and data with what one process makes of them.
var (
	grove, cluster string
	address        string
	store, model   string
	wanted         map[string][]byte // outputs by name
)

// training is a training of some seconds, without where from and where to.
var training = []string{"train", "gckn-path", "--filters", "16", "--seed", "1", "--c", "1"}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	build, err := filepath.Abs(os.Getenv("BUILD"))
	grove, cluster = filepath.Join(build, "grove"), filepath.Join(build, "grove-cluster")
	if _, e := os.Stat(cluster); err != nil || e != nil {
		fmt.Fprintln(os.Stderr, "trials: $BUILD has no grove-cluster: run make test-cluster")
		return 1
	}
	dir, err := os.MkdirTemp("", "grove-trials-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "trials:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := prepare(dir); err != nil {
		fmt.Fprintln(os.Stderr, "trials:", err)
		return 1
	}
	server := exec.Command(cluster, "server", "--store", filepath.Join(dir, "books.db"), "--address", address)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "trials:", err)
		return 1
	}
	defer func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	}()
	if err := answers(address); err != nil {
		fmt.Fprintln(os.Stderr, "trials:", err)
		return 1
	}
	return m.Run()
}

// prepare makes data, a model, and by one process what the tests compare with.
func prepare(dir string) error {
	store, model = filepath.Join(dir, "store"), filepath.Join(dir, "model.grove")
	small := filepath.Join(dir, "small")
	for _, line := range [][]string{
		{"data", "synth", "molecules", "--graphs", fmt.Sprint(graphs), "--seed", "1", "--to", "shards", "--out", store},
		{"data", "synth", "molecules", "--graphs", "200", "--seed", "2", "--out", small},
		{"train", "gckn-path", "--data", small, "--filters", "16", "--seed", "1", "--c", "1", "-o", model},
		{"embed", "--model", model, "--data", store, "-o", filepath.Join(dir, "rows.npy"),
			"--ids", filepath.Join(dir, "rows.csv")},
		{"predict", "--model", model, "--data", store, "-o", filepath.Join(dir, "predictions.csv")},
		append(training, "--data", store, "-o", filepath.Join(dir, "trained.grove")),
	} {
		if said, err := exec.Command(grove, line...).CombinedOutput(); err != nil {
			return fmt.Errorf("grove %s: %w: %s", strings.Join(line, " "), err, said)
		}
	}
	wanted = map[string][]byte{}
	for _, name := range []string{"rows.npy", "rows.csv", "predictions.csv", "trained.grove"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		wanted[name] = content
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address = l.Addr().String()
	return l.Close()
}

// answers waits until somebody listens.
func answers(address string) error {
	var err error
	for range 600 {
		var c net.Conn
		if c, err = net.Dial("tcp", address); err == nil {
			return c.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// long leaves a trial to those who ask for all: two minutes are what the others take.
func long(t testing.TB) {
	t.Helper()
	if os.Getenv("JOBS") != "all" {
		t.Skip("make test-cluster JOBS=all runs it")
	}
}

// must runs a program that succeeds and returns what it says.
func must(t testing.TB, program string, args ...string) string {
	t.Helper()
	said, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", filepath.Base(program), strings.Join(args, " "), err, said)
	}
	return string(said)
}

// plan cuts a job into parts in a folder of its own.
func plan(t testing.TB, job string, more ...string) string {
	t.Helper()
	return planIn(t, t.TempDir(), job, more...)
}

func planIn(t testing.TB, dir, job string, more ...string) string {
	t.Helper()
	path := filepath.Join(dir, "plan.json")
	line := []string{"plan", job, "--model", model, "--data", store, "--part-graphs", fmt.Sprint(perPart), "-o", path}
	if job == "embed" {
		line = append(line, "--out", beside(path, "rows.npy"), "--ids", beside(path, "rows.csv"))
	} else {
		line = append(line, "--out", beside(path, "predictions.csv"))
	}
	must(t, grove, append(line, more...)...)
	return path
}

func beside(plan, name string) string { return filepath.Join(filepath.Dir(plan), name) }

// receipts returns how many parts of a plan are done.
func receipts(plan string) int {
	found, _ := filepath.Glob(beside(plan, "plan.parts/*.json"))
	return len(found)
}

// wait waits until so many parts are done.
func wait(t testing.TB, plan string, parts int) {
	t.Helper()
	for range 2400 {
		if receipts(plan) >= parts {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("%d parts are done after a minute, want %d", receipts(plan), parts)
}

// whole wants the outputs beside a plan to be those of one process, and nothing else to be left.
func whole(t testing.TB, plan string) {
	t.Helper()
	outputs := 0
	err := filepath.WalkDir(filepath.Dir(plan), func(path string, entry fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch want, ok := wanted[name]; {
		case err != nil || path == plan || path == filepath.Dir(plan):
			return err
		case !ok:
			t.Errorf("left: %s", path)
		default:
			outputs++
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: other bytes than those of one process (%d, want %d, %v)", name, len(got), len(want), err)
			}
		}
		return nil
	})
	if err != nil || outputs == 0 {
		t.Errorf("%d outputs, %v", outputs, err)
	}
}

// process is a program that runs.
type process struct {
	*exec.Cmd
	said  text
	ended chan error
}

// text is what a process has said so far.
type text struct {
	mutex sync.Mutex
	said  bytes.Buffer
}

// Write implements [io.Writer].
func (t *text) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.said.Write(p)
}

// String returns all of it.
func (t *text) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.said.String()
}

// start runs a program in the background, until the test ends.
func start(t testing.TB, program string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(program, args...), ended: make(chan error, 1)}
	p.Stdout, p.Stderr = &p.said, &p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.Wait() }()
	t.Cleanup(p.kill)
	return p
}

func (p *process) kill() { _ = p.Process.Signal(syscall.SIGKILL) }

// worker starts a worker with one thread.
func worker(t testing.TB, more ...string) *process {
	line := []string{"worker", "--queue", "cpu", "--address", address, "--grove", grove, "--threads", "1"}
	return start(t, cluster, append(line, more...)...)
}

// submit starts a submitter, which loses patience with a worker soon.
func submit(t testing.TB, plan string, more ...string) *process {
	line := []string{"submit", plan, "--address", address, "--heartbeat", "2s", "--attempts", "4"}
	return start(t, cluster, append(line, more...)...)
}

// succeeds waits for the end of a process, which is a success.
func (p *process) succeeds(t testing.TB) string {
	t.Helper()
	return p.ends(t, true)
}

// fails waits for the end of a process, which is a failure that it explains in one line with all these words.
func (p *process) fails(t testing.TB, words ...string) {
	t.Helper()
	said := p.ends(t, false)
	lines := strings.Split(strings.TrimSpace(said), "\n")
	for _, word := range words {
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, "grove-cluster: ") || !strings.Contains(last, word) {
			t.Errorf("%q does not name %q", last, word)
		}
	}
}

func (p *process) ends(t testing.TB, well bool) string {
	t.Helper()
	select {
	case err := <-p.ended:
		if well != (err == nil) {
			t.Fatalf("%s: %v: %s", strings.Join(p.Args, " "), err, p.said.String())
		}
	case <-time.After(5 * time.Minute):
		t.Fatalf("%s: no end after five minutes: %s", strings.Join(p.Args, " "), p.said.String())
	}
	return p.said.String()
}
