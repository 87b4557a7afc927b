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
					{Cells: []Cell{{Text: "none"}, {Value: math.NaN()}, {}}, Best: true},
				},
			},
			More: []Section{{Heading: "inside", Text: "more", Figures: []Figure{{[]byte("<svg></svg>"), "nothing \"much\""}}}},
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
		`<circle cx="6" cy="6"`, `<circle cx="50.4" cy="14"`, "<summary>inside</summary>", `alt="nothing &#34;much&#34;"`,
		`src="data:image/svg&#43;xml;base64,PHN2Zz48L3N2Zz4="`,
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
