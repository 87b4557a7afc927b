package page

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
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
				{[]byte("<?xml version=\"1.0\"?>\n<svg><path fill=\"#0072B2\"/></svg>"), "nothing \"much\""},
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
		`aria-label="nothing &#34;much&#34;"><svg><path fill="var(--c0072b2)"/></svg>`, "--c0072b2: #0072b2;",
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

// On a dark page light and dark change places, and text stays as legible on its ground as it was.
func TestColoursHaveTwinsOnADarkPage(t *testing.T) {
	for light, want := range map[string]string{"#ffffff": darkPaper, "#000000": "#ffffff"} {
		if got := dark(light); got != want {
			t.Errorf("%s becomes %s, want %s", light, got, want)
		}
	}
	for _, pair := range [][2]string{ // text and its ground, as drawings have them
		{"#262626", "#ffffff"}, {"#555555", "#ffffff"}, {"#50565e", "#ffffff"}, {"#1c1c1c", "#ffffff"},
		{"#005b8e", "#ffffff"}, {"#aa4b00", "#ffffff"}, {"#ffffff", "#52565c"}, {"#ffffff", "#2f62c9"},
		{"#ffffff", "#d3322b"}, {"#1c1c1c", "#dfe3e8"}, {"#1c1c1c", "#f7f7f7"}, {"#ffffff", "#762a83"},
		{"#ffffff", "#1b7837"}, {"#1c1c1c", "#e8c21d"},
	} {
		if on := contrast(dark(pair[0]), dark(pair[1])); on < 4.5 {
			t.Errorf("%s on %s becomes %s on %s, of contrast %.2f", pair[0], pair[1], dark(pair[0]), dark(pair[1]), on)
		}
	}
}

// contrast is that of WCAG 2.1.
func contrast(a, b string) float64 {
	luminance := func(colour string) (sum float64) {
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v, _ := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
			if c := float64(v) / 255; c <= 0.04045 {
				sum += weight * c / 12.92
			} else {
				sum += weight * math.Pow((c+0.055)/1.055, 2.4)
			}
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
