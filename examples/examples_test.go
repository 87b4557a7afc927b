package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
)

// Every folder is a program of at most 40 lines that does what it says, on a generated data set.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	data, store := filepath.Join(dir, "molecules"), filepath.Join(dir, "store")
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 100, Vertices: 12})
	if err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteTU(data, d); err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteShards(store, d); err != nil {
		t.Fatal(err)
	}
	const number = `[0-9.]+`
	programs := map[string]struct {
		args []string
		want string // what it prints, a regular expression
	}{
		"train": {[]string{data, filepath.Join(dir, "m.grove")},
			`wl-oa, 5 rounds, C ` + number + ` chosen among 7 values by 5-fold cross-validation
graph 0: class 0, decision -` + number + `
graph 1: class 1, decision ` + number + `
graph 2: class 0, decision -` + number},
		"compare": {[]string{data},
			`wl     (9.\..|100\.0) \+- .\.. %, by fold \[(` + number + ` ?){5}\]
treeg  (9.\..|100\.0) \+- .\.. %, by fold \[(` + number + ` ?){5}\]`},
		"graphs":  {nil, `\[ring path\] \[0 1 0 1\] <nil>`},
		"vectors": {[]string{data}, `100 graphs x 96 columns\n[1-9][0-9] % of the variance along one direction`},
		"stream":  {[]string{store}, `(9[0-9]|100) of 100 graphs are right \(<nil>\)`},
		// tanh(0.549) = 0.5, what the neighbours of a one should have
		"convolution": {[]string{"cpu"}, `loss 0\.0000, weight 0\.549`},
	}
	folders, err := filepath.Glob("*/main.go")
	if err != nil || len(folders) != len(programs) {
		t.Fatalf("%d programs, %d are known here: %v", len(folders), len(programs), err)
	}
	for _, path := range folders {
		name := filepath.Dir(path)
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(string(source), "\n"); lines > 40 {
				t.Errorf("%d lines, want at most 40", lines)
			}
			out, err := exec.Command("go", append([]string{"run", "./" + name}, programs[name].args...)...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if !regexp.MustCompile(`^` + programs[name].want + `\n$`).Match(out) {
				t.Errorf("it says\n%s\nwant\n%s", out, programs[name].want)
			}
		})
	}
}
