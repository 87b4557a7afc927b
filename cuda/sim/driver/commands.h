// What calls enqueue and what the nodes of graphs hold.
#pragma once

#include "context.h"

#include <functional>

namespace sim {

// A Command is work within the device that was checked when it was made. begin is called where it is enqueued: it
// counts and fails on request. run is called when its turn comes in a stream.
struct Command {
    std::function<CUresult()> begin;
    std::function<void()> run;
    std::function<CUresult(const char *call)> gather; // of a launch: makes it cooperative, where the device has room
};

// They return what is wrong, and name the call in a finding about it.
CUresult launch_command(const char *call, Context &c, const CUDA_KERNEL_NODE_PARAMS &p, bool cooperative,
                        Command &made);
CUresult fill_command(const char *call, CUdeviceptr to, unsigned value, unsigned element, size_t n, Command &made);
CUresult copy_command(const char *call, CUdeviceptr to, CUdeviceptr from, size_t n, Command &made);

} // namespace sim
