# make run    sets up .venv and opens the dashboard; make run ARGS="network.bif data.csv --port 5010"
# make test   sets up .venv and runs every check
# make test-spark  installs Spark, which needs Java, and checks that it counts as we do
# make bench  measures the engine against other tools
# make reproduce  runs the papers' tables and figures, little of each, and writes build/reproduce/quick/index.html;
#             make reproduce FULL=1 with the papers' settings, which takes many hours, and can be ended and gone on with
# make fuzz   tries damaged files on every reader; make fuzz MINUTES=10
# make load   measures a server with fifty pages, some of them learning, and what is left of two hundred closed ones
# make pictures  takes the pictures of the README anew
# make clean  removes all that these made
#
# A Python of 3.11 or later is looked for; name another with PYTHON=. Set-up is repeated only when
# pyproject.toml changes.

VENV := .venv
BIN := $(VENV)/bin
PYTHON :=
CANDIDATES := $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python)
RECENT := import sys; sys.exit(sys.version_info < (3, 11))
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# uv takes a sixth of pip's time, but does not know pip's settings: where it finds no way to the packages, pip does.
UV := $(BIN)/python -m uv --no-cache --quiet pip
INSTALL = $(PIP) install uv && $(UV) install --python $(BIN)/python --editable $(1) || $(PIP) install --editable $(1)
REPORTS := build/reports
BEGUN := $(shell date +%s)
# One worker more than cores: a browser test waits for some of its time. More would only take each other's.
WORKERS := -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --maxprocesses 4 --dist worksteal

# What is imported is compiled once, when it is first needed: without that a server starts in twice the time.
unexport PYTHONDONTWRITEBYTECODE
# Every check runs, also after one has failed.
MAKEFLAGS += --keep-going
.DELETE_ON_ERROR:
.PHONY: run test lint types tests timings chromium postgresql test-spark bench reproduce fuzz load pictures clean

run: $(VENV)/ready-to-run
	$(BIN)/pgmgui $(ARGS)

# Two at a time: lint and types leave one core idle. What measures times comes last, and has the machine for itself.
test:
	@$(MAKE) --no-print-directory --jobs=2 lint types tests; passed=$$?; \
	$(MAKE) --no-print-directory --jobs=1 timings && exit $$passed
	@$(BIN)/python -m tests.slowest $(REPORTS)/*.xml
	@echo "All checks passed, in $$(($$(date +%s) - $(BEGUN))) s."

lint: $(VENV)/ready-to-test
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/lint-imports

types: $(VENV)/ready-to-test
	$(BIN)/python -m mypy

# The profile makes hypothesis draw the same examples each time.
tests: $(VENV)/compiled chromium postgresql
	$(BIN)/python -m pytest $(WORKERS) --hypothesis-profile=ci -m "not alone and not spark" --junit-xml=$(REPORTS)/tests.xml $(ARGS)

# What measures times has the machine for itself: after the rest has run, well or not.
timings: $(VENV)/ready-to-test chromium
	$(BIN)/python -m pytest -m alone -s --junit-xml=$(REPORTS)/timings.xml $$(grep -l mark.alone -r tests/ui --include="*.py")

# Spark takes 400 MB and Java, and half a minute to start: not part of make test.
test-spark: $(VENV)/ready-to-test
	$(PIP) install --editable ".[spark]"
	$(BIN)/python -m pytest -m spark tests/engine/sources

# What only the comparisons need; without it they say what is absent, and the rest is measured.
$(VENV)/ready-to-bench: pyproject.toml | $(VENV)/ready-to-test
	@echo "Installing what the engine is compared with into $(VENV): 370 MB, the first time"
	$(call INSTALL,".[peers]") && touch $@ || echo "It could not be installed; measuring without it" >&2

bench: $(VENV)/ready-to-test $(VENV)/ready-to-bench
	$(BIN)/python -m tests.benchmarks $(ARGS)

reproduce: $(VENV)/ready-to-run
	$(BIN)/pgmgui experiment all $(if $(FULL),--out build/reproduce/full,--quick --out build/reproduce/quick) $(ARGS)

# What something is wrong with is kept in build/fuzz.
MINUTES := 10
fuzz: $(VENV)/ready-to-test
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(ARGS)

load: $(VENV)/ready-to-test
	$(BIN)/python -m tests.benchmarks load closing

pictures: $(VENV)/ready-to-test chromium
	$(BIN)/python -m tests.pictures

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find app engine pgmgui tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/ready-to-run: pyproject.toml | $(VENV)/made
	@echo "Installing pgmgui into $(VENV): a minute or two, the first time"
	$(call INSTALL,.)
	@touch $@

$(VENV)/ready-to-test: pyproject.toml | $(VENV)/made
	@echo "Installing pgmgui and the tools of its checks into $(VENV): a minute or two, the first time"
	$(call INSTALL,".[dev]")
	@touch $@ $(VENV)/ready-to-run

# What is imported the first time is compiled: by one process, beside lint and types, or each worker would do all of it.
$(VENV)/compiled: $(VENV)/ready-to-test
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null || true
	@touch $@

# Debian keeps ensurepip in a package of its own; without it, the machine's pip puts one into the .venv.
$(VENV)/made:
	@if ! $(BIN)/python -c "import pip; $(RECENT)" 2>/dev/null; then \
	  found=; for python in $(CANDIDATES); do \
	    if "$$python" -c "$(RECENT)" 2>/dev/null; then found=$$python; break; fi; \
	  done; \
	  if [ -z "$$found" ]; then \
	    echo "No Python of 3.11 or later among: $(CANDIDATES). Install one, or name it: make PYTHON=/path/to/python3" >&2; \
	    exit 1; \
	  fi; \
	  echo "Making $(VENV) with $$("$$found" --version)"; \
	  if "$$found" -c "import ensurepip" 2>/dev/null; then "$$found" -m venv --clear $(VENV); \
	  else "$$found" -m venv --clear --without-pip $(VENV) && "$$found" -m pip --python $(BIN)/python install --quiet pip; \
	  fi; \
	fi
	@touch $@

# Without Chromium the browser tests fail and say so; all others still run.
BROWSERS := chromium-headless-shell chromium
chromium:
	@found=; for name in $(BROWSERS); do command -v $$name >/dev/null && found=yes; done; \
	if [ -z "$$found" ]; then \
	  if [ "$$(id -u)" = 0 ]; then as_root=env; else as_root="sudo -n env"; fi; \
	  if command -v apt-get >/dev/null && $$as_root true 2>/dev/null; then \
	    echo "Installing Debian's Chromium for the browser tests"; \
	    $$as_root apt-get update -qq; \
	    for name in $(BROWSERS); do \
	      $$as_root DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$name fonts-liberation \
	        && found=yes && break; \
	    done; \
	  fi; \
	  [ -n "$$found" ] || \
	    echo "The browser tests need Chromium, which could not be installed: install one of: $(BROWSERS)" >&2; \
	fi

# Without PostgreSQL the tests of its tables fail and say so; all others still run. After Chromium: apt does one thing at a time.
postgresql: | chromium
	@if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ! command -v initdb >/dev/null; then \
	  if [ "$$(id -u)" = 0 ]; then as_root=env; else as_root="sudo -n env"; fi; \
	  if command -v apt-get >/dev/null && $$as_root true 2>/dev/null; then \
	    echo "Installing Debian's PostgreSQL for the tests of its tables"; \
	    $$as_root apt-get update -qq; \
	    $$as_root DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql; \
	  fi; \
	  ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	    echo "The tests of its tables need PostgreSQL, which could not be installed: install postgresql" >&2; \
	fi
