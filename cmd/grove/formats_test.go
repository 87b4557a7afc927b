package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
)

// fences returns the fenced blocks of a Markdown page.
func fences(page string) []string {
	var blocks []string
	for i, text := range strings.Split("\n"+page, "\n```") {
		if i%2 == 1 {
			_, block, _ := strings.Cut(text, "\n")
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// writeListing writes the files of a listing: their names, each followed by its indented lines.
func writeListing(t *testing.T, listing string) {
	t.Helper()
	name, content := "", strings.Builder{}
	for line := range strings.SplitSeq(listing, "\n") {
		if text, inside := strings.CutPrefix(line, "    "); inside {
			content.WriteString(text + "\n")
			continue
		}
		if name != "" {
			write(t, name, content.String())
		}
		name = line
		content.Reset()
	}
	write(t, name, content.String())
}

// agrees reports whether lines are those wanted, where "..." stands for any number of them.
func agrees(lines, want []string) bool {
	switch {
	case len(want) == 0:
		return len(lines) == 0
	case want[0] == "...":
		return agrees(lines, want[1:]) || len(lines) > 0 && agrees(lines[1:], want)
	}
	return len(lines) > 0 && strings.TrimRight(lines[0], " ") == want[0] && agrees(lines[1:], want[1:])
}

func TestFormatsAreAsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	commands := 0
	for _, block := range fences(string(page)) {
		if !strings.HasPrefix(block, "$ ") {
			writeListing(t, block)
			continue
		}
		for example := range strings.SplitSeq(strings.TrimPrefix(block, "$ grove "), "\n$ grove ") {
			lines := strings.Split(example, "\n")
			got := must(t, strings.Fields(lines[0])...)
			if !agrees(strings.Split(strings.TrimSuffix(got, "\n"), "\n"), lines[1:]) {
				t.Errorf("grove %s prints\n%s\ndocs/formats.md says\n%s", lines[0], got, strings.Join(lines[1:], "\n"))
			}
			commands++
		}
	}
	if commands < 10 {
		t.Errorf("only %d commands found", commands)
	}
}

func TestHelpNamesTheFormats(t *testing.T) {
	for _, args := range [][]string{{"data", "--help"}, {"data", "info", "--help"}, {"data", "convert", "--help"}} {
		if !strings.Contains(must(t, args...), "docs/formats.md") {
			t.Errorf("grove %s does not name docs/formats.md", strings.Join(args, " "))
		}
	}
}

// What data info and data convert say and take follows from the list of formats.
func TestFormatsAreThoseOfTheirList(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "data", "synth", "molecules", "--graphs", "4", "--out", "graphs")
	must(t, "data", "synth", "block-model", "--vertices", "60", "--out", "vertices")
	info, convert := must(t, "data", "info", "--help"), must(t, "data", "convert", "--help")
	words := must(t, "__complete", "data", "convert", "--to", "")
	for _, f := range dataset.Formats() {
		if !strings.Contains(info, f.File) || !strings.Contains(info, f.Title) {
			t.Errorf("grove data info --help does not name %s", f)
		}
		if offered := strings.Contains("\n"+words, "\n"+f.Short+"\n"); offered != f.Written {
			t.Errorf("the shell offers %s: %t", f.Short, offered)
		}
		if !f.Written {
			fails(t, exitUsage, []string{"--to " + f.Short, "want "},
				"data", "convert", "graphs", "--to", f.Short, "--out", "no")
			continue
		}
		if !strings.Contains(convert, f.Short+" ") || !strings.Contains(convert, f.About) {
			t.Errorf("grove data convert --help does not describe %s", f)
		}
		from := "graphs"
		if f.Format == dataset.NodeFormat {
			from = "vertices"
		}
		must(t, "data", "convert", from, "--to", f.Short, "--out", f.Short)
		if got := dataset.FormatOf(f.Short); got != f.Format {
			t.Errorf("--to %s writes %s", f.Short, got)
		}
	}
}
