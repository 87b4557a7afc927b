#!/bin/sh
# Runs the go command with what the tag gpu needs: the forwarding layer for libcuda and the headers of CUDA
# with the binding's missing calls.
#
#	cuda/go.sh build -tags gpu ./cmd/grove
#	cuda/go.sh vet -tags gpu ./cuda/...
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
include=$("$root/cuda/toolkit.sh")
[ -f "$root/build/gpu/libcuda.a" ] || "$root/cuda/forward/build.sh" "$root/build/gpu"
CGO_ENABLED=1
CGO_CFLAGS="-O2 -I$root/cuda/compat -I$include"
CGO_LDFLAGS="-L$root/build/gpu"
export CGO_ENABLED CGO_CFLAGS CGO_LDFLAGS
exec "${GO:-go}" "$@"
