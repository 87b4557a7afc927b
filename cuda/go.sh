#!/bin/sh
# Runs the go command with the tag gpu and what it needs: the forwarding layer for libcuda and the headers of CUDA
# with the binding's missing calls. The other tags are those of the Makefile.
#
#	cuda/go.sh build ./cmd/grove
#	cuda/go.sh vet ./cuda/...
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
include=$("$root/cuda/toolkit.sh")
[ -f "$root/build/gpu/libcuda.a" ] || "$root/cuda/forward/build.sh" "$root/build/gpu"
CGO_ENABLED=1
CGO_CFLAGS="-O2 -I$root/cuda/compat -I$include"
CGO_LDFLAGS="-L$root/build/gpu"
GOFLAGS="${GOFLAGS-} -tags=gpu,netgo,osusergo"
export CGO_ENABLED CGO_CFLAGS CGO_LDFLAGS GOFLAGS
exec "${GO:-go}" "$@"
