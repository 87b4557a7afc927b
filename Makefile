# Grove: everything a newcomer needs is one of these targets. Only Go is required, and for the targets with a
# GPU in their name the CUDA toolkit, which make gpu INSTALL=yes installs on Debian; for test-browser Chromium, for
# test-python some packages of Python, for test-slurm Slurm.

GO    ?= go
PYTHON ?= /usr/bin/python3
BUILD := build
DEMO  := $(BUILD)/demo
# The compiler and those who check spend a quarter of their time on memory that a machine with a few GB does not lack.
SPARING := GOGC=400
# Hosts and users are looked up by Go alone: the threads of C reserve so much address space that nothing runs under a
# small ulimit -v. All targets have these tags, so that they share what is compiled.
export GOFLAGS := $(GOFLAGS) -tags=netgo,osusergo '-toolexec=env $(SPARING)'
# In a git worktree the go command does not note the revision.
STAMP := $(shell git log -1 --format=%H,%cI 2>/dev/null)$(shell git diff --quiet HEAD 2>/dev/null; [ $$? != 1 ] || echo ,modified)

.PHONY: help demo build python test test-browser test-python lint cross bench gpu sims test-sim lens lint-gpu conformance kit test-kit generate generate-gpu clean need-go need-cuda test-slurm cluster lint-cluster test-cluster papers

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

need-go:
	@command -v $(GO) >/dev/null || { echo "Grove needs Go 1.26 or newer: https://go.dev/dl"; exit 1; }

build: need-go ## build the command line and the benchmark into build/
	$(GO) build -ldflags '-s -w -X main.stamp=$(STAMP)' -o $(BUILD)/grove ./cmd/grove
	$(GO) build -o $(BUILD)/bench ./cmd/bench

demo: build ## generate molecules, evaluate and train GCKN-subtree on them, draw an explanation
	$(BUILD)/grove data synth molecules --graphs 400 --seed 1 --out $(DEMO)/molecules --overwrite
	$(BUILD)/grove data info $(DEMO)/molecules
	$(BUILD)/grove eval gckn-subtree --data $(DEMO)/molecules --seed 1 --plot $(DEMO)/accuracy.svg
	$(BUILD)/grove train gckn-subtree --data $(DEMO)/molecules --seed 1 -o $(DEMO)/model.grove
	$(BUILD)/grove explain --model $(DEMO)/model.grove --data $(DEMO)/molecules --index 0-5 --bonds aromatic,single,double -o $(DEMO)/explanation.svg
	@echo
	@echo "Open $(DEMO)/explanation.svg and $(DEMO)/accuracy.svg in a browser."

# What go vet says is part of lint; tables for debuggers take as long to link as the rest.
test: need-go ## run all tests
	$(SPARING) $(GO) test -vet=off -ldflags=-w -timeout 30m ./...

# RULES=later leaves those of internal/lint, which are tests too, to make test.
lint: need-go ## check formatting, go vet, staticcheck and the rules of internal/lint
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(SPARING) $(GO) tool staticcheck ./...
	$(if $(RULES),,$(GO) test ./internal/lint)

test-browser: build ## look at the reports in a browser; needs Chromium, which INSTALL=yes installs on Debian
	@internal/browser/chromium.sh >/dev/null
	cd internal/browser && $(GO) vet ./... && BUILD=$(CURDIR)/$(BUILD) $(GO) test -count=1 ./...

python: build ## build the Python package, a wheel with the command in it, into build/python/
	$(PYTHON) python/backend.py $(BUILD)/python

test-python: build ## test the Python package; needs numpy, scikit-learn and networkx, which INSTALL=yes installs on Debian
	PYTHON=$(PYTHON) python/test.sh

cluster: need-go ## build grove-cluster, which runs plans by Temporal, into build/: a module of its own, many minutes the first time
	cd cluster && $(GO) build -o $(CURDIR)/$(BUILD)/grove-cluster .

test-cluster: build cluster ## run plans by grove-cluster on generated molecules, and kill what runs them; JOBS=all: every job, half an hour
	cd cluster && BUILD=$(CURDIR)/$(BUILD) $(GO) test -count=1 -timeout 30m ./trials

lint-cluster: need-go ## check grove-cluster by go vet and staticcheck
	$(GO) build -o $(BUILD)/staticcheck honnef.co/go/tools/cmd/staticcheck
	cd cluster && $(GO) vet ./... && $(SPARING) $(CURDIR)/$(BUILD)/staticcheck ./...

test-slurm: build ## run a plan by a Slurm of two nodes on this machine; needs root, and Slurm, which INSTALL=yes installs on Debian
	cluster/slurm.sh

