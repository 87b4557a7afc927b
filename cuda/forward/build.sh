#!/bin/sh
# Builds the forwarding layer, FOLDER/libcuda.a (default build/gpu), from the list of driver functions in
# symbols.txt. Nothing of the CUDA toolkit is needed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../build/gpu}
work=$out/forward
mkdir -p "$work"
# cuInit is written in C; every other function is a trampoline with a number.
grep -v '^cuInit$' "$here/symbols.txt" | awk '{ printf "SYMBOL(%d, %s)\n", NR-1, $1 }' >"$work/symbols.inc"
cc=${CC:-cc}
$cc -O2 -g -fPIC -Wall -Wextra -I"$work" -c "$here/forward.c" -o "$work/forward.o"
$cc -g -fPIC -I"$work" -c "$here/trampolines.S" -o "$work/trampolines.o"
rm -f "$out/libcuda.a"
${AR:-ar} rcs "$out/libcuda.a" "$work/forward.o" "$work/trampolines.o"
