// The driver's interface: limits, misuse, order of streams, imitation of machines, faults on request.
#include "checks.h"

#include <cmath>
#include <thread>

TEST(limits_of_a_launch)
{
    Device d;
    Array<float> x(64);
    float v = 1;
    long long n = 64;
    void *list[] = {&x.at, &v, &n};
    const CUfunction set = d.function("set"), bounded = d.function("block_sum");
    auto launch = [&](CUfunction f, unsigned gx, unsigned gy, unsigned bx, unsigned by, unsigned bz, unsigned shared) {
        return cuLaunchKernel(f, gx, gy, 1, bx, by, bz, shared, d.stream, list, nullptr);
    };
    EXPECT_RESULT(launch(set, 0, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(launch(set, 1, 1, 1, 0, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(launch(set, 1, 65536, 1, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(launch(set, 0x80000000u, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(launch(set, 1, 1, 1025, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(launch(set, 1, 1, 32, 33, 1, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(launch(set, 1, 1, 1, 1, 65, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(launch(bounded, 1, 1, 256, 1, 1, 0), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    OK(launch(set, 1, 1, 1024, 1, 1, 0));
    OK(launch(set, 1, 1, 32, 1, 1, 48 << 10));
    EXPECT_RESULT(launch(set, 1, 1, 32, 1, 1, (48 << 10) + 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(set, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 << 10));
    OK(launch(set, 1, 1, 32, 1, 1, 227 << 10));
    EXPECT_RESULT(cuFuncSetAttribute(set, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (227 << 10) + 1),
                  CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSynchronize());
}

TEST(calls_without_a_context)
{
    CUdeviceptr p;
    EXPECT_RESULT(cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_RESULT(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    Device d;
    CUresult elsewhere = CUDA_SUCCESS;
    std::thread([&] { elsewhere = cuMemAlloc(&p, 4); }).join();
    EXPECT(elsewhere == CUDA_ERROR_INVALID_CONTEXT);
    std::thread([&] {
        OK(cuCtxSetCurrent(d.context));
        OK(cuMemAlloc(&p, 4));
        OK(cuMemFree(p));
    }).join();
}

TEST(contexts_are_a_stack)
{
    Device outer;
    CUcontext now;
    {
        Device inner;
        OK(cuCtxGetCurrent(&now));
        EXPECT(now == inner.context);
        OK(cuCtxPopCurrent(&now));
        EXPECT(now == inner.context);
        OK(cuCtxGetCurrent(&now));
        EXPECT(now == outer.context);
        OK(cuCtxPushCurrent(inner.context));
    }
    OK(cuCtxGetCurrent(&now));
    EXPECT(now == outer.context);
    EXPECT(grove_sim_get("live_contexts") == 1);
}

TEST(primary_context)
{
    CUcontext a, b;
    OK(cuDevicePrimaryCtxRetain(&a, 0));
    OK(cuDevicePrimaryCtxRetain(&b, 0));
    EXPECT(a == b);
    EXPECT_RESULT(cuCtxDestroy(a), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRelease(0));
    EXPECT(grove_sim_get("live_contexts") == 1);
    OK(cuDevicePrimaryCtxRelease(0));
}

TEST(copies_stay_within_allocations)
{
    Device d;
    Array<float> x(100);
    std::vector<float> host(200);
    EXPECT_RESULT(cuMemcpyHtoD(x.at, host.data(), 404), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(cuMemcpyHtoD(x.at + 200, host.data(), 204), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(cuMemcpyDtoH(host.data(), x.at - 4, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(cuMemcpyHtoD(CUdeviceptr(host.data()), host.data(), 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(cuMemcpyDtoH(reinterpret_cast<void *>(x.at), x.at, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(cuMemsetD8(x.at, 0, 401), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(cuMemsetD32(x.at + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr freed;
    OK(cuMemAlloc(&freed, 400));
    OK(cuMemFree(freed));
    EXPECT_RESULT(cuMemcpyHtoD(freed, host.data(), 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT(strstr(grove_sim_text("finding"), "freed memory"));
    EXPECT_RESULT(cuMemFree(freed), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(cuMemFree(x.at + 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT(grove_sim_get("findings") == 10);
    OK(cuMemcpyDtoD(x.at, x.at + 200, 200));
    OK(cuCtxSynchronize());
}

TEST(handles_are_checked)
{
    Device d;
    CUstream s;
    CUevent e;
    OK(cuStreamCreate(&s, 0));
    OK(cuEventCreate(&e, 0));
    OK(cuStreamDestroy(s));
    OK(cuEventDestroy(e));
    EXPECT_RESULT(cuStreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_RESULT(cuStreamDestroy(s), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_RESULT(cuEventRecord(e, d.stream), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_RESULT(cuModuleUnload(reinterpret_cast<CUmodule>(d.stream)), CUDA_ERROR_INVALID_HANDLE);
    CUfunction f;
    EXPECT_RESULT(cuModuleGetFunction(&f, d.module, "no_such_kernel"), CUDA_ERROR_NOT_FOUND);
}

TEST(what_is_left_is_counted)
{
    Device *d = new Device;
    CUdeviceptr p;
    CUevent e;
    void *h;
    OK(cuMemAlloc(&p, 12));
    OK(cuEventCreate(&e, 0));
    OK(cuMemAllocHost(&h, 100));
    EXPECT(grove_sim_get("leaks") == 6); // with context, module and stream
    EXPECT(grove_sim_get("live_bytes") == 12);
    const std::string leaks = grove_sim_text("leaks");
    EXPECT(leaks.find("(12 bytes at ") != std::string::npos && leaks.find("event\n") != std::string::npos &&
           leaks.find("(100 bytes)") != std::string::npos);
    OK(cuMemFreeHost(h));
    delete d; // takes all but pinned memory with it
}

// Uploads on one stream and a kernel on another one: with the event between them the kernel always sees the
// data, without it some interleaving shows the mistake.
static bool upload_then_increment(bool with_event, long long seed)
{
    grove_sim_reset();
    grove_sim_set("quiet", 1);
    grove_sim_set("lazy", 1);
    grove_sim_set("seed", seed);
    Device d;
    CUstream copies;
    CUevent arrived;
    void *pinned;
    OK(cuStreamCreate(&copies, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&arrived, CU_EVENT_DISABLE_TIMING));
    OK(cuMemAllocHost(&pinned, 400));
    for (int i = 0; i < 100; i++) static_cast<float *>(pinned)[i] = float(i);
    Array<float> x(100);
    OK(cuMemcpyHtoDAsync(x.at, pinned, 400, copies));
    OK(cuEventRecord(arrived, copies));
    if (with_event) OK(cuStreamWaitEvent(d.stream, arrived, 0));
    OK(d.launch("increment", 1, 64, 0, x.at, 100));
    OK(cuStreamSynchronize(d.stream));
    OK(cuStreamSynchronize(copies));
    const bool right = x.host()[50] == 51;
    OK(cuMemFreeHost(pinned));
    return right;
}

TEST(a_missing_event_shows_up)
{
    int wrong = 0;
    for (int seed = 1; seed <= 10; seed++) {
        EXPECT(upload_then_increment(true, seed));
        wrong += !upload_then_increment(false, seed);
    }
    EXPECT(wrong > 0);
}

TEST(pinned_memory_is_read_when_the_copy_runs)
{
    Device d;
    void *pinned;
    OK(cuMemAllocHost(&pinned, 4));
    float *host = static_cast<float *>(pinned);
    Array<float> x(1), y(1);
    *host = 1;
    OK(cuMemcpyHtoDAsync(x.at, host, 4, d.stream));
    *host = 2; // too early
    EXPECT(x.host()[0] == 2);
    // Ordinary memory has been read when the call returns.
    float ordinary = 1;
    OK(cuMemcpyHtoDAsync(y.at, &ordinary, 4, d.stream));
    ordinary = 2;
    EXPECT(y.host()[0] == 1);
    // And what is copied back is there only after a synchronisation.
    *host = 5;
    OK(cuMemcpyDtoHAsync(host, y.at, 4, d.stream));
    EXPECT(*host == 5);
    OK(cuStreamSynchronize(d.stream));
    EXPECT(*host == 1);
    grove_sim_set("lazy", 0);
    *host = 7;
    OK(cuMemcpyHtoDAsync(x.at, host, 4, d.stream));
    *host = 8;
    EXPECT(x.host()[0] == 7);
    OK(cuMemFreeHost(pinned));
}

TEST(work_waits_until_somebody_waits)
{
    Device d;
    CUevent start, end;
    OK(cuEventCreate(&start, 0));
    OK(cuEventCreate(&end, 0));
    Array<float> x(10);
    OK(cuEventRecord(start, d.stream));
    OK(d.launch("set", 1, 32, 0, x.at, 1.0f, 10LL));
    OK(cuEventRecord(end, d.stream));
    EXPECT(grove_sim_get("queued") == 3);
    float ms = -1;
    EXPECT_RESULT(cuEventElapsedTime(&ms, start, end), CUDA_ERROR_NOT_READY);
    int polls = 0;
    while (cuEventQuery(end) == CUDA_ERROR_NOT_READY) polls++;
    EXPECT(polls == 2);
    OK(cuEventElapsedTime(&ms, start, end));
    EXPECT(ms >= 0);
}

TEST(the_default_stream_waits_for_blocking_streams)
{
    for (int seed = 1; seed < 8; seed++) {
        grove_sim_set("seed", seed);
        Device d;
        CUstream blocking;
        OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
        Array<float> x(10);
        d.stream = blocking;
        OK(d.launch("set", 1, 32, 0, x.at, 1.0f, 10LL));
        d.stream = nullptr;
        OK(d.launch("increment", 1, 32, 0, x.at, 10));
        d.stream = blocking;
        OK(d.launch("increment", 1, 32, 0, x.at, 10));
        EXPECT(x.host()[9] == 3);
    }
}

TEST(faults_on_request)
{
    Device d;
    CUdeviceptr p;
    grove_sim_set("fail_alloc", 2);
    OK(cuMemAlloc(&p, 4));
    OK(cuMemFree(p));
    EXPECT_RESULT(cuMemAlloc(&p, 4), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemAlloc(&p, 4));
    OK(cuMemFree(p));
    grove_sim_set("fail_alloc", -2);
    OK(cuMemAlloc(&p, 4));
    OK(cuMemFree(p));
    EXPECT_RESULT(cuMemAlloc(&p, 4), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_RESULT(cuMemAlloc(&p, 4), CUDA_ERROR_OUT_OF_MEMORY);
    grove_sim_set("fail_alloc", 0);
    Array<float> x(10);
    grove_sim_set("fail_launch", 1);
    EXPECT_RESULT(d.launch("set", 1, 32, 0, x.at, 1.0f, 10LL), CUDA_ERROR_LAUNCH_FAILED);
    OK(d.launch("set", 1, 32, 0, x.at, 1.0f, 10LL));
    float f;
    grove_sim_set("fail_copy", 1);
    EXPECT_RESULT(cuMemcpyDtoH(&f, x.at, 4), CUDA_ERROR_UNKNOWN);
    OK(cuMemcpyDtoH(&f, x.at, 4));
    grove_sim_set("fail_synchronise", 1);
    EXPECT_RESULT(cuCtxSynchronize(), CUDA_ERROR_UNKNOWN);
    OK(cuCtxSynchronize());
    EXPECT(grove_sim_get("injected") == 6 && grove_sim_get("findings") == 0);
}

TEST(memory_runs_out)
{
    grove_sim_set("memory", 1 << 20);
    Device d;
    size_t free, total;
    CUdeviceptr a, b;
    OK(cuMemAlloc(&a, 700000));
    OK(cuMemGetInfo(&free, &total));
    EXPECT(total == 1 << 20 && free == (1 << 20) - 700000);
    EXPECT_RESULT(cuMemAlloc(&b, 400000), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemFree(a));
    OK(cuMemAlloc(&b, 1 << 20));
    OK(cuMemFree(b));
    EXPECT_RESULT(cuMemAlloc(&b, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(machines_of_all_kinds)
{
    int count, value;
    char name[64];
    CUdevice d;
    grove_sim_set("devices", 2);
    grove_sim_set("capability", 86);
    OK(cuDeviceGetCount(&count));
    EXPECT(count == 2);
    OK(cuDeviceGet(&d, 1));
    EXPECT_RESULT(cuDeviceGet(&d, 2), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDeviceGetName(name, sizeof name, 1));
    EXPECT(!strcmp(name, "Grove simulated GPU"));
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
    EXPECT(value == 6);
    CUcontext c;
    grove_sim_set("busy", 1);
    EXPECT_RESULT(cuCtxCreate_v2(&c, 0, 0), CUDA_ERROR_DEVICE_UNAVAILABLE);
    EXPECT_RESULT(cuDevicePrimaryCtxRetain(&c, 0), CUDA_ERROR_DEVICE_UNAVAILABLE);
    grove_sim_set("devices", 0);
    EXPECT_RESULT(cuInit(0), CUDA_ERROR_NO_DEVICE);
    EXPECT(grove_sim_get("findings") == 0);
}

TEST(images_are_checked)
{
    Device d;
    CUmodule m;
    auto loads = [&](const std::vector<unsigned char> &bytes) { return cuModuleLoadData(&m, bytes.data()); };
    OK(loads(image(1, 70, 7, 8)));
    EXPECT_RESULT(loads(image(2, 80)), CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_RESULT(loads(image(1, 100, 7, 8)), CUDA_ERROR_NO_BINARY_FOR_GPU);
    grove_sim_set("driver", 10020);
    EXPECT_RESULT(loads(image(1, 70, 7, 8)), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    EXPECT_RESULT(loads(image(2, 90)), CUDA_ERROR_NO_BINARY_FOR_GPU);
    grove_sim_set("driver", 12040);
    auto damaged = image();
    damaged[0] ^= 1;
    EXPECT_RESULT(loads(damaged), CUDA_ERROR_INVALID_IMAGE);
    damaged = image();
    damaged[25] = 1; // the payload would be longer than the image
    EXPECT_RESULT(loads(damaged), CUDA_ERROR_INVALID_IMAGE);
    grove_sim_set("damaged_image", 1);
    EXPECT_RESULT(loads(image()), CUDA_ERROR_INVALID_IMAGE);
}

TEST(what_is_not_simulated_says_so)
{
    Device d;
    CUdeviceptr p;
    size_t pitch;
    EXPECT_RESULT(cuMemAllocPitch(&p, &pitch, 100, 100, 4), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT(strstr(grove_sim_text("finding"), "cuMemAllocPitch"));
    int value;
    EXPECT_RESULT(cuDeviceGetAttribute(&value, CUdevice_attribute(9999), 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(grove_sim_set("no_such_key", 1) == -1 && grove_sim_get("no_such_key") == -1);
    const char *text;
    OK(cuGetErrorName(CUDA_ERROR_NO_BINARY_FOR_GPU, &text));
    EXPECT(!strcmp(text, "CUDA_ERROR_NO_BINARY_FOR_GPU"));
}

TEST(counters)
{
    Device d;
    Array<float> x(std::vector<float>(10, 1));
    OK(d.launch("increment", 1, 32, 0, x.at, 10));
    x.host();
    EXPECT(grove_sim_get("launches") == 1 && grove_sim_get("launches.increment") == 1 &&
           grove_sim_get("launches.set") == 0);
    EXPECT(grove_sim_get("host_to_device") == 40 && grove_sim_get("device_to_host") == 40);
    EXPECT(grove_sim_get("allocations") == 1 && grove_sim_get("copies") == 2);
    grove_sim_reset();
    EXPECT(grove_sim_get("launches") == 0);
}
