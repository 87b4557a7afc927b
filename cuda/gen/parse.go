package main

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// entry is one entry point: extern "C" __global__ void name(parameters).
type entry struct {
	name         string
	parameters   []parameter
	declarations []string // of the parameters, as they are written
}

// parameter is one argument of a kernel. Its kind is p for a pointer and i, l, f, d for int, long long, float
// and double; a pointer has the kind of its elements as well, with b for unsigned char.
type parameter struct {
	name    string
	kind    byte
	element byte
}

// maxParameters is what package cuda has room for (maxArguments).
const maxParameters = 64

// kinds of the types that a parameter or an element may have.
var kinds = map[string]byte{
	"int": 'i', "int32_t": 'i', "long long": 'l', "long long int": 'l', "int64_t": 'l', "float": 'f', "double": 'd',
	"unsigned char": 'b', "uint8_t": 'b',
}

var (
	global     = regexp.MustCompile(`\b__global__\b`)
	bounds     = `(?:__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)\s*)?`
	entryPoint = regexp.MustCompile(`extern\s*"C"\s*__global__\s+` + bounds + `void\s+` + bounds + `(\w+)\s*\(([^()]*)\)`)
	qualifier  = regexp.MustCompile(`\b(const|__restrict__|restrict|__restrict|volatile)\b`)
	spaces     = regexp.MustCompile(`\s+`)
	lineMarker = regexp.MustCompile(`(?m)^#.*$`)
)

// parse finds the entry points of preprocessed kernels, by name. Every __global__ must belong to one.
func parse(text string) ([]entry, error) {
	text = lineMarker.ReplaceAllString(text, "")
	matches := entryPoint.FindAllStringSubmatchIndex(text, -1)
	begins := make(map[int]bool)
	var entries []entry
	seen := make(map[string]bool)
	for _, m := range matches {
		begins[global.FindStringIndex(text[m[0]:m[1]])[0]+m[0]] = true
		e := entry{name: text[m[2]:m[3]]}
		if seen[e.name] {
			// A declaration before the definition is no second kernel.
			continue
		}
		seen[e.name] = true
		for _, declaration := range strings.Split(text[m[4]:m[5]], ",") {
			if strings.TrimSpace(declaration) == "" || strings.TrimSpace(declaration) == "void" {
				continue
			}
			p, err := parseParameter(declaration)
			if err != nil {
				return nil, fmt.Errorf("kernel %s: %w", e.name, err)
			}
			e.parameters = append(e.parameters, p)
			e.declarations = append(e.declarations, strings.TrimSpace(spaces.ReplaceAllString(declaration, " ")))
		}
		if len(e.parameters) > maxParameters {
			return nil, fmt.Errorf("kernel %s: %d parameters, at most %d fit", e.name, len(e.parameters), maxParameters)
		}
		entries = append(entries, e)
	}
	for _, at := range global.FindAllStringIndex(text, -1) {
		if !begins[at[0]] {
			end := min(at[1]+80, len(text))
			return nil, fmt.Errorf("a __global__ function that is not extern \"C\" __global__ void name(...): %s",
				spaces.ReplaceAllString(text[at[0]:end], " "))
		}
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("no entry point found: want extern \"C\" __global__ void name(...)")
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].name < entries[j].name })
	return entries, nil
}

func parseParameter(declaration string) (parameter, error) {
	text := qualifier.ReplaceAllString(declaration, " ")
	pointer := strings.Count(text, "*")
	text = strings.TrimSpace(spaces.ReplaceAllString(strings.ReplaceAll(text, "*", " "), " "))
	cut := strings.LastIndexByte(text, ' ')
	if cut < 0 || kinds[text] != 0 {
		return parameter{}, fmt.Errorf("parameter %q has no name", strings.TrimSpace(declaration))
	}
	kind, known := kinds[text[:cut]]
	if !known || pointer > 1 || pointer == 0 && kind == 'b' {
		return parameter{}, fmt.Errorf("parameter %q: want a pointer to float, double, int, long long or unsigned char, or "+
			"an int, long long, float or double", strings.TrimSpace(declaration))
	}
	p := parameter{name: text[cut+1:], kind: kind}
	if pointer == 1 {
		p.kind, p.element = 'p', kind
	}
	return p, nil
}

// signature spells the kinds of the parameters, one letter each.
func (e entry) signature() string {
	var b strings.Builder
	for _, p := range e.parameters {
		b.WriteByte(p.kind)
	}
	return b.String()
}
