# The two commands of the README are `make demo` and `make test`; both set up everything they need.
PY ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: docs demo test handed lint bench lock clean setup

setup: $(STAMP)

$(STAMP): requirements/dev.txt pyproject.toml
	$(PY) -c 'import sys; sys.exit("headwater needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PY) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $(STAMP)

# Every optional group but `embedders`, which brings a framework of several gigabytes.
EXTRAS := --extra s3 --extra scale --extra databases --extra frames --extra models --extra sandbox --extra mcp

lock:
	uv pip compile --quiet --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml $(EXTRAS) -o requirements/core.txt
	uv pip compile --quiet --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml --group dev $(EXTRAS) -o requirements/dev.txt

demo: $(STAMP)
	$(BIN)/python scripts/demo.py

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist worksteal

# The handed cases in ../shared, where they are; prints their figures.
handed: $(STAMP)
	$(BIN)/python scripts/handed.py

# Ratios between things run side by side; takes some minutes and a quiet machine.
bench: $(STAMP)
	$(BIN)/python benchmarks/ingest.py --big 2048
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/sql.py
	$(BIN)/python benchmarks/graph.py
	$(BIN)/python benchmarks/exact.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(STAMP)
	$(BIN)/python scripts/make_docs.py

clean:
	rm -rf $(VENV) .demo .pytest_cache .mypy_cache .ruff_cache
