package main

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grove-graph/grove/dataset"
)

// readmeCommands returns the commands of README in their order: the lines of its fenced blocks that are commands, and
// what stands in backquotes and begins with build/grove.
func readmeCommands(t *testing.T, readme string) (commands []string) {
	t.Helper()
	joined := strings.ReplaceAll(readme, "\\\n", " ")
	inline := regexp.MustCompile("`(build/grove [^`]+)`")
	fenced := false
	for line := range strings.Lines(joined) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced && regexp.MustCompile(`^(make|build/(gpu/)?grove) `).MatchString(line):
			command, _, _ := strings.Cut(line, "  #")
			commands = append(commands, strings.TrimSpace(command))
		case fenced && !regexp.MustCompile(`^mine/mine_\w+\.txt `).MatchString(line):
			t.Errorf("README has a line in a block that is neither a command nor a file of mine: %q", line)
		case !fenced:
			for _, m := range inline.FindAllStringSubmatch(line, -1) {
				commands = append(commands, m[1])
			}
		}
	}
	return commands
}

// recipe returns the commands of a target of the Makefile, and whether there is such a target.
func recipe(makefile, target string) (commands []string, there bool) {
	for line := range strings.Lines(makefile) {
		switch {
		case strings.HasPrefix(line, target+":"):
			there = true
		case there && strings.HasPrefix(line, "\t"):
			commands = append(commands, strings.TrimSpace(line))
		case there:
			return commands, true
		}
	}
	return commands, there
}

// writeMine writes the files that README lists for one's own data, of generated molecules.
func writeMine(t *testing.T, readme, name string, seed uint64) {
	t.Helper()
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 60, Vertices: 12, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	d.Name = "mine"
	b := *d.Batch
	b.AttributeDim = 1
	for v := range b.NumVertices() {
		b.Attributes = append(b.Attributes, float64(v%7))
	}
	from := filepath.Join(t.TempDir(), "mine")
	if err := dataset.WriteTU(from, d.WithBatch(&b)); err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile(`(?m)^mine/(mine_\w+\.txt) `).FindAllStringSubmatch(readme, -1)
	if len(files) != 5 {
		t.Errorf("README lists %d files of mine", len(files))
	}
	for _, f := range files {
		write(t, filepath.Join(name, f[1]), string(readFile(t, filepath.Join(from, f[1]))))
	}
}

// collection serves a data set as the TU collection does.
func collection(t *testing.T, folder, name string) *httptest.Server {
	t.Helper()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		_, kind, _ := strings.Cut(filepath.Base(file), "_")
		out, err := w.Create(name + "/" + name + "_" + kind)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(readFile(t, file)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/"+name+".zip" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(archive.Bytes())
	}))
	t.Cleanup(server.Close)
	return server
}

// shellWords divides a line as a shell does, but for what README does not have.
func shellWords(line string) []string {
	words := regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1)
	for i, w := range words {
		words[i] = strings.Trim(w, "'")
	}
	return words
}

// Every command of README runs, in the order in which they stand there, in a folder like a fresh clone. Some things
// are not as a reader does them: grove runs within the test and not as build/grove; of the targets of make, demo is run
// by its recipe and the others need only exist; data are downloaded from a server within the test; and what asks for a
// GPU takes the processor.
func TestReadmeCommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	root := filepath.Join("..", "..")
	readme := string(readFile(t, filepath.Join(root, "README.md")))
	makefile := string(readFile(t, filepath.Join(root, "Makefile")))
	commands := readmeCommands(t, readme)
	t.Chdir(t.TempDir())
	writeMine(t, readme, "mine", 1)
	writeMine(t, readme, "new", 2)
	if err := os.MkdirAll("build", 0o777); err != nil {
		t.Fatal(err)
	}
	server := collection(t, "mine", "MUTAG")
	kinds := map[string]bool{}
	for _, command := range commands {
		words := shellWords(command)
		kinds[words[0]+" "+words[1]] = true
		if words[0] == "make" {
			steps, there := recipe(makefile, words[1])
			if !there {
				t.Errorf("%s: the Makefile has no such target", command)
			}
			for _, step := range steps {
				step = strings.NewReplacer("$(DEMO)", "build/demo", "$(BUILD)", "build").Replace(step)
				if words[1] == "demo" && strings.HasPrefix(step, "build/grove ") {
					must(t, strings.Fields(step)[1:]...)
				}
			}
			continue
		}
		args := words[1:]
		if i := slices.Index(args, "cuda"); i > 0 && args[i-1] == "--device" {
			args[i] = "auto"
		}
		if strings.HasPrefix(command, "build/grove data fetch ") {
			args = append(args, "--url", server.URL, "--accept-changed") // a small set of the same name
		}
		start := time.Now()
		must(t, args...)
		t.Logf("%6.2f s  %s", time.Since(start).Seconds(), command)
	}
	for _, kind := range []string{"make demo", "make test", "make gpu", "build/grove data", "build/grove eval",
		"build/grove train", "build/grove predict", "build/grove explain", "build/grove embed", "build/gpu/grove devices"} {
		if !kinds[kind] {
			t.Errorf("README has no command %s, or it is not found", kind)
		}
	}
}
