# What people and CI type. Everything is set up in .venv, with any Python from 3.11 on.
PYTHON ?= $(firstword $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p; done))
# A Java runtime comes through pip where the machine has none.
EXTRAS := dev$(shell command -v java >/dev/null || echo ,tla)
BIN := .venv/bin
READY := .venv/ready
IMPLEMENTATIONS := agent_run conformance/ports/asyncio_run.py
BUDGET := standard

.PHONY: conformance test model unit lint clean

conformance: $(READY)  ## the suite, for the reference and the asyncio port
	$(BIN)/pytest conformance $(IMPLEMENTATIONS:%=--impl=%) --budget=$(BUDGET) -n auto

test: conformance model unit  ## everything

model: $(READY)  ## TLC checks the models, and finds what is wrong with those that must fail
	$(BIN)/python tla/tools.py check
	$(BIN)/python tla/tools.py mutants
	$(BIN)/python tla/tools.py trace tla/traces/good/*.jsonl

unit: $(READY)  ## the tests of kit, spec, model and reference
	$(BIN)/pytest tests -n auto --dist loadgroup

lint: $(READY)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer found; install one, or say PYTHON=/path/to/python"; exit 2; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	touch $(READY)

clean:
	rm -rf .venv
