// Package model is the contract between models and those who use them: cross-validation, the command, other programs.
//
// An [Estimator] is one choice of the options of a model. From a data set it makes a [Learner], which knows what needs
// no targets (anchors, colours, a kernel matrix), learns from the targets of some examples, and predicts others or
// gives a [Model]. A model predicts; by what further interfaces it implements it embeds ([Embedder]), explains
// ([Explainer]), writes down what it learned ([Dumper]). [Save] and [Load] keep it in a file.
//
//	d, err := dataset.Open("MUTAG")
//	m, err := model.Fit(ctx, d, wl.Estimator{Options: wl.DefaultOptions(wl.Assignment), C: []float64{1}}, nil)
//	err = model.Save("mutag.grove", m)
//	said, err := m.Predict(ctx, d, nil)
//
// A family of models (package gckn, wl, ...) registers itself ([Register]) when it is imported; package families
// imports all of them. By its registration the command and others know the models of a family by name, with their
// options as parameters (package param), without knowing the family.
package model
