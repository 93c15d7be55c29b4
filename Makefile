# One command for each thing. A fresh machine needs Python 3.11 or newer and make.
#
#   make run       environment, install, the first example
#   make test      environment if need be, then all tests that need no other program
#   make lint      style, types and layers only (part of make test)
#   make validate  every published figure against the simulation: out/validation.html, docs/validation.md
#   make intervals  how many printed figures lie within what cards leave open: ten minutes, into docs/validation.md
#   make test-page  the page of raidsim serve in a real browser, a hundred visitors, and the site: installs Chromium, where it is missing
#   make test-clients  fio, qemu and others use simulated arrays: installs them first, where they are missing
#   make fuzz      a minute of random use: what must hold, holds; prints a seed that repeats it
#   make bench     how fast it is: a table, and the same as JSON
#   make coverage  how often intervals hold the long-run mean: 15,400 runs, into docs/background/measuring.md
#   make docs      refresh the reference pages, pictures, and what the examples on the pages print
#   make site      the documentation as a site, with search and the lessons: out/site/index.html
#   make format    put the code into its standard form
#   make clean     remove what these commands made (the environment: make clean-all)
#
# Another Python: make run PYTHON=python3.12

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

SCENARIO ?= scenarios/p3700-database.toml
# Workers of the compiled tests.
JOBS   ?= 2
# Tests that run interpreted as well.
KERNEL_TESTS ?= $(wildcard tests/test_kernel*.py)
# Tests that run with every index of the kernel checked, instead of without: results are the same bytes.
CHECKED_TESTS ?= $(filter-out $(BOTH_WAYS),$(KERNEL_TESTS)) tests/test_checked_scenarios.py
# Tests that run the kernel compiled and interpreted by themselves.
BOTH_WAYS := tests/test_kernel_same_bytes.py
# Uses all entry points of the kernel.
COMPILE := PYTHONPATH=tests $(BIN)/python -c "from tests.fuzz.targets import operations; operations.prepare()"
# Where the random numbers of tests and fuzzer begin; empty for any (what fails prints its own).
SEED   ?=
PYTEST := $(BIN)/pytest $(SEED:%=--hypothesis-seed %)
# Least share of the kernel's lines and branches that its tests reach, in percent.
COVERAGE_FLOOR ?= 90

# What Python compiles is kept for the next process, of which tests start hundreds, also where an
# image asks for none: pytest alone compiles for ten seconds. make clean removes it.
unexport PYTHONDONTWRITEBYTECODE

# Written when the environment holds raidsim, editable, and all it needs.
INSTALLED := $(VENV)/.raidsim-installed

.DEFAULT_GOAL := help
.PHONY: help run test test-page test-clients lint kernels test-compiled test-checked test-interpreted fuzz validate intervals bench coverage docs site format clean clean-all

help:
	@sed -n '/^# One/,/^# Another/s/^# \{0,1\}//p' Makefile

run: $(INSTALLED)
	$(BIN)/raidsim run $(SCENARIO)

# Types are checked by one process, which leaves a core to the compiler.
test: $(INSTALLED)
	$(MAKE) --jobs=2 lint kernels
	$(MAKE) --jobs=1 test-compiled test-checked test-interpreted

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The kernel's machine code, as it is used and with every index checked: both at once, and kept in
# the user's cache.
kernels: $(INSTALLED)
	@echo "compiling the kernel, with and without checks (once)"
	@$(COMPILE) & compiled=$$!; RAIDSIM_CHECKED=1 $(COMPILE) && wait $$compiled

# The product as it runs. The tests of a file run in one process: what they share is made once.
test-compiled: $(INSTALLED)
	$(PYTEST) -n $(JOBS) --dist loadfile $(CHECKED_TESTS:%=--ignore=%)

# The kernel's tests and every shipped scenario, cut short, with every index of the kernel checked.
test-checked: $(INSTALLED)
	RAIDSIM_CHECKED=1 $(PYTEST) $(CHECKED_TESTS) -n $(JOBS) --dist loadfile

# The kernel's tests once more with its source interpreted: only then can coverage see it.
test-interpreted: $(INSTALLED)
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(filter-out $(BOTH_WAYS),$(KERNEL_TESTS)) -n $(JOBS) \
	    --cov --cov-report=term --cov-fail-under=$(COVERAGE_FLOOR)

