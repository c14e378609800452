/* drivers.c - see drivers.h. */
#include "test/unit/gpu/drivers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawn.h"

enum { COMMAND_MS = 120000 }; /* it may have to be downloaded */

const struct test_driver TEST_LAVAPIPE = { .name = "lavapipe",
					   .file = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json" };

/* Children are nobody if this is root, so it is copied to where everybody can read it. */
const struct test_driver TEST_SWIFTSHADER = {
	.name = "SwiftShader",
	.command =
	    (const char *const[]){ "/bin/sh", "-c",
				   "d=/tmp/kwarp-test-swiftshader-$(id -u) && mkdir -p $d && "
				   "hack/swiftshader.sh $d",
				   NULL },
};

static bool run_command(const struct test_driver *d, struct buf *out)
{
	const char *home = getenv("HOME");
	const char *cache = getenv("KWARP_CACHE");
	AUTO(buf_done) struct buf home_variable = { .max = 4096 };
	AUTO(buf_done) struct buf cache_variable = { .max = 4096 };
	struct spawn_spec spec = { .path = d->command[0], .argv = d->command };
	struct err err = { 0 };
	int status = 0;

	buf_note(&home_variable, "HOME=%s", home != NULL ? home : "/tmp");
	buf_note(&cache_variable, "KWARP_CACHE=%s", cache != NULL ? cache : "");
	spec.env =
	    (const char *const[]){ "PATH=/usr/sbin:/usr/bin:/sbin:/bin", buf_str(&home_variable),
				   cache != NULL ? buf_str(&cache_variable) : NULL, NULL };
	if (spawn_run(&spec, out, COMMAND_MS, &status, &err) < 0 || status != 0)
		return false;
	while (out->len > 0 && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	return true;
}

/* What drivers never free; read by LeakSanitizer. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libvulkan\nleak:libLLVM\n";
}

/* The loader would unload the driver, and what that leaks would have no name. */
static void keep_library(const char *description)
{
	static const char key[] = "\"library_path\"";
	AUTO(buf_done) struct buf text = { .max = 65536 };
	AUTO(buf_done) struct buf path = { .max = 8192 };
	struct err err = { 0 };
	const char *at, *end, *slash = strrchr(description, '/');

	if (file_read(description, &text, &err) < 0 || slash == NULL)
		return;
	at = strstr(buf_str(&text), key);
	at = at != NULL ? strchr(at + sizeof(key) - 1, '"') : NULL;
	end = at != NULL ? strchr(at + 1, '"') : NULL;
	if (end == NULL)
		return;
	if (at[1] == '.')
		buf_note(&path, "%.*s/", (int)(slash - description), description);
	buf_note(&path, "%.*s", (int)(end - at - 1), at + 1);
	(void)dlopen(buf_str(&path), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

bool test_use_driver(const struct test_driver *d)
{
	AUTO(buf_done) struct buf path = { .max = 4096 };
	const char *file = d->file;

	if (d->command != NULL && run_command(d, &path))
		file = buf_str(&path);
	if (file == NULL || access(file, R_OK) < 0) {
		printf("%s is not to be had on this machine\n", d->name);
		return false;
	}
	if (d == &TEST_LAVAPIPE)
		keep_library(file);
	setenv("VK_DRIVER_FILES", file, 1);
	setenv("VK_ICD_FILENAMES", file, 1);
	return true;
}
