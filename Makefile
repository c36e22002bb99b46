# Draftproof: two commands, `make book` and `make test`. `make help` lists the rest.
# Everything runs in .venv at the root, made from the exact pins in requirements.txt. Two things are
# done at a time: figures and chapters, site and lint.

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory -j2

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
SITE := _build/html
PORT ?= 8000
TESTS ?= tests
# As many processes as this machine really gives us, four at most: each may run a browser.
JOBS ?= $(shell n=$$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN); [ "$$n" -lt 4 ] && echo "$$n" || echo 4)
STUDENT ?= _build/student

# First Python of the supported versions on the PATH; PYTHON=/path/to/python overrides it.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3 python; do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	>/dev/null 2>&1 && { echo "$$p"; break; }; done)

CODE := $(shell find src benchmarks/results requirements.txt -type f ! -path '*/__pycache__/*' ! -path '*.egg-info/*' \
	2>/dev/null | LC_ALL=C sort | xargs cksum | cksum | tr -d ' ')
FIGURES := _build/.figures-$(CODE)

.PHONY: help book site pages serve pdf notebooks test lint format figures student install clean distclean

help: ## this list
	@echo 'make TARGET, where TARGET is one of'
	@sed -n 's/^\([a-z]*\):.*## /  \1|/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-12s %s\n", $$1, $$2}'

book: site ## install what is needed, draw the figures, build the site, say where it is
	@echo
	@echo 'The book is built. To read it:'
	@echo '  make serve      then open http://localhost:$(PORT)'
	@echo '  or open the file $(CURDIR)/$(SITE)/index.html'

site: $(FIGURES) pages ## build the site, and no more

pages: $(INSTALLED) ## the same without drawing figures/ again
	@echo '== the site (a first build runs every chapter: a minute or two)'
	@mkdir -p _build
	@$(BIN)/jupyter-book build . --warningiserror -n --keep-going -q >_build/build.log 2>&1 \
		|| { grep -v IPKernelApp _build/build.log; \
		find _build/html/reports -name '*.log' -exec cat {} + 2>/dev/null; \
		echo 'The site was not built: see the warnings above (each one counts as an error).'; exit 1; }

serve: site ## serve the built site on localhost (PORT=8000)
	@echo 'http://localhost:$(PORT)   (Ctrl-C ends it)'
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory $(SITE) 2>/dev/null

pdf: site ## the book as one PDF, _build/draftproof.pdf (needs Chromium)
	@echo '== the PDF (a minute)'
	@$(BIN)/python -m draftproof.book pdf 2>_build/pdf.log || { grep -v IPKernelApp _build/pdf.log; exit 1; }

notebooks: site ## write notebooks/ from the chapters, for Colab and Binder
	@$(BIN)/python -m draftproof.book notebooks >/dev/null

test: lint site ## lint, types, import direction, all tests (TESTS=tests/book picks some)
	@echo '== tests'
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal --durations=12 $(TESTS)

lint: $(INSTALLED) ## ruff, mypy, the import direction, the workflow files
	@echo '== ruff, mypy, import-linter, check-jsonschema'
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo 'Run: make format'; exit 1; }
	@$(BIN)/mypy
	@out=$$($(BIN)/lint-imports 2>&1) || { echo "$$out"; exit 1; }
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml

format: $(INSTALLED) ## rewrite the Python files in the one format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

figures: $(INSTALLED) ## draw figures/ again, whatever has changed
	@rm -f _build/.figures-*
	@$(MAKE) $(FIGURES)

$(FIGURES): $(INSTALLED)
	@echo '== the figures'
	@mkdir -p _build
	@nice $(BIN)/python -m draftproof.figures
	@rm -f _build/.figures-*
	@touch $@

student: $(INSTALLED) ## the chapters without their solutions, .md and .ipynb (STUDENT=_build/student)
	@$(BIN)/python -m draftproof.lab.check --student '$(STUDENT)'

install: $(INSTALLED) ## make .venv and install the pinned requirements and the package

$(INSTALLED): requirements.txt pyproject.toml
	@test -n '$(PYTHON)' || { echo 'No Python 3.11, 3.12 or 3.13 with venv was found on the PATH.' \
		'Install one (Debian: apt-get install python3 python3-venv) or give PYTHON=/path/to/python.'; exit 1; }
	@echo '== the virtual environment $(VENV) (a first installation takes some minutes)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m pip check
	@touch $@

clean: ## remove what was built; the virtual environment stays
	@rm -rf _build build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove the virtual environment as well
	@rm -rf $(VENV)
