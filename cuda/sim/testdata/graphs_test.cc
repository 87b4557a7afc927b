// Graphs: nodes in the order of their dependencies, changes of instantiated ones, misuse.
#include "checks.h"

namespace {

// A graph that sets n values of x and increments them, on a device of its own.
struct Incremented {
    Device d;
    Array<float> x;
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    CUgraphNode set = nullptr, increment = nullptr;
    float value = 1;
    long long n;

    explicit Incremented(long long n, bool chained = true) : x(size_t(n)), n(n)
    {
        OK(cuGraphCreate(&graph, 0));
        add("set", &set, {});
        if (chained) add("increment", &increment, {set});
        else add("increment", &increment, {});
        OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    }
    ~Incremented()
    {
        OK(cuGraphExecDestroy(exec));
        OK(cuGraphDestroy(graph));
    }
    CUDA_KERNEL_NODE_PARAMS parameters(const char *kernel, void **list)
    {
        list[0] = &x.at;
        list[1] = strcmp(kernel, "set") ? static_cast<void *>(&n) : &value;
        list[2] = &n;
        CUDA_KERNEL_NODE_PARAMS p{};
        p.func = d.function(kernel);
        p.gridDimX = unsigned(n + 31) / 32, p.gridDimY = p.gridDimZ = 1;
        p.blockDimX = 32, p.blockDimY = p.blockDimZ = 1;
        p.kernelParams = list;
        return p;
    }
    void add(const char *kernel, CUgraphNode *made, std::vector<CUgraphNode> after)
    {
        void *list[3];
        const auto p = parameters(kernel, list);
        OK(cuGraphAddKernelNode(made, graph, after.data(), after.size(), &p));
    }
};

bool all(const std::vector<float> &x, float wanted)
{
    for (float v : x)
        if (v != wanted) return false;
    return true;
}

} // namespace

TEST(nodes_follow_their_dependencies)
{
    auto right = [](bool chained) {
        Incremented g(100, chained);
        OK(cuGraphLaunch(g.exec, g.d.stream));
        return all(g.x.host(), 2);
    };
    bool seen = false;
    for (long long seed = 1; seed <= 20; seed++) {
        grove_sim_set("seed", seed);
        EXPECT(right(true));
        seen |= !right(false);
    }
    EXPECT(seen); // without the edge some order shows it
}

TEST(instantiated_nodes_change_for_later_launches)
{
    Incremented g(100);
    OK(cuGraphLaunch(g.exec, g.d.stream));
    g.value = 5;
    void *list[3];
    const auto p = g.parameters("set", list);
    OK(cuGraphExecKernelNodeSetParams(g.exec, g.set, &p));
    EXPECT(all(g.x.host(), 2)); // what was launched before stays
    OK(cuGraphLaunch(g.exec, g.d.stream));
    EXPECT(all(g.x.host(), 6));
    EXPECT(grove_sim_get("graph_launches") == 2);
    EXPECT(grove_sim_get("launches.increment") == 2);
    EXPECT(grove_sim_get("live_graphs") == 2);
}

TEST(graphs_fill_and_copy)
{
    Device d;
    Array<unsigned> x(64), y(64);
    CUgraph graph;
    CUgraphNode fill, copy;
    CUgraphExec exec;
    OK(cuGraphCreate(&graph, 0));
    CUDA_MEMSET_NODE_PARAMS f{};
    f.dst = x.at, f.value = 0x11, f.elementSize = 1, f.width = 256, f.height = 1;
    OK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &f, d.context));
    CUDA_MEMCPY3D c{};
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = x.at, c.dstDevice = y.at, c.WidthInBytes = 256, c.Height = c.Depth = 1;
    OK(cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &c, d.context));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, d.stream));
    EXPECT(y.host()[63] == 0x11111111);
    f.value = 0x22, f.width = 128;
    OK(cuGraphExecMemsetNodeSetParams(exec, fill, &f, d.context));
    OK(cuGraphLaunch(exec, d.stream));
    EXPECT(y.host()[31] == 0x22222222 && y.host()[32] == 0x11111111);
    c.dstDevice += 128, c.WidthInBytes = 64;
    OK(cuGraphExecMemcpyNodeSetParams(exec, copy, &c, d.context));
    OK(cuGraphLaunch(exec, d.stream));
    EXPECT(y.host()[32] == 0x22222222 && y.host()[48] == 0x11111111);

    f.width = 257;
    EXPECT_RESULT(cuGraphExecMemsetNodeSetParams(exec, fill, &f, d.context), CUDA_ERROR_INVALID_VALUE);
    f.width = 2, f.height = 2;
    EXPECT_RESULT(cuGraphExecMemsetNodeSetParams(exec, fill, &f, d.context), CUDA_ERROR_INVALID_VALUE);
    c.WidthInBytes = 129;
    EXPECT_RESULT(cuGraphExecMemcpyNodeSetParams(exec, copy, &c, d.context), CUDA_ERROR_INVALID_VALUE);
    c.WidthInBytes = 64;
    EXPECT_RESULT(cuGraphExecMemcpyNodeSetParams(exec, fill, &c, d.context), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

TEST(misuse_of_graphs)
{
    Incremented g(100);
    void *list[3];
    auto p = g.parameters("increment", list);
    EXPECT_RESULT(cuGraphExecKernelNodeSetParams(g.exec, g.set, &p), CUDA_ERROR_INVALID_VALUE); // another kernel
    p.gridDimX = 0;
    EXPECT_RESULT(cuGraphExecKernelNodeSetParams(g.exec, g.increment, &p), CUDA_ERROR_INVALID_VALUE);
    p.gridDimX = 1;
    CUgraph other;
    CUgraphNode node;
    OK(cuGraphCreate(&other, 0));
    EXPECT_RESULT(cuGraphAddKernelNode(&node, other, &g.set, 1, &p), CUDA_ERROR_INVALID_VALUE); // an edge between graphs
    OK(cuGraphAddKernelNode(&node, other, nullptr, 0, &p));
    EXPECT_RESULT(cuGraphExecKernelNodeSetParams(g.exec, node, &p), CUDA_ERROR_INVALID_VALUE);
    CUgraphExec exec;
    grove_sim_set("graphs", 0);
    EXPECT_RESULT(cuGraphInstantiateWithFlags(&exec, other, 0), CUDA_ERROR_NOT_SUPPORTED);
    OK(cuGraphDestroy(other));
    EXPECT_RESULT(cuGraphDestroy(other), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(cuGraphLaunch(reinterpret_cast<CUgraphExec>(g.graph), g.d.stream), CUDA_ERROR_INVALID_VALUE);
    grove_sim_set("fail_launch", 2);
    EXPECT_RESULT(cuGraphLaunch(g.exec, g.d.stream), CUDA_ERROR_LAUNCH_FAILED);
    OK(cuCtxSynchronize());
}

TEST(a_graph_reads_its_arguments_when_it_is_made)
{
    Incremented g(100);
    g.value = 9;
    OK(cuGraphLaunch(g.exec, g.d.stream));
    EXPECT(all(g.x.host(), 2));
}
