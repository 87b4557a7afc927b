//go:build gpu

package cuda

// The calls of the driver for launches and graphs. The binding makes graphs and their nodes, but neither instantiates
// nor launches nor updates them, and it allocates memory for every launch.

/*
#include <cuda.h>
#include <stdint.h>
#include <string.h>

enum { most_arguments = 64 };

// Arguments are words; the driver takes the address of each.
static void addresses(void **to, const uint64_t *words, int n) {
	for (int i = 0; i < n; i++) to[i] = (void *)(words + i);
}

static CUresult launch_kernel(CUfunction f, const unsigned *grid, int together, const uint64_t *words, int n,
	CUstream stream) {
	void *at[most_arguments];
	addresses(at, words, n);
	if (together) // the driver refuses more blocks than are there at a time
		return cuLaunchCooperativeKernel(f, grid[0], grid[1], grid[2], grid[3], grid[4], grid[5], grid[6], stream, at);
	return cuLaunchKernel(f, grid[0], grid[1], grid[2], grid[3], grid[4], grid[5], grid[6], stream, at, 0);
}

// add_kernel adds a node behind another one, or none; with exec it changes the node in there.
static CUresult add_kernel(CUgraph graph, CUgraphNode *node, const CUgraphNode *after, CUgraphExec exec, CUfunction f,
	const unsigned *grid, int together, const uint64_t *words, int n) {
	void *at[most_arguments];
	addresses(at, words, n);
	CUDA_KERNEL_NODE_PARAMS p;
	memset(&p, 0, sizeof p);
	p.func = f;
	p.gridDimX = grid[0], p.gridDimY = grid[1], p.gridDimZ = grid[2];
	p.blockDimX = grid[3], p.blockDimY = grid[4], p.blockDimZ = grid[5];
	p.sharedMemBytes = grid[6];
	p.kernelParams = at;
	if (exec) return cuGraphExecKernelNodeSetParams(exec, *node, &p);
	CUresult made = cuGraphAddKernelNode(node, graph, after, after != 0, &p);
	if (made != CUDA_SUCCESS || !together) return made;
	CUkernelNodeAttrValue cooperative;
	memset(&cooperative, 0, sizeof cooperative);
	cooperative.cooperative = 1;
	return cuGraphKernelNodeSetAttribute(*node, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &cooperative);
}

static CUresult add_fill(CUgraph graph, CUgraphNode *node, const CUgraphNode *after, CUgraphExec exec, uint64_t to,
	unsigned value, size_t bytes, CUcontext context) {
	CUDA_MEMSET_NODE_PARAMS p;
	memset(&p, 0, sizeof p);
	p.dst = (CUdeviceptr)to;
	p.value = value;
	p.elementSize = 1;
	p.width = p.pitch = bytes;
	p.height = 1;
	if (exec) return cuGraphExecMemsetNodeSetParams(exec, *node, &p, context);
	return cuGraphAddMemsetNode(node, graph, after, after != 0, &p, context);
}

static CUresult add_move(CUgraph graph, CUgraphNode *node, const CUgraphNode *after, CUgraphExec exec, uint64_t to,
	uint64_t from, size_t bytes, CUcontext context) {
	CUDA_MEMCPY3D p;
	memset(&p, 0, sizeof p);
	p.srcMemoryType = p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	p.srcDevice = (CUdeviceptr)from;
	p.dstDevice = (CUdeviceptr)to;
	p.WidthInBytes = bytes;
	p.Height = p.Depth = 1;
	if (exec) return cuGraphExecMemcpyNodeSetParams(exec, *node, &p, context);
	return cuGraphAddMemcpyNode(node, graph, after, after != 0, &p, context);
}

static CUresult make_graph(CUgraph *graph) { return cuGraphCreate(graph, 0); }
*/
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"
)

// handle is the function of the driver: cu.Function is a struct with it alone, which it does not give away. So are
// streams and contexts.
func handle(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }

func handleOfStream(s cu.Stream) C.CUstream { return *(*C.CUstream)(unsafe.Pointer(&s)) }

func handleOfContext(c cu.CUContext) C.CUcontext { return *(*C.CUcontext)(unsafe.Pointer(&c)) }

// sizes are the numbers of a grid as the driver takes them.
func (g grid) sizes() [7]C.uint {
	of := func(n int) C.uint { return C.uint(max(n, 1)) }
	return [7]C.uint{of(g.blocks.x), of(g.blocks.y), of(g.blocks.z), of(g.threads.x), of(g.threads.y), of(g.threads.z),
		C.uint(g.shared)}
}

// launchKernel launches a kernel with arguments as words, at most 64 of them.
func launchKernel(f cu.Function, g grid, s cu.Stream, arguments []uint64) error {
	sizes := g.sizes()
	return result(C.launch_kernel(handle(f), &sizes[0], C.int(number(g.together)),
		(*C.uint64_t)(unsafe.SliceData(arguments)), C.int(len(arguments)), handleOfStream(s)))
}

// chain is a sequence of entries, as a graph that the driver launches in one call.
type chain struct {
	links []link
	of    C.CUgraph     // nil until the sequence has come twice
	exec  C.CUgraphExec // instantiated
	nodes []C.CUgraphNode

	entries []entry // as the nodes are now
	words   []uint64
}

// build makes the graph of a submission. What it has made is to be destroyed even if it fails.
func (g *chain) build(e *Engine, s *submission) error {
	if err := result(C.make_graph(&g.of)); err != nil {
		return err
	}
	g.nodes = make([]C.CUgraphNode, len(s.entries))
	var after *C.CUgraphNode
	for i := range s.entries {
		if err := g.set(e, s, i, after); err != nil {
			return err
		}
		after = &g.nodes[i]
	}
	if err := result(C.cuGraphInstantiateWithFlags(&g.exec, g.of, 0)); err != nil {
		return err
	}
	g.keep(s)
	return nil
}

// set adds the node of entry i behind another one, or changes it where the graph is instantiated.
func (g *chain) set(e *Engine, s *submission, i int, after *C.CUgraphNode) error {
	n, node, context := &s.entries[i], &g.nodes[i], handleOfContext(e.context)
	switch n.kind {
	case filling:
		return result(C.add_fill(g.of, node, after, g.exec, C.uint64_t(n.to), C.uint(n.value), C.size_t(n.bytes), context))
	case moving:
		return result(C.add_move(g.of, node, after, g.exec, C.uint64_t(n.to), C.uint64_t(n.from), C.size_t(n.bytes), context))
	}
	k, err := e.ready(n)
	if err != nil {
		return err
	}
	sizes, words := n.grid.sizes(), s.arguments(n)
	return result(C.add_kernel(g.of, node, after, g.exec, handle(k.function), &sizes[0], C.int(number(n.grid.together)),
		(*C.uint64_t)(unsafe.SliceData(words)), C.int(len(words))))
}

// launch launches the graph.
func (g *chain) launch(s cu.Stream) error { return result(C.cuGraphLaunch(g.exec, handleOfStream(s))) }

// destroy gives everything back that the graph holds.
func (g *chain) destroy() error {
	var first error
	if g.exec != nil {
		first = result(C.cuGraphExecDestroy(g.exec))
	}
	if g.of != nil {
		if err := result(C.cuGraphDestroy(g.of)); first == nil {
			first = err
		}
	}
	g.exec, g.of = nil, nil
	return first
}
