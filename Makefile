# Everything a person needs, on a machine with Python 3.11+ and make. `make help` lists it.
# Kept to what GNU make 3.81 understands.

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= auto

BIN  := $(VENV)/bin
CORE := $(VENV)/.core-installed
DEV  := $(VENV)/.dev-installed
LOCKING := $(VENV)/.locking-installed
HOST_ENVS := .venv-hosts
HOSTS := $(HOST_ENVS)/.installed
COMPARE_ENVS := .venv-compare

PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check
# The build backend is in the locks, so installing the package itself fetches nothing.
INSTALL_SELF := $(PIP_INSTALL) --no-deps --no-build-isolation --editable . --editable ./reader

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo serve docs test lint types format bench compare test-postgres torture real-model hosts release lock prove clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

demo: $(CORE) ## see it remember, revise and recall, with no model and no key
	@$(BIN)/python -m examples.demo

serve: $(DEV) ## serve your memory over HTTP on this machine; SERVE_ARGS="--port 9000"
	@$(BIN)/mnemic serve $(SERVE_ARGS)

docs: $(DEV) ## build the docs site in both languages into build/site
	@$(BIN)/python -m scripts.docs_site build/site

# Types are checked while a test waits for something.
test: lint ## every check: lint, types, import contracts, tests, conformance
	@nice -n 19 $(BIN)/mypy & types=$$!; \
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(PYTEST_ARGS); tests=$$?; \
	wait $$types && exit $$tests

lint: $(DEV) ## style, formatting and the direction of imports
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/lint-imports --no-logo --no-cache

types: $(DEV) ## strict typing of the package and its tests
	@$(BIN)/mypy

format: $(DEV) ## put the code into the house style
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format --quiet .

bench: $(CORE) ## measure learning and speed; with BENCH_DATA=dir also how well it recalls
	@$(BIN)/python -m bench extraction
	@$(BIN)/python -m bench speed $(BENCH_ARGS)
ifdef BENCH_DATA
	@$(BIN)/python -m bench recall --data "$(BENCH_DATA)"/*.jsonl
endif

# Each in an environment of its own, made on first use: what they stand on does not agree. The data is
# a file, or a folder of them, that `python -m bench recall` reads.
compare: $(CORE) ## find the same evidence with other memories; COMPARE_DATA=FILE COMPARE_ARGS="--banks 2"
	@test -n "$(COMPARE_DATA)" || { echo "Name the data: make compare COMPARE_DATA=FILE" >&2; exit 1; }
	@$(BIN)/python -m bench.compare --environments $(COMPARE_ENVS) $(COMPARE_ARGS) $(COMPARE_DATA)

# Every test that opens a memory by the fixture, on a server that it starts by itself.
test-postgres: $(DEV) ## the presets and whatever else opens a memory, on PostgreSQL
	@MNEMIC_TEST_STORE=postgres $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not torture" \
		--ignore tests/cli --ignore tests/locks --ignore tests/serve --ignore tests/real_model $(PYTEST_ARGS)

torture: $(DEV) ## kills, power cuts and hostile input, in full, on both stores
	@$(BIN)/python -m tests.torture $(TORTURE_ARGS)

# Builds a server from source the first time (a compiler and cmake are needed), in build/real-model.
real-model: $(DEV) ## learn, chat and keep up with a small real model on this machine
	@$(BIN)/python -m tests.real_model

# In environments of their own: these frameworks are heavy, and do not agree with each other.
hosts: $(HOSTS) ## the hosts' own test suites against our adapters, and each adapter with its host
	@$(HOST_ENVS)/suites/bin/python -m tests.hosts suites
	@$(HOST_ENVS)/frameworks/bin/python -m tests.hosts frameworks

# Builds and installs many times over, from wherever pip is set up to fetch; RELEASE_ARGS="pages" or
# "extras mcp serve" does a part.
release: $(DEV) ## the wheel in new environments: demo, upgrades, every page as printed, every extra
	@$(BIN)/python -u -m tests.release $(RELEASE_ARGS)

# Pins stay where they are while they still fit; `make lock UPGRADE=1` moves them forward, and
# INSTALL=1 downloads what the locks name for every target. Needs no other lock to be installed, so
# that a broken one can be made anew.
lock: $(LOCKING) ## pin the dependencies of pyproject.toml and prove the pins on every target
	@$(BIN)/python -m tests.locks make $(if $(UPGRADE),--upgrade) $(if $(INSTALL),--install)

prove: $(LOCKING) ## resolve the present pins for every target, from the public index
	@$(BIN)/python -m tests.locks prove $(if $(INSTALL),--install)

clean: ## remove the virtual environment, caches and built files
	@rm -rf $(VENV) $(HOST_ENVS) $(COMPARE_ENVS) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find src bench examples tests -name __pycache__ -type d -prune -exec rm -rf {} +

# demo and bench need only the core; the checks need dev, which contains it.
$(CORE): pyproject.toml reader/pyproject.toml requirements/core.txt | $(BIN)/python
	@echo "Installing Mnemic into $(VENV)"
	@$(PIP_INSTALL) --require-hashes --requirement requirements/core.txt
	@$(INSTALL_SELF)
	@touch $@

$(DEV): pyproject.toml reader/pyproject.toml requirements/dev.txt | $(BIN)/python
	@echo "Installing Mnemic and its checks into $(VENV)"
	@$(PIP_INSTALL) --require-hashes --requirement requirements/dev.txt
	@$(INSTALL_SELF)
	@touch $@ $(CORE)

$(LOCKING): requirements/lock.txt | $(BIN)/python
	@$(PIP_INSTALL) --require-hashes --requirement requirements/lock.txt
	@touch $@

$(HOSTS): requirements/hosts.txt requirements/host-suites.txt | $(BIN)/python
	@echo "Installing the hosts into $(HOST_ENVS)"
	@$(BIN)/python -m venv $(HOST_ENVS)/suites
	@$(BIN)/python -m venv $(HOST_ENVS)/frameworks
	@$(HOST_ENVS)/suites/bin/python -m pip install -qq --disable-pip-version-check --requirement requirements/host-suites.txt
	@$(HOST_ENVS)/frameworks/bin/python -m pip install -qq --disable-pip-version-check --requirement requirements/hosts.txt
	@for host in suites frameworks; do $(HOST_ENVS)/$$host/bin/python -m pip install -qq --disable-pip-version-check --no-deps --editable . --editable ./reader || exit 1; done
	@touch $@

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { \
		echo "No $(PYTHON) here. Mnemic needs Python 3.11 or newer; name it: make PYTHON=/path/to/python3.12" >&2; \
		exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON) is $$($(PYTHON) -V 2>&1). Mnemic needs Python 3.11 or newer; name it: make PYTHON=/path/to/python3.12" >&2; \
		exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make virtual environments. Install its venv package (Debian, Ubuntu: python3-venv)." >&2; \
		exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)
