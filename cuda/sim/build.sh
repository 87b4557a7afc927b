#!/bin/sh
# Builds the simulated GPU: OUTDIR/libcuda.so.1, which runs the kernels of kernels.cu and kernels/plain.cu, or those of
# other files, on the CPU.
#
#   cuda/sim/build.sh OUTDIR [--sanitize | --lens] [--kernels FILE.cu]...
#
# CXX is the compiler (g++), CUDA_INCLUDE the folder of cuda.h where it is not the one of cuda/toolkit.sh. Programs of the
# gpu build find the library through LD_LIBRARY_PATH=OUTDIR.
#
# With --sanitize the library has the address and undefined-behaviour sanitizers: kernels and copies are
# checked against red zones around each allocation, after frees, and against the bounds of arrays. The
# sanitizers must come first into the process, and the signals of faults must stay with Go and the simulator;
# cuda/sim/with.sh OUTDIR PROGRAM sees to that:
#
#   LD_LIBRARY_PATH=OUTDIR LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libubsan.so)" \
#   ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:detect_stack_use_after_return=0 PROGRAM
#
# With --lens every load and store of the kernels is watched: for races, for reads of what was never written, and to
# count what requests of warps take (cuda/sim/lens). OUTDIR/blocks.txt is the arithmetic of each basic block of the library: its
# place, operations of float32 and float64 (a multiply-add as two), divisions and square roots of float32 and float64.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: cuda/sim/build.sh OUTDIR [--sanitize | --lens] [--kernels FILE.cu]...}
shift
sanitize=
lens=
kernels=
while [ $# -gt 0 ]; do
    case $1 in
    --sanitize) sanitize=yes ;;
    --lens) lens=yes ;;
    --kernels) kernels="$kernels $2"; shift ;;
    *) echo "cuda/sim/build.sh: unknown argument $1" >&2; exit 2 ;;
    esac
    shift
done
[ -n "$kernels" ] || kernels="$here/../../kernels.cu $here/../../kernels/plain.cu"
cxx=${CXX:-g++}
source=$here/driver
mkdir -p "$out/objects"
out=$(cd "$out" && pwd)
objects=$out/objects
rm -f "$out/sanitized"

flags="-std=c++17 -fPIC -fvisibility=hidden -fno-gnu-unique -ftls-model=local-dynamic -ffp-contract=off"
flags="$flags -Wall -Wno-unknown-pragmas -Wno-sign-compare -Wno-unused-but-set-variable"
if [ -n "$sanitize" ]; then
    touch "$out/sanitized"
    flags="$flags -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"
    # What the address sanitizer finds anyway is not checked twice: that takes as long to compile as all the rest.
    flags="$flags -fno-sanitize=null,object-size,vptr,nonnull-attribute,returns-nonnull-attribute"
else
    flags="$flags -O2"
