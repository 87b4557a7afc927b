package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/eval"
)

// kept is what was measured for a cell: the content of results/PAPER/CELL.json, in the order of its jobs.
type kept []record

// record is what a command said.
type record struct {
	Run     string `json:"run"`
	Command string `json:"command"`
	eval.Measured
	Settings int            `json:"settings"` // that there were to choose from
	Options  map[string]any `json:"options"`  // of the model, the same in all folds
	Chosen   []chosen       `json:"chosen"`   // what else the folds chose, most frequent first
	Seconds  float64        `json:"seconds"`
	Date     string         `json:"date"`
	Revision string         `json:"revision"`
}

// chosen is a setting with the number of folds that chose it.
type chosen struct {
	Folds   int            `json:"folds"`
	Setting map[string]any `json:"setting"`
}

// file is that of a cell.
func (p *place) file(of *paper, c *cell) string {
	return filepath.Join(p.pages, "results", of.name, c.name+".json")
}

// read returns what is kept of a cell, nothing where there is no file.
func (p *place) read(of *paper, c *cell) (kept, error) {
	raw, err := os.ReadFile(p.file(of, c))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var k kept
	if err := json.Unmarshal(raw, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", p.file(of, c), err)
	}
	return k, nil
}

// keep adds a record to those of a cell, or replaces the one of the same run.
func (p *place) keep(of *paper, c *cell, r *record) error {
	k, err := p.read(of, c)
	if err != nil {
		return err
	}
	k = slices.DeleteFunc(k, func(old record) bool { return old.Run == r.Run })
	k = append(k, *r)
	place := func(r record) int { return slices.IndexFunc(c.jobs, func(j job) bool { return j.run == r.Run }) }
	slices.SortStableFunc(k, func(a, b record) int { return place(a) - place(b) })
	if err := os.MkdirAll(filepath.Dir(p.file(of, c)), 0o777); err != nil {
		return err
	}
	return atomicfile.Write(p.file(of, c), func(w io.Writer) error {
		lines := make([][]byte, len(k))
		for i := range k {
			if lines[i], err = json.Marshal(&k[i]); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(w, "[\n%s\n]\n", bytes.Join(lines, []byte(",\n")))
		return err
	})
}

// of returns the records whose commands are those of the cell: what older commands said counts no more.
func (k kept) of(c *cell) kept {
	var current kept
	for _, r := range k {
		if slices.ContainsFunc(c.jobs, func(j job) bool { return j.run == r.Run && j.command == r.Command }) {
			current = append(current, r)
		}
	}
	return current
}

// run returns the record of a run, nil for none.
func (k kept) run(name string) *record {
	at := slices.IndexFunc(k, func(r record) bool { return r.Run == name })
	if at < 0 {
		return nil
	}
	return &k[at]
}

// said is what grove eval --json says that is kept.
type said struct {
	eval.Measured
	Settings int              `json:"n_settings"`
	Params   []map[string]any `json:"params"`
	Seconds  eval.Seconds     `json:"seconds"`
}

// record makes a record of what a command said.
func (s *said) record(j *job, date, revision string) *record {
	r := &record{
		Run: j.run, Command: j.command, Measured: s.Measured, Settings: s.Settings,
		Seconds: s.Seconds.Before + s.Seconds.Total,
		Date:    date, Revision: revision, Options: map[string]any{},
	}
	var settings []map[string]any
	for _, param := range s.Params {
		one := map[string]any{}
		for name, value := range param {
			if options, ok := value.(map[string]any); ok && name == "options" {
				for option, v := range options {
					one[option] = v
				}
			} else if name != string(s.Metric) {
				one[name] = value
			}
		}
		settings = append(settings, one)
	}
	if len(settings) == 0 {
		return r
	}
	for option, value := range settings[0] {
		if !slices.ContainsFunc(settings, func(o map[string]any) bool { return !reflect.DeepEqual(o[option], value) }) {
			r.Options[option] = value
		}
	}
	for _, one := range settings {
		for option := range r.Options {
			delete(one, option)
		}
		at := slices.IndexFunc(r.Chosen, func(c chosen) bool { return reflect.DeepEqual(c.Setting, one) })
		if at < 0 {
			at = len(r.Chosen)
			r.Chosen = append(r.Chosen, chosen{Setting: one})
		}
		r.Chosen[at].Folds++
	}
	slices.SortStableFunc(r.Chosen, func(a, b chosen) int { return b.Folds - a.Folds })
	return r
}

// same says whether two records have the same figures.
func (r *record) same(other *record) bool {
	return r.Mean == other.Mean && r.Std == other.Std && slices.Equal(r.Folds, other.Folds)
}
