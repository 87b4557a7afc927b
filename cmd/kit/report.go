package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/grove-graph/grove/atomicfile"
)

// page is what kit report writes: the parts that were run, beside what was predicted.
type page struct {
	parts       []partRead
	predictions map[string]string // by the name of a figure of bench
}

// partRead is a partFile whose data are not looked at yet.
type partRead struct {
	partFile
	Checks []resultRead `json:"checks"`
}

type resultRead struct {
	result
	Data json.RawMessage `json:"data"`
}

// reportCommand writes the page of the results in some folders. Without any it says that nothing was run.
func reportCommand(args []string) error {
	f := flag.NewFlagSet("kit report", flag.ContinueOnError)
	predictions := f.String("predictions", filepath.Join("docs", "benchmarks", "predictions.md"), "")
	out := f.String("out", "", "")
	folders, err := flagsAnywhere(f, args)
	if err != nil {
		return err
	}
	p := &page{predictions: map[string]string{}}
	text, err := os.ReadFile(*predictions)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--predictions: %w", err)
	}
	p.readPredictions(string(text))
	for _, folder := range folders {
		if err := p.readParts(folder); err != nil {
			return err
		}
	}
	slices.SortStableFunc(p.parts, func(a, b partRead) int { return strings.Compare(a.Part, b.Part) })
	var b bytes.Buffer
	if err := p.write(&b); err != nil {
		return err
	}
	if *out == "" {
		_, err := b.WriteTo(os.Stdout)
		return err
	}
	return atomicfile.Write(*out, func(w io.Writer) error { _, err := b.WriteTo(w); return err })
}

// readParts reads a.json, b.json and c.json of a folder, as many as there are.
func (p *page) readParts(folder string) error {
	before := len(p.parts)
	for _, known := range parts {
		name := filepath.Join(folder, strings.ToLower(known.name)+".json")
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var part partRead
		if err == nil {
			err = json.Unmarshal(text, &part)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		p.parts = append(p.parts, part)
	}
	if len(p.parts) == before {
		return fmt.Errorf("%s has none of a.json, b.json and c.json: write them with run.sh --out", folder)
	}
	return nil
}

// readPredictions takes the first column of every table in Markdown that has a column of predictions, and that column.
func (p *page) readPredictions(text string) {
	column := -1
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			column = -1
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		if column < 0 {
			column = slices.IndexFunc(cells, func(c string) bool {
				return strings.Contains(strings.ToLower(c), "predict")
			})
			continue
		}
		if column < len(cells) && column > 0 && !strings.HasPrefix(cells[0], "--") {
			p.predictions[figureOf(cells[0])] = cells[column]
		}
	}
}

// predicted are the figures of bench that predictions have other words for.
var predicted = map[string]string{
	"path pooling, NCI1, 128 filters":              "path-trie",
	"sparse product, power law of 10 million arcs": "sparse-matmul-power-law",
	"assignment, 300 000 points to 1024 anchors":   "assign",
	"NCI1 encoded, warm":                           "nci1-path/encode",
	"epoch of NCI1, 32 filters, batches of 32":     "train-nci1-path/epoch",
}

func figureOf(prediction string) string {
	if name, known := predicted[prediction]; known {
		return name
	}
	return prediction
}

