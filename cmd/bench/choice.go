package main

import (
	"fmt"
	"slices"
	"strings"
)

// chosenOperations reads --op. Without it all operations are meant, unless --model is given. What is not
// about the engine of the run is left out unless it is named; a device's operations want a device.
func (f *flags) chosenOperations(onDevice bool) ([]operation, error) {
	var names []string
	for _, op := range operations() {
		if op.kind != deviceAlone || onDevice {
			names = append(names, op.name)
		} else if slices.Contains(f.ops, op.name) {
			return nil, fmt.Errorf("--op %s: this is about devices alone; name one with --device cuda", op.name)
		}
	}
	chosen, err := choose("--op", f.ops, names, f.models == nil, func(name, asked string) bool { return name == asked })
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(operations(), func(op operation) bool {
		return !chosen[op.name] || (onDevice && op.kind == onHost && !slices.Contains(f.ops, op.name))
	}), nil
}

// chosenModels reads --model likewise. "all" and nothing leave out the models that want to be named.
func (f *flags) chosenModels() ([]staged, error) {
	var names []string
	for _, m := range models() {
		names = append(names, m.name)
	}
	chosen, err := choose("--model", f.models, names, f.ops == nil, func(name, asked string) bool {
		return name == asked || strings.HasPrefix(name, asked+"-")
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(models(), func(m staged) bool {
		return !chosen[m.name] || (m.extra && !slices.Contains(f.models, m.name))
	}), nil
}

// choose returns the names that are asked for.
func choose(
	flag string, asked, names []string, otherwise bool, fits func(name, asked string) bool,
) (map[string]bool, error) {
	if asked == nil && otherwise {
		asked = []string{"all"}
	}
	chosen := map[string]bool{}
	for _, a := range asked {
		found := a == "none"
		for _, name := range names {
			if a == "all" || fits(name, a) {
				chosen[name], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("%s %q: want all, none or some of %s", flag, a, strings.Join(names, ", "))
		}
	}
	return chosen, nil
}
