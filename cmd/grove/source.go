package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/spf13/pflag"
)

// source is the data set that a command reads, and how.
type source struct {
	data    string
	reading dataset.Reading
}

// addFlags declares --data and how to read it.
func (s *source) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&s.data, "data", "", "`DIR` data set to read, a folder or a file; - for Arrow IPC on standard input")
	s.addReadingFlags(fs)
}

// addReadingFlags declares how to read a data set.
func (s *source) addReadingFlags(fs *pflag.FlagSet) {
	fs.StringVar(&s.reading.Molecules.Column, "smiles-column", "", "`NAME` column that holds molecules (default: smiles)")
	fs.BoolVar(&s.reading.Molecules.Hydrogens, "hydrogens", false, "of molecules: make hydrogens vertices")
	var names []string
	for _, a := range dataset.AtomAttributes() {
		names = append(names, string(a))
	}
	fs.Var(param.List(&s.reading.Molecules.Attributes, param.Word(dataset.AtomAttributes()...)), "atom-attributes",
		"`NAME,...` of molecules: what vertices have as attributes, of "+strings.Join(names, ", "))
	annotateWords(fs, "atom-attributes", dataset.AtomAttributes())
	fs.BoolVar(&s.reading.Molecules.SkipInvalid, "skip-invalid", false,
		"of molecules: leave out those that cannot be read, and list them")
	s.addTableFlags(fs)
}

// open reads the data set.
func (s *source) open() (*dataset.Dataset, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.data == standardInput {
		return s.reading.Molecules.ReadArrow(os.Stdin, "standard input")
	}
	return s.reading.Open(s.data)
}

// standardInput names in place of a data set the stream of Arrow IPC that comes there.
const standardInput = "-"

// check refuses to read molecules or tables in some way where there are none.
func (s *source) check() error {
	held := s.reading.FormatOf(s.data)
	i := slices.IndexFunc(dataset.Formats(), func(f dataset.FormatInfo) bool { return f.Format == held })
	if i < 0 {
		return nil
	}
	f, m := dataset.Formats()[i], &s.reading.Molecules
	for _, flag := range append(s.tableFlags(f), []readingFlag{
		{"smiles-column", m.Column != "", f.Molecules, "molecules"}, {"hydrogens", m.Hydrogens, f.Molecules, "molecules"},
		{"atom-attributes", m.Attributes != nil, f.Molecules, "molecules"},
		{"skip-invalid", m.SkipInvalid, f.Molecules, "molecules"},
	}...) {
		if flag.given && !flag.fits {
			return usagef("--%s: %s is no file of %s (it has %s format); leave it out", flag.name, s.data, flag.of, held)
		}
	}
	return nil
}

// readingFlag is a flag that says how to read data of some kind.
type readingFlag struct {
	name        string
	given, fits bool
	of          string
}

// as makes the command read molecules as those were that a model learned from.
func (s *source) as(h *model.Head) error {
	if h.Molecules == nil {
		return nil
	}
	m := &s.reading.Molecules
	differs := m.Hydrogens && !h.Molecules.Hydrogens ||
		m.Attributes != nil && !slices.Equal(m.Attributes, h.Molecules.Attributes)
	if differs {
		return usagef("--hydrogens, --atom-attributes: the model learned from molecules that were read %s; leave them out",
			readingOf(h.Molecules))
	}
	m.Hydrogens, m.Attributes = h.Molecules.Hydrogens, h.Molecules.Attributes
	return nil
}

// readingOf says with which flags molecules were read.
func readingOf(m *dataset.Molecules) string {
	var flags []string
	if m.Hydrogens {
		flags = append(flags, "--hydrogens")
	}
	if len(m.Attributes) > 0 {
		var names []string
		for _, a := range m.Attributes {
			names = append(names, string(a))
		}
		flags = append(flags, "--atom-attributes "+strings.Join(names, ","))
	}
	if flags == nil {
		return "without them"
	}
	return "with " + strings.Join(flags, " and ")
}

// skippedNotes lists the molecules that were left out.
func skippedNotes(d *dataset.Dataset) []string {
	var notes []string
	for _, text := range d.Skipped {
		notes = append(notes, fmt.Sprintf("left out: %s", text))
	}
	return notes
}
