# The front door: every target works from an empty checkout on a fresh Debian 12 machine.
#   make          installs what is missing and builds build/heddle
#   make run      ... and compares schedulers and cache policies on the cache-sensitive workloads of the
#                 papers, with small inputs: the papers' claims on the terminal, all results on a page
#   make install  installs it below PREFIX (/usr/local), or below DESTDIR$(PREFIX)
#   make deb      builds a Debian package, build/heddle_VERSION_ARCH.deb, for any x86-64
#   make check    style and the quick tests, with one build: for daily work
#   make test     every test there is; ends with "N passed, N failed, N skipped"
#   make matrix   every workload under every engine and quantum on every test machine, and at the
#                 usual size, with its result, on every GPU; a small kernel under every scheduler
#                 with every L1D policy, GPU and criticality provider, and on gtx480 and v100 with
#                 every atomics unit and every way of write-buffering in L2; with ONLY=NAME the
#                 combinations with that mechanism or GPU, and nothing else
#   make soak     the long versions of the fuzz and random tests
#   make mutants  plants known bugs one at a time, and shows which test notices each
#   make bench    host instructions per warp instruction, and the wall clock beside them; timed on
#                 gtx480 and v100, under every mechanism
#   make tables   runs every workload under four schedulers, and records each, and rewrites the
#                 numbers in README.md and doc/traces.md
#   make format   clang-format over the sources
BUILD ?= build
JOBS ?= $(shell nproc)
CMAKE_FLAGS ?=
prefix ?= /usr/local
PREFIX ?= $(prefix)

.PHONY: all setup configure everything run install deb check test matrix soak mutants bench tables results format clean

all: configure
	cmake --build $(BUILD) -j $(JOBS) --target heddle heddle_shared heddle_ocl

everything: configure
	cmake --build $(BUILD) -j $(JOBS)

setup:
	@sh tools/setup.sh

configure: setup
	@test -f $(BUILD)/build.ninja || cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS)

run: configure
	cmake --build $(BUILD) -j $(JOBS) --target heddle
	$(BUILD)/heddle repro s2-fig10 s3-fig4-10 s3-fig5-7 s4-fig7 --size tiny \
	    --store $(BUILD)/run.db --output $(BUILD)/report.html

install: all
	DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

deb:
	@$(MAKE) all BUILD=$(BUILD)-deb CMAKE_FLAGS="$(CMAKE_FLAGS) -DHEDDLE_AVX2=OFF"
	sh tools/deb.sh $(BUILD)-deb $(BUILD)

check: setup
	@sh tools/test.sh quick

test: setup
	@sh tools/test.sh

matrix: everything
ifndef ONLY
	HEDDLE_MATRIX=1 $(BUILD)/test/test_workload_invariance
	HEDDLE_MATRIX=1 $(BUILD)/test/test_replay
	@python3 tools/matrix.py $(BUILD)/heddle
endif
	@sh test/behaviour/mechanisms_work_together.sh $(abspath $(BUILD)/heddle) $(abspath $(BUILD)/scratch/matrix) all $(ONLY)

soak: everything
	@sh tools/soak.sh

mutants: setup
	python3 tools/mutants.py run && python3 tools/mutants.py page

bench: everything
	@sh bench/functional.sh $(BUILD)/bench/bench_functional
	@sh bench/cache.sh $(BUILD)/bench/bench_cache
	@sh bench/cache_lab.sh $(BUILD)/heddle $(BUILD)/bench/bench_cache_lab
	@sh bench/timing.sh $(BUILD)/bench/bench_timing bench/timing.baseline gtx480 v100
	@sh bench/mechanisms.sh $(BUILD)/bench/bench_timing $(BUILD)/heddle src/crit/providers.def gtx480 v100
	@sh bench/workloads.sh $(BUILD)/heddle src/crit/providers.def
	@sh bench/testbed.sh $(BUILD)/bench/bench_timing $(BUILD)/heddle

tables: all
	@python3 tools/tables.py $(BUILD)/heddle
	@sh bench/traces.sh $(BUILD)/heddle small $(BUILD)/scratch/trace_sizes --update doc/traces.md

# Hours on two cores, minutes on many: 700 points of size small, 200 of the papers' sizes.
results: all
	python3 tools/results.py atomics $(BUILD)/heddle $(BUILD)/results.db
	python3 tools/results.py l1d $(BUILD)/heddle $(BUILD)/results.db
	python3 tools/results.py scheduling $(BUILD)/heddle $(BUILD)/results.db
	python3 tools/results.py l2 $(BUILD)/heddle $(BUILD)/results.db
	python3 tools/results.py llc $(BUILD)/heddle $(BUILD)/results.db
	python3 tools/results.py hetero $(BUILD)/heddle $(BUILD)/results.db

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf $(BUILD) build-*
