package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/render/page"
)

// Ranks draws the critical-difference diagram of mean ranks, so many points wide (0: 640).
func Ranks(r *eval.KeptRanks, title string, width float64) (*render.Figure, error) {
	models := make([]render.Ranked, len(r.Models))
	for i, name := range r.Models {
		models[i] = render.Ranked{Name: name, Mean: r.Means[i]}
	}
	return render.Ranks(title, width, models, r.Difference)
}

// RanksTitle says what ranks are over.
func RanksTitle(r *eval.KeptRanks) string {
	return fmt.Sprintf("Mean ranks of %s over %s", model.Count(len(r.Models), "model"),
		model.Count(len(r.Datasets), "data set"))
}

// ranks is the section on the ranks of a comparison.
func ranks(r *eval.KeptRanks) (*page.Section, error) {
	s := &page.Section{Heading: RanksTitle(r), Text: fmt.Sprintf("Over %s. Two models differ (Nemenyi, level %g) where "+
		"their ranks do by more than %.2f; a bar joins those that do not.", strings.Join(r.Datasets, ", "), r.Level,
		r.Difference)}
	short := *r
	short.Models = slices.Clone(r.Models)
	if slices.ContainsFunc(r.Models, func(name string) bool { return len(name) > longestName }) {
		for i := range short.Models {
			short.Models[i] = letter(i)
		}
	}
	figure, err := Ranks(&short, "", chartWidth)
	if err != nil {
		return nil, err
	}
	drawn, err := page.Draw("critical-difference diagram of the mean ranks", figure.WriteSVG)
	s.Figures = []page.Figure{drawn}
	t := &page.Table{Caption: "Mean ranks", Columns: []page.Column{{Name: "model"},
		{Name: "mean rank", Help: "1 is the best", Number: true}}}
	for i, name := range r.Models {
		if short.Models[i] != name {
			name = short.Models[i] + ": " + name
		}
		t.Rows = append(t.Rows, page.Row{Cells: []page.Cell{{Text: name}, page.Number(r.Means[i], "%.2f")}})
	}
	s.Table = t
	return s, err
}
