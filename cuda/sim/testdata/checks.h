// What the tests of the simulator share: a device that is opened anew for each test, and expectations.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

extern "C" {
CUresult cuCtxCreate_v2(CUcontext *made, unsigned flags, CUdevice device); // newer headers prefer another version
int grove_sim_set(const char *key, long long value);
int grove_sim_set_text(const char *key, const char *text);
long long grove_sim_get(const char *key);
const char *grove_sim_text(const char *key);
void grove_sim_reset(void);
}

struct Test {
    const char *name;
    void (*run)();
};
std::vector<Test> &tests();
struct Register {
    Register(const char *name, void (*run)()) { tests().push_back({name, run}); }
};
#define TEST(name)                           \
    static void name();                      \
    static Register register_##name(#name, name); \
    static void name()

extern int failures;
#define EXPECT(condition)                                                              \
    do                                                                                 \
        if (!(condition)) {                                                            \
            printf("%s:%d: expected %s\n", __FILE__, __LINE__, #condition);            \
            failures++;                                                                \
        }                                                                              \
    while (0)
#define EXPECT_RESULT(call, wanted)                                                                                    \
    do                                                                                                                 \
        if (CUresult got = (call); got != (wanted)) {                                                                  \
            printf("%s:%d: %s = %d, expected %s (%s)\n", __FILE__, __LINE__, #call, int(got), #wanted,                 \
                   grove_sim_text("finding"));                                                                         \
            failures++;                                                                                                \
        }                                                                                                              \
    while (0)
#define OK(call) EXPECT_RESULT(call, CUDA_SUCCESS)

// A fatbin with one entry of machine code for compute capability 9.0.
std::vector<unsigned char> image(int kind = 2, int capability = 90, int major = 1, int minor = 7);

// A context on the first device with the module loaded.
struct Device {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUstream stream = nullptr;
    Device();
    ~Device();
    CUfunction function(const char *name);
    // launch passes the arguments as they are.
    template <class... T>
    CUresult launch(const char *name, unsigned blocks, unsigned threads, unsigned shared, T... arguments)
    {
        void *list[] = {&arguments..., nullptr};
        return cuLaunchKernel(function(name), blocks, 1, 1, threads, 1, 1, shared, stream, list, nullptr);
    }
    // launch_together is launch of blocks that may wait for each other.
    template <class... T> CUresult launch_together(const char *name, unsigned blocks, unsigned threads, T... arguments)
    {
        void *list[] = {&arguments..., nullptr};
        return cuLaunchCooperativeKernel(function(name), blocks, 1, 1, threads, 1, 1, 0, stream, list);
    }
};

// Device memory of n values, freed at the end.
template <class T> struct Array {
    CUdeviceptr at = 0;
    size_t n;
    explicit Array(size_t n) : n(n) { OK(cuMemAlloc(&at, n * sizeof(T))); }
    Array(const std::vector<T> &x) : Array(x.size()) { OK(cuMemcpyHtoD(at, x.data(), n * sizeof(T))); }
    ~Array() { cuMemFree(at); }
    std::vector<T> host() const
    {
        std::vector<T> x(n);
        OK(cuCtxSynchronize());
        OK(cuMemcpyDtoH(x.data(), at, n * sizeof(T)));
        return x;
    }
};

// expect_finding says that the last finding holds all of the words, and that the next call returns the error.
void expect_finding(CUresult error, std::initializer_list<const char *> words);
