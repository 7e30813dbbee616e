# make run    sets everything up and opens the window on the sample workspace
# make test   sets everything up, checks format, lint, types and layers, and runs all tests
# make quick  the checks, and the tests that need no process, display or network, within a minute
# make check  the checks alone;  make bench  the measurements;  make lock  newer dependencies
# make test-model  tries the planners on forty requests, with a real model (fetches 1.1 GB)

ifeq ($(OS),Windows_NT)
PYTHON ?= py -3
BIN := .venv/Scripts/
else
PYTHON ?= python3
BIN := .venv/bin/
endif
DONE = $(BIN)python -c "open('$@', 'w').close()"
JOBS ?= auto
COMPILE = $(BIN)uv pip compile --quiet --universal --python-version 3.11 --no-header \
    --generate-hashes pyproject.toml

.PHONY: run test quick test-model check bench lock clean

run: .venv/run
	$(PYTHON) packaging/system_libraries.py window
	$(BIN)deskhand --demo

test: check
	$(PYTHON) packaging/system_libraries.py tests
	$(BIN)python -m pytest --numprocesses $(JOBS) --dist loadfile $(PYTEST)

quick: check
	$(BIN)python -m pytest --quick --numprocesses $(JOBS) --dist worksteal tests/assistant tests/tools tests/test_house.py

test-model: .venv/test
	$(BIN)python -m tests.planning

check: .venv/test
	$(BIN)ruff format --check .
	$(BIN)ruff check .
	$(BIN)mypy
	$(BIN)lint-imports

bench: .venv/bench
	$(PYTHON) packaging/system_libraries.py tests
	$(BIN)python -m tests.benchmarks

.venv/python:
	$(PYTHON) packaging/system_libraries.py python
	$(PYTHON) -m venv .venv
	$(BIN)python -m pip install --quiet --upgrade pip
	$(DONE)

.venv/run .venv/test .venv/bench: .venv/%: .venv/python packaging/%.lock pyproject.toml
	$(BIN)python -m pip install --quiet --requirement packaging/$*.lock
	$(BIN)python -m pip install -qq --no-deps --editable .
	$(DONE)

# Hashes of every file for every system and Python from 3.11 to 3.13.
lock: .venv/python
	$(BIN)python -m pip install --quiet uv
	$(COMPILE) --extra test --extra check --extra bench --output-file packaging/bench.lock
	$(COMPILE) --extra test --extra check --constraint packaging/bench.lock --output-file packaging/test.lock
	$(COMPILE) --constraint packaging/bench.lock --output-file packaging/run.lock

clean:
	$(PYTHON) -c "import shutil; shutil.rmtree('.venv', ignore_errors=True)"
