package render

import (
	"fmt"
	"slices"
)

// kinds gives every kind of vertex, a given one, a name or a label, its colour, the same in all drawings of
// a picture.
type kinds struct {
	order   []string // all, sorted
	colours map[string]colour
	shown   []string // those with a colour of their own
	others  bool     // there are more
}

// plain is the disc of a vertex of which nothing is known.
func plain() colour { return rgb(0x4f7cac) }

// kindOf returns the kind of vertex v, "" where it has neither a kind nor a name nor a label.
func (d *Drawing) kindOf(v int) string {
	if number, word := d.numbered(v); word != "" {
		return fmt.Sprintf("%s %d", word, number)
	}
	if len(d.Names) > 0 {
		return d.Names[v]
	}
	return ""
}

// numbered returns the number of the kind of vertex v and what such a number is called, "" where its name is
// its kind or it has none.
func (d *Drawing) numbered(v int) (number int, word string) {
	switch {
	case len(d.Kinds) > 0 && d.Kind != "":
		return d.Kinds[v], d.Kind
	case len(d.Kinds) > 0:
		return d.Kinds[v], "kind"
	case len(d.Names) == 0 && d.Batch.Labels != nil:
		from, _ := d.Batch.Vertices(d.Graph)
		return int(d.Batch.Labels[int(from)+v]), "label"
	}
	return 0, ""
}

// kindsOf collects the kinds of all drawings that show any by colour. If all are elements they get
// the usual colours, else kind or label i gets the categorical colour i, or the next free one, and names
// get theirs in alphabetical order. Beyond the palette kinds are grey, together in the
// legend as "other". Where most vertices have a name of their own, colours by name would say nothing,
// and all are plain.
func kindsOf(drawings []Drawing) kinds {
	k := kinds{colours: map[string]colour{}}
	labels := map[string]int{} // preferred place in the palette
	elements, named := true, false
	vertices := 0
	for i := range drawings {
		d := &drawings[i]
		if len(d.Contributions) > 0 {
			continue
		}
		n, _ := d.size()
		vertices += n
		for v := range n {
			kind := d.kindOf(v)
			if _, known := labels[kind]; known || kind == "" {
				continue
			}
			labels[kind] = -1
			if number, word := d.numbered(v); word != "" {
				labels[kind] = number
			} else {
				named = true
			}
			elements = elements && isElement(kind)
			k.order = append(k.order, kind)
		}
	}
	slices.SortFunc(k.order, func(a, b string) int {
		if labels[a] != labels[b] {
			return labels[a] - labels[b]
		}
		if a < b {
			return -1
		}
		return 1
	})
	if elements {
		for _, kind := range k.order {
			k.colours[kind] = elementColour(kind)
		}
		k.shown = k.order
		return k
	}
	palette := categorical()
	if named && 2*len(k.order) > vertices {
		k.order = nil
		return k
	}
	taken := make([]bool, len(palette))
	for _, kind := range k.order {
		place := max(labels[kind], 0) % len(palette)
		for range palette {
			if !taken[place] {
				break
			}
			place = (place + 1) % len(palette)
		}
		if taken[place] {
			k.colours[kind] = other()
			k.others = true
			continue
		}
		k.shown = append(k.shown, kind)
		taken[place] = true
		k.colours[kind] = palette[place]
	}
	return k
}

// word says what the colours of the vertices of a drawing tell, "" where they tell nothing.
func (k kinds) word(d *Drawing) string {
	switch _, word := d.numbered(0); {
	case len(k.order) == 0 || len(d.Contributions) > 0:
		return ""
	case !slices.ContainsFunc(k.order, func(kind string) bool { return !isElement(kind) }):
		return "element"
	case word != "":
		return word
	}
	return "label"
}

// colour returns the fill of vertex v of a drawing.
func (k kinds) colour(d *Drawing, v int, limit float64) colour {
	if len(d.Contributions) > 0 {
		if limit == 0 {
			return diverging(0)
		}
		return diverging(d.Contributions[v] / limit)
	}
	if c, known := k.colours[d.kindOf(v)]; known {
		return c
	}
	return plain()
}

// swatch returns the colour of an entry of the legend.
func (k kinds) swatch(kind string) colour {
	if c, known := k.colours[kind]; known {
		return c
	}
	return other()
}

func other() colour { return rgb(0xb5b5b5) }
