# Targets for people: what `make help` prints.

help: ## this list
	@awk -F':.*## ' '/^[a-z_-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' Makefile hack/targets.mk

deps: ## install what is missing (Debian packages; the test cluster's servers)
	hack/deps.sh install

doctor: ## only say what is missing
	hack/deps.sh doctor

clean: ## remove what was built
	rm -rf build bin

# With all modules also what no test runs but some build of it must not break.
unit: $(foreach s,$(UNIT_RUN),$(call unit_bin,$(s))) $(if $(M),,$(B)/test/differential/differential) $(if $(filter run runner agent cli fleet,$(or $(M),run)),$(if $(wildcard runner/main.c),$(BIN)/kwarp-runner)) ## unit and table tests (M=module for one module)
	@KWARP_RUNNER=$(abspath $(BIN))/kwarp-runner hack/run-unit.sh $(B) $(foreach s,$(UNIT_RUN),$(call unit_bin,$(s)))

check: unit lint ## unit tests and all static checks

lint: format layers headers size symbols goldens shell cppcheck tidy ## static checks

C_FILES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')
format: ## fail if clang-format would change a file
	@clang-format-14 --dry-run -Werror $(C_FILES)

layers: ## fail if a module includes what it may not use
	@hack/check-layers.sh

headers: ## each header compiles alone
	@hack/check-headers.sh $(CPPFLAGS_ALL) $(LLVM_CFLAGS)

size: ## files of at most 800 lines
	@wc -l $(C_FILES) | awk '$$2 != "total" && $$1 > 800 { print $$2 ": " $$1 " lines, at most 800"; bad = 1 } END { exit bad }'

symbols: ## fail if an object uses a function reserved for other modules
	@$(MAKE) --no-print-directory FLAVOUR=dev objects
	@hack/check-symbols.sh $(BUILD)/dev

objects: $(foreach m,$(MODS),$(call objs,lib/$(m))) $(foreach p,$(PROGS),$(B)/$(p)/main.o $(PROG_OBJS_$(p)))

goldens: ## fail if no test expects something that the WGSL compiler says
	@hack/check-goldens.py

shell: ## shellcheck
	@shellcheck $$(git ls-files 'hack/*.sh' 'hack/testcluster' '.ci/run' 'test/*.sh' 'test/**/*.sh')

cppcheck: ## cppcheck
	@hack/check-cppcheck.sh

tidy: ## clang-tidy, one file per process; files that passed are remembered by their content
	@hack/check-tidy.sh $(CPPFLAGS_ALL)

# ---- the main job: `make demo` is the README's first command ------------------------------------

# The build is a make of its own: what it asks of the machine (llvm-config) is asked after deps.
demo: deps ## install what is missing, build, run pi.yaml on this machine
	@$(MAKE) --no-print-directory all
	@hack/demo.sh

demo-cluster: deps ## pi.yaml on a real control plane on loopback with three agents
	@$(MAKE) --no-print-directory all
	@hack/demo-cluster.sh

# ---- tests: `make test` is the README's second command -----------------------------------------

test: deps ## install what is missing, build, run all tests; ends with "N passed, N failed"
	@hack/test.sh

test-build: all
test-unit: unit
test-cases: cases
test-lint:
	@hack/lint.sh

test-asan:
	@$(MAKE) --no-print-directory FLAVOUR=asan unit

# Threads exist in lib/base (loop, workers, log) and in what uses them. lib/native has none of its
# own, and LLVM under this sanitizer takes more memory than the machine has; controller/decide is
# pure, and its histories take minutes here.
TSAN_MODULES := base store doc expr wire vote tls http h2 kube run runner serve agent fleet
test-tsan:
	@$(MAKE) --no-print-directory FLAVOUR=tsan unit M="$(TSAN_MODULES)"

test-fuzz:
	@$(MAKE) --no-print-directory FLAVOUR=fuzz fuzz

test-integration: integration

FUZZ_SECONDS ?= 60
fuzz: $(foreach s,$(FUZZ_SRCS),$(call fuzz_bin,$(s))) ## each fuzz target for FUZZ_SECONDS [60]
	@hack/run-fuzz.sh $(FUZZ_SECONDS) $(foreach s,$(FUZZ_SRCS),$(call fuzz_bin,$(s)))

cases: all ## the ready-made jobs of kernels/ give exactly their expected results
	@if [ -x test/cases.sh ]; then test/cases.sh; else echo 'cases: 0 passed, 0 failed'; fi

