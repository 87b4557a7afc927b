// Kernels: correct ones are right in any order, mistaken ones are found.
#include "checks.h"

#include <cmath>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace {

const char *const orders[] = {"forward", "reverse", "shuffled:1", "shuffled:2"};

std::vector<float> ramp(size_t n)
{
    std::vector<float> x(n);
    for (size_t i = 0; i < n; i++) x[i] = float(i);
    return x;
}

} // namespace

TEST(block_reduction_is_right_in_any_order)
{
    for (const char *order : orders) {
        EXPECT(grove_sim_set_text("order", order) == 0);
        Device d;
        Array<float> x(ramp(1000)), out(8);
        OK(d.launch("block_sum", 8, 128, 0, out.at, x.at, 1000));
        const auto sums = out.host();
        EXPECT(sums[0] == 127 * 128 / 2 && sums[7] == (896 + 999) * 104 / 2);
        EXPECT(grove_sim_get("findings") == 0 && grove_sim_get("launches.block_sum") > 0);
    }
}

TEST(warp_scan_is_right_in_any_order)
{
    for (const char *order : orders) {
        grove_sim_set_text("order", order);
        Device d;
        Array<double> x(std::vector<double>(96, 0.5)), out(96);
        OK(d.launch("warp_scan", 1, 96, 0, out.at, x.at));
        const auto sums = out.host();
        for (int i = 0; i < 96; i++) EXPECT(sums[i] == 0.5 * (i % 32 + 1));
    }
}

TEST(histogram_by_atomics_is_right_in_any_order)
{
    for (const char *order : orders) {
        grove_sim_set_text("order", order);
        Device d;
        Array<float> x(ramp(1600));
        Array<int> counts(std::vector<int>(16, 0));
        OK(d.launch("histogram", 3, 64, 0, counts.at, x.at, 1600));
        for (int c : counts.host()) EXPECT(c == 100);
    }
}

TEST(dynamic_shared_memory_and_two_dimensions)
{
    Device d;
    Array<float> x(ramp(100)), out(100);
    int size = 100;
    void *list[] = {&out.at, &x.at, &size};
    OK(cuLaunchKernel(d.function("turn"), 1, 1, 1, 16, 8, 1, 400, d.stream, list, nullptr));
    const auto turned = out.host();
    EXPECT(turned[0] == 99 && turned[99] == 0);
}

TEST(lanes_of_parts_of_a_warp)
{
    for (const char *order : orders) {
        grove_sim_set_text("order", order);
        Device d;
        Array<int> out(32);
        OK(d.launch("lanes", 1, 32, 0, out.at));
        for (int r : out.host()) EXPECT(r == 63);
    }
}

TEST(many_blocks_without_barriers)
{
    Device d;
    Array<float> out(100000);
    OK(d.launch("set", 400, 256, 0, out.at, 3.0f, 100000LL));
    for (float v : out.host()) EXPECT(v == 3);
}

TEST(divergent_barrier)
{
    Device d;
    Array<float> x(64);
    OK(d.launch("divergent_barrier", 3, 64, 0, x.at));
    expect_finding(CUDA_ERROR_LAUNCH_FAILED,
                   {"kernel divergent_barrier", "block (0,0,0)", "thread (", "divergent barrier", "checks.cu:"});
}

TEST(barrier_that_some_threads_do_not_reach)
{
    Device d;
    Array<float> x(64);
    OK(d.launch("barrier_after_return", 1, 64, 0, x.at, 50));
    expect_finding(CUDA_ERROR_LAUNCH_FAILED,
                   {"barrier_after_return", "thread (0,0,0)", "divergent barrier", "thread (50,0,0) has ended"});
}

TEST(barrier_against_a_warp)
{
    Device d;
    Array<float> x(std::vector<float>(32, 1));
    OK(d.launch("barrier_against_warp", 1, 32, 0, x.at));
    expect_finding(CUDA_ERROR_LAUNCH_FAILED, {"barrier_against_warp", "waits in the shuffle", "waits at the barrier"});
}

TEST(blocks_wait_for_each_other_in_any_order)
{
    for (const char *order : orders) {
        grove_sim_set_text("order", order);
        Device d;
        Array<int> x(2 * 6 * 64);
        Array<int> arrived(1);
        OK(d.launch_together("hand_on", 6, 64, x.at, arrived.at, 5));
        const std::vector<int> got = x.host();
        for (int i = 0; i < 6 * 64; i++) EXPECT(got[i] == (i + 64) % (6 * 64));
        OK(d.launch("set", 3, 64, 0, x.at, 3.0f, 64LL));
        OK(cuCtxSynchronize());
    }
}