fi
# What the kernels are compiled with besides. The lens has callbacks on loads and stores, of which the compiler must make
# neither larger nor smaller ones, and on basic blocks, which have to stay in the order of the source.
of_kernels= of_link=
sources=$(echo "$source"/*.cc)
if [ -n "$lens" ]; then
    flags="$flags -g1 -DGROVE_LENS"
    of_kernels="-fsanitize=thread -fsanitize-coverage=trace-pc -fno-tree-sra -fno-ipa-sra -fno-tree-vectorize -fno-store-merging"
    of_kernels="$of_kernels -fno-tree-loop-distribute-patterns -fno-reorder-blocks -fno-reorder-blocks-and-partition -fno-thread-jumps"
    of_kernels="$of_kernels -fno-crossjumping -fno-tree-tail-merge -fno-ipa-icf -fno-partial-inlining"
    for function in exp expf exp2 exp2f; do of_link="$of_link -Wl,--wrap=$function"; done
    sources="$sources $(echo "$here"/lens/*.cc)"
fi
include=${CUDA_INCLUDE:-$("$here/../toolkit.sh")}
flags="$flags -I$include"
# A multiply-add is one instruction where the machine has it; without these flags it is a call.
grep -qs '\bfma\b.*\bavx2\b\|\bavx2\b.*\bfma\b' /proc/cpuinfo && [ "$(uname -m)" = x86_64 ] && flags="$flags -mavx2 -mfma"

# list_kernels FILE LIST writes the list of the kernels of a file: every extern "C" __global__ function, and the first of
# its launch bounds.
bounds='__launch_bounds__ *\(([^()]|\([^()]*\))*\)'
list_kernels() {
    "$cxx" -std=c++17 -E -P -x c++ '-DDYNAMIC_SHARED(T, name)=' "$1" | tr '\n' ' ' > "$2.txt"
    grep -oE "extern *\"C\" *__global__ [^;{(]*($bounds)?[^;{(]*\(" "$2.txt" |
        sed -E -e "s/^.*__launch_bounds__ *\((([^()]|\([^()]*\))*)\)(.*)\$/\1 @\3/" -e t -e 's/^/1024 @/' |
        sed -E 's/^(.*) @.*[^A-Za-z0-9_]([A-Za-z0-9_]+) *\($/SIM_KERNEL(\2, \1)/' > "$2"
    declared=$(grep -o '__global__' "$2.txt" | wc -l)
    listed=$(wc -l < "$2")
    if [ "$declared" != "$listed" ]; then
        echo "cuda/sim/build.sh: $declared kernels in $1, but only $listed of the form extern \"C\" __global__ void name(...)" >&2
        exit 1
    fi
}

# Only the objects of the kernels depend on the kernels; the rest is compiled anew where the sources of the simulator
# changed.
all=
for file in $sources; do
    name=$(basename "$file" .cc)
    [ "$name" != kernels ] || continue
    object=$objects/$name.o
    all="$all $object"
    if [ -f "$object" ] && [ -z "$(find "$source" "$here/lens" "$here/build.sh" -newer "$object" -type f | head -n 1)" ] &&
        [ "$(cat "$object.flags")" = "$flags" ]; then
        continue
    fi
    # shellcheck disable=SC2086
    "$cxx" $flags -c "$file" -o "$object"
    printf '%s' "$flags" > "$object.flags"
done
for file in $kernels; do
    file=$(cd "$(dirname "$file")" && pwd)/$(basename "$file")
    object=$objects/$(basename "$file").o
    all="$all $object"
    list_kernels "$file" "$object.inc"
    # shellcheck disable=SC2086
    "$cxx" $flags $of_kernels "-DGROVE_KERNELS=\"$file\"" "-DGROVE_LIST=\"$object.inc\"" -c "$source/kernels.cc" -o "$object"
done

# All other functions of the driver's interface are there too, and say that they are missing.
{
    printf '#include <cuda.h>\n' | "$cxx" "-I$include" -E -P -x c++ - | grep -oE '\bcu[A-Z][A-Za-z0-9_]* *\(' | tr -d ' ('
    cat "$here/../forward/symbols.txt"
} | sort -u > "$objects/interface.txt"
# shellcheck disable=SC2086
nm --defined-only -g --format=posix $all | awk '{print $1}' | grep '^cu[A-Z]' | sort -u > "$objects/implemented.txt"
{
    echo 'int sim_missing(const char *);'
    comm -23 "$objects/interface.txt" "$objects/implemented.txt" |
        sed 's/.*/__attribute__((visibility("default"))) int &(void) { return sim_missing("&"); }/'
} > "$objects/missing.c"
"${CC:-gcc}" -O2 -fPIC -fvisibility=hidden -c "$objects/missing.c" -o "$objects/missing.obj"

# shellcheck disable=SC2086
"$cxx" $flags -shared $of_link -Wl,-soname,libcuda.so.1 -Wl,-z,defs -o "$out/libcuda.so.1" $all "$objects/missing.obj" -ldl -lpthread

[ -n "$lens" ] || exit 0
objdump -d --no-show-raw-insn "$out/libcuda.so.1" | awk -F '\t' '
    function flush() { if (place != "" && f + d + q + r) print place, f, d, q, r; place = ""; f = d = q = r = 0 }
    /^[0-9a-f]+ </ { flush(); begins = 0; next }
    NF < 2 { next }
    begins { flush(); place = $1; gsub(/[ :]/, "", place); begins = 0 }
    /<__sanitizer_cov_trace_pc>/ { begins = 1; next }
    {
        split($2, word, " ")
        name = word[1]
        sub(/^v/, "", name)
        if (name ~ /^(add|sub|mul|min|max|ucomi|comi|round)ss$/) f++
        else if (name ~ /^(add|sub|mul|min|max|ucomi|comi|round)sd$/) d++
        else if (name ~ /^fn?m(add|sub)[0-9]+ss$/ || $2 ~ /<fmaf@plt>/) f += 2
        else if (name ~ /^fn?m(add|sub)[0-9]+sd$/ || $2 ~ /<fma@plt>/) d += 2
        else if (name ~ /^(div|sqrt)ss$/) q++
        else if (name ~ /^(div|sqrt)sd$/) r++
    }
    END { flush() }' > "$out/blocks.txt"
