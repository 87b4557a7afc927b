//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grove-graph/grove/model"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// extremes is the variable that makes TestExtremeNumbers the process that goes through the flags of a command.
const extremes = "GROVE_TEST_EXTREMES"

// Whatever number a flag gets, the command ends soon, with success or one line that says what is wrong, and with little
// memory: a number that the arithmetic does not bear is refused with the flag and its range.
func TestExtremeNumbers(t *testing.T) {
	if name := os.Getenv(extremes); name != "" {
		everyExtreme(t, strings.Fields(name))
		return
	}
	if testing.Short() {
		t.Skip("takes a while")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range commandsWithNumbers() {
		c := exec.Command("sh", "-c", `ulimit -v 6000000; exec "$0" -test.run '^TestExtremeNumbers$' -test.v`, self)
		c.Env = append(os.Environ(), extremes+"="+name, "GOTRACEBACK=single")
		if said, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, said[max(0, len(said)-5000):])
		}
	}
}

// commandsWithNumbers returns those with flags of their own that take numbers, with a model of each family.
func commandsWithNumbers() []string {
	names := []string{"data synth", "data split", "explain", "dump"}
	for _, f := range model.Families() {
		for _, verb := range f.Verbs {
			names = append(names, string(verb)+" "+f.Models[len(f.Models)-1].Name)
		}
	}
	return names
}

// everyExtreme gives each flag of a command each number.
func everyExtreme(t *testing.T, words []string) {
	data := filepath.Join(t.TempDir(), "data")
	must(t, "data", "synth", "molecules", "--graphs", "12", "--vertices", "6", "--seed", "1", "--out", data)
	out := filepath.Join(t.TempDir(), "out")
	line := slices.Clone(words)
	c := commandOf(t, words)
	for _, option := range [][]string{ // those that the command knows
		{"--data", data}, {"--out", out + ".svg"}, {"--overwrite", "true"}, {"--c", "1"}, {"--cv", "2"}, {"--inner", "2"},
		{"--path-size", "2"}, {"--filters", "4"}, {"--samples", "100"}, {"--epochs", "1"}, {"--estimators", "2"},
		{"--states", "2"}, {"--layers", "2"}, {"--iterations", "2"}, {"--graphs", "4"}, {"--vertices", "6"}, {"--index", "0"},
	} {
		networks := strings.Contains(words[len(words)-1], "gckn") // which write --layers otherwise
		if c.Flag(option[0][2:]) != nil && !(networks && option[0] == "--layers") {
			line = append(line, strings.Join(option, "="))
		}
	}
	file := filepath.Join(t.TempDir(), "m.grove")
	switch words[0] + words[len(words)-1] {
	case "datasynth":
		line = append(line, "molecules")
	case "datasplit":
		line = append(line, data)
	case "explainexplain":
		must(t, small("train", "gckn-path", "--data", data, "-o", file)...)
		line = append(line, "--model", file)
	case "dumpdump":
		must(t, "train", "treeg", "--data", data, "--estimators", "2", "-o", file)
		line = append(line, "--model", file)
	}
	tried := 0
	for _, flag := range numeric(t, words) {
		for _, value := range []string{
			"1e307", "-1e307", "1e-307", "NaN", "Inf", "-1", "0", "1000000", "1000000000", "9223372036854775807", "1e19",
		} {
			if words[0] == "data" && value == "1000000" {
				continue // there is room for that, and it is made
			}
			tried++
			endsSoon(t, append(slices.Clone(line), "--"+flag+"="+value))
		}
	}
	for _, layers := range []string{
		"1e9:4:1", "2:1000000000:1", "2:4:1e307", "2:4:NaN", "0:0:0", "-1:-1:-1", "2:4:1e-307",
	} {
		if c.CommandPath() == "grove eval gckn-3layer" {
			endsSoon(t, []string{"eval", c.Name(), "--data", data, "--cv", "2", "--layers=" + layers})
		}
	}
	if tried < 10 {
		t.Errorf("%d numbers were tried", tried)
	}
}

func commandOf(t *testing.T, words []string) *cobra.Command {
	t.Helper()
	c, _, err := newRoot(&app{progress: newProgress(os.Stderr)}).Find(words)
	if err != nil || c.Name() != words[len(words)-1] {
		t.Fatalf("command %v: %v", words, err)
	}
	return c
}

// numeric returns the flags of a command that take numbers.
func numeric(t *testing.T, words []string) []string {
	var names []string
	visit := func(f *pflag.Flag) {
		takes := func(value string) bool { return f.Value.Set(value) == nil }
		if !takes("x") && !takes("true") && (takes("1") || takes("2")) {
			names = append(names, f.Name)
		}
	}
	c := commandOf(t, words)
	c.Flags().VisitAll(visit)
	c.InheritedFlags().VisitAll(visit)
	return names
}

// endsSoon runs a command line that may fail.
func endsSoon(t *testing.T, args []string) {
	t.Helper()
	line := strings.Join(args, " ")
	var out, errs bytes.Buffer
	ended := make(chan int, 1)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	go func() { ended <- run(ctx, append(args, "--quiet"), &out, &errs) }()
	var status int
	select {
	case status = <-ended:
	case <-time.After(30 * time.Second):
		t.Fatalf("grove %s: it does not end", line)
	}
	said := errs.String()
	t.Logf("%d grove %s: %s", status, line, said)
	flag, _, _ := strings.Cut(args[len(args)-1], "=")
	switch {
	case status == exitInterrupted: // much work, and it obeys
	case status < 0 || status > exitUsage:
		t.Errorf("grove %s: exit status %d, it says %q", line, status, said)
	case strings.Count(said, "\n") > 1 || strings.Contains(said, "please report it"):
		t.Errorf("grove %s: it says %q", line, said)
	case status == exitUsage && !strings.Contains(said, flag) && !strings.Contains(line, "data synth"):
		t.Errorf("grove %s: the flag is not named: %q", line, said)
	}
}
