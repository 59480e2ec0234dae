# Every target works first time on a machine with Python >= 3.11 and make: each sets up what it needs.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready
RUNS := .venv/.runs
PEERS := .venv/.peers

.DEFAULT_GOAL := help
.PHONY: help setup run demo test lint types quick unit wheel torture torture-tests torture-crash torture-fuzz torture-churn schemas bench bench-agents constraints clean

help:            ## show this list
	@sed -n 's/^\([a-z-]*\):[^#]*## */\1\t/p' Makefile | expand -t 16

setup: $(STAMP)  ## make .venv with everything (run and demo make a smaller one); afterwards .venv/bin/mew works

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt hatchling editables
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --no-build-isolation --editable '.[dev]'
	@touch $@ $(RUNS)

# What running needs: a quarter of what the tests need.
$(RUNS): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt hatchling editables
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --no-build-isolation --editable '.[agents]'
	@touch $@

run: $(RUNS)    ## serve spaces.yaml with its agents, until Ctrl-C
	$(BIN)/mew serve --config spaces.yaml

demo: $(RUNS)   ## play the story: agents are interrupted, spoken to and halted; a deadline passes
	$(BIN)/mew demo

test: lint types  ## everything that CI runs
	@echo "Now the tests, and the wheel's beside them; each tells what came of it when it is done."
	$(MAKE) --jobs=2 --output-sync=target unit wheel

lint: $(STAMP)   ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)  ## mypy, strict
	$(BIN)/mypy

# What has no process and no socket: run it after each edit.
PURE := tests/protocol tests/space tests/execution tests/documents tests/config/test_capability_checks.py tests/config/test_refusals.py

quick: $(STAMP)  ## the pure tests, in about a minute
	$(BIN)/python -m pytest -q -p no:cacheprovider $(PURE)

# Three at a time on two cores: many tests wait for a process or a socket. A file is one worker's (decision 63).
unit: $(STAMP)   ## the tests
	$(BIN)/python -m pytest -p no:cacheprovider --numprocesses=3 --dist=loadfile

wheel: $(STAMP)  ## the built wheel: its files, and what it does in an empty folder
	PYTHON=$(PYTHON) BIN=$(BIN) sh tests/repository/wheel.sh

torture: torture-tests torture-crash torture-fuzz torture-churn  ## what takes hours: the next four, one after the other

torture-tests: $(STAMP)  ## crashes, races, full disks, messages and commands at random, drawn anew (MEW_SEED=… draws them again)
	MEW_TORTURE=5 $(BIN)/python -m pytest tests/fluxi/crash tests/fluxi/races tests/fluxi/properties tests/flows/crash tests/flows/properties tests/crash

torture-crash: $(PEERS)  ## a hundred kills under load, a restart with 1,000 clients, a start on a million entries, stalled readers
	$(BIN)/python -m bench.crash --kills 100
	$(BIN)/python -m bench.restart
	$(BIN)/python -m bench.start
	$(BIN)/python -m bench.stall
	$(BIN)/python -m bench.siege

torture-fuzz: $(STAMP)  ## a million garbage inputs for each of what reads other people's bytes: some three hours of a core
	$(BIN)/python -m bench.fuzz --jobs 2

torture-churn: $(PEERS)  ## an hour of mixed traffic with fifty connections a second that come and end
	$(BIN)/python -m bench.churn --minutes 60

schemas: $(STAMP)  ## write schemas/ anew from the code
	$(BIN)/python -m mew_gateway.schemas schemas
	$(BIN)/python -m mew_agents.fluxi.definitions.schema schemas
	$(BIN)/python -m mew_agents.flows.definitions.schema schemas

bench: $(PEERS)  ## measure against the floor, nats-server and a plain broadcast server, in five minutes (needs cc)
	$(BIN)/python -m bench

bench-agents: $(PEERS)  ## measure interrupts, streams, Fluxi and flows, against DBOS and LangGraph too (needs cc)
	$(BIN)/python -m bench --only spaces-in-turn,streams,ack,decision,booking,bookings,effect,flows

$(PEERS): $(STAMP)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --no-build-isolation --editable '.[dev,bench]'
	@touch $@

constraints:     ## pin the newest versions that pyproject.toml allows
	$(BIN)/uv pip compile pyproject.toml --extra dev --extra bench --extra fuzz --universal --upgrade --no-header --no-annotate --quiet --output-file constraints.txt

clean:           ## remove everything that was made here
	rm -rf .venv .venv-wheel .venv-plain dist build .pytest_cache .mypy_cache .ruff_cache .cache .hypothesis bench/bin
