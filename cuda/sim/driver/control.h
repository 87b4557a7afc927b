// What a test can set and read: settings, faults to inject, counters, findings.
#pragma once

#include <cuda.h>

#include <map>
#include <string>

namespace sim {

// Settings are changed by grove_sim_set and by the environment variable GROVE_SIM="key=value,...".
struct Settings {
    // The machine that is imitated.
    long long devices = 1;
    long long memory = 4LL << 30;   // bytes of each device
    long long driver = 12040;       // version of the driver: 1000 major + 10 minor
    long long capability = 90;      // compute capability: 10 major + minor
    long long multiprocessors = 8;
    long long init_error = 0;       // what cuInit answers
    long long busy = 0;             // 1: another process holds the devices in exclusive mode
    long long damaged_image = 0;    // 1: every image that is loaded counts as damaged
    long long graphs = 1;           // 0: graphs cannot be instantiated

    // How work is run.
    long long lazy = 1;             // 1: streams run only when somebody waits, in a random interleaving
    long long seed = 1;             // of the interleaving and of the shuffled order
    long long order = 0;            // of threads and blocks: 0 forward, 1 reverse, 2 shuffled
    long long protect = 1;          // 1: the host cannot touch device memory
    long long guard_each_launch = 1; // 1: guards of a launch's arguments are checked after it

    // What fails: the N-th call from now once, or with -N every call from the N-th on; 0 is never.
    long long fail_alloc = 0;
    long long fail_host_alloc = 0;
    long long fail_launch = 0;
    long long fail_copy = 0;
    long long fail_synchronise = 0;
    long long launch_error = CUDA_ERROR_LAUNCH_FAILED; // what a launch that was told to fail returns

    // How findings are told.
    long long quiet = 0;            // 1: not on standard error
    long long abort = 0;            // 1: the first finding ends the process
    std::string log;                // file that findings are appended to
};

// Counters since the start or the last grove_sim_reset.
struct Counters {
    long long launches = 0, graph_launches = 0, allocations = 0, host_allocations = 0;
    long long copies = 0, host_to_device = 0, device_to_host = 0, device_to_device = 0; // the last three in bytes
    long long memsets = 0, synchronisations = 0, injected = 0, findings = 0;
    std::map<std::string, long long> launches_of; // by kernel
};

Settings &settings();
Counters &counters();

// injected counts a setting such as fail_alloc down and says whether this call has to fail.
bool injected(long long &nth);

// finding reports a mistake of the program under test in one line and counts it.
void finding(const char *format, ...) __attribute__((format(printf, 1, 2)));

// fault is a finding after which the current context returns an error from every call, as the real one does.
CUresult fault(CUresult error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// misuse is a finding about the call that runs, which returns the error.
CUresult misuse(CUresult error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// random returns a number from a sequence that the seed determines.
class Random {
  public:
    explicit Random(unsigned long long seed) : state(seed) {}
    unsigned long long next();
    size_t below(size_t n) { return next() % n; }

  private:
    unsigned long long state;
};

} // namespace sim
