package render

import (
	"fmt"
	"math"
)

// colour is an opaque sRGB colour.
type colour struct{ r, g, b uint8 }

func rgb(hex uint32) colour { return colour{uint8(hex >> 16), uint8(hex >> 8), uint8(hex)} }

func (c colour) String() string { return fmt.Sprintf("#%02x%02x%02x", c.r, c.g, c.b) }

// luminance returns the relative luminance of WCAG 2.1.
func (c colour) luminance() float64 {
	linear := func(x uint8) float64 {
		v := float64(x) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.r) + 0.7152*linear(c.g) + 0.0722*linear(c.b)
}

// contrast returns the contrast ratio of WCAG 2.1, from 1 to 21.
func contrast(a, b colour) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// onTop returns the colour for text on a background: near white or near black.
func onTop(background colour) colour {
	light, dark := rgb(0xffffff), rgb(0x1c1c1c)
	if contrast(light, background) >= contrast(dark, background) {
		return light
	}
	return dark
}

func mix(a, b colour, t float64) colour {
	blend := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + t*(float64(y)-float64(x)))) }
	return colour{blend(a.r, b.r), blend(a.g, b.g), blend(a.b, b.b)}
}

// diverging maps -1..1 to purple, white, green: the nine colours of ColorBrewer's PRGn (C. Brewer, M.
// Harrower, colorbrewer2.org), which people with any common form of colour blindness tell apart.
func diverging(t float64) colour {
	ramp := [...]uint32{0x762a83, 0x9970ab, 0xc2a5cf, 0xe7d4e8, 0xf7f7f7, 0xd9f0d3, 0xa6dba0, 0x5aae61, 0x1b7837}
	x := (min(1, max(-1, t)) + 1) / 2 * float64(len(ramp)-1)
	i := min(int(x), len(ramp)-2)
	return mix(rgb(ramp[i]), rgb(ramp[i+1]), x-float64(i))
}

// categorical returns the colours for kinds that have no order: those of M. Okabe and K. Ito, then
// the muted ones of P. Tol, all chosen for colour-blind readers.
func categorical() []colour {
	return []colour{
		rgb(0x0072b2), rgb(0xe69f00), rgb(0x009e73), rgb(0xcc79a7), rgb(0x56b4e9), rgb(0xd55e00), rgb(0xf0e442),
		rgb(0x332288), rgb(0x999933), rgb(0x882255), rgb(0x44aa99), rgb(0xddcc77), rgb(0x117733), rgb(0xaa4499),
	}
}