# test/integration/NAME.c, first line as in fuzz targets: a program that a test runs.
INTEGRATION_SRCS := $(wildcard test/integration/*.c)
integration_bin = $(patsubst test/integration/%.c,$(B)/test/integration/%,$(1))
define integration_rules
$(call integration_bin,$(1)): $(B)/$(1:.c=.o) $(foreach m,$(call deps_of,$(call fuzz_uses,$(1))),$(call archive,$(m)))
	@mkdir -p $$(@D)
	$(if $(Q),@echo '  LD $$@')
	$(Q)$(CC) $$(LDFLAGS_ALL) $(LDFLAGS) -o $$@ $$(filter %.o,$$^) -Wl,--start-group $$(filter %.a,$$^) -Wl,--end-group $(foreach m,$(call deps_of,$(call fuzz_uses,$(1))),$(LIBS_$(m))) $(LIBS_base)
endef
$(foreach s,$(INTEGRATION_SRCS),$(eval $(call integration_rules,$(s))))

integration: all $(foreach s,$(INTEGRATION_SRCS),$(call integration_bin,$(s))) ## tests against a real kube-apiserver
	@KWARP_TEST_BIN=$(B)/test/integration test/integration/run.sh

soak: ## all integration tests, slow ones too, on programs with sanitizers (about an hour)
	@KWARP_SLOW=1 KWARP_BIN=$(abspath $(BUILD)/asan/bin) $(MAKE) FLAVOUR=asan integration

# ---- our WGSL compiler against two others ---------------------------------------------------------

ORACLE := $(B)/test/oracle/oracle
$(ORACLE): $(patsubst %.c,$(B)/%.o,$(wildcard test/oracle/*.c)) $(B)/test/unit/spirv/vulkan.o \
		$(foreach m,$(call deps_of,spirv native),$(call archive,$(m)))
	@mkdir -p $(@D)
	$(if $(Q),@echo '  LD $@')
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(call libs_of,spirv native) -lcmocka $(LIBS_base)

.PHONY: oracle oracle-record
oracle: $(ORACLE) ## ask naga and Dawn about test/oracle/kernels and compare (the first time: downloads and builds them)
	@hack/oracle.sh $(ORACLE)

oracle-record: $(ORACLE) ## the same, and write their answers to test/oracle/golden.txt
	@hack/oracle.sh $(ORACLE) record

# ---- random kernels, everywhere ---------------------------------------------------------------------

DIFFERENTIAL := $(B)/test/differential/differential
$(DIFFERENTIAL): $(patsubst %.c,$(B)/%.o,$(wildcard test/differential/*.c)) $(call objs,test/random) $(call objs,test/valid) $(B)/test/unit/spirv/vulkan.o \
		$(patsubst %,$(B)/test/unit/native/%.o,interp interp_subgroup interp_value kernel_word) \
		$(foreach m,$(call deps_of,spirv native),$(call archive,$(m)))
	@mkdir -p $(@D)
	$(if $(Q),@echo '  LD $@')
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(call libs_of,spirv native) $(LIBS_valid) -lcmocka $(LIBS_base)

.PHONY: differential
COUNT ?= 1000
SEED  ?= 1
differential: $(DIFFERENTIAL) ## COUNT [1000] random kernels from SEED [1] on in native code, the interpreter, lavapipe and SwiftShader
	@hack/differential.sh $(DIFFERENTIAL) $(COUNT) $(SEED)

# ---- figures ------------------------------------------------------------------------------------

BENCH_NATIVE := $(addprefix $(B)/test/bench/,native c_gcc.so c_clang.so)

bench: deps all $(B)/test/bench/run_pi $(B)/test/bench/front $(B)/test/bench/strict $(BENCH_NATIVE) ## measure everything in docs/benchmarks.md next to something real, and write that page
	@hack/deps.sh install bench
	@KWARP_BIN=$(abspath $(BIN)) hack/bench.sh $(B)/test/bench

# Compile times and chunk throughput through the real runner; part of `make bench`.
$(B)/test/bench/run_pi: $(B)/test/bench/run_pi.o $(foreach m,$(call deps_of,run),$(call archive,$(m)))
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(foreach m,$(call deps_of,run),$(LIBS_$(m))) $(LIBS_base)

$(B)/test/bench/native: $(addprefix $(B)/test/bench/,native.o lava.o) $(foreach m,$(call deps_of,gpu),$(call archive,$(m)))
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(foreach m,$(call deps_of,gpu),$(LIBS_$(m))) $(LIBS_base)

# Text to SPIR-V; part of `make bench`.
$(B)/test/bench/front: $(B)/test/bench/front.o $(foreach m,$(call deps_of,spirv),$(call archive,$(m)))
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LIBS_base)

# Kernels next to hand-written C by both compilers; part of `make bench`.
C_KERNELS := -std=gnu17 -O3 -march=native -ffp-contract=off -fno-math-errno -shared -fPIC
$(B)/test/bench/c_gcc.so: test/bench/c_kernels.c test/bench/c_kernels.h
	$(Q)gcc $(C_KERNELS) -o $@ $< -lm
$(B)/test/bench/c_clang.so: test/bench/c_kernels.c test/bench/c_kernels.h
	$(Q)clang-14 $(C_KERNELS) -o $@ $< -lm

.PHONY: bench-native
bench-native: $(BENCH_NATIVE) ## seven kernels next to hand-written C (NAME=saxpy for one)
	@$(BENCH_NATIVE) $(or $(THREADS),2) $(or $(ROUNDS),3) $(NAME)

# Functions of numerics: Strict beside the C library's.
$(B)/test/bench/strict: $(B)/test/bench/strict.o $(foreach m,$(call deps_of,native),$(call archive,$(m)))
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(call libs_of,native) $(LIBS_base)

.PHONY: strict-all
STRICT_STRIDE ?= 1
strict-all: $(B)/test/unit/native/test_strict ## numerics: Strict over all inputs of every function (hours; STRICT_STRIDE=255: minutes)
	@KWARP_STRICT_STRIDE=$(STRICT_STRIDE) nice $(B)/test/unit/native/test_strict

.PHONY: bench-run
bench-run: $(B)/test/bench/run_pi $(BIN)/kwarp-runner ## the pi kernel: compile times, chunk time, runner start
	@KWARP_RUNNER=$(abspath $(BIN))/kwarp-runner $(B)/test/bench/run_pi
