// Package train is the supervised training of networks end to end, whatever the network: it knows the examples, graphs
// or vertices, in memory or on disk, with their classes or numbers; which of them train, choose the epoch or are
// predicted meanwhile; losses, weights of classes and standardised numbers; checkpoints; and the place of all of it
// between estimators ([Learner]) and their options by name ([Flags]).
//
// A family of networks brings the rest: how its network is made, how batches are laid out for it ([autodiff.Source]),
// where its parameters start, and its model. It checks a training by [New] and trains with [Run.Run]:
//
//	run, err := train.New(training, options)
//	// network and source are the family's; the source takes targets from run.Targets
//	err = run.Run(ctx, &autodiff.Trainer{Network: network, Source: source, Start: start}, described)
//
// An estimator of the family opens its data ([Open]) and returns a [Learner] that makes a [Trainee] for every training.
package train
