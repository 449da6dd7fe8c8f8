# make chat: the conversation.  make test: the tests.  make check: what CI checks besides.  make bench: the figures.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

# pip's own lines cut to what it is at: on a terminal one line that changes, elsewhere a line for every 20 packages.
define SHOW_PIP
n=0; while read -r what name _; do case $$what-$$name in \
	Collecting-*) n=$$((n + 1)); at="package $$n: $$name" ;; \
	Installing-collected) at="writing the packages, without a word for up to a minute" ;; \
	*) continue ;; esac; \
	if [ -t 2 ]; then printf '\r\033[K  %.70s' "$$at" >&2; \
	elif [ $$what = Installing ] || [ $$((n % 20)) = 0 ]; then echo "  $$at" >&2; fi; \
done; [ ! -t 2 ] || echo >&2
endef

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
		| { $(SHOW_PIP); }
	@touch $@

$(BIN)/pip:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is missing: apt-get install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv is missing:" \
		"apt-get install $$($(PYTHON) -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) </dev/null
