// Package machine puts support vector machines on what a family represents graphs by: [Vectors], or a [Kernel] between
// graphs. It is what families that end in such a machine share: the learning, the stored machine, and how a decision
// is split over vertices.
//
//	v, err := machine.OnVectors(x, svm.VectorKernel{}, e) // a row for each example
//	said, err := v.Learn(ctx, trial)                      // for every value of C in the trial
package machine
