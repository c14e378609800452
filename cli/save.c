/* save.c - see save.h. */
#include "cli/save.h"

#include "base/file.h"
#include "base/mem.h"
#include "controller/decide/decide.h"
#include "vote/reduce.h"

static int save_one(const struct job *j, size_t output, const char *folder, struct err *err)
{
	AUTO(vote_result_done) struct vote_result r = { 0 };
	AUTO(buf_done) struct buf path = { .max = 4096 };
	const struct job_spec *spec = job_spec(j);

	if (buf_addfe(&path, err, "%s/%s.%s", folder, spec->name, spec->outputs[output].name) < 0 ||
	    job_result(j, output, &r, err) < 0)
		return err->code;
	return file_write(buf_str(&path), r.bytes, r.len, false, err);
}

int save_results(const struct job *j, const char *folder, struct err *err)
{
	const struct job_spec *spec = job_spec(j);

	if (file_make_dir(folder, err) < 0)
		return err->code;
	for (size_t i = 0; i < spec->n_outputs; i++) {
		enum vote_reducer by = spec->outputs[i].reduce;

		if (by != VOTE_NONE && by != VOTE_DISCARD && save_one(j, i, folder, err) < 0)
			return err_wrap(err, "output %s", spec->outputs[i].name);
	}
	return 0;
}
