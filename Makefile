# What a person types: `make run` starts the app, `make test` runs everything CI runs.

.DEFAULT_GOAL := help
SHELL := /bin/sh

# Without compiled files each of the many processes that tests start would compile all rooms again.
unexport PYTHONDONTWRITEBYTECODE
# Most people's output is buffered, and Python writes to an unbuffered pipe in another way.
unexport PYTHONUNBUFFERED

# The first of these that is Python 3.11 or later makes the environment; `make PYTHON=... run` chooses another.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
VENV := .venv
PY := $(VENV)/bin/python
PIP_OPTIONS := --disable-pip-version-check --no-input --quiet
PIP := $(PY) -m pip $(PIP_OPTIONS)

# The name of a stamp has a digest of lock, pyproject.toml and folder, so that the environment is made again only when
# one of them has changed; the file times of a fresh clone would not show that.
digest = $(shell { pwd; cat pyproject.toml $(1); } | cksum | tr -cd 0-9)
RUN_STAMP := $(VENV)/.run-$(call digest,requirements.txt)
TEST_STAMP := $(VENV)/.test-$(call digest,requirements-test.txt)
BENCH_VENV := $(VENV)-bench
BENCH_STAMP := $(BENCH_VENV)/.bench-$(call digest,requirements-bench.txt)
RELEASE_VENV := $(VENV)-release
RELEASE_STAMP := $(RELEASE_VENV)/.release-$(call digest,requirements-release.txt)
TRAIN_VENV := $(VENV)-train
TRAIN_STAMP := $(TRAIN_VENV)/.train-$(call digest,requirements-test.txt)
# The stamps of an environment without its Python, such as after an upgrade of the system, are removed.
$(if $(wildcard $(PY)),,$(shell rm -f $(VENV)/.run-* $(VENV)/.test-*))

.PHONY: help
help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 26

.PHONY: club
club: $(RUN_STAMP) ## Install what a hall of many tables needs: the broker's client, PostgreSQL, seats as PDF
	@$(PIP) install --require-hashes --only-binary :all: -r requirements-club.txt

.PHONY: run
run: $(RUN_STAMP) ## Start the app and print its address; ARGS="--source game.mp4" is passed on
	@$(PY) -m tilekeeper run $(ARGS)

# Tests of one file share their fixtures. More than four processes need more memory than they save time. There is one
# more process than cores, since tests of halls, cameras and browsers often wait for other processes. The files keep
# their order, in which the slow ones of the companion come first; sorted by number of tests they would be last.
WORKERS := $(shell $(PYTHON) -c 'import os; print(min(4, (os.cpu_count() or 1) + 1))')
SIDE_BY_SIDE := --numprocesses $(or $(WORKERS),auto) --dist loadfile --no-loadscope-reorder

.PHONY: test
test: debian $(TEST_STAMP) ## Everything CI runs
	@$(MAKE) --no-print-directory --jobs 2 $(LINT) collect
	@$(PY) -m pytest $(SIDE_BY_SIDE) --durations=20 $(ARGS)

# Pytest compiles each module of tests anew in a fresh clone, and each of its processes would do so.
.PHONY: collect
collect: $(TEST_STAMP)
	@$(PY) -m pytest -p no:cacheprovider --collect-only -qq >/dev/null || $(PY) -m pytest --collect-only -q

.PHONY: quick
quick: $(TEST_STAMP) ## In less than a minute: engine, vision and app without networks, browsers and other processes
	@$(PY) -m pytest $(SIDE_BY_SIDE) -m "not slow and not long" --hypothesis-profile=quick \
		tests/engine tests/vision tests/companion $(ARGS)

.PHONY: check-long
check-long: $(TEST_STAMP) ## All tests, with the long counts and the tests of benches that `make test` leaves out
	@$(PY) -m pytest $(SIDE_BY_SIDE) -m "bench or long or not long" --timeout 3600 --hypothesis-profile=long $(ARGS)

LINT := style types types-win32 types-darwin scripts

.PHONY: lint
lint: $(TEST_STAMP) ## Style, format and types alone, the types for Windows and macOS, too
	@$(MAKE) --no-print-directory --jobs 2 $(LINT)

.PHONY: style
style: $(TEST_STAMP)
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .

.PHONY: types
types: $(TEST_STAMP)
	@$(PY) -m mypy

.PHONY: types-win32 types-darwin
types-win32 types-darwin: types-%: $(TEST_STAMP)
	@$(PY) -m mypy --config-file .ci/platforms.ini --cache-dir .mypy_cache/$* --platform $*

.PHONY: scripts
scripts: $(TEST_STAMP) ## Style, format and types of the page's scripts alone; skipped where Node.js is missing
	@sh companion/web/tooling/check $(PY)

.PHONY: format
format: $(TEST_STAMP) ## Put imports and layout in order
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .
	@sh companion/web/tooling/check $(PY) fix

