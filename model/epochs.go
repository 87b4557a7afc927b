package model

// Epoch is what is known after a pass of a training over its examples.
type Epoch struct {
	Loss       float64   // mean over the batches while they were trained on
	Score      float64   // of the same: the share of right classes, or of the variance that is explained
	Validation []float64 // the same of the part held out, after the epoch; nothing where none is
}

// Trained is a model that can tell how its training went. One from a file has forgotten it.
type Trained interface {
	// Epochs lists the epochs in their order; nil where nothing is known.
	Epochs() []Epoch
}
