package render

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fontStack names fonts of equal metrics first, so that measured widths hold on every system.
const fontStack = "Arial,Helvetica,'Liberation Sans','DejaVu Sans',sans-serif"

// document collects the text of an SVG document.
type document struct {
	buf bytes.Buffer
}

// element writes <name attributes/>; attributes come in pairs of name and value.
func (d *document) element(name string, attributes ...string) {
	d.start(name, attributes)
	d.buf.WriteString("/>\n")
}

// open writes <name attributes>.
func (d *document) open(name string, attributes ...string) {
	d.start(name, attributes)
	d.buf.WriteString(">\n")
}

func (d *document) close(name string) { d.buf.WriteString("</" + name + ">\n") }

// text writes an element around escaped text.
func (d *document) text(name, content string, attributes ...string) {
	d.start(name, attributes)
	d.buf.WriteString(">" + escape(content) + "</" + name + ">\n")
}

func (d *document) start(name string, attributes []string) {
	d.buf.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		d.buf.WriteString(" " + attributes[i] + `="` + escape(attributes[i+1]) + `"`)
	}
}

// px formats a coordinate with two decimals at most. It panics on a number that is not finite, which
// the checks on input exclude.
func px(x float64) string {
	if !finite(x) {
		panic("render: coordinate is not finite")
	}
	x = math.Round(x*100) / 100
	if x == 0 {
		x = 0 // no minus sign on zero
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// escape makes text safe in XML content and attributes. Characters that XML 1.0 cannot hold in any
// form become U+FFFD.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r < 0x20 && r != '\t' && r != '\n', r == 0xFFFE, r == 0xFFFF:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
