#!/bin/sh
# Run every job that expected.json of a folder names with `kubectl warp run` and compare results and
# numeric classes exactly. Further arguments go to `run`.  usage: cases.sh [FOLDER [ARG...]]
set -eu
cd "$(dirname "$0")/.."
folder=${1:-kernels}
[ $# -gt 0 ] && shift
warp=${KUBECTL_WARP:-bin/kubectl-warp}
out=$(mktemp -d "${TMPDIR:-/tmp}/kwarp-cases.XXXXXX")
trap 'rm -rf "$out"' EXIT

for name in $(python3 -c 'import json,sys; print(*json.load(open(sys.argv[1])))' "$folder/expected.json"); do
	input=
	[ -e "$folder/$name-input.yaml" ] && input="-f $folder/$name-input.yaml"
	# shellcheck disable=SC2086 # input is two words or none
	"$warp" run -o json --save "$out/saved" "$@" -f "$folder/$name.yaml" $input > "$out/$name.json" 2> "$out/$name.err" ||
		cat "$out/$name.err" >&2
done

# The example of docs/jobs.md: the job, and what the page says that it prints.
if [ "$folder" = kernels ]; then
	awk '/^```/ { n++ } n == 1 && !/^```/' docs/jobs.md > "$out/docs.yaml"
	awk '/^```/ { n++ } n == 3 && !/^```/' docs/jobs.md > "$out/docs.want"
	"$warp" run "$@" -f "$out/docs.yaml" > "$out/docs.got"
fi

python3 - "$folder/expected.json" "$out" <<'PY'
import hashlib
import json
import os
import sys

SIZE = {"i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}
passed = failed = 0
for name, outputs in json.load(open(sys.argv[1])).items():
    wrong = []
    try:
        status = json.load(open(f"{sys.argv[2]}/{name}.json"))["status"]
        results = {r["name"]: r for r in status.get("results", [])}
        if status["state"] != "Complete":
            wrong.append(f"state is {status['state']}: {status.get('why')}")
    except (ValueError, KeyError) as e:
        results = {}
        wrong.append(f"no WarpJob was printed ({e})")
    for output, want in outputs.items():
        got = dict(results.get(output, {}))
        if got:
            saved = open(f"{sys.argv[2]}/saved/{name}.{output}", "rb").read()
            if hashlib.sha256(saved).hexdigest() != got.get("sha256", hashlib.sha256(saved).hexdigest()):
                wrong.append(f"{output}: what --save wrote has another SHA-256")
            if len(saved) != got["length"] * SIZE.get(got.get("type"), 0):
                wrong.append(f"{output}: --save wrote {len(saved)} bytes")
            got["bytes"] = got["length"] * SIZE.get(got.get("type"), 0)
        for key, value in want.items():
            if got.get(key) != value:
                wrong.append(f"{output}.{key} is {got.get(key)}, expected {value}")
    for line in wrong:
        print(f"{name}: {line}")
    passed += not wrong
    failed += bool(wrong)
if os.path.exists(f"{sys.argv[2]}/docs.got"):
    got, want = (open(f"{sys.argv[2]}/docs.{end}").read() for end in ("got", "want"))
    if got != want:
        print(f"docs/jobs.md: printed {got!r}, expected {want!r}")
    passed += got == want
    failed += got != want
print(f"cases: {passed} passed, {failed} failed")
sys.exit(failed > 0)
PY
