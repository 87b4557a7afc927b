package page

import (
	"fmt"
	"html/template"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	hex   = regexp.MustCompile(`#[0-9a-fA-F]{6}\b`) // colours of an SVG document
	tag   = regexp.MustCompile(`<[^>]*>`)
	space = regexp.MustCompile(`\s+xmlns(:xlink)?="[^"]*"`) // what a page knows without being told
)

// themed returns an SVG document for the middle of a page, without what stands before its element, and with every
// colour a variable of the style sheet ([palette]).
func themed(svg []byte) string {
	text := string(svg)
	if at := strings.Index(text, "<svg"); at > 0 {
		text = text[at:]
	}
	text, drawn := space.ReplaceAllString(text, ""), drawing(text)
	return tag.ReplaceAllStringFunc(text, func(tag string) string {
		return hex.ReplaceAllStringFunc(tag, func(colour string) string {
			return "var(" + variable(tag, colour, drawn) + ")"
		})
	})
}

// drawing reports whether a document draws graphs: letters stand on its discs, and the colours of discs and lines have
// one legend.
func drawing(svg string) bool { return strings.Contains(svg, `class="graph"`) }

// variable names that of a colour in a tag: colours that letters stand on have others than those of lines and letters.
func variable(tag, colour string, drawing bool) string {
	kind := "--ink-"
	if strings.HasPrefix(tag, "<rect") || drawing && !strings.HasPrefix(tag, "<text") {
		kind = ground
	}
	return kind + strings.ToLower(colour[1:])
}

// ground begins the variables of what letters stand on.
const ground = "--ground-"

// palette declares the colours of some figures as variables of the style sheet, each as a function makes it.
func palette(figures []Figure, as func(variable, colour string) string) template.CSS {
	var all []string
	for _, f := range figures {
		drawn := drawing(string(f.SVG))
		for _, tag := range tag.FindAllString(string(f.SVG), -1) {
			for _, c := range hex.FindAllString(tag, -1) {
				all = append(all, variable(tag, c, drawn))
			}
		}
	}
	slices.Sort(all)
	text := ""
	for _, v := range slices.Compact(all) {
		text += v + ": " + as(v, "#"+v[len(v)-6:]) + "; "
	}
	return template.CSS(text) // #nosec: colours alone
}

// darkPaper is the dark page, which stands for white.
const darkPaper = "#14181d"

// dark returns what stands for a colour on a dark page: the same hue with the lightness of OKLab (B. Ottosson 2020)
// turned round, white to that of the page and black to white. What is in the middle goes to one side or the other, so
// that it can be read: of what letters stand on that where dark letters stood on it before (WCAG 2.1) becomes dark, of
// lines and letters that which was light.
func dark(variable, colour string) string {
	if colour == "#ffffff" {
		return darkPaper
	}
	l, a, b := okLab(colour)
	light := l > 0.72
	if strings.HasPrefix(variable, ground) {
		light = luminance(colour) > 0.179 // where black and white letters are equally well read
	}
	if light {
		l = 0.21 + 0.5*min(1-l, 0.5)
	} else {
		l = 1 - 0.5*min(l, 0.72)
	}
	for { // a colour beyond what screens show pales until it is one
		if text, shown := screen(l, a, b); shown {
			return text
		}
		a, b = 0.95*a, 0.95*b
	}
}

// linear returns the red, green and blue of #rrggbb as amounts of light, from 0 to 1.
func linear(colour string) (c [3]float64) {
	for i := range c {
		v, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return c // no colour: [hex] finds none such
		}
		if c[i] = float64(v) / 255; c[i] <= 0.04045 {
			c[i] /= 12.92
		} else {
			c[i] = math.Pow((c[i]+0.055)/1.055, 2.4)
		}
	}
	return c
}

// luminance is the relative luminance of WCAG 2.1.
func luminance(colour string) float64 {
	c := linear(colour)
	return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
}

// okLab returns the coordinates of #rrggbb.
func okLab(colour string) (l, a, b float64) {
	c := linear(colour)
	x := math.Cbrt(0.4122214708*c[0] + 0.5363325363*c[1] + 0.0514459929*c[2])
	y := math.Cbrt(0.2119034982*c[0] + 0.6806995451*c[1] + 0.1073969566*c[2])
	z := math.Cbrt(0.0883024619*c[0] + 0.2817188376*c[1] + 0.6299787005*c[2])
	return 0.2104542553*x + 0.7936177850*y - 0.0040720468*z,
		1.9779984951*x - 2.4285922050*y + 0.4505937099*z,
		0.0259040371*x + 0.7827717662*y - 0.8086757660*z
}

// screen returns #rrggbb for coordinates, and whether screens show that colour.
func screen(l, a, b float64) (colour string, shown bool) {
	x := math.Pow(l+0.3963377774*a+0.2158037573*b, 3)
	y := math.Pow(l-0.1055613458*a-0.0638541728*b, 3)
	z := math.Pow(l-0.0894841775*a-1.2914855480*b, 3)
	colour, shown = "#", true
	for _, v := range []float64{
		4.0767416621*x - 3.3077115913*y + 0.2309699292*z,
		-1.2684380046*x + 2.6097574011*y - 0.3413193965*z,
		-0.0041960863*x - 0.7034186147*y + 1.7076147010*z,
	} {
		shown = shown && v > -1e-3 && v < 1+1e-3
		v = min(max(v, 0), 1)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		colour += fmt.Sprintf("%02x", int(math.Round(255*v)))
	}
	return colour, shown
}
