package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups in which help and man pages list flags, in this order.
const (
	groupData      = "Data"
	groupProtocol  = "Protocol"
	groupModel     = "Model"
	groupComputing = "Computing"
	groupOutput    = "Output"
	groupOther     = "Other"
)

func flagGroups() []string {
	return []string{groupData, groupProtocol, groupModel, groupComputing, groupOutput, groupOther}
}

// addFlags adds the flags that define declares to a set, under the heading of a group. The usage of a
// flag may begin with the name of its value in backquotes.
func addFlags(to *pflag.FlagSet, group string, define func(fs *pflag.FlagSet)) {
	fs := pflag.NewFlagSet(group, pflag.ContinueOnError)
	fs.SortFlags = false
	define(fs)
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations["group"] = []string{group}
		if rest, ok := strings.CutPrefix(f.Usage, "`"); ok {
			value, usage, _ := strings.Cut(rest, "` ")
			f.Annotations["value"], f.Usage = []string{value}, usage
			if value == "DIR" {
				f.Annotations[cobra.BashCompSubdirsInDir] = []string{} // shells offer folders
			}
		}
	})
	to.SortFlags = false
	to.AddFlagSet(fs)
}

// groupedFlags returns the visible flags of a command, its own and those of its parents, by group.
func groupedFlags(c *cobra.Command) map[string]*pflag.FlagSet {
	inherited, own := c.InheritedFlags(), c.NonInheritedFlags()
	inherited.SortFlags, own.SortFlags = false, false
	groups := map[string]*pflag.FlagSet{}
	collect := func(f *pflag.Flag) {
		name := groupOther
		if g := f.Annotations["group"]; len(g) > 0 {
			name = g[0]
		}
		if groups[name] == nil {
			groups[name] = pflag.NewFlagSet(name, pflag.ContinueOnError)
			groups[name].SortFlags = false
		}
		if !f.Hidden {
			groups[name].AddFlag(f)
		}
	}
	inherited.VisitAll(collect)
	own.VisitAll(collect)
	return groups
}

// writeHelp writes what a command does and how it is called; full adds the long description.
func writeHelp(w io.Writer, c *cobra.Command, full bool) error {
	var text strings.Builder
	if full {
		text.WriteString(cmp.Or(c.Long, c.Short+".") + "\n\n")
	}
	fmt.Fprintf(&text, "Usage:\n  %s\n", useLine(c))
	if c.HasExample() {
		fmt.Fprintf(&text, "\nExamples:\n%s\n", c.Example)
	}
	writeCommands(&text, c)
	groups := groupedFlags(c)
	for _, name := range flagGroups() {
		if fs := groups[name]; fs != nil && fs.HasAvailableFlags() {
			fmt.Fprintf(&text, "\n%s:\n%s", name, flagTable(fs, terminalWidth()))
		}
	}
	if models := modelsBelow(c); len(models) > 0 {
		fmt.Fprintf(&text, "\nEvery model has flags of its own: %s %s --help\n", c.CommandPath(), models[0].Name())
	} else if c.HasAvailableSubCommands() {
		fmt.Fprintf(&text, "\nMore on a command: %s COMMAND --help\n", c.CommandPath())
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// describeFlag returns the name of a flag's value, the words it accepts or nothing; and what it does.
func describeFlag(f *pflag.Flag) (value, usage string) {
	usage = f.Usage
	if name := f.Annotations["value"]; len(name) > 0 {
		value = name[0]
	} else if words := f.Annotations["words"]; len(words) > 0 {
		value = strings.Join(words, "|")
	}
	if d := f.DefValue; d != "" && d != "false" && d != "0" {
		usage += " (default " + d + ")"
	}
	return value, usage
}

// flagTable lists flags, wrapped to a width.
func flagTable(fs *pflag.FlagSet, width int) string {
	const indent, gap, widest = 6, 2, 30
	var names, usages []string
	column := 0
	fs.VisitAll(func(f *pflag.Flag) {
		value, usage := describeFlag(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		} else {
			name = "    " + name
		}
		if value != "" {
			name += " " + value
		}
		names, usages = append(names, name), append(usages, usage)
		if len(name) <= widest {
			column = max(column, len(name))
		}
	})
	var text strings.Builder
	margin := strings.Repeat(" ", indent-4+column+gap)
	for i, name := range names {
		lines := wrap(usages[i], width-len(margin))
		if len(name) > column {
			fmt.Fprintf(&text, "  %s\n%s", name, margin)
		} else {
			fmt.Fprintf(&text, "  %-*s  ", column, name)
		}
		text.WriteString(strings.Join(lines, "\n"+margin) + "\n")
	}
	return text.String()
}

// wrap breaks a text into lines of at most width characters where its words allow it.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// writeCommands lists the commands and the models below c.
func writeCommands(text *strings.Builder, c *cobra.Command) {
	models := modelsBelow(c)
	column := 0
	for _, child := range c.Commands() {
		column = max(column, len(child.Name()))
	}
	list := func(heading string, want bool) {
		for _, child := range c.Commands() {
			if !child.IsAvailableCommand() || isModel(child) != want {
				continue
			}
			if heading != "" {
				fmt.Fprintf(text, "\n%s:\n", heading)
				heading = ""
			}
			fmt.Fprintf(text, "  %-*s  %s\n", column, child.Name(), child.Short)
		}
	}
	list("Commands", false)
	if len(models) > 0 {
		list("Models", true)
	}
}

// useLine is the pattern of a call.
func useLine(c *cobra.Command) string {
	line := c.UseLine()
	if c.HasAvailableSubCommands() && len(modelsBelow(c)) == 0 {
		line = c.CommandPath() + " COMMAND"
	}
	return line
}

// modelsBelow returns the commands below c that name a model.
func modelsBelow(c *cobra.Command) []*cobra.Command {
	var models []*cobra.Command
	for _, child := range c.Commands() {
		if isModel(child) {
			models = append(models, child)
		}
	}
	return models
}

// isModel reports whether the command is a verb applied to a model, as in grove eval gckn-path.
func isModel(c *cobra.Command) bool { return c.Annotations["family"] != "" }

// terminalWidth is the width that help is wrapped at.
func terminalWidth() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n >= 60 {
		return min(n, 120)
	}
	return 100
}
