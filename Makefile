# Four targets to know: `make train`, `make test`, `make check`, `make bench`.
# Each sets up what it needs first: .venv, the dependencies, the kernels.

PYTHON ?= python3
VENV ?= .venv
TRAIN_ARGS ?= treelstm --data sample
PYTEST_ARGS ?=
# How many processes run the tests: auto is one a core. 0 runs them in this one (for --pdb).
PYTEST_JOBS ?= auto

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SETUP_INPUTS := pyproject.toml setup.py bin/recursive-tf
PYTEST := $(BIN)/python -m pytest -n $(PYTEST_JOBS) --maxprocesses 8 --dist worksteal
KERNELS := recursive_tf/_kernels.so
# Folders too: their times change when a file comes or goes.
KERNEL_INPUTS := $(shell find kernels -type d -o -name '*.cc' -o -name '*.h')
CPP_FILES = $(shell find kernels tests/cc -name '*.cc' -o -name '*.h')
HAS_GTEST = $(shell $(MAKE) -s -C tests/cc check-gtest >/dev/null 2>&1 && echo yes)
# Installs this checkout in place with one set of extras, the kernels left to their own rule.
INSTALL = RECURSIVE_TF_BUILD_KERNELS=0 $(PIP) install --no-build-isolation -e

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help setup train test test-concurrent test-slow fuzz test-one-thread check check-python \
  check-types check-floors check-cpp format bench core-test core-tsan core-asan core-runtime \
  core-thread-safety wheel wheel-test docs clean

help:
	@echo 'make train       train a TreeLSTM on the bundled trees (TRAIN_ARGS="treernn --data sst")'
	@echo 'make test        all tests but the slow ones (PYTEST_ARGS="-k stash")'
	@echo 'make check       lint, format, types, floors'
	@echo 'make bench       the benchmarks'
	@echo 'more:            setup test-concurrent test-slow test-one-thread format core-test core-tsan'
	@echo '                 core-asan core-runtime core-thread-safety fuzz wheel wheel-test docs clean'

train: setup
	$(BIN)/recursive-tf train $(TRAIN_ARGS)

test: setup $(VENV)/.installed-test
	$(if $(HAS_GTEST),@$(MAKE) --no-print-directory core-test core-runtime,\
	  @echo 'C++ core tests skipped: no gtest (Debian, Ubuntu: apt-get install libgtest-dev)')
	$(PYTEST) $(PYTEST_ARGS)
	$(if $(PYTEST_ARGS),,@$(MAKE) --no-print-directory test-concurrent)

# What has run batched, where that can be, runs concurrently here. Files that do both themselves
# (the `scheduler` fixture, or by its name in all tests) are left out.
test-concurrent: setup $(VENV)/.installed-test
	RECURSIVE_TF_SCHEDULER=concurrent $(PYTEST) \
	  tests/subgraph tests/autodiff tests/saved_model \
	  $(addprefix --ignore=,$(shell grep -rl 'usefixtures("scheduler")' tests) \
	    tests/saved_model/test_other_ways.py tests/subgraph/test_memory.py)

# What `make test` leaves out because it takes minutes, or because other cases of the same test
# stand for it (tests/selection.py): hours for all, PYTEST_ARGS="tests/convert/found -k dicts".
test-slow: setup $(VENV)/.installed-test
	$(PYTEST) -m slow $(PYTEST_ARGS)

# Damaged files for the readers, for ten minutes: FUZZ_ARGS="--seconds 60 --seed 3".
fuzz: setup $(VENV)/.installed-test
	$(BIN)/python -m tests.datasets.reader_fuzz $(FUZZ_ARGS)

# A kernel that blocks a pool thread hangs here at once, and the time limit shows where.
test-one-thread: setup $(VENV)/.installed-test
	$(PYTEST) --inter-op-threads=1 $(PYTEST_ARGS)

check: check-python check-types check-floors check-cpp

check-python: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# The static tools do not know about package_dir: they read the packages under their installed
# names, in a tree of links to the files.
build/tree: FORCE
	@rm -rf $@ && mkdir -p $@
	@cp -rs $(CURDIR)/recursive_tf $@/
	@cp -rs $(CURDIR)/datasets $(CURDIR)/models $@/recursive_tf/
FORCE:

check-types: setup $(VENV)/.installed-dev build/tree
	$(BIN)/mypy

check-floors: $(VENV)/.installed-dev build/tree
	cd build/tree && $(abspath $(BIN))/lint-imports --no-logo --no-cache --config ../../pyproject.toml

check-cpp: $(VENV)/.installed-dev
	$(if $(CPP_FILES),$(BIN)/clang-format --dry-run -Werror $(CPP_FILES))

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(if $(CPP_FILES),$(BIN)/clang-format -i $(CPP_FILES))

bench: setup $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks

# The plain C++ core by itself, and what of the runtime Python cannot see; tests/cc/Makefile says
# what each needs.
core-test core-tsan core-asan core-runtime core-thread-safety: core-%: setup
	$(MAKE) -j $(or $(shell nproc 2>/dev/null),2) -C tests/cc $* PYTHON=$(abspath $(BIN)/python)

# The pages as a site: build/site/index.html. They are laid out as they lie here, so links are the same.
PAGES := README.md CHANGELOG.md CONTRIBUTING.md LICENSE NOTICE CITATION.cff BUILD \
  $(shell find docs models benchmarks examples -name '*.md' -o -name '*.png' -o -name '*.ipynb' \
    -o -name '*.css')
docs: $(VENV)/.installed-docs build/tree
	@rm -rf build/pages && mkdir -p build/pages
	@cp --parents $(PAGES) build/pages
	@$(BIN)/python docs/notebooks/pages.py build/pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The wheel's tag says which systems it runs on: auditwheel looks up which versions of the C and C++
# libraries it needs. TensorFlow's own library stays outside: ours joins the one that is loaded.
wheel: setup $(VENV)/.installed-wheel
	rm -rf build/wheel
	$(PIP) wheel --no-build-isolation --no-deps --wheel-dir build/wheel/untagged .
	PATH="$(abspath $(BIN)):$$PATH" auditwheel repair --exclude 'libtensorflow*' \
	  --wheel-dir build/wheel build/wheel/untagged/recursive_tf-*.whl
	rm -r build/wheel/untagged
	@ls build/wheel/*.whl

# From nothing: an empty environment gets the wheel with its dependencies, and uses it.
wheel-test: wheel
	rm -rf build/wheel-venv && $(PYTHON) -m venv build/wheel-venv
	build/wheel-venv/bin/pip install build/wheel/recursive_tf-*.whl
	cd build/wheel && ../wheel-venv/bin/recursive-tf info

setup: $(VENV)/.installed $(KERNELS)

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo 'Python 3.10 or later is needed; name one with PYTHON=.'; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo 'venv is missing (Debian, Ubuntu: apt-get install python3-venv).'; exit 1; }
	$(PIP) install 'setuptools>=77'
	@touch $@

$(VENV)/.installed: $(VENV)/.created $(SETUP_INPUTS)
	$(INSTALL) .
	@touch $@

$(VENV)/.installed-%: $(VENV)/.installed
	$(INSTALL) '.[$*]' --quiet
	@touch $@

$(KERNELS): $(VENV)/.installed $(KERNEL_INPUTS)
	$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

clean:
	rm -rf build dist *.egg-info $(KERNELS) recursive_tf/*.abi3.so recursive_tf/_build_info.py
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