.PHONY: translations
translations: $(TEST_STAMP) ## Put new sentences into the catalogues, compile the translated ones, and list what is missing
	@$(PY) -m tests.support.catalogues

.PHONY: coverage
coverage: $(TEST_STAMP) ## Which lines and branches the tests reach
	@$(PY) -m coverage run -m pytest $(ARGS)
	@$(PY) -m coverage report

.PHONY: coverage-engine
coverage-engine: $(TEST_STAMP) ## Check that the engine's tests reach every line and branch of it
	@$(PY) -m coverage run -m pytest tests/engine $(ARGS)
	@$(PY) -m coverage report --include='engine/*' --fail-under=100

.PHONY: bench-judge
bench-judge: $(RUN_STAMP) ## Time the judge in every edition on turns that are made to be hard
	@$(PY) -m tests.benchmarks.engine.judge_times $(ARGS)

.PHONY: bench-oracle
bench-oracle: $(RUN_STAMP) ## Compare the judge with a brute-force referee: 20,000 pairs of tables per edition
	@$(PY) -m tests.benchmarks.engine.oracle $(ARGS)

.PHONY: bench-reliability
bench-reliability: $(TEST_STAMP) ## Attack an evening in every way, for hours; ARGS="kills --count 25" is one short row of it
	@$(PY) -m tests.benchmarks.reliability $(ARGS)

.PHONY: bench-club
bench-club: $(TEST_STAMP) ## A club night of many tables: championship, intake, faults; ARGS="championship --count 40" is short
	@$(PY) -m tests.benchmarks.club $(ARGS)

.PHONY: golden-readings
golden-readings: $(TEST_STAMP) ## Compare what the reader reads now with the recorded readings; ARGS=--fewer is quick
	@test -d var/golden-kept-out || $(PY) -m tilekeeper.datasets.synthesis.scene.tables var/golden-kept-out --count 100 --pool kept-out --seed 7
	@test -d var/golden-streams || $(PY) -m tests.benchmarks.golden_readings film var/golden-streams
	@$(PY) -m tests.benchmarks.golden_readings compare tests/benchmarks/golden --photos ../shared/photos \
		--kept-out var/golden-kept-out --streams var/golden-streams $(ARGS)

.PHONY: bench-vision
bench-vision: $(TEST_STAMP) ## Measure the reader: tiles right, silent errors, questions and speed
	@$(PY) -m tests.benchmarks vision $(ARGS)

.PHONY: bench-companion
bench-companion: $(TEST_STAMP) ## Measure the app: false fouls, time to the verdict, number of tablets, memory
	@$(PY) -m tests.benchmarks companion $(ARGS)

.PHONY: bench-solver
bench-solver: $(BENCH_STAMP) ## Time the search for the best play beside rummikub-solver, CP-SAT and HiGHS
	@$(BENCH_VENV)/bin/python -m tests.benchmarks.engine.best_play_times $(ARGS)

.PHONY: bench-arrange
bench-arrange: $(RUN_STAMP) ## Time how long it takes to untangle a mixed table, and count the moves
	@$(PY) -m tests.benchmarks.engine.arrange_times $(ARGS)

.PHONY: render
render: $(TEST_STAMP) ## Render racks to train on, into var/racks; it says how long it will take
	@$(PY) -m tilekeeper.datasets.rendering.render $(or $(ARGS),var/racks --count 3000)

.PHONY: train train-classifier export calibrate
train: ## Train all networks from nothing, in thirteen hours on two cores
train-classifier: ## Train the classifier alone, from nothing, into var/
export: ## Quantise the trained networks to eight bits, into models/
calibrate: ## Fit the confidence of the networks in models/ again
train train-classifier export calibrate: $(TRAIN_STAMP)
	@$(TRAIN_VENV)/bin/python -m tilekeeper.models.training.recipe $@ $(ARGS)

.PHONY: wheel
wheel: $(RUN_STAMP) ## The wheel, in dist/
	@rm -rf build/lib build/bdist.*
	@$(PIP) wheel . --no-deps --no-build-isolation --wheel-dir dist

.PHONY: sdist
sdist: $(RUN_STAMP) ## The source distribution, in dist/
	@$(PY) -c 'from setuptools.build_meta import build_sdist; build_sdist("dist")' >/dev/null

.PHONY: engine-wheel
engine-wheel: $(RUN_STAMP) ## The wheel of the engine alone, without dependencies, in dist/
	@rm -rf build/engine && mkdir -p build && cp -R engine build/engine
	@cp LICENSE build/engine/ && cp docs/engine.md build/engine/README.md
	@$(PIP) wheel build/engine --no-deps --no-build-isolation --wheel-dir dist

