package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fences returns the fenced blocks of a Markdown text.
func fences(text string) []string {
	var blocks []string
	for i, part := range strings.Split("\n"+text, "\n```") {
		if i%2 == 1 {
			_, block, _ := strings.Cut(part, "\n")
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
