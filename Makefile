# kwarp: one non-recursive Makefile. `make help` lists the targets.
#
# Objects and archives go to $(BUILD)/$(FLAVOUR); programs to bin/ (dev and release) or
# $(BUILD)/$(FLAVOUR)/bin (others). One static archive per module of lib/.

BUILD   ?= build
FLAVOUR ?= release
V       := $(shell cat VERSION)
B       := $(BUILD)/$(FLAVOUR)
BIN     := $(if $(filter release,$(FLAVOUR)),$(if $(filter build,$(BUILD)),bin,$(B)/bin),$(B)/bin)
KWARP_CACHE ?= $(HOME)/.cache/kwarp
export KWARP_CACHE

# VERBOSE=1 shows the commands.
Q := $(if $(VERBOSE),,@)
ifeq ($(origin CC),default)
CC := gcc
endif
LLVM_CONFIG ?= llvm-config-19

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wundef \
	-Wwrite-strings -Wcast-qual -Wformat=2 -Wswitch-enum -Wconversion $(if $(CI),-Werror)
# An object may point to a flag on the stack of the call that it is in, to learn that a callback freed it.
# ASSERT(!"text") marks what cannot be reached; OpenSSL's macros cast const away.
WARN_CC = $(if $(filter clang%,$(CC)),-Wno-string-conversion -Wno-cast-qual,-Wno-dangling-pointer)
CPPFLAGS_ALL = -D_GNU_SOURCE -Ilib -I. -DKWARP_VERSION='"$(V)"'
CFLAGS_ALL = -std=gnu17 $(WARN) $(WARN_CC) $(FLAGS_$(FLAVOUR)) -MMD -MP -ffp-contract=off

FLAGS_dev     := -O1 -g -DKWARP_DEV=1
FLAGS_release := -O2 -g -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fPIE -fcf-protection
FLAGS_asan    := -O1 -g -DKWARP_DEV=1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_tsan    := -O1 -g -DKWARP_DEV=1 -fsanitize=thread -fno-omit-frame-pointer
FLAGS_fuzz    := -O1 -g -DKWARP_DEV=1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
ifeq ($(FLAVOUR),fuzz)
CC := clang-14
endif

LD_release := -pie -Wl,-z,relro,-z,now
LD_asan    := -fsanitize=address,undefined
LD_tsan    := -fsanitize=thread
LD_fuzz    := -fsanitize=address,undefined
LDFLAGS_ALL = $(LD_$(FLAVOUR)) -Wl,--as-needed

# Link order is layer order: a module may use only modules to its right.
MODULES := run gpu native spirv wgsl kube http h2 tls vote store expr wire doc hash base
PROGRAMS := controller agent runner cli
NAME_controller := kwarp-controller
NAME_agent      := kwarp-agent
NAME_runner     := kwarp-runner
NAME_cli        := kubectl-warp

LLVM_CFLAGS := $(shell $(LLVM_CONFIG) --cflags 2>/dev/null)
LIBS_http   := -lcurl
LIBS_doc    := -ljansson -lyaml
LIBS_hash   := -lcrypto
LIBS_tls    := -lssl -lcrypto
LIBS_h2     := -lnghttp2
LIBS_gpu    := -ldl
# LLVM is loaded when it is needed (lib/native/llvm_int.h).
LIBS_native := -ldl
LIBS_base   := -lm -lpthread
LIBS_runner := $(LIBS_native) -lseccomp

