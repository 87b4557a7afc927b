// Package gnn has the two graph networks that everybody compares with, as networks of package autodiff: gorgonia
// differentiates them, an engine of Grove computes them, and package train trains them.
//
//	gcn   graph convolutional network (Kipf and Welling, ICLR 2017): H' = max(0, Â H W + b), Â the renormalised adjacency
//	gin   graph isomorphism network (Xu et al., ICLR 2019): h' = MLP(h + sum of h over the neighbours), with batch
//	      normalisation; a graph is represented by the pooled vertices of all layers
//
// Both learn classes and numbers, of graphs and of vertices. The models are registered under these names.
package gnn
