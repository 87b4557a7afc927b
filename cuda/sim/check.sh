#!/bin/sh
# Everything that the GPU engine is checked by where there is no GPU: the simulator itself; the conformance
# suite, the golden tests and all models on it, with threads in forward, reversed and shuffled order; and the
# engine again on a simulator with the address and undefined-behaviour sanitizers. make test-sim builds what
# it needs.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
go() { "$root/cuda/go.sh" "$@"; }

cuda/sim/test.sh

export LD_LIBRARY_PATH="$root/build/sim"
for order in forward reverse shuffle:7; do
	echo "== GPU engine, threads in $order order"
	GROVE_SIM_ORDER=$order go test -count=1 -tags gpu ./cuda/...
done

echo "== models and golden values on the simulated GPU"
GROVE_TEST_DEVICE=cuda go test -count=1 -tags gpu ./gckn ./nystrom ./cmd/grove ./cmd/bench

echo "== GPU engine with sanitizers"
go test -count=1 -tags gpu -exec "$root/cuda/sim/with.sh $root/build/sim-sanitized" ./cuda