.PHONY: release
release: ## Wheels and sdist, all installed and tried, and the list of their parts, in dist/
	@rm -rf dist
	@$(MAKE) --no-print-directory wheel engine-wheel sdist
	@$(PY) -m tests.support.check_release dist/*.whl dist/*.tar.gz
	@$(MAKE) --no-print-directory parts
	@ls -l dist

.PHONY: parts
parts: $(RELEASE_STAMP) ## List the parts of a release (CycloneDX) in dist/, and their known vulnerabilities
	@mkdir -p dist
	@$(RELEASE_VENV)/bin/cyclonedx-py requirements requirements.txt --pyproject pyproject.toml --output-reproducible \
		--output-file dist/tilekeeper.cdx.json
	@said=$$($(RELEASE_VENV)/bin/pip-audit --disable-pip --require-hashes -r requirements-club.txt 2>&1); found=$$?; echo "$$said"; \
		case "$$said" in \
		*"ould not connect"*) echo "Known holes were not looked for: the registry can't be reached." ;; \
		*"could not be audited"*) echo "Of those the registry tells nothing; they were skipped."; exit $$found ;; \
		*) exit $$found ;; \
		esac

.PHONY: lock
lock: ## Pin the newest dependencies for Python 3.11 and later (needs uv)
	uv pip compile pyproject.toml --group build --upgrade $(LOCK_FLAGS) -o requirements.txt
	uv pip compile pyproject.toml --group build --group test -c requirements.txt --upgrade $(LOCK_FLAGS) \
		-o requirements-test.txt
	uv pip compile pyproject.toml --extra club --group build -c requirements-test.txt --upgrade $(LOCK_FLAGS) \
		-o requirements-club.txt
	uv pip compile --group pyproject.toml:build --group pyproject.toml:bench --upgrade $(LOCK_FLAGS) \
		-o requirements-bench.txt
	uv pip compile --group pyproject.toml:release --upgrade $(LOCK_FLAGS) -o requirements-release.txt

# The lock of the club has all of requirements.txt, so it is the one that is looked through for known holes.
# One lock for every Python and machine; it names no index, so that mirrors work as they are set up.
LOCK_FLAGS := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
	--custom-compile-command 'make lock'

# The rooms as one package, `tilekeeper`, in the checkout, for Python, mypy, import-linter and editors: a folder of links
# that git ignores. `make run` and `make test` make it, too.
.PHONY: packages
packages: ## The links by which tools see the rooms as the package `tilekeeper`
	@$(PY) .ci/link_packages.py

.PHONY: debian
debian: $(TEST_STAMP)
	@sh .ci/debian-packages $(PY)

$(RUN_STAMP): LOCK := requirements.txt
$(TEST_STAMP): LOCK := requirements-test.txt
$(RUN_STAMP) $(TEST_STAMP):
	@test -n "$(PYTHON)" || { echo "Tilekeeper needs Python 3.11 or newer; name one with 'make PYTHON=/path/to/python3'." >&2; exit 1; }
	@test ! -e $(VENV) || $(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || rm -rf $(VENV)
	@test -x $(PY) && $(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV) || { \
		echo "Python can't make a virtual environment: install python3-venv (Debian, Ubuntu) and try again." >&2; exit 1; }
	@echo "Installing the pinned dependencies ($(LOCK)) into $(VENV) ..."
	@$(PIP) install --require-hashes --only-binary :all: -r $(LOCK)
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@$(MAKE) --no-print-directory packages
	@rm -f $(VENV)/.$(if $(findstring .run,$@),run,test)-*
	@touch $@

$(BENCH_STAMP):
	@rm -rf $(BENCH_VENV) && $(PYTHON) -m venv $(BENCH_VENV)
	@$(BENCH_VENV)/bin/python -m pip $(PIP_OPTIONS) install --require-hashes --only-binary :all: -r requirements-bench.txt
	@$(BENCH_VENV)/bin/python -m pip $(PIP_OPTIONS) install --no-deps --no-build-isolation --editable .
	@touch $@

$(RELEASE_STAMP):
	@rm -rf $(RELEASE_VENV) && $(PYTHON) -m venv $(RELEASE_VENV)
	@$(RELEASE_VENV)/bin/python -m pip $(PIP_OPTIONS) install --require-hashes --only-binary :all: -r requirements-release.txt
	@touch $@

$(TRAIN_STAMP):
	@rm -rf $(TRAIN_VENV) && $(PYTHON) -m venv $(TRAIN_VENV)
	@echo "Installing the pinned dependencies and PyTorch into $(TRAIN_VENV) ..."
	@$(TRAIN_VENV)/bin/python -m pip $(PIP_OPTIONS) install --require-hashes --only-binary :all: -r requirements-test.txt
	@$(TRAIN_VENV)/bin/python -m pip $(PIP_OPTIONS) install --only-binary :all: --no-build-isolation --editable '.[train]'
	@$(MAKE) --no-print-directory packages VENV=$(TRAIN_VENV)
	@touch $@
