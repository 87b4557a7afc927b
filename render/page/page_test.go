package page

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func example() *Page {
	dots := &Dots{Values: []float64{80, math.NaN(), 83}, Low: 80, High: 90, Unit: " %"}
	return &Page{
		Title: "wl <b> on MUTAG", Facts: []Fact{{"seed", "7 & more"}},
		Sections: []Section{{
			Heading: "Figures", Table: &Table{
				Columns: []Column{{Name: "model"}, {Name: "accuracy", Number: true}, {Name: "folds"}},
				Rows: []Row{
					{Cells: []Cell{{Text: "wl"}, {Text: "81.5 %", Value: 81.5}, {Dots: dots}}},
					{Cells: []Cell{{Text: "none"}, {Value: math.NaN()}, {Text: "2", Link: "inside"}}, Best: true},
				},
			},
			More: []Section{{Heading: "inside", ID: "inside", Text: "more", Figures: []Figure{
				{[]byte("<?xml version=\"1.0\"?>\n<svg><path fill=\"#0072B2\"/></svg>"), "nothing \"much\"", false},
			}}},
		}},
	}
}

func TestPage(t *testing.T) {
	var out bytes.Buffer
	if err := example().Write(&out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{
		"<title>wl &lt;b&gt; on MUTAG</title>", "<dd>7 &amp; more</dd>", `<td class="number" data-value="81.5">81.5 %</td>`,
		`<td class="number" data-value=""></td>`, `<tr class="best">`, `aria-label="folds: 80 % 83 %"`,
		`<circle cx="6" cy="6"`, `<circle cx="50.4" cy="14"`, "<summary>inside</summary>",
		`aria-label="nothing &#34;much&#34;"><svg><path fill="var(--ink-0072b2)"/></svg>`, "--ink-0072b2: #0072b2;",
		`<a href="#inside">2</a>`, `<div id="inside"></div>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the page:\n%s", want, text[strings.Index(text, "<body>"):])
		}
	}
	for _, tag := range []string{"section", "table", "details", "main", "svg", "figure", "tr", "td", "th"} {
		open := strings.Count(text, "<"+tag+">") + strings.Count(text, "<"+tag+" ")
		if shut := strings.Count(text, "</"+tag+">"); open != shut {
			t.Errorf("%d <%s> and %d </%s>", open, tag, shut, tag)
		}
	}
	var again bytes.Buffer
	if err := example().Write(&again); err != nil || again.String() != text {
		t.Errorf("another page of the same, %v", err)
	}
}

func TestDrawKeepsTheError(t *testing.T) {
	want := fmt.Errorf("no ink")
	if _, err := Draw("x", func(io.Writer) error { return want }); err != want {
		t.Errorf("error %v", err)
	}
}

// On a dark page light and dark change places, and what could be read on its ground can still be.
func TestColoursHaveTwinsOnADarkPage(t *testing.T) {
	for light, want := range map[string]string{"#ffffff": darkPaper, "#000000": "#ffffff"} {
		if got := dark("--ink-", light); got != want {
			t.Errorf("%s becomes %s, want %s", light, got, want)
		}
	}
	read := func(text, on string, least float64) {
		t.Helper()
		a, b := dark("--ink-", text), dark(ground, on)
		x, y := luminance(a), luminance(b)
		if ratio := (max(x, y) + 0.05) / (min(x, y) + 0.05); ratio < least {
			t.Errorf("%s on %s becomes %s on %s, of contrast %.2f", text, on, a, b, ratio)
		}
	}
	for _, text := range []string{"#262626", "#555555", "#50565e", "#1c1c1c", "#005b8e", "#aa4b00", "#007e5c", "#a36186",
		"#b87f00", "#4590ba"} {
		read(text, "#ffffff", 4.5)
	}
	for r := 0; r < 256; r += 15 { // whatever a disc is filled with, with the letters that it gets
		for g := 0; g < 256; g += 15 {
			for b := 0; b < 256; b += 15 {
				disc := fmt.Sprintf("#%02x%02x%02x", r, g, b)
				letters := "#ffffff"
				if luminance(disc) > 0.179 {
					letters = "#1c1c1c"
				}
				read(letters, disc, 4.5)
			}
		}
	}
}
