package dataset

import (
	"math/bits"
	"strconv"
)

// words gives every text a code: whole numbers as they are usually written their value, others the place at which they
// came, from firstWord on.
type words struct {
	places map[string]int32
	texts  []string
}

const firstWord = 1 << 62

// code returns the code of a text.
func (w *words) code(text []byte) int64 {
	if value, ok := wholeNumber(text); ok {
		return value
	}
	return w.word(text)
}

// word returns the code of a text that is no number, whatever it looks like.
func (w *words) word(text []byte) int64 {
	place, ok := w.places[string(text)]
	if !ok {
		if w.places == nil {
			w.places = map[string]int32{}
		}
		place = int32(len(w.texts))
		w.texts = append(w.texts, string(text))
		w.places[w.texts[place]] = place
	}
	return firstWord + int64(place)
}

// text returns the text of a code.
func (w *words) text(code int64) string {
	if code >= firstWord {
		return w.texts[code-firstWord]
	}
	return strconv.FormatInt(code, 10)
}

// wholeNumber returns the value of a whole number of at most 18 digits without leading zeros and plus.
func wholeNumber(text []byte) (value int64, ok bool) {
	digits := text
	if len(digits) > 1 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && len(text) > 1 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		value = 10*value + int64(c-'0')
	}
	if len(digits) < len(text) {
		value = -value
	}
	return value, true
}

// numbering numbers names from 0 in the order in which they come. A name is a code within a graph.
type numbering struct {
	graphs []int32 // of each name
	codes  []int64 // of each name

	// The number of each name: small codes of graph 0 in a list of one more than it, others in a table of open
	// addressing, of a power of two slots.
	small []int32
	slots []slot
	used  int
}

type slot struct {
	code   int64
	graph  int32
	number int32 // one more than it; 0 for a free slot
}

// find returns the number of a name, -1 where it has none.
func (n *numbering) find(graph int32, code int64) int32 {
	if graph == 0 && uint64(code) < uint64(len(n.small)) {
		if number := n.small[code]; number > 0 {
			return number - 1
		}
	}
	if n.used == 0 {
		return -1
	}
	return n.slots[n.place(graph, code)].number - 1
}

// add returns the number of a name, a new one where it has none, and whether it is new.
func (n *numbering) add(graph int32, code int64) (number int32, added bool) {
	if number := n.find(graph, code); number >= 0 {
		return number, false
	}
	number = int32(len(n.codes))
	n.graphs, n.codes = append(n.graphs, graph), append(n.codes, code)
	// Codes that are not much larger than there are names: the list stays of the size of the text that is read.
	if limit := int64(1024 + 4*len(n.codes)); graph == 0 && code >= 0 && code < limit {
		if code >= int64(len(n.small)) {
			n.small = append(n.small, make([]int32, max(2*code, 1024)-int64(len(n.small)))...)
			for _, s := range n.slots { // those that came when the list was shorter
				if s.number != 0 && s.graph == 0 && s.code >= 0 && s.code < int64(len(n.small)) {
					n.small[s.code] = s.number
				}
			}
		}
		n.small[code] = number + 1
		return number, true
	}
	if 3*n.used >= 2*len(n.slots) {
		n.grow()
	}
	n.slots[n.place(graph, code)] = slot{code, graph, number + 1}
	n.used++
	return number, true
}

// place returns the slot of a name, or the free one where it belongs.
func (n *numbering) place(graph int32, code int64) int {
	const mix = 0x9E3779B97F4A7C15
	h := (uint64(code) ^ uint64(uint32(graph))<<40 ^ uint64(uint32(graph))) * mix
	h = (h ^ h>>32) * mix
	mask := len(n.slots) - 1
	at := int(h >> (64 - bits.TrailingZeros(uint(len(n.slots)))))
	for ; n.slots[at].number != 0; at = (at + 1) & mask {
		if s := &n.slots[at]; s.code == code && s.graph == graph {
			break
		}
	}
	return at
}

func (n *numbering) grow() {
	old := n.slots
	n.slots = make([]slot, max(2*len(old), 64))
	for _, s := range old {
		if s.number != 0 {
			n.slots[n.place(s.graph, s.code)] = s
		}
	}
}

// plain reports whether all names are whole numbers.
func (n *numbering) plain() bool {
	for _, code := range n.codes {
		if code >= firstWord {
			return false
		}
	}
	return true
}
