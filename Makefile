# `make` alone says what there is. It needs Python 3.11 or newer and make, and
# writes in this folder only. Paths are relative, so a space in one is no matter.

ARGS ?=
PY := .venv/bin/python

unexport PYTHONHOME PYTHONPATH
export PIP_CACHE_DIR := $(CURDIR)/.cache/pip
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test lint format bench field-report release-check clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    validate a real success and failure, bind them in a receipt, verify it"
	@echo "make test    install what the tests need into .venv and run them (ARGS='-k reader')"
	@echo "make lint    formatting, style, types, the floors of the house, the workflow"
	@echo "make format  put formatting right, and what style can be put right by itself"
	@echo "make bench   the table of speed ratios"
	@echo "make field-report  measure what installed programs say of their outcomes, into docs/"
	@echo "make release-check  build what would be released, and check it"
	@echo "make clean   remove .venv and everything else that was made here"

# Straight from the source: the package needs nothing else, nor does this.
demo: .venv/made
	@PYTHONPATH="$$PWD/src" $(PY) scripts/demo.py

# ARGS='-n 0' runs the tests in one process, for a debugger.
test: .venv/dev
	@$(PY) -m pytest -n auto $(ARGS)

lint: .venv/dev
	@.venv/bin/ruff format --check --quiet . || { echo "make format puts this right" >&2; exit 1; }
	@.venv/bin/ruff check --quiet .
	@$(PY) -m mypy
	@out=$$(.venv/bin/lint-imports --no-logo --cache-dir .cache/import_linter) \
	  || { echo "$$out" >&2; exit 1; }
	@$(PY) scripts/check_imports.py
	@.venv/bin/shellcheck .ci/run examples/make-evidence.sh examples/bash/count-lines.sh
	@$(PY) scripts/actionlint.py
	@echo "Lint passed."

format: .venv/dev
	@.venv/bin/ruff format --quiet .
	@.venv/bin/ruff check --fix --quiet . || :
	@.venv/bin/ruff format .

bench: .venv/dev
	@$(PY) bench/run.py $(ARGS)

# The development tools are programs like any other, so they are on the path.
field-report: .venv/dev
	@PATH="$$PWD/.venv/bin:$$PATH" $(PY) scripts/field_report.py

release-check: .venv/dev
	@$(PY) scripts/release_check.py

clean:
	@rm -rf .venv .cache .hypothesis build dist tests/node/node_modules tests/node_mcp/node_modules tests/node_servers/node_modules
	@find src scripts tests bench -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || :

# The environment is made anew if its interpreter is gone, or if this folder was
# moved or copied: its scripts and its link to src would lead to the old place.
ifneq ($(shell { .venv/bin/python -c "" && test "`cat .venv/made`" = "`pwd -P`" && echo yes; } 2>/dev/null),yes)
.PHONY: .venv/made
endif

# Each candidate is run, not only looked up: a pyenv shim exists and yet fails.
# One with ensurepip is best. Without it, `make demo` works and the rest cannot.
.venv/made:
	@for needs in venv,ensurepip venv; do \
	  for python in $(or $(PYTHON),python3.13 python3.12 python3.11 python3 python); do \
	    "$$python" -c "import sys, $$needs; sys.exit(sys.version_info < (3, 11))" 2>/dev/null \
	      || continue; \
	    "$$python" -m venv --clear --without-pip .venv || continue; \
	    echo "Made .venv with $$("$$python" --version)."; \
	    pwd -P >.venv/made; \
	    exit 0; \
	  done; \
	done; \
	echo "sobre needs Python 3.11 or newer, and none of these is that:" >&2; \
	echo "  $(or $(PYTHON),python3.13 python3.12 python3.11 python3 python)" >&2; \
	echo "Install one, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; \
	exit 1

.venv/dev: .venv/made pyproject.toml
	@$(PY) -c "import ensurepip" 2>/dev/null || { \
	  echo "This Python has no ensurepip. On Debian: apt-get install python3-venv" >&2; exit 1; }
	@echo "Installing the development tools into .venv (the first time takes about a minute)."
	@$(PY) -m ensurepip >/dev/null
	@$(PY) -m pip install -qq pip==26.3
	@$(PY) -m pip install -qq --group dev
	@$(PY) -m pip install -qq --no-deps --no-build-isolation --editable .
	@touch $@
