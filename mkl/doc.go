// Package mkl learns the weights of a sum of kernels together with a classifier, by EasyMKL.
//
//	solution, err := mkl.Solve(ctx, family, labels, mkl.DefaultOptions())
//	weights := solution.Weights
//
// # What it asks of the kernels
//
// A [Family] multiplies the sum of its kernels with a vector and computes the quadratic form z' K_m z of all of
// them for one z. A list of matrices can do that; so can a family with a hundred thousand kernels
// none of which is ever written down, as that of the nodes of a hierarchy in package wl, where both cost
// as much as the hierarchy has entries.
//
// # The algorithm
//
// EasyMKL looks for the nearest points of the convex hulls of two classes, a quadratic program over two
// simplices. Gradient projections find the face of the solution, conjugate gradients the minimum within
// it: finitely many faces, no tuning, and to rounding where the tolerance asks for it. For NCI1 under the
// Weisfeiler-Lehman assignment kernel (4110 graphs) that takes 500 to 2300 products, by lambda.
//
// # Conventions
//
// The objective of EasyMKL has no factor 1/2. Its article takes weights of 2-norm 1 and its published code
// weights of sum 1; [Norm] chooses. Kernels are taken as they are unless [Options].Scale says otherwise. With
// lambda 0 and classes whose hulls meet there is no solution ([ErrInseparable]).
package mkl
