# make chat: the conversation.  make test: the tests.  make check: what CI checks besides.  make bench: the figures.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

.PHONY: chat test check bench
chat: $(VENV)/demo,tui.stamp
	@$(BIN)/clear-kgqa chat

test: $(VENV)/dev.stamp
	@$(BIN)/python -m pytest -q -m "not slow"

check: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/typos

bench: $(VENV)/dev.stamp
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script; done
	@echo "== 100,000 fuzz cases"; $(BIN)/python -m tests.tools.fuzz 100000

$(VENV)/%.stamp: pyproject.toml | $(BIN)/pip
	@echo "Installing clear-kgqa[$*] into $(VENV); the first time this takes a minute or two" >&2
	@$(BIN)/python -m pip install --no-input --disable-pip-version-check --progress-bar off -e ".[$*]" </dev/null \
		| awk '/^Collecting/ { printf "." } /^Installing/ { printf " installing" } { fflush() } END { print "" }' >&2
	@touch $@

$(BIN)/pip:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is missing: apt-get install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv is missing:" \
		"apt-get install $$($(PYTHON) -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) </dev/null
