//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// slowToRead makes a data set in a folder that takes a minute to read: a few megabytes that are gigabytes of spaces.
func slowToRead(t *testing.T) string {
	t.Helper()
	var line bytes.Buffer
	w := gzip.NewWriter(&line)
	_, _ = w.Write(append(bytes.Repeat([]byte(" "), 60<<20), "1\n"...))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "slow")
	write(t, filepath.Join(dir, "slow_A.txt"), "")
	write(t, filepath.Join(dir, "slow_graph_labels.txt"), "1\n")
	write(t, filepath.Join(dir, "slow_graph_indicator.txt.gz"), strings.Repeat(line.String(), 500))
	return dir
}

// fullOfPaths makes graphs in which each vertex has four neighbours: millions of paths of twelve vertices.
func fullOfPaths(t *testing.T) string {
	t.Helper()
	const n = 60
	graphs := make([]tuGraph, 20)
	for g := range graphs {
		graphs[g] = tuGraph{class: itoa(g % 2), labels: slices.Repeat([]string{"0"}, n)}
		for v := range n {
			graphs[g].edges = append(graphs[g].edges, [2]int{v, (v + 1) % n}, [2]int{v, (v + 2 + g%3) % n})
		}
	}
	return writeTU(t, "full", graphs)
}

// stuffedPipe returns the end for writing of a pipe that holds all that it can, and that nobody reads.
func stuffedPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	if err := w.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = w.Write(make([]byte, 1<<12))
	}
	return w
}

// silentServer returns the address of a server that never answers.
func silentServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { l.Close() })
	return "http://" + l.Addr().String() + "/"
}

