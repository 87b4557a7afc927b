package render

import (
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
)

// typesetter measures text in Liberation Sans, which has the widths of Arial and Helvetica.
type typesetter struct{ cache *font.Cache }

func newTypesetter() typesetter { return typesetter{font.NewCache(liberation.Collection())} }

// spare is how much wider than Liberation Sans a substitute may be where none of the named fonts is
// installed; DejaVu Sans, the widest common one, needs it.
const spare = 1.17

// width returns the width that a line of text at a font size in pixels may take. Characters that the
// font does not have count as one em, which is right for Chinese, Japanese and Korean.
func (t typesetter) width(s string, size float64, bold bool) float64 {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = xfont.WeightBold
	}
	var known strings.Builder
	missing := 0
	for _, r := range s {
		if r < 0x1100 || (r >= 0x2000 && r < 0x2300) {
			known.WriteRune(r)
		} else {
			missing++
		}
	}
	face := t.cache.Lookup(f, font.Length(size))
	return spare*float64(face.Width(known.String())) + float64(missing)*size
}

// wrap breaks text into lines of at most width pixels at spaces, and within a word that is longer.
// Line breaks in the text are kept.
func (t typesetter) wrap(s string, size, width float64, bold bool) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(s, "\n") {
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			candidate := word
			if line != "" {
				candidate = line + " " + word
			}
			if t.width(candidate, size, bold) <= width {
				line = candidate
				continue
			}
			if line != "" {
				lines = append(lines, line)
			}
			for t.width(word, size, bold) > width && len([]rune(word)) > 1 {
				head := t.fit(word, size, width, bold)
				lines = append(lines, head)
				word = word[len(head):]
			}
			line = word
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// fit returns the longest beginning of a word that is at most width wide, at least one character.
func (t typesetter) fit(word string, size, width float64, bold bool) string {
	runes := []rune(word)
	n := 1
	for n < len(runes) && t.width(string(runes[:n+1]), size, bold) <= width {
		n++
	}
	return string(runes[:n])
}

// shorten cuts text to a number of characters, the last of which is then an ellipsis.
func shorten(s string, characters int) string {
	runes := []rune(s)
	if len(runes) <= characters {
		return s
	}
	return string(runes[:characters-1]) + "…"
}

// number formats a value to the given significant digits with a true minus sign.
func number(x float64, digits int) string {
	if x == 0 {
		return "0"
	}
	s := strconv.FormatFloat(x, 'g', digits, 64)
	if a := math.Abs(x); a >= 1e-4 && a < 1e6 {
		decimals := max(0, digits-1-int(math.Floor(math.Log10(a))))
		s = strconv.FormatFloat(x, 'f', decimals, 64)
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
	}
	return strings.NewReplacer("e-0", "e−", "e+0", "e", "e+", "e", "-", "−").Replace(s)
}

// signedNumber is number with a sign in front of positive values too.
func signedNumber(x float64, digits int) string {
	if x > 0 {
		return "+" + number(x, digits)
	}
	return number(x, digits)
}

// fixed formats a value with the given number of decimals and a true minus sign.
func fixed(x float64, decimals int) string {
	if x == 0 {
		x = 0
	}
	return strings.Replace(strconv.FormatFloat(x, 'f', decimals, 64), "-", "−", 1)
}

// reading formats a value for people to read off a plot: one decimal from 10 to 1000, else three
// significant digits.
func reading(x float64) string {
	if a := math.Abs(x); a >= 10 && a < 1000 {
		return fixed(x, 1)
	}
	return number(x, 3)
}
