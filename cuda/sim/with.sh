#!/bin/sh
# Runs a program on the simulated GPU in a folder that cuda/sim/build.sh made:
#
#   cuda/sim/with.sh OUTDIR PROGRAM [ARGUMENT...]
#
# With a library that has the sanitizers, these are loaded first and told to leave faults to the program.
set -eu

out=$(cd "$1" && pwd)
shift
LD_LIBRARY_PATH=$out${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
if [ -f "$out/sanitized" ]; then
    cxx=${CXX:-g++}
    ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:detect_stack_use_after_return=0:allocator_may_return_null=1
    UBSAN_OPTIONS=print_stacktrace=1
    export ASAN_OPTIONS UBSAN_OPTIONS
    exec env LD_PRELOAD="$("$cxx" -print-file-name=libasan.so) $("$cxx" -print-file-name=libubsan.so)" "$@"
fi
exec "$@"
