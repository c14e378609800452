/* llvm.c - LLVM's C API as jumps through pointers; see llvm_int.h. */
#include "native/llvm_int.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

#if defined(__x86_64__)
#define JUMP(name) "\tendbr64\n\tjmp *native_at_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name)                                                                                 \
	"\tadrp x16, native_at_" #name "\n"                                                        \
	"\tldr x16, [x16, :lo12:native_at_" #name "]\n"                                            \
	"\tbr x16\n"
#endif

/* The pointer, and a function of the API's own name that jumps there with all its arguments. */
#define DEFINE(name)                                                                               \
	extern void *native_at_##name;                                                             \
	__attribute__((used, visibility("hidden"))) void *native_at_##name;                        \
	__asm__(".pushsection .text\n"                                                             \
		".globl " #name "\n"                                                               \
		".hidden " #name "\n"                                                              \
		".type " #name ", %function\n" #name                                               \
		":\n" JUMP(name) ".size " #name ", . - " #name "\n.popsection");
NATIVE_LLVM_FUNCTIONS(DEFINE)

struct entry {
	const char *name;
	void **at;
};

#define ENTRY(name) { #name, &native_at_##name },
static const struct entry ENTRIES[] = { NATIVE_LLVM_FUNCTIONS(ENTRY) };

static void *open_library(void)
{
	static const char *const names[] = { "libLLVM.so.19.1", "libLLVM-19.so.1" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);

		if (library != NULL)
			return library;
	}
	return NULL;
}

int native_llvm_load(struct err *err)
{
	static bool is_loaded; /* never unloaded: LLVM keeps state of its own */
	void *library;

	if (is_loaded)
		return 0;
	library = open_library();
	if (library == NULL)
		return err_set(err, ERR_UNAVAILABLE, "native: there is no LLVM 19 here (libLLVM)");
	for (size_t i = 0; i < ARRAY_LEN(ENTRIES); i++) {
		*ENTRIES[i].at = dlsym(library, ENTRIES[i].name);
		if (*ENTRIES[i].at == NULL)
			return err_set(err, ERR_UNAVAILABLE, "native: LLVM has no %s",
				       ENTRIES[i].name);
	}
	is_loaded = true;
	return 0;
}
