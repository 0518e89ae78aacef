# Two commands do everything on a fresh machine: `make compare` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEALS ?= 1000000

.PHONY: compare test lint bench clean

compare: $(VENV)/ready
	rm -rf results/compare
	$(BIN)/allfives compare risk greedy defensive random --deals $(DEALS) --out results/compare

test: $(VENV)/ready lint
	$(BIN)/python -m pytest

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/ready
	$(BIN)/allfives bench

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) results build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
