// Graphs of launches, fills and copies within the device.
#include "api.h"

#include "commands.h"
#include "streams.h"

#include <algorithm>
#include <memory>

using namespace sim;

namespace {

enum class Kind { launch, fill, copy };

struct Node {
    Kind kind;
    CUfunction function; // of a launch
    Command command;
    std::vector<const Node *> after;
    bool cooperative = false; // a launch whose blocks wait for each other
};

struct Graph {
    std::vector<std::unique_ptr<Node>> nodes;
};

// An Exec is a copy of a graph. Its nodes are changed through the handles of those of the graph.
struct Exec {
    std::vector<const Node *> handles;
    std::vector<Node> nodes;
    std::vector<std::vector<size_t>> after; // places of the nodes that each depends on
    Point last;                             // end of its last launch
};

Graph *graph_of(CUgraph handle) { return alive(Handle::graph, handle) ? reinterpret_cast<Graph *>(handle) : nullptr; }
Exec *exec_of(CUgraphExec handle)
{
    return alive(Handle::graph_exec, handle) ? reinterpret_cast<Exec *>(handle) : nullptr;
}

constexpr const char *no_graph = "%s: not a graph, or destroyed before";
constexpr const char *no_exec = "%s: not an instantiated graph, or destroyed before";

// of_graph returns the node behind a handle if it belongs to a graph.
const Node *of_graph(const Graph &g, CUgraphNode handle)
{
    for (auto &n : g.nodes)
        if (reinterpret_cast<CUgraphNode>(n.get()) == handle) return n.get();
    return nullptr;
}

CUresult add(const char *call, CUgraphNode *made, CUgraph handle, const CUgraphNode *after, size_t n, Node node,
             Context &c)
{
    Graph *g = graph_of(handle);
    if (!g) return misuse(CUDA_ERROR_INVALID_VALUE, no_graph, call);
    for (size_t i = 0; i < n; i++) {
        const Node *before = of_graph(*g, after[i]);
        if (!before) return misuse(CUDA_ERROR_INVALID_VALUE, "%s: dependency %zu is no node of the graph", call, i + 1);
        node.after.push_back(before);
    }
    g->nodes.push_back(std::make_unique<Node>(std::move(node)));
    remember(Handle::graph_node, g->nodes.back().get(), &c);
    *made = reinterpret_cast<CUgraphNode>(g->nodes.back().get());
    return CUDA_SUCCESS;
}

CUresult change(const char *call, CUgraphExec handle, CUgraphNode of, Node node)
{
    Exec *e = exec_of(handle);
    if (!e) return misuse(CUDA_ERROR_INVALID_VALUE, no_exec, call);
    const auto *wanted = reinterpret_cast<const Node *>(of);
    const auto found = std::find(e->handles.begin(), e->handles.end(), wanted);
    if (found == e->handles.end() || !alive(Handle::graph_node, of))
        return misuse(CUDA_ERROR_INVALID_VALUE, "%s: not a node of the graph that was instantiated", call);
    Node &there = e->nodes[size_t(found - e->handles.begin())];
    if (there.kind != node.kind || there.function != node.function)
        return misuse(CUDA_ERROR_INVALID_VALUE, "%s: the node does something else, or launches another kernel", call);
    if (there.cooperative)
        if (CUresult r = node.command.gather(call); r != CUDA_SUCCESS) return r;
    there.command = std::move(node.command);
    return CUDA_SUCCESS;
}

CUresult launch_node(const char *call, Context &c, const CUDA_KERNEL_NODE_PARAMS *p, Node &made)
{
    made = {Kind::launch, p->func, {}, {}, false};
    return launch_command(call, c, *p, false, made.command);
}

CUresult fill_node(const char *call, Context &c, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context, Node &made)
{
    made = {Kind::fill, nullptr, {}, {}, false};
    if (reinterpret_cast<CUcontext>(&c) != context)
        return misuse(CUDA_ERROR_INVALID_CONTEXT, "%s: not the current context", call);
    if (p->height != 1 || p->width == 0)
        return misuse(CUDA_ERROR_INVALID_VALUE, "%s: %zu rows of %zu elements: the simulated driver fills one row",
                      call, p->height, p->width);
    return fill_command(call, p->dst, p->value, p->elementSize, p->width, made.command);
}

CUresult copy_node(const char *call, Context &c, const CUDA_MEMCPY3D *p, CUcontext context, Node &made)
{
    made = {Kind::copy, nullptr, {}, {}, false};
    if (reinterpret_cast<CUcontext>(&c) != context)
        return misuse(CUDA_ERROR_INVALID_CONTEXT, "%s: not the current context", call);
    if (p->srcMemoryType != CU_MEMORYTYPE_DEVICE || p->dstMemoryType != CU_MEMORYTYPE_DEVICE || p->Height != 1 ||
        p->Depth != 1 || p->WidthInBytes == 0 || p->srcXInBytes || p->srcY || p->srcZ || p->srcLOD || p->dstXInBytes ||
        p->dstY || p->dstZ || p->dstLOD || p->reserved0 || p->reserved1)
        return misuse(CUDA_ERROR_INVALID_VALUE, "%s: the simulated driver copies one row within the device", call);
    return copy_command(call, p->dstDevice, p->srcDevice, p->WidthInBytes, made.command);
}

// in_any_order visits the nodes in a random order that their dependencies allow.
template <class Visit> CUresult in_any_order(const Exec &e, Visit visit)
{
    Random random(settings().seed * 1000003ULL + counters().graph_launches);
    std::vector<bool> done(e.nodes.size());
    auto ready = [&](size_t i) {
        const auto &after = e.after[i];
        return !done[i] && std::all_of(after.begin(), after.end(), [&](size_t before) { return done[before]; });
    };
    for (size_t left = e.nodes.size(); left > 0; left--) {
        std::vector<size_t> able;
        for (size_t i = 0; i < e.nodes.size(); i++)
            if (ready(i)) able.push_back(i);
        const size_t next = able[random.below(able.size())];
        if (CUresult r = visit(e.nodes[next]); r != CUDA_SUCCESS) return r;
        done[next] = true;
    }
    return CUDA_SUCCESS;
}

} // namespace

