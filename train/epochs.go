package train

import (
	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/model"
)

// Epochs returns what [model.Trained] tells of the records of a training.
func Epochs(records []autodiff.Record) (epochs []model.Epoch) {
	for _, r := range records {
		if r.Epoch > 0 {
			epochs = append(epochs, model.Epoch{Loss: r.Loss, Score: r.Accuracy, Validation: r.Scores})
		}
	}
	return epochs
}
