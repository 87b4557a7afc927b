// Package examples holds programs of a few lines against the packages of Grove, each in a folder of its own:
//
//	go run ./examples/train DIR MODEL    train on a data set, save, load, predict
//	go run ./examples/compare DIR        cross-validate two families on the same folds
//	go run ./examples/graphs             graphs built in code, without files
//	go run ./examples/vectors DIR        vectors of graphs in a gonum matrix
//	go run ./examples/stream STORE       train on graphs that stay on disk
//	go run ./examples/convolution cpu    a network of one's own, on a CPU or a GPU
//
// grove data synth molecules --out DIR makes a data set to try them on, and grove data convert a store.
package examples
