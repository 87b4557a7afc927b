package render

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"maps"
	"math"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// WritePNG writes what draw, a function of this package with its arguments, writes as an SVG document ([Graph], [Grid],
// [Tree]) as a PNG picture of two pixels for each of the document's.
func WritePNG(w io.Writer, draw func(w io.Writer) error) error {
	var svg bytes.Buffer
	if err := draw(&svg); err != nil {
		return err
	}
	p := &painter{text: newTypesetter()}
	if err := p.paint(xml.NewDecoder(&svg)); err != nil {
		return fmt.Errorf("drawing the picture: %w", err)
	}
	_, err := vgimg.PngCanvas{Canvas: p.canvas}.WriteTo(w)
	return err
}

// painter paints the elements that documents of this package have.
type painter struct {
	canvas *vgimg.Canvas
	high   float64
	text   typesetter
	groups []shape // that are open, each with what it has from those around it
}

// shape is an element with its attributes and those that it inherits.
type shape struct {
	name       string
	attributes map[string]string
	x, y       float64 // of its origin
}

// number returns an attribute, 0 where it is missing.
func (s *shape) number(name string) float64 {
	x, _ := strconv.ParseFloat(s.attributes[name], 64)
	return x
}

func (p *painter) paint(in *xml.Decoder) error {
	p.groups = []shape{{attributes: map[string]string{}}}
	words := ""
	for {
		token, err := in.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			p.groups, words = append(p.groups, p.enter(t)), ""
			p.element(&p.groups[len(p.groups)-1])
		case xml.CharData:
			words += string(t)
		case xml.EndElement:
			if s := &p.groups[len(p.groups)-1]; s.name == "text" {
				p.write(s, words)
			}
			p.groups = p.groups[:len(p.groups)-1]
		}
	}
}

// enter returns an element with what it has from the groups around it. The opacity of a group pales its colours, as
// groups lie on white paper.
func (p *painter) enter(t xml.StartElement) shape {
	around := p.groups[len(p.groups)-1]
	s := shape{t.Name.Local, maps.Clone(around.attributes), around.x, around.y}
	if around.name == "g" && s.attributes["opacity"] != "" {
		s.attributes["pale"] = s.attributes["opacity"]
	}
	for _, own := range []string{"opacity", "rx", "transform", "class"} {
		delete(s.attributes, own)
	}
	for _, a := range t.Attr {
		s.attributes[a.Name.Local] = a.Value
	}
	if at, ok := strings.CutPrefix(s.attributes["transform"], "translate("); ok {
		if xy := numbers(strings.TrimSuffix(at, ")")); len(xy) == 2 {
			s.x, s.y = s.x+xy[0], s.y+xy[1]
		}
	}
	return s
}

// numbers reads numbers with blanks or commas between them.
func numbers(text string) []float64 {
	var all []float64
	for field := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		if x, err := strconv.ParseFloat(field, 64); err == nil {
			all = append(all, x)
		}
	}
	return all
}

// at is a place of the document on the canvas, whose y axis points up.
func (p *painter) at(s *shape, x, y float64) vg.Point {
	return vg.Point{X: vg.Length(s.x + x), Y: vg.Length(p.high - s.y - y)}
}

func (p *painter) element(s *shape) {
	var path vg.Path
	switch s.name {
	case "svg":
		p.high = s.number("height")
		p.canvas = vgimg.NewWith(vgimg.UseWH(vg.Length(s.number("width")), vg.Length(p.high)), vgimg.UseDPI(pngDPI))
		for _, drawn := range []string{"width", "height", "stroke", "fill"} {
			delete(s.attributes, drawn)
		}
		return
	case "line":
		path.Move(p.at(s, s.number("x1"), s.number("y1")))
		path.Line(p.at(s, s.number("x2"), s.number("y2")))
	case "circle":
		radius := vg.Length(s.number("r"))
		centre := p.at(s, s.number("cx"), s.number("cy"))
		path.Move(centre.Add(vg.Point{X: radius}))
		path.Arc(centre, radius, 0, 2*math.Pi)
		path.Close()
	case "rect":
		path = p.rectangle(s)
	case "polygon":
		xy := numbers(s.attributes["points"])
		for i := 0; i+1 < len(xy); i += 2 {
			if i == 0 {
				path.Move(p.at(s, xy[0], xy[1]))
			} else {
				path.Line(p.at(s, xy[i], xy[i+1]))
			}
		}
		path.Close()
	case "path":
		path = p.path(s)
	default:
		return
	}
	if ink, there := s.ink("fill", "#000000"); there && s.name != "line" {
		p.canvas.SetColor(ink)
		p.canvas.Fill(path)
	}
	if ink, there := s.ink("stroke", "none"); there {
		p.canvas.SetColor(ink)
		p.canvas.SetLineWidth(vg.Length(s.number("stroke-width")))
		var dashes []vg.Length
		for _, d := range numbers(s.attributes["stroke-dasharray"]) {
			dashes = append(dashes, vg.Length(d))
		}
		p.canvas.SetLineDash(dashes, 0)
		p.canvas.Stroke(path)
	}
}

