package main

import (
	_ "embed" // of the script
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed rivals.py
var rivalsScript string

// compared is what the rivals are put beside.
type compared struct {
	Python  string            `json:"python,omitempty"`
	Absent  map[string]string `json:"absent,omitempty"` // libraries, and why they cannot be used
	Errors  []string          `json:"errors,omitempty"`
	Figures []figure          `json:"figures"` // Grove's first
}

// rivals times Grove and what Python has on the same arrays.
func (s *session) rivals() (any, string, error) {
	folder := filepath.Join(s.work, "arrays")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, "", err
	}
	columns := fmt.Sprint(s.sizes.columns)
	_, err := s.call(program{path: "kit", limit: 60 * time.Second, args: []string{"arrays", folder, "--device", "cuda",
		"--graphs", fmt.Sprint(s.sizes.graphs), "--columns", columns}})
	if err != nil {
		return nil, "", err
	}
	text, err := os.ReadFile(filepath.Join(folder, "grove.json"))
	if err != nil {
		return nil, "", err
	}
	c := &compared{}
	if err := json.Unmarshal(text, &c.Figures); err != nil {
		return nil, "", err
	}
	own := len(c.Figures)
	if c.Python = python(); c.Python == "" {
		return c, "", notRunOfRivals("no python3 was found")
	}
	script, device := filepath.Join(folder, "rivals.py"), "cuda"
	if s.sim {
		device = "cpu" // where others find no simulated GPU
	}
	if err := os.WriteFile(script, []byte(rivalsScript), 0o666); err != nil {
		return c, "", err
	}
	text, err = s.call(program{path: c.Python, args: []string{script, folder, device, columns}, limit: 120 * time.Second})
	if err != nil {
		return c, "", err
	}
	var others compared
	if err := json.Unmarshal([]byte(finalLine(text)), &others); err != nil {
		return c, "", err
	}
	c.Absent, c.Errors, c.Figures = others.Absent, others.Errors, append(c.Figures, others.Figures...)
	if err := c.agree(); err != nil {
		return c, "", err
	}
	if len(c.Figures) == own {
		return c, "", notRunOfRivals(c.missing())
	}
	return c, c.line(), nil
}

// notRunOfRivals says that only Grove was measured.
func notRunOfRivals(why string) error { return notRun("Grove alone was measured: %s", why) }

// finalLine returns the last line of what a program printed, whole.
func finalLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// python returns the first Python that has torch, or else the first one at all, or "".
func python() string {
	var all []string
	names := []string{"python3", "python", "/opt/conda/bin/python3", "/usr/local/bin/python3", "/usr/bin/python3"}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil && !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	for _, path := range all {
		const question = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
		if exec.Command("timeout", "-k", "1", "20", path, "-c", question).Run() == nil {
			return path
		}
	}
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// agree wants the same sums, up to the rounding of float32.
func (c *compared) agree() error {
	for _, own := range c.Figures {
		for _, f := range c.Figures {
			if own.Size > 0 && f.Operation == own.Operation && math.Abs(f.Sum-own.Sum) > 1e-4*own.Size {
				return fmt.Errorf("%s: the entries add up to %g by %s, to %g by Grove", f.Operation, f.Sum, f.By, own.Sum)
			}
		}
	}
	return nil
}

// missing names what could not be used.
func (c *compared) missing() string {
	var all []string
	for name, why := range c.Absent {
		all = append(all, name+" ("+why+")")
	}
	slices.Sort(all)
	return strings.Join(append(all, c.Errors...), ", ")
}

// line says how many times as fast as the best of the others Grove is.
func (c *compared) line() string {
	var ratios []string
	for _, own := range c.Figures {
		best := math.Inf(1)
		for _, f := range c.Figures {
			if f.Operation == own.Operation && f.By != grove {
				best = min(best, f.Seconds)
			}
		}
		if own.By == grove && !math.IsInf(best, 1) {
			ratios = append(ratios, fmt.Sprintf("%s %.2f", own.Operation, best/own.Seconds))
		}
	}
	line := "times as fast as the best rival: " + strings.Join(ratios, ", ")
	if absent := c.missing(); absent != "" {
		line += "; absent: " + absent
	}
	return line
}
