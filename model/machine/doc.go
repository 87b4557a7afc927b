// Package machine puts support vector machines on what a family represents graphs by: [Vectors], or a [Kernel] between
// graphs. It is what families that end in such a machine share: the learning, the stored machine, and how a decision
// is split over vertices.
package machine
