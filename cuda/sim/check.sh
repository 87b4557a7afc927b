#!/bin/sh
# Everything that the GPU engine is checked by where there is no GPU: the simulator itself; the conformance
# suite, with threads in forward, reversed and shuffled order, the golden tests and all models on it; and the
# engine again on a simulator with the address and undefined-behaviour sanitizers. make test-sim builds what
# it needs.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
go() { "$root/cuda/go.sh" "$@"; }

cuda/sim/test.sh

with="$root/cuda/sim/with.sh"
echo "== GPU engine on the simulated GPU"
go test -count=1 -timeout 30m -tags gpu -exec "$with $root/build/sim" ./cuda/...

echo "== models and golden values on it"
# Whole trainings take too long on it: TestEveryFamilyMovesBetweenDevices has short ones of all families.
GROVE_TEST_DEVICE=cuda go test -count=1 -timeout 30m -tags gpu -exec "$with $root/build/sim" -skip 'Supervis|Mask|Regression|TreeG|ExplainTrees' ./gckn ./nystrom ./cmd/grove
GROVE_TEST_DEVICE=cuda go test -count=1 -timeout 30m -tags gpu -exec "$with $root/build/sim" -run 'Golden|StayOnTheDevice|SameOnADevice' ./autodiff ./wl ./mpgk ./cgmm
GROVE_TEST_DEVICE=cuda go test -count=1 -tags gpu -exec "$with $root/build/sim" -run 'Vector' ./svm
GROVE_TEST_DEVICE=cuda go test -count=1 -timeout 30m -tags gpu -exec "$with $root/build/sim" -run 'EnginesFit|GoldenBest' ./treeg

echo "== GPU engine with sanitizers"
GROVE_CUDA_POOL=off go test -count=1 -timeout 30m -tags gpu -exec "$with $root/build/sim-sanitized" -run 'TestConformance/tuned|TestEveryTiling|Upload|View|Convert' ./cuda

echo "== a whole run from the command line"
"$with" "$root/build/sim" "$root/build/gpu/grove" devices
"$with" "$root/build/sim" "$root/build/gpu/grove" data synth molecules --graphs 40 --seed 1 --out build/sim/molecules --overwrite
"$with" "$root/build/sim" "$root/build/gpu/grove" eval gckn-subtree --data build/sim/molecules --device cuda --cv 5
"$with" "$root/build/sim" "$root/build/gpu/bench" --device cuda --quick --model none --op path-trie,sparse-matmul,assign,matmul
