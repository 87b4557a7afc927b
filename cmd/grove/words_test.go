package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyCommand calls visit for a command and all commands below it.
func everyCommand(c *cobra.Command, visit func(c *cobra.Command)) {
	visit(c)
	for _, child := range c.Commands() {
		everyCommand(child, visit)
	}
}

// wordsOf returns the words that a flag takes, as far as it takes nothing but words: those that its error names.
func wordsOf(f *pflag.Flag) []string {
	if f.Value.Type() == "string" || f.NoOptDefVal != "" {
		return nil // takes anything, or stands alone
	}
	err := f.Value.Set("no such word")
	if err == nil {
		return nil
	}
	named := regexp.MustCompile(`(?:want|is neither) (.*)$`).FindStringSubmatch(err.Error())
	if named == nil {
		return nil
	}
	words := regexp.MustCompile(`, | or | nor `).Split(named[1], -1)
	if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, " ") }) {
		return nil // an explanation
	}
	return words
}

func TestHelpListsTheWordsOfAFlag(t *testing.T) {
	root := newRoot(&app{progress: newProgress(&bytes.Buffer{})})
	seen := 0
	everyCommand(root, func(c *cobra.Command) {
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			words := wordsOf(f)
			seen += len(words)
			value, usage := describeFlag(f)
			listed := regexp.MustCompile(`[^a-z0-9+_-]+`).Split(value+" "+usage, -1)
			for _, w := range words {
				if !slices.Contains(listed, w) {
					t.Errorf("%s: help says --%s %s %s, nothing of %q", c.CommandPath(), f.Name, value, usage, w)
				}
			}
			if complete := f.Annotations["words"]; len(words) > 0 && !slices.Equal(complete, words) {
				t.Errorf("%s: the shell completes --%s by %q, it takes %q", c.CommandPath(), f.Name, complete, words)
			}
		})
	})
	if seen < 300 {
		t.Errorf("only %d words found", seen)
	}
}

func TestCommandsStandInColumns(t *testing.T) {
	for _, args := range [][]string{{"eval", "--help"}, {"train", "--help"}, {"embed", "--help"}} {
		columns := map[int]bool{}
		model := regexp.MustCompile(`(?m)^  (?:gckn|wl|treeg|cgmm)[a-z0-9-]* +`)
		for _, m := range model.FindAllString(must(t, args...), -1) {
			columns[len(m)] = true
		}
		if len(columns) > 1 {
			t.Errorf("%v: descriptions of models begin in columns %v", args, columns)
		}
	}
}
