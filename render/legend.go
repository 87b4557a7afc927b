package render

import (
	"cmp"
	"math"
	"slices"
)

// Measures of a legend in pixels.
const (
	legendText  = 11.5
	barWidth    = 220.0
	barHeight   = 10.0
	barSteps    = 44
	swatchSize  = 11.0
	swatchSpace = 18.0
)

// legend explains the colours: a bar with numbers for contributions and scores, or swatches for
// kinds. Its size is known before it is drawn.
type legend struct {
	width, height float64
	draw          func(doc *document, x, y float64) // with its top left corner there
}

// scaleLegend is the bar of the diverging palette with its ends, what it measures and what the
// signs speak for. Where all values are positive it is the upper half alone.
func scaleLegend(text typesetter, d *Drawing, limit float64, oneSided bool) legend {
	negative, positive := "", ""
	if d.Negative != "" {
		negative = "← " + shorten(d.Negative, 48)
	}
	if d.Positive != "" {
		positive = shorten(d.Positive, 48) + " →"
	}
	measure := shorten(d.measure(), 72)
	words := text.width(negative, legendText, false) + text.width(positive, legendText, false) + 16
	l := legend{width: max(barWidth+text.width(signedNumber(-limit, 3), legendText, false)+8, words,
		text.width(measure, legendText, true)), height: 48}
	if negative != "" || positive != "" {
		l.height += 16
	}
	l.draw = func(doc *document, x, y float64) {
		middle := x + l.width/2
		start := math.Round(middle - barWidth/2)
		line := func(s string, x, y float64, anchor, weight string) {
			doc.text("text", s, "x", px(x), "y", px(y), "font-size", px(legendText), "text-anchor", anchor,
				"font-weight", weight, "fill", "#3a3f45")
		}
		doc.open("g", "class", "legend")
		line(measure, middle, y+11, "middle", "bold")
		for i := range barSteps {
			t := (float64(i) + 0.5) / barSteps
			if !oneSided {
				t = 2*t - 1
			}
			left := start + barWidth*float64(i)/barSteps
			// Each step reaches to the end of the bar, the next one covers the rest: no seams.
			doc.element("rect", "x", px(left), "y", px(y+18), "width", px(start+barWidth-left), "height", px(barHeight),
				"fill", diverging(t).String())
		}
		doc.element("rect", "x", px(start), "y", px(y+18), "width", px(barWidth), "height", px(barHeight), "fill", "none",
			"stroke", "#8a8f96", "stroke-width", "0.8")
		if oneSided {
			line("0", start, y+42, "middle", "normal")
		} else {
			line("0", middle, y+42, "middle", "normal")
			if limit > 0 {
				line(signedNumber(-limit, 3), start, y+42, "middle", "normal")
			}
		}
		if limit > 0 {
			line(signedNumber(limit, 3), start+barWidth, y+42, "middle", "normal")
		}
		wide := max(barWidth+20, words)
		if negative != "" {
			line(negative, middle-wide/2, y+59, "start", "normal")
		}
		if positive != "" {
			line(positive, middle+wide/2, y+59, "end", "normal")
		}
		doc.close("g")
	}
	return l
}

// sizeLegend says what the sizes of the discs measure, and what their colours tell if anything. Disc sizes follow the
// mean of their drawing, see [discScales].
func sizeLegend(text typesetter, d *Drawing, k kinds) legend {
	heading := "size of a vertex: " + cmp.Or(d.Size, "size")
	if told := k.word(d); told != "" {
		heading += ", colour: " + told
	}
	heading = shorten(heading, 72)
	const mean = 7.0 // radius
	scales := []float64{smallestDisc, 1, largestDisc}
	words := []string{"¼ of the mean or less", "the mean", "2½ times the mean or more"}
	row := 0.0
	for i, w := range words {
		row += 2*mean*scales[i] + 5 + text.width(w, legendText, false) + 16
	}
	row -= 16
	l := legend{width: max(row, text.width(heading, legendText, true)), height: 42}
	l.draw = func(doc *document, x, y float64) {
		doc.open("g", "class", "legend")
		doc.text("text", heading, "x", px(x+l.width/2), "y", px(y+11), "font-size", px(legendText), "text-anchor", "middle",
			"font-weight", "bold", "fill", "#3a3f45")
		at := x + (l.width-row)/2
		for i, w := range words {
			radius := mean * scales[i]
			doc.element("circle", "cx", px(at+radius), "cy", px(y+30), "r", px(radius), "fill", "#8d949e")
			at += 2*radius + 5
			doc.text("text", w, "x", px(at), "y", px(y+34), "font-size", px(legendText), "fill", "#3a3f45")
			at += text.width(w, legendText, false) + 16
		}
		doc.close("g")
	}
	return l
}

// kindLegend is a list of swatches in rows of at most the given width.
func kindLegend(text typesetter, k kinds, width float64) legend {
	type entry struct {
		kind string
		x, y float64
	}
	var entries []entry
	l := legend{height: swatchSpace}
	x, y := 0.0, 0.0
	shown := k.shown
	if k.others {
		shown = append(slices.Clone(shown), "other")
	}
	for _, kind := range shown {
		need := swatchSize + 6 + text.width(shorten(kind, 32), legendText, false)
		if x > 0 && x+need > width {
			x, y = 0, y+swatchSpace
		}
		entries = append(entries, entry{kind, x, y})
		l.width, l.height = max(l.width, x+need), y+swatchSpace
		x += need + 16
	}
	l.draw = func(doc *document, x, y float64) {
		doc.open("g", "class", "legend")
		for _, e := range entries {
			doc.element("rect", "x", px(x+e.x), "y", px(y+e.y+3), "width", px(swatchSize), "height", px(swatchSize), "rx", "2",
				"fill", k.swatch(e.kind).String())
			doc.text("text", shorten(e.kind, 32), "x", px(x+e.x+swatchSize+6), "y", px(y+e.y+12.5), "font-size", px(legendText),
				"fill", "#3a3f45")
		}
		doc.close("g")
	}
	return l
}
