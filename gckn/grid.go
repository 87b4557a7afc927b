package gckn

// Grid is a set of settings to choose from: the product of its lists. Filters, sigma and local pooling
// are the same in all layers of a model, path sizes those of the first layer.
type Grid struct {
	PathSizes []int
	Filters   []int
	Sigmas    []float64
	Local     []Pooling
	Global    []Pooling
}

// PaperGrid returns the search range of the paper for unsupervised models (table 3): 2772 settings.
// Replace lists by shorter ones to thin it.
func PaperGrid() Grid {
	return Grid{
		PathSizes: []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
		Filters:   []int{32, 128, 512, 1024},
		Sigmas:    []float64{0.3, 0.4, 0.5, 0.6, 1.0, 1.5, 2.0},
		Local:     []Pooling{Sum, Mean, Max},
		Global:    []Pooling{Sum, Mean, Max},
	}
}

// QuickGrid returns 18 settings around the defaults.
func QuickGrid() Grid {
	return Grid{
		PathSizes: []int{3, 4, 6},
		Filters:   []int{128},
		Sigmas:    []float64{0.4, 0.6, 1.5},
		Local:     []Pooling{Sum},
		Global:    []Pooling{Sum, Mean},
	}
}

// Size returns the number of settings.
func (g Grid) Size() int {
	return len(g.PathSizes) * len(g.Filters) * len(g.Sigmas) * len(g.Local) * len(g.Global)
}

// Options returns every setting of the grid for a variant (see [Preset]); what the grid does not vary is
// taken from base. The path size varies slowest, then filters, sigma, local and global pooling.
func (g Grid) Options(variant string, base Options) ([]Options, error) {
	var all []Options
	for _, size := range g.PathSizes {
		for _, filters := range g.Filters {
			for _, sigma := range g.Sigmas {
				for _, local := range g.Local {
					for _, global := range g.Global {
						layers, err := Preset(variant, size, filters, sigma)
						if err != nil {
							return nil, err
						}
						o := base
						o.Walk, o.Layers, o.GlobalPooling = layers.Walk, layers.Layers, global
						for l := range o.Layers {
							o.Layers[l].Pooling = local
						}
						if err := o.Check(); err != nil {
							return nil, err
						}
						all = append(all, o)
					}
				}
			}
		}
	}
	return all, nil
}