TEST(more_blocks_than_are_there_at_a_time)
{
    Device d;
    Array<int> x(4096);
    Array<int> arrived(1);
    EXPECT_RESULT(d.launch_together("hand_on", 8 * 32 + 1, 32, x.at, arrived.at, 1),
                  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

TEST(grid_barrier_in_an_ordinary_launch)
{
    Device d;
    Array<int> x(4096);
    Array<int> arrived(1);
    OK(d.launch("hand_on", 2, 32, 0, x.at, arrived.at, 1));
    expect_finding(CUDA_ERROR_LAUNCH_FAILED, {"hand_on", "grid barrier", "not cooperative"});
}

TEST(a_block_that_does_not_come_to_the_grid_barrier)
{
    {
        Device d;
        Array<int> arrived(1);
        OK(d.launch_together("grid_barrier_without_a_block", 3, 32, arrived.at));
        expect_finding(CUDA_ERROR_LAUNCH_FAILED, {"grid_barrier_without_a_block", "1 of 3 blocks have ended"});
    }
    Device d;
    Array<float> x(64);
    OK(d.launch("set", 1, 64, 0, x.at, 1.0f, 64LL));
    EXPECT(x.host()[63] == 1);
}

TEST(shuffle_with_a_lane_that_ended)
{
    Device d;
    Array<float> x(std::vector<float>(32, 1));
    OK(d.launch("shuffle_with_ended_lane", 1, 32, 0, x.at));
    expect_finding(CUDA_ERROR_LAUNCH_FAILED, {"shuffle_with_ended_lane", "for lane 9", "has ended"});
}

TEST(shuffle_that_reads_outside_its_mask)
{
    Device d;
    Array<float> x(std::vector<float>(32, 1));
    OK(d.launch("shuffle_outside_mask", 1, 32, 0, x.at));
    expect_finding(CUDA_ERROR_LAUNCH_FAILED, {"shuffle_outside_mask", "reads lane 20, which is not in its mask"});
}

TEST(lane_outside_its_own_mask)
{
    Device d;
    Array<float> x(std::vector<float>(32, 1));
    OK(d.launch("lane_not_in_mask", 1, 32, 0, x.at));
    expect_finding(CUDA_ERROR_LAUNCH_FAILED, {"lane_not_in_mask", "a mask without the lane itself"});
}

TEST(a_broken_context_stays_broken_and_another_one_works)
{
    {
        Device d;
        Array<float> x(64);
        OK(d.launch("divergent_barrier", 1, 64, 0, x.at));
        EXPECT_RESULT(cuStreamSynchronize(d.stream), CUDA_ERROR_LAUNCH_FAILED);
        CUdeviceptr more;
        EXPECT_RESULT(cuMemAlloc(&more, 4), CUDA_ERROR_LAUNCH_FAILED);
        EXPECT_RESULT(cuMemsetD8(x.at, 0, 4), CUDA_ERROR_LAUNCH_FAILED);
    }
    Device d;
    Array<float> x(64);
    OK(d.launch("set", 1, 64, 0, x.at, 1.0f, 64LL));
    EXPECT(x.host()[63] == 1);
}

// A missing barrier gives poison in one of the orders.
TEST(missing_barrier_depends_on_the_order)
{
    std::vector<float> results[2];
    for (int i = 0; i < 2; i++) {
        grove_sim_set_text("order", orders[i]);
        Device d;
        Array<float> out(64);
        OK(d.launch("missing_barrier", 1, 64, 0, out.at));
        results[i] = out.host();
    }
    EXPECT(std::isnan(results[0][0]) && results[1][0] == 63);
    EXPECT(results[0][63] == 0 && std::isnan(results[1][63]));
}

TEST(shared_memory_is_poisoned_before_each_block)
{
    Device d;
    Array<float> out(64);
    for (int round = 0; round < 2; round++) {
        OK(d.launch("uninitialised_shared", 5, 32, 128, out.at));
        for (float v : out.host()) EXPECT(std::isnan(v));
    }
}

TEST(fresh_memory_is_poisoned)
{
    Device d;
    Array<float> x(100);
    Array<double> y(100);
    for (float v : x.host()) EXPECT(std::isnan(v));
    for (double v : y.host()) EXPECT(std::isnan(v));
}

TEST(write_beyond_an_allocation)
{
    for (long long i : {100LL, -1LL, 130LL}) {
        Device d;
        Array<float> x(100);
        OK(d.launch("write_at", 1, 1, 0, x.at, i));
        expect_finding(CUDA_ERROR_ILLEGAL_ADDRESS, {"kernel write_at", "memory beside allocation #", "(400 bytes at "});
    }
}

TEST(write_beyond_an_allocation_that_is_no_argument_is_found_at_free)
{
    Device d;
    grove_sim_set("guard_each_launch", 0);
    CUdeviceptr x;
    OK(cuMemAlloc(&x, 400));
    OK(d.launch("write_at", 1, 1, 0, x, 100LL));
    EXPECT_RESULT(cuMemFree(x), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT(grove_sim_get("findings") == 1);
}

TEST(wild_address)
{
    Device d;
    Array<float> x(100);
    OK(d.launch("write_at", 1, 1, 0, x.at, 1LL << 40));
    expect_finding(CUDA_ERROR_ILLEGAL_ADDRESS, {"kernel write_at, block (0,0,0), thread (0,0,0): illegal address",
                                                "not an address of device memory"});
}

TEST(null_pointer)
{
    Device d;
    OK(d.launch("write_at", 2, 1, 0, CUdeviceptr(0), 4LL));
    expect_finding(CUDA_ERROR_ILLEGAL_ADDRESS, {"kernel write_at", "illegal address"});
}

TEST(argument_in_freed_memory)
{
    Device d;
    CUdeviceptr x;
    OK(cuMemAlloc(&x, 400));
    OK(cuMemFree(x));
    OK(d.launch("write_at", 1, 1, 0, x, 0LL));
    expect_finding(CUDA_ERROR_ILLEGAL_ADDRESS, {"kernel write_at: parameter 1", "freed memory: allocation #"});
}

TEST(misaligned_argument)
{
    Device d;
    Array<float> x(100);
    OK(d.launch("write_at", 1, 1, 0, x.at + 2, 0LL));
    expect_finding(CUDA_ERROR_MISALIGNED_ADDRESS, {"kernel write_at: parameter 1", "not a multiple of 4"});
}

TEST(freed_memory_is_poisoned_and_writes_to_it_are_found)
{
    Device d;
    CUdeviceptr x, y;
    OK(cuMemAlloc(&x, 4096));
    OK(cuMemAlloc(&y, 4096));
    OK(cuMemsetD32(x, 0, 1024));
    OK(cuMemFree(x));
    Array<float> out(1);
    OK(d.launch("read_at", 1, 1, 0, out.at, y, (long long)(x - y) / 4));
    EXPECT(std::isnan(out.host()[0]));
    OK(d.launch("write_at", 1, 1, 0, y, (long long)(x - y) / 4));
    expect_finding(CUDA_ERROR_ILLEGAL_ADDRESS, {"freed memory was written to", "(4096 bytes at"});
    cuMemFree(y);
}

TEST(beyond_dynamic_shared_memory)
{
    Device d;
    Array<float> out(1);
    OK(d.launch("shared_at", 1, 1, 64, out.at, 16));
    expect_finding(CUDA_ERROR_ILLEGAL_ADDRESS, {"kernel shared_at", "byte 0 beyond the dynamic shared memory"});
}

TEST(division_by_zero_and_a_full_stack)
{
#if defined(__x86_64__)
    {
        Device d;
        Array<int> out(1);
        OK(d.launch("divide", 1, 1, 0, out.at, 0));
        expect_finding(CUDA_ERROR_LAUNCH_FAILED, {"kernel divide", "division of an integer by zero"});
    }
#endif
    Device d;
    Array<int> out(1);
    OK(d.launch("full_stack", 1, 1, 0, out.at));
    expect_finding(CUDA_ERROR_ILLEGAL_ADDRESS, {"kernel full_stack", "the stack of the thread is full"});
}

TEST(the_host_cannot_touch_device_memory)
{
    Device d;
    Array<float> x(100);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        *reinterpret_cast<volatile float *>(x.at) = 1;
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

// The next two are seen by the sanitizers only; without them they pass.
TEST(beyond_a_static_array)
{
    Device d;
    Array<float> out(1);
    OK(d.launch("static_at", 1, 1, 0, out.at, 9));
    OK(cuCtxSynchronize());
}

TEST(signed_overflow)
{
    Device d;
    Array<int> out(1);
    OK(d.launch("overflow", 1, 1, 0, out.at, 1000));
    OK(cuCtxSynchronize());
}
