# Two commands do everything on a fresh machine: `make compare` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEALS ?= 1000000

.PHONY: compare test lint bench docs experiments clean

compare: $(VENV)/ready
	rm -rf results/compare
	$(BIN)/allfives compare risk greedy defensive random --deals $(DEALS) --out results/compare
	$(BIN)/allfives report results/compare

test: $(VENV)/ready lint
	$(BIN)/python -m pytest

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/ready
	$(BIN)/python experiments/pictures.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# Every figure of the README and the documentation that does not depend on the machine; some hours, most for the ladder.
experiments: $(VENV)/ready
	for study in experiments/*.toml; do $(BIN)/allfives run $$study --out results/$$(basename $$study .toml) || exit; done
	for study in experiments/*.toml; do $(BIN)/allfives report results/$$(basename $$study .toml) || exit; done
	$(BIN)/python experiments/pictures.py
	$(BIN)/python experiments/ladder.py
	$(BIN)/python experiments/parts.py

bench: $(VENV)/ready
	$(BIN)/allfives bench

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) results build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