API cuGraphCreate(CUgraph *made, unsigned flags)
{
    return in_context("cuGraphCreate", [&](Context &c) {
        if (flags) return misuse(CUDA_ERROR_INVALID_VALUE, "cuGraphCreate: unknown flags %#x", flags);
        auto *g = new Graph;
        remember(Handle::graph, g, &c);
        *made = reinterpret_cast<CUgraph>(g);
        return CUDA_SUCCESS;
    });
}

API cuGraphDestroy(CUgraph handle)
{
    return release_in_context("cuGraphDestroy", [&](Context &) {
        Graph *g = graph_of(handle);
        if (!g) return misuse(CUDA_ERROR_INVALID_VALUE, no_graph, "cuGraphDestroy");
        for (auto &n : g->nodes) forget(Handle::graph_node, n.get());
        forget(Handle::graph, g);
        delete g;
        return CUDA_SUCCESS;
    });
}

API cuGraphAddKernelNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t n,
                         const CUDA_KERNEL_NODE_PARAMS *p)
{
    constexpr const char *call = "cuGraphAddKernelNode";
    return in_context(call, [&](Context &c) {
        Node node;
        if (CUresult e = launch_node(call, c, p, node); e != CUDA_SUCCESS) return e;
        return add(call, made, graph, after, n, std::move(node), c);
    });
}

API cuGraphKernelNodeSetAttribute(CUgraphNode handle, CUkernelNodeAttrID attribute, const CUkernelNodeAttrValue *value)
{
    constexpr const char *call = "cuGraphKernelNodeSetAttribute";
    return in_context(call, [&](Context &) {
        if (!alive(Handle::graph_node, handle)) return misuse(CUDA_ERROR_INVALID_VALUE, "%s: not a node", call);
        Node &node = *reinterpret_cast<Node *>(handle);
        if (node.kind != Kind::launch) return misuse(CUDA_ERROR_INVALID_VALUE, "%s: the node launches nothing", call);
        if (attribute != CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE || value->cooperative != 1)
            return misuse(CUDA_ERROR_INVALID_VALUE, "%s: the simulated driver only makes launches cooperative", call);
        node.cooperative = true;
        return node.command.gather(call);
    });
}

API cuGraphAddMemsetNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t n,
                         const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context)
{
    constexpr const char *call = "cuGraphAddMemsetNode";
    return in_context(call, [&](Context &c) {
        Node node;
        if (CUresult e = fill_node(call, c, p, context, node); e != CUDA_SUCCESS) return e;
        return add(call, made, graph, after, n, std::move(node), c);
    });
}