objs = $(patsubst %.c,$(B)/%.o,$(filter-out %/main.c,$(wildcard $(1)/*.c $(1)/*/*.c)))
exists = $(foreach m,$(1),$(if $(wildcard lib/$(m)/*.c),$(m)))
MODS := $(call exists,$(MODULES))
PROGS := $(foreach p,$(PROGRAMS),$(if $(wildcard $(p)/main.c),$(p)))
archive = $(B)/lib$(1).a
ARCHIVES := $(foreach m,$(MODS),$(call archive,$(m)))

# What each program links, from the table of layers (first column: module, rest: what it may use).
uses = $(shell awk -v m='$(1)' '$$1 == m || index($$1, m "/") == 1 { for (i = 2; i <= NF; i++) print $$i }' hack/layers.txt)
closure = $(sort $(1) $(foreach m,$(1),$(call uses,$(m))))
closure2 = $(call closure,$(call closure,$(call closure,$(1))))
deps_of = $(filter $(call closure2,$(1)),$(MODS))
libs_of = $(foreach m,$(call deps_of,$(1)),$(LIBS_$(m)))
PROG_OBJS_controller = $(call objs,controller)
PROG_OBJS_agent      = $(call objs,agent)
PROG_OBJS_runner     = $(call objs,runner)
# kubectl-warp decides with the controller's own pure code.
PROG_OBJS_cli        = $(call objs,cli) $(call objs,controller/decide)

.PHONY: all help deps doctor clean unit check lint format tidy cppcheck layers symbols goldens headers size \
	test cases integration fuzz bench demo demo-cluster soak objects shell

all: $(foreach p,$(PROGS),$(BIN)/$(NAME_$(p)))


$(B)/lib/native/%.o $(B)/lib/gpu/%.o: CPPFLAGS_ALL += $(LLVM_CFLAGS)

$(B)/%.o: %.c VERSION
	@mkdir -p $(@D)
	$(if $(Q),@echo '  CC $<')
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(CFLAGS) -c $< -o $@

# The CRD is part of kubectl-warp.
$(B)/cli/schema_crd.o: crds/warpjobs.yaml

define module_rules
$(call archive,$(1)): $(call objs,lib/$(1))
	@mkdir -p $$(@D)
	@rm -f $$@
	$(Q)ar rcsD $$@ $$^
endef
$(foreach m,$(MODS),$(eval $(call module_rules,$(m))))

define program_rules
$(BIN)/$(NAME_$(1)): $(B)/$(1)/main.o $(PROG_OBJS_$(1)) $(foreach m,$(call deps_of,$(1)),$(call archive,$(m)))
	@mkdir -p $$(@D)
	$(if $(Q),@echo '  LD $$@')
	$(Q)$(CC) $$(LDFLAGS_ALL) $(LDFLAGS) -o $$@ $$(filter %.o,$$^) -Wl,--start-group $$(filter %.a,$$^) -Wl,--end-group $(call libs_of,$(1)) $(LIBS_$(1)) $(LIBS_base)
endef
$(foreach p,$(PROGS),$(eval $(call program_rules,$(p))))

# test/unit/<module>/test_<name>.c -> one binary; it may use what its module may use. Programs' tests
# (controller, agent, runner, cli and their parts) link the program's objects.
UNIT_SRCS := $(wildcard test/unit/*/test_*.c)
M ?=
UNIT_RUN := $(foreach s,$(UNIT_SRCS),$(if $(M),$(filter $(foreach m,$(M),test/unit/$(m)/%),$(s)),$(s)))
unit_bin = $(patsubst test/unit/%.c,$(B)/test/unit/%,$(1))
unit_module = $(word 3,$(subst /, ,$(1)))
unit_helpers = $(patsubst %.c,$(B)/%.o,$(filter-out $(UNIT_SRCS),$(wildcard test/unit/$(call unit_module,$(1))/*.c)))
ROOT_decide := controller/decide
ROOT_act := controller
ROOT_serve := controller/serve
OBJS_decide = $(call objs,controller/decide)
OBJS_act = $(call objs,controller)
OBJS_serve = $(call objs,controller/serve)
OBJS_controller = $(call objs,controller)
OBJS_agent = $(call objs,agent)
OBJS_runner = $(call objs,runner)
OBJS_cli = $(PROG_OBJS_cli)
OBJS_fleet = $(sort $(call objs,controller/serve) $(call objs,agent))
ROOT_fleet := controller agent
# Its comparison on Vulkan devices is in the tool only.
OBJS_oracle = $(filter-out %/device.o,$(call objs,test/oracle))
ROOT_oracle := native
# The generator of random kernels.
OBJS_native = $(call objs,test/random)
OBJS_spirv = $(OBJS_native) $(call objs,test/valid) $(addprefix $(B)/test/oracle/,kernels.o fill.o)
# Khronos' validator of SPIR-V is in C++.
LIBS_valid := -lSPIRV-Tools -lstdc++
LIBS_unit_spirv := $(LIBS_valid)
LIBS_fuzz_kernel := $(LIBS_valid)
LIBS_unit_runner := $(LIBS_runner)
define unit_rules
$(call unit_bin,$(1)): $(B)/$(1:.c=.o) $(call unit_helpers,$(1)) $(OBJS_$(call unit_module,$(1))) $(foreach m,$(call deps_of,$(or $(ROOT_$(call unit_module,$(1))),$(call unit_module,$(1)))),$(call archive,$(m)))
	@mkdir -p $$(@D)
	$(if $(Q),@echo '  LD $$@')
	$(Q)$(CC) $$(LDFLAGS_ALL) $(LDFLAGS) -o $$@ $$(filter %.o,$$^) -Wl,--start-group $$(filter %.a,$$^) -Wl,--end-group $(call libs_of,$(or $(ROOT_$(call unit_module,$(1))),$(call unit_module,$(1)))) $(LIBS_unit_$(call unit_module,$(1))) -lcmocka $(LIBS_base)
endef
$(foreach s,$(UNIT_SRCS),$(eval $(call unit_rules,$(s))))

# test/fuzz/fuzz_<name>.c, first line "/* uses: module ... */" names the modules it links.
FUZZ_SRCS := $(wildcard test/fuzz/fuzz_*.c)
fuzz_bin = $(patsubst test/fuzz/%.c,$(B)/test/fuzz/%,$(1))
OBJS_fuzz_kernel = $(call objs,test/random) $(call objs,test/valid)
fuzz_uses = $(shell sed -n '1s|.*uses: \(.*\) \*/.*|\1|p' $(1))
define fuzz_rules
$(call fuzz_bin,$(1)): $(B)/$(1:.c=.o) $(OBJS_$(notdir $(1:.c=))) $(foreach m,$(call deps_of,$(call fuzz_uses,$(1))),$(call archive,$(m)))
	@mkdir -p $$(@D)
	$(if $(Q),@echo '  LD $$@')
	$(Q)$(CC) $$(LDFLAGS_ALL) $(if $(filter fuzz,$(FLAVOUR)),-fsanitize=fuzzer) -o $$@ $$(filter %.o,$$^) -Wl,--start-group $$(filter %.a,$$^) -Wl,--end-group $(foreach m,$(call deps_of,$(call fuzz_uses,$(1))),$(LIBS_$(m))) $(LIBS_$(notdir $(1:.c=))) $(LIBS_base)
endef
$(foreach s,$(FUZZ_SRCS),$(eval $(call fuzz_rules,$(s))))

include hack/targets.mk

-include $(shell find $(B) -name '*.d' 2>/dev/null)
