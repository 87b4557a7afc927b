#!/bin/sh
# Everything that the GPU engine is checked by where there is no GPU. make test-sim builds what it needs. The simulator
# uses one processor, so two parts run at the same time:
#
#	cuda/sim/check.sh engine    the conformance suite, with threads in two orders, and a sample of it, which launches every
#	                            kernel, on a simulator with the address and undefined-behaviour sanitizers
#	cuda/sim/check.sh models    the golden tests, all models and the command line
#
# With KIT=later what make test-kit runs too is left to it: the tests of package cuda beside the conformance suite, and
# what models compute on both devices.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
with="$root/cuda/sim/with.sh"
go() { "$root/cuda/go.sh" "$@"; }
# What go vet says is part of make lint-gpu.
on() { library=$1; shift; go test -vet=off -ldflags=-w -count=1 -timeout 45m -exec "$with $root/build/$library" "$@"; }
simulated() { on sim "$@"; }

case ${1-all} in
engine)
	echo "== GPU engine on the simulated GPU"
	if [ "${KIT-}" = later ]; then
		simulated -run 'Conformance|Toolkit|Failure|Driver|Damaged' ./cuda
		simulated $(go list ./cuda/... | grep -v '/cuda$')
	else
		simulated ./cuda/...
	fi
	echo "== GPU engine with sanitizers"
	GROVE_CUDA_POOL=off on sim-sanitized -short -run 'TestConformance/tuned/sample|TestEveryTiling|Upload|View|Convert' ./cuda
	echo "== races and reads of what was never written"
	GROVE_CUDA_POOL=off on lens -run TestOneCaseAKernel ./cuda
	on lens -run TestAccess ./cmd/bench
	;;
models)
	echo "== models and golden values on the simulated GPU"
	export GROVE_TEST_DEVICE=cuda
	# Whole trainings take too long on it: TestEveryFamilyMovesBetweenDevices has short ones of all families. A theorem
	# does not depend on the device, nor what processes leave behind, what they say, draw and refuse, and how work is cut.
	simulated -skip 'Supervis|Mask|Regression|TreeG|ExplainTrees|WalksAndSubtrees|DoesNotLose' ./gckn ./nystrom
	no_device='Killed|TwoProcesses|Signals|Limited|Extreme|Readme|Formats|Forged|PredictionsMean|Checkpoint'
	no_device="$no_device|AnInput|Notes|Instructions|FoldsOf|SaysWhich|Plots|GivenFolds|EvalRepeats|Dump|Refuse|NotFit|Draw"
	no_device="$no_device|OneClass|Interrupt|OutputsFollow|AnchorsLine|ReportsHow|WithoutClasses|TowardThePredicted"
	no_device="$no_device|PartsMake|PartsOf|InParts|Stores|FanOut|Ranks|EveryFormat|ReadTables|OnProteins"
	simulated -skip "Supervis|Mask|Regression|TreeG|ExplainTrees|$no_device" ./cmd/grove
	simulated -run 'Golden|StayOnTheDevice|SameOnADevice|Own|Shared|Mixed' ./autodiff ./wl ./mpgk ./cgmm
	simulated ./gnn
	simulated -run 'OutsideModuleOnGPU' ./examples
	simulated -run 'Vector' ./svm
	[ "${KIT-}" = later ] || simulated -run 'TestEveryModel/.*/devices' ./model/modeltest
	simulated -run 'EnginesFit|GoldenBest' ./treeg ./treeg/internal/search
	simulated -run 'NothingAsksMore' ./cmd/bench
	echo "== a whole run from the command line"
	"$with" "$root/build/sim" "$root/build/gpu/grove" devices
	"$with" "$root/build/sim" "$root/build/gpu/grove" data synth molecules --graphs 40 --seed 1 --out build/sim/molecules --overwrite
	"$with" "$root/build/sim" "$root/build/gpu/grove" eval gckn-subtree --data build/sim/molecules --device cuda --cv 5
	"$with" "$root/build/sim" "$root/build/gpu/bench" --device cuda --quick --model none --op path-trie,sparse-matmul,assign,matmul
	;;
all)
	cuda/sim/test.sh
	trap 'trap - TERM; kill 0' INT TERM # the part in the background does not hear of an interrupt
	echo "== the GPU engine is checked at the same time, its output follows: build/sim/engine.log"
	"$root/cuda/sim/check.sh" engine >build/sim/engine.log 2>&1 &
	engine=$!
	failed=0
	"$root/cuda/sim/check.sh" models || failed=1
	wait "$engine" || failed=1
	cat build/sim/engine.log
	exit "$failed"
	;;
*)
	echo "usage: cuda/sim/check.sh [engine | models]" >&2
	exit 2
	;;
esac