// write writes the page.
func (p *page) write(w io.Writer) error {
	if len(p.parts) == 0 {
		fmt.Fprint(w, "# Grove on an H200\n\nNot run yet, for want of one. [docs/kit.md](../kit.md) says how; "+
			"`kit report` then writes this page\nfrom what it measures, beside what was predicted.\n")
		return p.figures(w, nil, nil)
	}
	device := p.parts[0].Device
	fmt.Fprintf(w, "# Grove on %s\n\nWritten by `kit report` from what the kit measured ([docs/kit.md](../kit.md)).\n",
		device)
	for _, part := range p.parts {
		note := ""
		if part.Simulated {
			note = ", on a simulated GPU: its times say nothing"
		}
		fmt.Fprintf(w, "\n## Part %s\n\n%s, size %s, begun %s, %.0f s%s\n\n", part.Part, part.Device, part.Size, part.Begun,
			part.Seconds, note)
		table(w, []string{"check", "result", "seconds", "why"})
		for _, c := range part.Checks {
			row(w, c.Check, c.Status, fmt.Sprintf("%.1f", c.Seconds), c.Why)
		}
		for _, c := range part.Checks {
			if c.Check == "data" && strings.Contains(c.Why, "generated") {
				fmt.Fprintf(w, "\nWhat is called NCI1 in this part are %s.\n", c.Why)
			}
		}
	}
	var reports []json.RawMessage
	var atNCI1 []bool // reports on the inputs that predictions are of
	var rivals *compared
	variants, kernels := map[string][]pair{}, map[string]map[string]string{}
	for _, part := range p.parts {
		for _, c := range part.Checks {
			var data struct {
				Results []json.RawMessage `json:"results"`
				Figures []figure          `json:"figures"`
				Metrics map[string]string `json:"metrics"`
			}
			switch _ = json.Unmarshal(c.Data, &data); { // a check may keep anything
			case data.Results != nil:
				reports = append(reports, c.Data)
				atNCI1 = append(atNCI1, c.Check != largeCheck)
			case data.Figures != nil:
				rivals = &compared{}
				if err := json.Unmarshal(c.Data, rivals); err != nil {
					return fmt.Errorf("%s: %w", c.Check, err)
				}
			case data.Metrics != nil:
				kernels[c.Check] = data.Metrics
			case strings.HasPrefix(c.Check, "variant: ") && len(c.Data) > 0:
				var all []pair
				if err := json.Unmarshal(c.Data, &all); err != nil {
					return fmt.Errorf("%s: %w", c.Check, err)
				}
				variants[c.Check] = all
			}
		}
	}
	if err := p.figures(w, reports, atNCI1); err != nil {
		return err
	}
	writeRivals(w, rivals)
	writeVariants(w, variants)
	writeKernels(w, kernels)
	return nil
}

// figures puts what bench measured beside its floor and what was predicted. What was predicted and not measured comes
// last.
func (p *page) figures(w io.Writer, reports []json.RawMessage, atNCI1 []bool) error {
	if len(reports)+len(p.predictions) == 0 {
		return nil
	}
	fmt.Fprint(w, "\n## Prediction, measurement, floor\n\n")
	table(w, []string{"figure", "predicted", "measured", "floor", "of floor", "bound by", "on", "inputs"})
	open := maps.Clone(p.predictions)
	for i, report := range reports {
		var r struct {
			Results []struct {
				Name    string  `json:"name"`
				Shape   string  `json:"shape"`
				Device  string  `json:"device"`
				Seconds float64 `json:"seconds"`
				Floor   float64 `json:"floor_seconds"`
				Bound   string  `json:"floor_bound"`
			} `json:"results"`
		}
		if err := json.Unmarshal(report, &r); err != nil {
			return err
		}
		for _, f := range r.Results {
			floor, share := "-", "-"
			if f.Floor > 0 {
				floor, share = duration(f.Floor), fmt.Sprintf("%.0f %%", 100*f.Floor/f.Seconds)
			}
			device := f.Device
			if device == "" {
				device = "cpu"
			}
			predicted := "-"
			if text, ok := p.predictions[f.Name]; ok && device != "cpu" && atNCI1[i] {
				predicted = text
				delete(open, f.Name)
			}
			row(w, f.Name, predicted, duration(f.Seconds), floor, share, f.Bound, device, f.Shape)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(open)) {
		measured := "not measured"
		if strings.Contains(name, " ") { // words that no figure of bench goes by
			measured = "no run measures it"
		}
		row(w, name, open[name], measured, "", "", "", "", "")
	}
	return nil
}