API cuGraphAddMemcpyNode(CUgraphNode *made, CUgraph graph, const CUgraphNode *after, size_t n, const CUDA_MEMCPY3D *p,
                         CUcontext context)
{
    constexpr const char *call = "cuGraphAddMemcpyNode";
    return in_context(call, [&](Context &c) {
        Node node;
        if (CUresult e = copy_node(call, c, p, context, node); e != CUDA_SUCCESS) return e;
        return add(call, made, graph, after, n, std::move(node), c);
    });
}

API cuGraphInstantiateWithFlags(CUgraphExec *made, CUgraph handle, unsigned long long flags)
{
    return in_context("cuGraphInstantiateWithFlags", [&](Context &c) {
        Graph *g = graph_of(handle);
        if (!g) return misuse(CUDA_ERROR_INVALID_VALUE, no_graph, "cuGraphInstantiateWithFlags");
        if (flags) return misuse(CUDA_ERROR_INVALID_VALUE, "cuGraphInstantiateWithFlags: unknown flags %#llx", flags);
        if (!settings().graphs) return CUDA_ERROR_NOT_SUPPORTED;
        auto *e = new Exec;
        for (auto &n : g->nodes) {
            std::vector<size_t> after;
            for (const Node *before : n->after)
                after.push_back(size_t(std::find(e->handles.begin(), e->handles.end(), before) - e->handles.begin()));
            e->handles.push_back(n.get());
            e->nodes.push_back(*n);
            e->after.push_back(std::move(after));
        }
        remember(Handle::graph_exec, e, &c);
        *made = reinterpret_cast<CUgraphExec>(e);
        return CUDA_SUCCESS;
    });
}

API cuGraphExecDestroy(CUgraphExec handle)
{
    return release_in_context("cuGraphExecDestroy", [&](Context &) {
        Exec *e = exec_of(handle);
        if (!e) return misuse(CUDA_ERROR_INVALID_VALUE, no_exec, "cuGraphExecDestroy");
        forget(Handle::graph_exec, e);
        delete e;
        return CUDA_SUCCESS;
    });
}

API cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode of, const CUDA_KERNEL_NODE_PARAMS *p)
{
    constexpr const char *call = "cuGraphExecKernelNodeSetParams";
    return in_context(call, [&](Context &c) {
        Node node;
        if (CUresult e = launch_node(call, c, p, node); e != CUDA_SUCCESS) return e;
        return change(call, exec, of, std::move(node));
    });
}

API cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode of, const CUDA_MEMSET_NODE_PARAMS *p,
                                   CUcontext context)
{
    constexpr const char *call = "cuGraphExecMemsetNodeSetParams";
    return in_context(call, [&](Context &c) {
        Node node;
        if (CUresult e = fill_node(call, c, p, context, node); e != CUDA_SUCCESS) return e;
        return change(call, exec, of, std::move(node));
    });
}

API cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode of, const CUDA_MEMCPY3D *p, CUcontext context)
{
    constexpr const char *call = "cuGraphExecMemcpyNodeSetParams";
    return in_context(call, [&](Context &c) {
        Node node;
        if (CUresult e = copy_node(call, c, p, context, node); e != CUDA_SUCCESS) return e;
        return change(call, exec, of, std::move(node));
    });
}

API cuGraphLaunch(CUgraphExec handle, CUstream stream)
{
    return in_context("cuGraphLaunch", [&](Context &c) {
        Exec *e = exec_of(handle);
        if (!e) return misuse(CUDA_ERROR_INVALID_VALUE, no_exec, "cuGraphLaunch");
        Stream *s = stream_of(stream, c);
        if (!s) return misuse(CUDA_ERROR_INVALID_HANDLE, "cuGraphLaunch: not a stream, or destroyed before");
        counters().graph_launches++;
        s->waits.push_back(e->last); // launches of one graph follow each other, on whatever streams
        const CUresult result = in_any_order(*e, [&](const Node &n) {
            if (CUresult r = n.command.begin(); r != CUDA_SUCCESS) return r;
            enqueue(*s, n.command.run);
            return CUDA_SUCCESS;
        });
        e->last = s->end();
        return result;
    });
}
