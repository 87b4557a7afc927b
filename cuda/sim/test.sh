#!/bin/sh
# Tests the simulator itself, on the kernels of testdata/checks.cu: every mistake is found, correct programs pass.
# A folder for what is built may be given: cuda/sim/test.sh [OUTDIR]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../build/sim-test}
cxx=${CXX:-g++}

# What the make targets have compiled of the simulator serves here too, where it is not out of date.
share() {
    mkdir -p "$out/$2/objects"
    for object in "$here/../../build/$1/objects"/*.o; do
        case $object in
        *.cu.o | *'*.o') ;; # kernels; nothing
        *) cp -p "$object" "$object.flags" "$out/$2/objects" ;;
        esac
    done
}
share sim plain
share sim-sanitized sanitized
share lens lens

"$here/build.sh" "$out/plain" --kernels "$here/testdata/checks.cu"
"$here/build.sh" "$out/sanitized" --kernels "$here/testdata/checks.cu" --sanitize
"$cxx" -std=c++17 -O1 -Wall "-I${CUDA_INCLUDE:-$("$here/../toolkit.sh")}" "$here"/testdata/*.cc -o "$out/checks" "$out/plain/libcuda.so.1" -lpthread
"$here/with.sh" "$out/plain" "$out/checks"

# Correct kernels are clean under the sanitizers.
"$here/with.sh" "$out/sanitized" "$out/checks" \
    block_reduction_is_right_in_any_order warp_scan_is_right_in_any_order histogram_by_atomics_is_right_in_any_order \
    dynamic_shared_memory_and_two_dimensions lanes_of_parts_of_a_warp many_blocks_without_barriers divergent_barrier \
    shared_memory_is_poisoned_before_each_block blocks_wait_for_each_other_in_any_order a_missing_event_shows_up \
    faults_on_request limits_of_a_launch

# Mistaken ones end the process, and the report names the kernel.
stops() {
    test=$1 word=$2
    if "$here/with.sh" "$out/sanitized" "$out/checks" "$test" > "$out/report" 2>&1; then
        echo "cuda/sim/test.sh: the sanitizers let $test pass" >&2
        exit 1
    fi
    if ! grep -q "$word" "$out/report" || ! grep -q 'simulated GPU: in kernel' "$out/report"; then
        cat "$out/report"
        echo "cuda/sim/test.sh: $test: the report does not say \"$word\" and the kernel" >&2
        exit 1
    fi
}
stops write_beyond_an_allocation use-after-poison
stops freed_memory_is_poisoned_and_writes_to_it_are_found use-after-poison
stops beyond_a_static_array 'out of bounds'
stops signed_overflow 'signed integer overflow'

# The lens finds what is planted for it.
"$here/build.sh" "$out/lens" --kernels "$here/testdata/lens/planted.cu" --lens
"$cxx" -std=c++17 -O1 -Wall "-I${CUDA_INCLUDE:-$("$here/../toolkit.sh")}" "$here/testdata/main.cc" "$here"/testdata/lens/*.cc \
    -o "$out/lens-checks" "$out/lens/libcuda.so.1" -lpthread
"$here/with.sh" "$out/lens" "$out/lens-checks"
echo "the simulator finds what it must find"
