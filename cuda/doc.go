// Package cuda is the engine for NVIDIA GPUs, built with the tag gpu alone: it implements [engine.Engine]
// on the CUDA driver through gorgonia.org/cu. Importing it registers the kind "cuda" with package engine; nothing else
// is needed to use it.
//
//	import _ "github.com/grove-graph/grove/cuda"
//
//	e, err := engine.Open("cuda", 1)
//
// # Where things run
//
// A context belongs to one goroutine that is locked to its OS thread; every call of the driver is made there. An
// operation makes none: it appends launches, fills and moves to a submission, which is data, and returns. The thread
// performs one submission after another. Only who asks for a result waits, and who needs memory that the pool does
// not have. Kernels run on one stream, in the order of the operations; data arrive on a second stream, so that the
// next batch is copied while this one is computed.
//
// A submission holds one operation, or all of those that a call of [Engine.Record] makes, as a step of a training
// does. What these bring to the device is packed into one piece of page-locked memory and goes up in one copy. For a
// single operation that is so up to half a MiB, and larger arrays have copies of their own; for recorded work the piece
// has the size that such work needed before. When a recorded sequence of kernels comes for the second time it
// becomes a CUDA graph: from then on the nodes are changed whose addresses, numbers or sizes are others, and one call
// launches all of them. The graphs of the last sequences are kept. Where the driver has no graphs, or a product goes
// to cuBLAS, the kernels are launched one by one.
//
// Wrong arguments are an error of the operation. What goes wrong on the way to the device or there loses the engine:
// what was enqueued behind it would compute from what is missing. The first one to wait is told what happened, with
// the name of the operation and of the kernel, and every operation after that returns an error.
//
// # Models beside each other
//
// [Engine.Beside] returns an engine on the same GPU for one more model: a lane, with memory, tensors and submissions of
// its own, while context, thread and streams are common. The thread takes the first jobs of all lanes. Recorded
// submissions with equal sequences of kernels become one: every launch has one more dimension, and block z reads the
// arguments of model z from a table, which goes up before the kernels. The kernels of training
// steps have twins for this (kernels/models_gen.cuh); what has none is launched once a model, within the same
// submission. A grid is as large as the largest needs, so that models of different sizes go together, and the bits of
// none depend on the others. What the lanes bring goes up in one copy as well, as far as it is no more than a MiB, and
// a kernel on the stream of copies takes it apart.
//
// A lane that brings nothing is waited for about as long as a step takes, and then not before it has brought something
// again; no lane can hold others up for longer, whatever it does. A launch that fails is told to the lanes whose work
// it was; a lost context is lost for all.
//
// # Memory
//
// Tensors live in device memory. They come from a pool that keeps what is given back, are counted, and are given
// back when the tensor is collected or released. A tensor for which there is no memory carries the error of
// its allocation, and every operation on it returns that error. Graphs are uploaded once and kept as long as the
// [graph.Batch] lives.
//
// # gorgonia
//
// The engine implements the interfaces by which [tensor.Dense] and gorgonia's operations compute: tensor.Add(x, y) of
// two tensors of it is a tensor of it. What reads or writes elements in Go ends the program, as Data, Get and Zero do;
// Materialize of a part that lies apart gives zeros. Package autodiff runs graphs without these.
//
// # Kernels
//
// kernels.cu at the root of the repository is the index of all kernels, which are embedded as one fatbin: machine code
// for compute capability 8.0 and 9.0, PTX of 9.0 for newer and of 7.0 for older GPUs. The launch functions in
// kernels_gen.go are generated from the same files, so that a wrong argument does not compile. Large matrix products go
// to cuBLAS where its library is found. The tests hold every tuned kernel beside its plain ancestor of kernels/plain,
// which they alone embed.
//
// # Headers
//
// The binding was written for CUDA 11. compat/cuda.h stands before the header of the toolkit and maps what later
// versions removed or changed; compat/check.sh compiles binding and package against the headers in a folder. That
// was done with the headers of 11.8 and of 12.4. For 13 it was done with those of 12.4 changed as the release
// notes of 13 say, not with the real ones.
//
// # Environment
//
// cuBLAS is taken from where the loader finds it (LD_LIBRARY_PATH first), else from $CUDA_HOME/lib64 and
// /usr/local/cuda/lib64, else from the packages of a Python: $PYTHONPATH, $VIRTUAL_ENV, $CONDA_PREFIX, the python3 on
// the PATH, the user's, the system's. GROVE_CUBLAS=off keeps matrix products in Grove's own kernels, whose results have
// the same bits on every GPU; GROVE_CUBLAS=all leaves small ones to cuBLAS, too.
// GROVE_CUDA_POOL=off gives memory back to the driver at once, and lets every upload have memory of its own, so that a
// memory checker sees every access after a release or beyond the end.
// GROVE_CUDA_GRAPHS=off launches all kernels one by one.
package cuda