// rectangle returns a rectangle, whose corners may be round.
func (p *painter) rectangle(s *shape) (path vg.Path) {
	x, y, w, h := s.number("x"), s.number("y"), s.number("width"), s.number("height")
	r := min(s.number("rx"), w/2, h/2)
	corner := func(cx, cy, start float64) {
		path.Arc(p.at(s, cx, cy), vg.Length(r), start, math.Pi/2)
	}
	path.Move(p.at(s, x+w, y+h-r))
	corner(x+w-r, y+r, 0)
	corner(x+r, y+r, math.Pi/2)
	corner(x+r, y+h-r, math.Pi)
	corner(x+w-r, y+h-r, 3*math.Pi/2)
	path.Close()
	return path
}

// path returns the path of the commands M, L, C and Z.
func (p *painter) path(s *shape) (path vg.Path) {
	text := s.attributes["d"]
	for len(text) > 0 {
		command := text[0]
		end := strings.IndexAny(text[1:], "MLCZ") + 1
		if end == 0 {
			end = len(text)
		}
		xy := numbers(text[1:end])
		text = text[end:]
		var at []vg.Point
		for i := 0; i+1 < len(xy); i += 2 {
			at = append(at, p.at(s, xy[i], xy[i+1]))
		}
		switch {
		case command == 'M' && len(at) == 1:
			path.Move(at[0])
		case command == 'L':
			for _, q := range at {
				path.Line(q)
			}
		case command == 'C' && len(at) == 3:
			path.CubeTo(at[0], at[1], at[2])
		case command == 'Z':
			path.Close()
		}
	}
	return path
}

// ink returns the colour that an attribute of an element gives.
func (s *shape) ink(attribute, byDefault string) (ink color.Color, there bool) {
	text, given := s.attributes[attribute]
	if !given {
		text = byDefault
	}
	hex, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 32)
	if err != nil {
		return nil, false // none
	}
	c, alpha := rgb(uint32(hex)), 1.0
	if pale := s.attributes["pale"]; pale != "" {
		c = mix(rgb(0xffffff), c, s.number("pale"))
	}
	if s.attributes["opacity"] != "" {
		alpha = s.number("opacity")
	}
	return c.rgba(alpha), true
}

// write writes a line of text, with a rim where it has a stroke.
func (p *painter) write(s *shape, words string) {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if s.attributes["font-weight"] == "bold" {
		f.Weight = xfont.WeightBold
	}
	face := p.text.cache.Lookup(f, font.Length(s.number("font-size")))
	at := p.at(s, s.number("x"), s.number("y"))
	switch s.attributes["text-anchor"] {
	case "middle":
		at.X -= face.Width(words) / 2
	case "end":
		at.X -= face.Width(words)
	}
	if rim, there := s.ink("stroke", "none"); there && s.attributes["paint-order"] == "stroke" {
		p.canvas.SetColor(rim)
		for i := range 8 {
			sin, cos := math.Sincos(float64(i) * math.Pi / 4)
			by := s.number("stroke-width") / 2
			p.canvas.FillString(face, at.Add(vg.Point{X: vg.Length(by * cos), Y: vg.Length(by * sin)}), words)
		}
	}
	if ink, there := s.ink("fill", "#000000"); there {
		p.canvas.SetColor(ink)
		p.canvas.FillString(face, at, words)
	}
}
