# Targets for people: what `make help` prints.

help: ## this list
	@awk -F':.*## ' '/^[a-z_-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' Makefile hack/targets.mk

deps: ## install what is missing (Debian packages; the test cluster's servers)
	hack/deps.sh install

doctor: ## only say what is missing
	hack/deps.sh doctor

clean: ## remove what was built
	rm -rf build bin

unit: $(foreach s,$(UNIT_RUN),$(call unit_bin,$(s))) $(if $(filter run runner agent cli fleet,$(or $(M),run)),$(if $(wildcard runner/main.c),$(BIN)/kwarp-runner)) ## unit and table tests (M=module for one module)
	@hack/run-unit.sh $(B) $(foreach s,$(UNIT_RUN),$(call unit_bin,$(s)))

check: unit lint ## unit tests and all static checks

lint: format layers headers size symbols shell cppcheck tidy ## static checks

C_FILES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')
format: ## fail if clang-format would change a file
	@clang-format-14 --dry-run -Werror $(C_FILES)

layers: ## fail if a module includes what it may not use
	@hack/check-layers.sh

headers: ## each header compiles alone
	@hack/check-headers.sh $(CPPFLAGS_ALL)

size: ## files of at most 800 lines
	@wc -l $(C_FILES) | awk '$$2 != "total" && $$1 > 800 { print $$2 ": " $$1 " lines, at most 800"; bad = 1 } END { exit bad }'

symbols: ## fail if an object uses a function reserved for other modules
	@$(MAKE) --no-print-directory FLAVOUR=dev objects
	@hack/check-symbols.sh $(BUILD)/dev

objects: $(foreach m,$(MODS),$(call objs,lib/$(m))) $(foreach p,$(PROGS),$(B)/$(p)/main.o $(PROG_OBJS_$(p)))

shell: ## shellcheck
	@shellcheck $$(git ls-files 'hack/*.sh' 'hack/testcluster' '.ci/run' 'test/*.sh' 'test/**/*.sh')

cppcheck: ## cppcheck
	@hack/check-cppcheck.sh

tidy: ## clang-tidy, one file per process; files that passed are remembered by their content
	@hack/check-tidy.sh $(CPPFLAGS_ALL)
