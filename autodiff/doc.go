// Package autodiff differentiates graph convolutional kernel networks end to end: the operations of a
// Grove engine as operations of gorgonia, each with its gradient as an operation of its own, and the
// network that is built from them, which is trained, encodes graphs and explains its decisions.
//
//	g := autodiff.NewGraph(e, tensor.Float32)            // one operation of a network after another
//	n, err := autodiff.New(e, options, parameters)       // a whole network, to be trained by a Trainer
//	m, err := autodiff.FitMLP(ctx, e, x, y, nil, autodiff.DefaultMLP(), nil) // a network with one hidden layer
//
// # Operations
//
// A [Graph] is a gorgonia expression graph whose operations run on one engine. Its methods add one node
// each; the first error is kept and returned by [Graph.Err]. What changes from batch to batch, the arcs
// and the input of the vertices, is no value of gorgonia: it is the [Batch] of the graph, set before each
// run. So the parameters alone have shapes that gorgonia knows. A dimension that depends on the batch is 1
// to gorgonia, and one compiled [Machine] runs batches of any size.
//
// Every operation keeps the memory of its result between runs and enlarges it by powers of two. A step
// therefore allocates nothing once the largest batch was seen, on a device as on the host.
//
// # Training
//
// A [Trainer] trains a network by Adam on shuffled batches of the items of a [Source], which knows where the
// items come from; the next batch is laid out while one is trained on. An [Evaluator] runs the
// network on the same items after every epoch. All state of a training, parameters, moments, place and records, goes
// to its [Checkpoint], from which it comes to the same bits; the order of the items in an epoch follows from
// the seed and the epoch alone. On a device, losses and outputs stay there until an epoch or a checkpoint
// ends.
//
// # Addition of gradients
//
// Where two operations use one node, gorgonia adds their gradients with its own operation, for which an
// engine needs the method Add of [tensor.Adder]; engines on host memory have it. A [Network] that is trained has no
// such node: unit rows and norms travel together as a [Table], and anchors enter twice, as filters and as
// landmarks of the kernel matrix, whose two gradients [Graph.Sum] adds.
//
// # One network
//
// [Network] is the only definition of the layers: [Network.Step] trains them, [Network.Forward] encodes graphs and
// [Network.ForwardVertices] vertices, and [Network.StepMasked] differentiates with respect to masks on paths. To
// encode, the inverse square roots are given ([Parameters].Roots), every result goes back to the engine after its last
// use, and channels are multiplied one by one, so that each has the bits that it has alone.
package autodiff
