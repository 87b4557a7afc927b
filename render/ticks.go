package render

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
)

// linearTicks returns about six ticks at multiples of 1, 2 or 5 times a power of ten.
func linearTicks(lo, hi float64) []plot.Tick {
	raw := (hi - lo) / 6
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw*0.999 {
			step = m * power
			break
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step && len(ticks) < 20; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: fixed(k*step, decimals)})
	}
	return ticks
}

// logTicks returns ticks at powers of ten, at most about eight with a label. A range of less than
// two powers gets 1, 2 and 5 times a power as well.
func logTicks(lo, hi float64) []plot.Tick {
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	every := max(1, math.Ceil((last-first)/8))
	fewDecades := math.Log10(hi/lo) < 2
	var ticks []plot.Tick
	for k := first; k <= last; k++ {
		for m := 1.0; m < 10; m++ {
			value := m * math.Pow(10, k)
			if value < lo*(1-1e-9) || value > hi*(1+1e-9) {
				continue
			}
			label := ""
			if (m == 1 && math.Mod(k, every) == 0) || (fewDecades && (m == 2 || m == 5)) {
				label = power(value)
			} else if last-first > 4 {
				continue
			}
			ticks = append(ticks, plot.Tick{Value: value, Label: label})
		}
	}
	return ticks
}

// ticksAt returns a tick for every value, with a label unless the last label is too near.
func ticksAt(axis *plot.Axis, values []float64) []plot.Tick {
	ticks := make([]plot.Tick, len(values))
	last := math.Inf(-1)
	for i, v := range values {
		ticks[i].Value = v
		if at := axis.Norm(v); at >= last+0.06 {
			ticks[i].Label, last = power(v), at
		}
	}
	return ticks
}

// power writes a number of a logarithmic axis: in full from 0.001 to 10000, else with an exponent.
func power(x float64) string {
	if a := math.Abs(x); a != 0 && (a < 0.000999 || a > 99999) {
		k := math.Floor(math.Log10(a) + 1e-9)
		return number(math.Round(x/math.Pow(10, k)*1e6)/1e6, 3) + "e" + number(k, 3)
	}
	return number(x, 5)
}

// fewIntegers returns the distinct values, sorted, where they are at most twelve integers: then only
// they deserve a tick.
func fewIntegers(curves []Curve) []float64 {
	var values []float64
	for _, c := range curves {
		for _, x := range c.X {
			if x != math.Trunc(x) || math.Abs(x) > 99999 {
				return nil
			}
			values = append(values, x)
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) > 12 {
		return nil
	}
	return values
}

// clean makes text safe for a canvas that draws single lines.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if r < 0x20 || r == 0xFFFE || r == 0xFFFF {
			return 0xFFFD
		}
		return r
	}, s)
}