# The page in a real browser, and the documentation as a site. What is missing of the browser comes
# from Debian, which may ask for the right to install.
BROWSER := chromium chromedriver
test-page: $(INSTALLED)
	@for program in $(BROWSER); do command -v $$program >/dev/null || missing=1; done; test -z "$$missing" || { \
	    echo "installing $(BROWSER)"; sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	    $$sudo apt-get update --quiet && \
	    $$sudo apt-get install --yes --quiet --no-install-recommends chromium chromium-driver; }
	$(PYTEST) -n $(JOBS) --dist loadfile tests/page/real_browser.py tests/page/live_array.py \
	    tests/page/whole_site.py
	$(PYTEST) tests/page/many_visitors.py

# Real programs on simulated arrays. They come from Debian, which may ask for the right to install.
CLIENTS := fio qemu-img qemu-io qemu-system-x86_64 nbdcopy nbdinfo mdadm busybox
test-clients: export PATH := $(PATH):/usr/sbin
test-clients: $(INSTALLED)
	@for client in $(CLIENTS); do command -v $$client >/dev/null || missing=1; done; test -z "$$missing" || { \
	    echo "installing $(CLIENTS)"; sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	    $$sudo apt-get update --quiet && \
	    $$sudo apt-get install --yes --quiet --no-install-recommends fio qemu-utils qemu-system-x86 libnbd-bin \
	        mdadm busybox-static; }
	@ls out/linux/boot/vmlinuz-* >/dev/null 2>&1 || { \
	    kernel=$$(apt-cache depends linux-image-amd64 | sed -n 's/ *Depends: //p' | head -1); \
	    echo "unpacking $$kernel into out/linux; it is not installed"; rm -rf out/linux; mkdir -p out/linux; \
	    cd out/linux && apt-get download --quiet $$kernel && dpkg-deb -x $$kernel*.deb . && rm $$kernel*.deb; }
	$(PYTEST) tests/clients/real_clients.py tests/clients/real_kernel.py

# Random use of every kind, for a minute, with every index checked. What it finds it tells with a
# seed and a number that repeat it alone.
fuzz: $(INSTALLED)
	$(BIN)/python -m tests.fuzz $(SEED:%=--seed %)

# Status 1 of raidsim validate means that claims do not hold, which is a result; the page says why.
# What fails is a claim that does not hold and has no explanation, or holds and has one.
validate: $(INSTALLED)
	@mkdir -p out
	$(BIN)/raidsim validate --json out/validation.json --html out/validation.html || test $$? -eq 1
	$(BIN)/raidsim leave-out --json out/left-out.json
	$(BIN)/python docs/validation.py out/validation.json out/left-out.json

intervals: $(INSTALLED)
	@mkdir -p out
	$(BIN)/raidsim validate --role prediction --unknowns --json out/intervals.json || test $$? -eq 1
	$(BIN)/python docs/intervals.py out/intervals.json
	$(BIN)/python docs/validation.py

bench: $(INSTALLED)
	$(BIN)/python -m benchmarks

coverage: $(INSTALLED)
	$(BIN)/python -m benchmarks.coverage --write

docs: $(INSTALLED)
	$(BIN)/python docs/reference/generate.py
	$(BIN)/python docs/pictures/write_amplification.py
	$(BIN)/python docs/pictures/disks.py
	$(BIN)/python docs/pictures/arrays.py
	$(BIN)/python docs/pictures/layouts.py
	$(BIN)/python docs/pictures/data_loss.py
	$(BIN)/python docs/validation.py
	$(BIN)/python docs/tables.py
	$(BIN)/python docs/crashes.py
	$(BIN)/python docs/examples.py
	$(BIN)/python docs/notebooks.py

# Fails on a link or an anchor that leads nowhere, and on a page that no list names.
site: $(INSTALLED)
	$(BIN)/python docs/site/build.py

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(INSTALLED): pyproject.toml setup.cfg
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "raidsim needs Python 3.11 or newer; '$(PYTHON)' is not. Try: make PYTHON=python3.12" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV) || { \
	    echo "'$(PYTHON) -m venv' failed; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "installing raidsim and what it needs into $(VENV) (once)"
	$(BIN)/python -m pip install --quiet 'setuptools>=77'
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable '.[dev]'
	@touch $@

clean:
	rm -rf build dist out *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.* htmlcov
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -exec rm -rf {} +

clean-all: clean
	rm -rf $(VENV)
