package gckn

import (
	"fmt"
	"strings"

	"github.com/grove-graph/grove/model/param"
)

// pretrained returns the networks that start from the file that --from names: its layers, with what else the given ones
// say. Layers that were asked for must be its own.
func (o *optionsByName) pretrained(asked []Options, seed uint64) ([]Options, error) {
	t := o.training
	if t.read == nil {
		p, err := ReadPretrained(t.from)
		if err != nil {
			return nil, param.Errorf("from", nil, "%w", err)
		}
		t.read = p
	}
	network := t.read.Options()
	if own := strings.TrimSuffix(t.read.Model, supervisedSuffix); own != o.variant {
		return nil, param.Errorf("from", t.from, "it holds a %s, from which a %s starts, not a %s", t.read.Model,
			own+supervisedSuffix, o.variant+supervisedSuffix)
	}
	if o.preset != "none" {
		return nil, param.Errorf("grid", o.preset, "from has the layers of its file: leave grid out")
	}
	if o.set.Given("features") && o.features != "auto" && o.features != t.read.Features() {
		return nil, param.Errorf("features", o.features, "%s has %s", t.read, t.read.Features())
	}
	poolings := map[Pooling]bool{}
	var all []Options
	for _, a := range asked {
		name, want := o.unlike(&a, &network)
		if name != "" {
			return nil, param.Errorf(name, o.set.Lookup(name).String(), "%s has %s", t.read, want)
		}
		n := network
		if n.Seed = seed; o.set.Given("global-pooling") {
			n.GlobalPooling = a.GlobalPooling
		}
		if !poolings[n.GlobalPooling] {
			all = append(all, n)
		}
		poolings[n.GlobalPooling] = true
	}
	return all, nil
}

// unlike names the first option that was given and differs from that of another network, with the value there.
func (o *optionsByName) unlike(a, network *Options) (name, want string) {
	given := *network // with what was given
	given.Layers = append([]LayerOptions(nil), network.Layers...)
	if o.set.Given("layers") {
		given.Layers = a.Layers
		if name, _, _ := given.difference(network); name != "" {
			return "layers", fmt.Sprint(network)
		}
	}
	for l := range given.Layers {
		to, from := &given.Layers[l], a.Layers[min(l, len(a.Layers)-1)]
		replace(&to.PathSize, from.PathSize, o.set.Given("path-size") && l == 0)
		replace(&to.Filters, from.Filters, o.set.Given("filters"))
		replace(&to.Sigma, from.Sigma, o.set.Given("sigma"))
		replace(&to.Pooling, from.Pooling, o.set.Given("pooling"))
	}
	replace(&given.AllLengths, a.AllLengths, o.set.Given("lengths"))
	replace(&given.SumExponent, a.SumExponent, o.set.Given("exponent"))
	replace(&given.Rule, a.Rule, o.set.Given("regularisation"))
	replace(&given.Double, a.Double, o.set.Given("precision"))
	name, _, value := given.difference(network)
	return name, fmt.Sprint(value)
}