cross: need-go ## check that everything compiles for other systems and processors
	$(GO) run ./internal/lint/cross darwin/arm64 windows/amd64 linux/arm64

# Cells that are kept are not measured again, unless CELL names them. Most take seconds to minutes of one core, those of
# NCI1, DD, COLLAB and REDDIT-BINARY up to hours, all together days.
papers: build ## measure the papers' tables (days; PAPER=mpgk CELL=mutag-rr: seconds) and write docs/papers
	$(GO) run ./docs/papers run $(if $(CELL),--again) $(PAPER) $(CELL)
	$(GO) run ./docs/papers draw $(PAPER)
	$(GO) run ./docs/papers write

bench: build ## measure the operations and the stages of the models
	$(BUILD)/bench

gpu: need-cuda build/gpu/libcuda.a cuda/kernels.fatbin ## build grove and bench with the GPU engine into build/gpu/; INSTALL=yes installs the CUDA toolkit
	cuda/go.sh build -ldflags '-X main.stamp=$(STAMP)' -o $(BUILD)/gpu/grove ./cmd/grove
	cuda/go.sh build -o $(BUILD)/gpu/bench ./cmd/bench

test-sim: gpu sims ## run the tests of the GPU engine on the simulated GPU
	$(SPARING) cuda/sim/check.sh

lens: gpu build/lens/libcuda.so.1 ## write docs/benchmarks/access.md: races, memory requests and arithmetic of every kernel, on the simulated GPU
	cuda/go.sh test -count=1 -timeout 30m -exec "$(CURDIR)/cuda/sim/with.sh $(CURDIR)/build/lens" -run TestAccess ./cmd/bench -args \
		-access $(CURDIR)/docs/benchmarks/access.md -access-json $(CURDIR)/build/lens/access.json

lint-gpu: need-cuda build/gpu/libcuda.a cuda/kernels.fatbin ## check what is built for a GPU, and that the fatbin has every kernel
	cuda/go.sh vet $$(dirname $$(grep -rlE '^//go:build .*gpu' --include=*.go .) | sort -u)
	$(SPARING) cuda/go.sh tool staticcheck ./cuda/... ./cmd/...
	$(GO) run ./cuda/gen verify cuda/kernels.fatbin $$(cat $(BUILD)/gpu/architectures) < cuda/kernels_gen.go
	$(GO) run ./cuda/gen verify cuda/plain.fatbin ptx < cuda/plain_gen_test.go
	cuda/resources.sh

conformance: gpu build/sim/libcuda.so.1 ## write docs/conformance.md, with the simulated GPU where there is no other
	cuda/go.sh build -o $(BUILD)/gpu/conformance ./cmd/conformance
	$(BUILD)/gpu/grove devices | grep -q '^cuda:[0-9]' || export LD_LIBRARY_PATH=$(CURDIR)/build/sim; $(BUILD)/gpu/conformance -o docs/conformance.md

kit: gpu build/sim/libcuda.so.1 ## pack what checks and measures a GPU where there is no Go into build/kit.tar.xz
	STAMP='$(STAMP)' cmd/kit/pack.sh

test-kit: ## unpack build/kit.tar.xz into an empty folder and run all of it on the simulated GPU
	$(SPARING) cmd/kit/try.sh

need-cuda: need-go
	@cuda/toolkit.sh >/dev/null

build/gpu/libcuda.a: $(wildcard cuda/forward/*)
	cuda/forward/build.sh build/gpu

KERNELS := kernels.cu $(shell find kernels -type f)

cuda/kernels.fatbin: $(KERNELS) cuda/fatbin.sh # FATBIN=--newest compiles for the newest architecture alone
	cuda/fatbin.sh $(FATBIN)

sims: build/sim/libcuda.so.1 build/sim-sanitized/libcuda.so.1 build/lens/libcuda.so.1

build/sim/libcuda.so.1: $(KERNELS) $(shell find cuda/sim -type f)
	cuda/sim/build.sh build/sim

build/lens/libcuda.so.1: $(KERNELS) $(shell find cuda/sim -type f)
	cuda/sim/build.sh build/lens --lens

build/sim-sanitized/libcuda.so.1: $(KERNELS) $(shell find cuda/sim -type f)
	cuda/sim/build.sh build/sim-sanitized --sanitize

generate: need-go ## write the generated files anew
	$(GO) generate ./...

generate-gpu: need-go ## write the launch functions of the kernels anew
	cuda/gen/generate.sh

clean: ## remove what was built
	rm -rf $(BUILD) cuda/kernels.fatbin cuda/plain.fatbin cuda/kernels.toolkit
