// Package autodiff differentiates networks on graphs end to end: the operations of a Grove engine as operations of
// gorgonia, each with its gradient as an operation of its own, and networks that are built from them, which are
// trained, predict and explain their decisions.
//
//	n, err := autodiff.New(e, definition)                // a network of one's own, to be trained by a Trainer
//	n, err := autodiff.NewKernelNetwork(e, options, p)   // a graph convolutional kernel network
//	g := autodiff.NewGraph(e, tensor.Float32)            // one operation after another
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
// # A network of one's own
//
// A [Definition] names tensors and builds a graph of them: [Graph.Vertices], [Graph.Neighbours], [Graph.Linear],
// [Graph.BatchNorm], [Graph.ReLU], [Graph.Dropout], [Graph.Items], and operations of gorgonia. [Network.Layout] lays
// out a batch for it. docs/networks.md has a whole one in 40 lines, with a picture of what runs where; package gnn has
// two.
//
// # Graphs of one's own
//
// gorgonia's operations, those of [Graph] and a user's own stand in one graph, in any order, and a [Machine] runs all
// where the tensors lie; [On] takes a graph that exists already. A machine is a VM of gorgonia:
//
//	g := autodiff.NewGraph(e, tensor.Float32)
//	x, w := g.Parameter("x", x), g.Parameter("w", w) // tensors of e
//	hidden := G.Must(G.Rectify(G.Must(G.Mul(g.SparseMatMul(a, x), w))))
//	...
//	gradients, err := G.Grad(loss, w)
//	m, err := g.Machine(append(gradients, loss)...)
//	err = m.RunAll() // then the nodes have values
//
// On a CPU every operation of gorgonia works, on its own machines too: give those the option WithEngine.
//
// On a GPU these work on the device: what is done with every element (arithmetic, comparisons, roots, exponentials,
// logarithms, Tanh, Sigmoid, Softplus, Rectify, Sin, Cos), products of matrices and vectors and of many matrices, Sum,
// Mean and Max along axes, SoftMax and LogSoftMax, Transpose, Reshape, Slice, Concat, broadcasts, and the gradients of
// all these. A sum of all elements, a product of two vectors and a slice of one element are numbers, which come to the
// host. Any other operation of gorgonia (ByIndices, convolutions, pooling) runs on copies in host memory.
// gorgonia's own machines and solvers cannot be used there, since they read and write the memory of tensors: a tape
// machine says so by an error, a lisp machine or a solver ends the program. Change parameters by Adam of the engine, or
// by tensor.Add and its like, which work on the device.
//
// gorgonia knows the shapes of parameters alone where a batch brings the rows (see Operations): those of its operations
// that look at shapes, sums, broadcasts and slices, need nodes whose shapes are true.
//
// Where several operations use one node, gorgonia adds their gradients. An operation that can add to memory does so in
// a [Machine], in that of the other gradient where nobody else looks at it.
//
// # The network of kernels
//
// [KernelNetwork] is the only definition of the layers of GCKN: [KernelNetwork.Step] trains them,
// [Network.Forward] encodes graphs and [KernelNetwork.ForwardVertices] vertices, and [KernelNetwork.StepMasked]
// differentiates with respect to masks on paths. Unit rows and norms travel together as a [Table]. To
// encode, the inverse square roots are given ([Parameters].Roots), every result goes back to the engine after its last
// use, and channels are multiplied one by one, so that each has the bits that it has alone.
package autodiff
