# Targets set up .venv themselves. PYTHON names the interpreter to make it from.
PYTHON ?= python3
BIN := .venv/bin
SPECS := specs/*.a2a
# Ascend's compilers take Triton kernels; those in Ascend C are of specs of their own.
TRITON_SPECS := $(filter-out specs/udma_%,$(wildcard $(SPECS)))
ASCEND_TABLE := generated/ascend.md
NVIDIA_TABLE := generated/nvidia.md
ENGINE_CPP := $(wildcard a2agen/engines/ascendc/*/*.cpp a2agen/engines/ascendc/*/*.h a2agen/engines/ascendc/include/*/*.h)
# Emitted code keeps the settings it is written with, not those of this project.
RUFF_GENERATED := --isolated --quiet
# One order of the cores shows that the kernels work, in about two minutes; `a2agen run` tries five.
RUN_FLAGS ?= --interleavings 1

.DEFAULT_GOAL := help
.PHONY: help run test test-ascend ascend-table test-nvidia nvidia-table format bench clean venv venv-dev python

help:
	@echo 'make run     compile the specs, run the kernels on all ranks and cores, compare bit for bit'
	@echo 'make test    everything that must hold: linters, types, import contracts, fresh generated files, tests'
	@echo 'make test-ascend  take the kernels through the compilers of Ascend, on the CPU; installs them (1 GB) at first'
	@echo 'make test-nvidia  take the kernels through Triton and ptxas for NVIDIA, on the CPU; installs them (190 MB) at first'
	@echo 'make format  format the code'
	@echo 'make bench   measure'
	@echo 'make clean   remove environments and caches'

python:
	@command -v "$(PYTHON)" >/dev/null || { \
	  echo 'a2agen: there is no $(PYTHON); run: apt-get install python3 python3-venv' >&2; exit 1; }

venv: python
	@"$(PYTHON)" scripts/setup_venv.py

venv-dev: python
	@"$(PYTHON)" scripts/setup_venv.py dev torch

run: venv
	@$(BIN)/a2agen run $(RUN_FLAGS) $(SPECS)

test: venv-dev
	@echo '== ruff' && $(BIN)/ruff check --quiet . && $(BIN)/ruff format --quiet --check .
	@echo '== mypy' && $(BIN)/mypy --no-error-summary
	@echo '== import contracts' && $(BIN)/lint-imports --no-logo
	@echo '== generated files' && $(BIN)/a2agen compile --check $(SPECS)
	@$(BIN)/ruff format $(RUFF_GENERATED) --line-length 110 --check generated
	@$(BIN)/ruff check $(RUFF_GENERATED) --select E4,E7,E9,F,W generated
	@$(BIN)/clang-format --dry-run -Werror generated/*/*/*.cpp $(ENGINE_CPP)
	@command -v "$${CXX:-g++}" >/dev/null || echo 'a2agen: no C++ compiler, so kernels in Ascend C are not run; apt-get install g++'
	@echo '== tests' && $(BIN)/python -m pytest -n 2

test-ascend: venv-dev
	@$(BIN)/a2agen build --setup
	@echo '== kernels in final HIVM' && $(BIN)/a2agen build $(TRITON_SPECS) --table $(ASCEND_TABLE) --check
	@echo '== tests' && $(BIN)/python -m pytest -n 2 tests/ascend

ascend-table: venv
	@$(BIN)/a2agen build --setup $(TRITON_SPECS) --table $(ASCEND_TABLE)

test-nvidia: venv-dev
	@$(BIN)/a2agen build --engine ptx --setup
	@echo '== kernels in machine code' && $(BIN)/a2agen build --engine ptx $(TRITON_SPECS) --table $(NVIDIA_TABLE) --check
	@echo '== tests' && $(BIN)/python -m pytest -n 2 tests/nvidia

nvidia-table: venv
	@$(BIN)/a2agen build --engine ptx --setup $(TRITON_SPECS) --table $(NVIDIA_TABLE)

format: venv-dev
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .
	@$(BIN)/clang-format -i $(ENGINE_CPP)

bench: venv-dev
	@for script in benchmarks/*.py; do echo "== $$script" && $(BIN)/python "$$script" || exit 1; done

clean:
	rm -rf .venv .venv.lock .venv-ascend .venv-ascend.lock .venv-nvidia .venv-nvidia.lock .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
