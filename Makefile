# Grove: everything a newcomer needs is one of these targets. Only Go is required.

GO    ?= go
BUILD := build
DEMO  := $(BUILD)/demo

.PHONY: help demo build test lint bench generate clean need-go

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

need-go:
	@command -v $(GO) >/dev/null || { echo "Grove needs Go 1.26 or newer: https://go.dev/dl"; exit 1; }

build: need-go ## build the command line and the benchmark into build/
	$(GO) build -o $(BUILD)/grove ./cmd/grove
	$(GO) build -o $(BUILD)/bench ./cmd/bench

demo: build ## generate molecules, evaluate and train GCKN-subtree on them, draw an explanation
	$(BUILD)/grove data synth molecules --graphs 400 --seed 1 --out $(DEMO)/molecules --overwrite
	$(BUILD)/grove data info $(DEMO)/molecules
	$(BUILD)/grove eval gckn-subtree --data $(DEMO)/molecules --seed 1 --plot $(DEMO)/accuracy.svg
	$(BUILD)/grove train gckn-subtree --data $(DEMO)/molecules --seed 1 -o $(DEMO)/model.grove
	$(BUILD)/grove explain --model $(DEMO)/model.grove --data $(DEMO)/molecules --index 0-5 --bonds aromatic,single,double -o $(DEMO)/explanation.svg
	@echo
	@echo "Open $(DEMO)/explanation.svg and $(DEMO)/accuracy.svg in a browser."

test: need-go ## run all tests
	$(GO) test ./...

lint: need-go ## check formatting, go vet and staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

bench: build ## measure the operations and the stages of the models
	$(BUILD)/bench

generate: need-go ## write the generated files anew
	$(GO) generate ./...

clean: ## remove what was built
	rm -rf $(BUILD)
