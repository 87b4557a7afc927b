package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// budget is how long a part may begin programs; what it then writes takes seconds.
const budget = 520 * time.Second

// sizes say how much work the checks do.
type sizes struct {
	name    string
	shards  int      // of the suite; only the first runs where it is tiny
	graphs  int      // of the set like NCI1
	large   int      // graphs of a set whose features fill 1 GB
	columns int      // of features
	runs    int      // of the same work, to compare bits and times
	trees   []string // operations of bench for a process each
	tiny    bool
}

// allSizes are those that --size names. Tiny ones only show that everything runs.
var allSizes = map[string]sizes{
	"full": {name: "full", graphs: 4110, large: 70000, columns: 128, runs: 3,
		trees: []string{"treeg-mutag,treeg-predict", "treeg-planted"}},
	"tiny": {name: "tiny", shards: 150, graphs: 24, large: 30, columns: 16, runs: 3,
		trees: []string{"treeg-planted"}, tiny: true},
}

// session is one part in progress.
type session struct {
	kit   string // folder of run.sh
	out   string // folder of the results
	work  string // folder of what is only needed meanwhile
	sim   bool
	sizes sizes
	until time.Time
	log   io.Writer
	file  partFile

	devices found                        // what the first check found
	bits    map[string]map[string]string // of the cases of the suite, by the environment
	logged  sync.Mutex
}

func newSession(kit, out, part string, s sizes, sim bool) (*session, error) {
	if s.shards == 0 {
		s.shards = min(max(runtime.NumCPU()/2, 1), 8)
	}
	if sim {
		if err := simulate(filepath.Join(kit, "sim")); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	return &session{kit: kit, out: out, sim: sim, sizes: s, until: time.Now().Add(budget),
		file: partFile{Part: part, Size: s.name, Simulated: sim, Begun: time.Now().UTC().Format(time.RFC3339)}}, nil
}

// simulate makes this process and its children find the simulated GPU, two of them, in place of a driver.
func simulate(folder string) error {
	if _, err := os.Stat(filepath.Join(folder, "libcuda.so.1")); err != nil {
		return fmt.Errorf("--sim: %w", err)
	}
	path := folder
	if more := os.Getenv("LD_LIBRARY_PATH"); more != "" {
		path += ":" + more
	}
	return errors.Join(os.Setenv("LD_LIBRARY_PATH", path), os.Setenv("GROVE_SIM", "devices=2"))
}

// left is the time that programs may still take.
func (s *session) left() time.Duration { return time.Until(s.until) }

// program is a call of another program.
type program struct {
	path  string // a name alone is one of the kit's
	args  []string
	env   []string
	limit time.Duration
	kill  bool // the limit is the end that is wanted
}

// errNoTime is why a check is left out.
var errNoTime = notRun("the time of the part was used up")

// errKilled is the end of a program whose limit was the end that was wanted.
var errKilled = errors.New("killed")

// call runs a program and returns its standard output. All it says goes into the log. Past its limit it is ended with
// everything that it started.
func (s *session) call(p program) (stdout []byte, err error) {
	limit := min(p.limit, s.left())
	if limit < 2*time.Second && limit < p.limit {
		return nil, errNoTime
	}
	if !strings.Contains(p.path, "/") {
		p.path = filepath.Join(s.kit, "bin", p.path)
	}
	signal := "TERM"
	if p.kill {
		signal = "KILL"
	}
	args := append([]string{"-s", signal, "-k", "5", fmt.Sprintf("%.2f", limit.Seconds()), p.path}, p.args...)
	ctx, stop := context.WithTimeout(context.Background(), limit+10*time.Second) // should timeout itself not come back
	defer stop()
	cmd := exec.CommandContext(ctx, "timeout", args...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Dir = s.work
	cmd.WaitDelay = time.Second
	var both transcript
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, &both), &both
	start := time.Now()
	err = cmd.Run()
	took := time.Since(start)
	if err != nil && took >= limit {
		switch {
		case p.kill:
			err = errKilled
		case limit < p.limit:
			err = errNoTime
		default:
			err = fmt.Errorf("no end after %.0f s", limit.Seconds())
		}
	}
	s.logged.Lock()
	defer s.logged.Unlock()
	fmt.Fprintf(s.log, "\n$ %s %s %s\n%s[%.1f s, %v]\n", strings.Join(p.env, " "), filepath.Base(p.path),
		strings.Join(p.args, " "), both.text.Bytes(), took.Seconds(), err)
	if err != nil && !isNotRun(err) {
		if last := lastLine(both.text.String()); last != "" {
			err = fmt.Errorf("%s: %w: %s", filepath.Base(p.path), err, last)
		}
	}
	return out.Bytes(), err
}

// transcript is what a program says in both ways, each of which a goroutine copies.
type transcript struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.text.Write(p)
}

// lastLine returns the last line of a text that says something, cut to a bearable length.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := []rune(strings.TrimSpace(lines[len(lines)-1]))
	return string(last[:min(len(last), 300)])
}

// tool returns the path of a program of the CUDA toolkit, or why there is none.
func tool(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	folders := []string{"/usr/local/cuda*/bin", "/usr/local/cuda*/" + name, "/opt/cuda/bin", "/opt/nvidia/*/*"}
	for _, pattern := range folders {
		found, _ := filepath.Glob(filepath.Join(pattern, name)) // the patterns are well-formed
		for i := len(found) - 1; i >= 0; i-- {                  // the newest version comes last
			if path, err := exec.LookPath(found[i]); err == nil {
				return path, nil
			}
		}
	}
	return "", notRun("no %s on the PATH, in /usr/local/cuda*/bin or below /opt/nvidia", name)
}
