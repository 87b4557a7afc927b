package browser

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// contrast lists the texts of a page that are hard to read on what lies behind them.
//
//go:embed contrast.js
var contrast string

// Every page fits the screen that it is on, and its text can be read in both schemes.
func TestPagesFitAndCanBeRead(t *testing.T) {
	for name := range pages {
		for _, size := range []view{phone, desktop} {
			for _, dark := range []bool{false, true} {
				if name != "eval" && dark == (size == desktop) {
					continue // colours do not depend on the size: all four of one page, two of the others
				}
				v := size
				v.dark = dark
				t.Run(fmt.Sprint(name, "-", v), func(t *testing.T) {
					x := open(t, name, v)
					x.do(chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil))
					if over := ask[float64](x, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
						t.Errorf("the page is wider than the screen by %g", over)
					}
					tall := ask[int64](x, `document.documentElement.scrollHeight`)
					x.do(chromedp.EmulateViewport(v.width, tall))
					for _, found := range ask[[]string](x, contrast) {
						t.Error(found)
					}
					paper := ask[string](x, `getComputedStyle(document.body).backgroundColor`)
					if bright := paper == "rgb(255, 255, 255)"; bright == dark {
						t.Errorf("dark %t, but a page of %s", dark, paper)
					}
					x.shoot(fmt.Sprint(name, "-", v))
				})
			}
		}
	}
}

// column reads the numbers of a column of the first table, in the order of its rows.
const column = `(name => {
  const table = document.querySelector("table"), heads = [...table.tHead.rows[0].cells];
  const at = heads.findIndex(h => h.textContent.trim() === name);
  return [...table.tBodies[0].rows].map(r => r.cells[at].dataset.value).filter(v => v !== "").map(Number);
})`

// Tables sort by a click on a heading and by a key, upwards first.
func TestTablesSort(t *testing.T) {
	for name, by := range map[string]string{"compare": "accuracy", "eval": "mean", "bench": "time"} {
		t.Run(name, func(t *testing.T) {
			x := open(t, name, desktop)
			read := func() []float64 { return ask[[]float64](x, column+`("`+by+`")`) }
			heading := fmt.Sprintf(`//table[1]//thead//button[normalize-space()=%q]`, by)
			sorted := func(after string, falling bool) {
				t.Helper()
				values := read()
				if falling {
					slices.Reverse(values)
				}
				if len(values) < 3 || !slices.IsSorted(values) {
					t.Errorf("after %s the column %s is %v", after, by, read())
				}
			}
			x.do(chromedp.Click(heading))
			sorted("a click", false)
			x.do(chromedp.Click(heading))
			sorted("a second click", true)

			x = open(t, name, desktop)
			focused := ""
			for range 30 {
				x.do(chromedp.KeyEvent(kb.Tab))
				if focused = ask[string](x, `document.activeElement.textContent.trim()`); focused == by {
					break
				}
			}
			if focused != by {
				t.Fatalf("no heading %s is reached by the keyboard", by)
			}
			x.do(chromedp.KeyEvent(kb.Enter))
			sorted("Enter", false)
			x.do(chromedp.KeyEvent(kb.Enter))
			sorted("Enter twice", true)
			if how := ask[string](x, `document.activeElement.parentElement.ariaSort`); how != "descending" {
				t.Errorf("the heading says %q", how)
			}
		})
	}
}

// opened says whether the figures behind the first link of a confusion matrix can be seen.
const opened = `(() => {
  const link = document.querySelector("td a"), section = document.getElementById(link.hash.slice(1)).parentElement;
  const figures = [...section.querySelectorAll("figure svg")];
  const seen = f => f.checkVisibility() && f.getBoundingClientRect().height > 50;
  return section.open && figures.length > 0 && figures.every(seen);
})()`

// An entry of a confusion matrix opens its graphs, by a click and by the keyboard, without a script.
func TestEntriesOpenGraphs(t *testing.T) {
	for _, scripts := range []bool{true, false} {
		v := desktop
		v.scripts = scripts
		x := open(t, "eval", v)
		if ask[bool](x, opened) {
			t.Error("the graphs are open before anybody asks")
		}
		x.do(chromedp.Click("td a", chromedp.ByQuery))
		if !ask[bool](x, opened) {
			t.Errorf("a click opens nothing (scripts %t)", scripts)
		}
		x = open(t, "eval", v)
		x.do(chromedp.Focus("td a", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
		if !ask[bool](x, opened) {
			t.Errorf("Enter opens nothing (scripts %t)", scripts)
		}
		x = open(t, "eval", v)
		x.do(chromedp.Focus("summary", chromedp.ByQuery), chromedp.KeyEvent(" "))
		if !ask[bool](x, `document.querySelector("details").open`) {
			t.Errorf("a summary does not open by the keyboard (scripts %t)", scripts)
		}
	}
}

// Without scripts all figures are there: tables, dots, curves.
func TestFiguresNeedNoScript(t *testing.T) {
	v := desktop
	v.scripts = false
	for name := range pages {
		x := open(t, name, v)
		seen := ask[map[string]int](x, `(() => {
  const seen = {};
  for (const [what, where] of [["rows", "tbody tr"], ["figures", "figure svg"], ["dots", "svg.dots circle"],
    ["facts", "dd"]])
    seen[what] = [...document.querySelectorAll(where)].filter(e => e.getBoundingClientRect().height > 0).length;
  return seen;
})()`)
		least := map[string]map[string]int{
			"compare": {"rows": 4, "figures": 3, "dots": 12, "facts": 8},
			"eval":    {"rows": 8, "figures": 3, "dots": 20, "facts": 8},
			"train":   {"figures": 2, "facts": 8}, "tree": {"figures": 1, "facts": 8},
			"bench": {"rows": 3, "dots": 6, "facts": 5},
		}
		for what, want := range least[name] {
			if seen[what] < want {
				t.Errorf("%s: %d %s, want at least %d", name, seen[what], what, want)
			}
		}
	}
}

// On paper what is shut on a screen is printed too, dark on white.
func TestPaperHasEverything(t *testing.T) {
	v := desktop
	v.paper, v.dark = true, true
	for _, name := range []string{"eval", "compare"} {
		x := open(t, name, v)
		hidden := ask[int](x, `[...document.querySelectorAll("details figure svg, details table")].filter(e =>
  !e.checkVisibility({contentVisibilityAuto: true}) || e.getBoundingClientRect().height < 20).length`)
		if hidden > 0 {
			t.Errorf("%s: %d figures and tables are not printed", name, hidden)
		}
		if ink := ask[string](x, `getComputedStyle(document.body).color`); ink != "rgb(28, 33, 40)" {
			t.Errorf("%s: printed in %s", name, ink)
		}
		whole := leaves(x.paper())
		x.do(chromedp.Evaluate(`document.querySelectorAll("details").forEach(d => d.remove())`, nil))
		if without := leaves(x.paper()); whole <= without {
			t.Errorf("%s: %d leaves, and %d without what is shut", name, whole, without)
		}
	}
}

// leaves counts the pages of a PDF document.
func leaves(pdf []byte) int {
	return bytes.Count(pdf, []byte("/Type /Page\n")) + bytes.Count(pdf, []byte("/Type/Page/"))
}