// Every command ends within a second of a signal, whatever it is doing: reading, computing, writing to where nobody
// reads, or waiting for a server. The time that is allowed here is longer, for a loaded machine.
func TestEveryCommandObeysSignals(t *testing.T) {
	const late = 10 * time.Second
	slow, full, out := slowToRead(t), fullOfPaths(t), filepath.Join(t.TempDir(), "out")
	data := molecules(t, "molecules")
	model, trees := filepath.Join(t.TempDir(), "m.grove"), filepath.Join(t.TempDir(), "t.grove")
	must(t, small("train", "gckn-path", "--data", data, "-o", model)...)
	must(t, "train", "treeg", "--data", data, "--estimators", "2", "-o", trees)
	plan, _, store := planOfParts(t)
	done, _, _ := planOfParts(t)
	must(t, "run-part", done, "--index", "0-2")
	man := filepath.Join(t.TempDir(), "man")
	if err := os.Mkdir(man, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(man, "grove.1"), 0o600); err != nil {
		t.Skip(err)
	}
	long := map[string][][]string{ // by command; those without --data write to a pipe that nobody reads
		"data":         {{}},
		"data synth":   {{"power-law", "--graphs", "200000", "--out", out + "1"}},
		"data info":    {{slow}},
		"data convert": {{slow, "--out", out + "2"}},
		"data split":   {{slow, "--out", out + "3"}},
		"data list":    {{}},
		"data fetch":   {{"MUTAG", "--dir", out + "4", "--url", silentServer(t)}},
		"eval":         {{"gckn-path", "--data", slow}, {"gckn-path", "--path-size", "12", "--data", full}},
		"compare":      {{"--data", slow}, {"gckn-path --path-size 12", "--data", full}},
		"train": {{"gckn-path", "--data", slow, "-o", out}, {"mpgk-aa", "--data", slow, "-o", out},
			{"auto", "--data", slow, "-o", out}},
		"predict":      {{"--model", model, "--data", slow}, {"--model", model, "--data", data}},
		"explain":      {{"--model", model, "--data", slow, "--index", "0", "-o", out + ".svg"}},
		"dump":         {{"--model", trees}},
		"embed":        {{"gckn-path", "--path-size", "12", "--data", full, "-o", out}},
		"gram":         {{"wl", "--data", slow, "-o", out}},
		"plan":         {{}},
		"plan train":   {{"gckn-path", "--data", store, "--out", out + "m", "-o", out + "5.json"}},
		"plan gram":    {{"wl", "--data", slow, "--out", out + "k.npy", "-o", out + "4.json"}},
		"plan embed":   {{"--model", model, "--data", store, "--out", out + ".npy", "-o", out + ".json"}},
		"plan eval":    {{"gckn-path", "--data", slow, "--out", out + "s", "-o", out + "6.json"}},
		"plan compare": {{"--data", slow, "--out", out + "c.json", "-o", out + "3.json"}},
		"plan predict": {{"--model", model, "--data", store, "--out", out + ".csv", "-o", out + "2.json"}},
		"run-part":     {{plan, "--index", "0"}, {plan, "--index", "-"}},
		"merge":        {{done}},
		"devices":      {{}},
		"version":      {{}},
		"man":          {{man}},
		"completion":   {{"bash"}},
		"help":         {{}},
		"":             {{}, {"--version"}},
	}
	for _, name := range commands(newRoot(&app{progress: newProgress(os.Stderr)})) {
		if long[name] == nil {
			t.Errorf("grove %s is not tested", name)
		}
	}
	// What the tests were started to ignore, SIGHUP under nohup for instance, commands ignore too.
	signals := slices.DeleteFunc([]syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP},
		func(s syscall.Signal) bool { return signal.Ignored(s) })
	for command, lines := range long {
		for i, more := range lines {
			args := append(strings.Fields(command), more...)
			t.Run(strings.Join(args[:min(len(args), 2)], " "), func(t *testing.T) {
				t.Parallel()
				sent := signals[(len(command)+i)%len(signals)]
				p, took := signalled(t, sent, 2*time.Second, 4*late, args)
				for wait := 8 * time.Second; wait < time.Minute && endedBy(p, sent); wait *= 4 {
					p, took = signalled(t, sent, wait, 4*late, args) // a busy machine: it did not heed signals yet
				}
				if took > late {
					t.Errorf("%v until it stopped on %v", took, sent)
				}
				said := p.stderr.String()
				if p.ProcessState.ExitCode() != exitInterrupted || strings.Count(said, "\n") > 2 ||
					!strings.HasSuffix(said, "grove: interrupted\n") {
					t.Errorf("%v: it says %q", p.ProcessState, said)
				}
			})
		}
	}
}

// signalled starts a command whose output nobody reads, sends it a signal after a while, and returns it with the time
// that it then took to end; a last one that it cannot ignore ends it.
func signalled(t *testing.T, s syscall.Signal, after, last time.Duration, args []string) (*process, time.Duration) {
	t.Helper()
	p := newProcess(t, "", args...)
	p.Stdout = stuffedPipe(t)
	if _, err := p.StdinPipe(); err != nil { // which nobody writes to
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	start := time.Now()
	if err := p.Process.Signal(s); err != nil {
		t.Fatalf("it has ended already: %s", p.stderr.String())
	}
	kill := time.AfterFunc(last, func() { _ = p.Process.Kill() })
	defer kill.Stop()
	_ = p.Wait()
	return p, time.Since(start)
}

// endedBy reports whether the signal itself has ended a process.
func endedBy(p *process, s syscall.Signal) bool {
	how := p.ProcessState.Sys().(syscall.WaitStatus)
	return how.Signaled() && how.Signal() == s
}

// commands returns the names of all commands below the root that do something, without their models.
func commands(root *cobra.Command) []string {
	var names []string
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		_, name, _ := strings.Cut(c.CommandPath(), " ")
		if c.IsAvailableCommand() || c == root {
			names = append(names, name)
		}
		for _, child := range c.Commands() {
			if !slices.Contains([]string{"eval", "train", "embed", "gram", "completion"}, c.Name()) {
				walk(child)
			}
		}
	}
	walk(root)
	return names
}
