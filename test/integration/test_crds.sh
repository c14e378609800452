#!/bin/bash
#
# test_crds.sh - wrong inputs are refused, at the right place and with the right words.
#
#     test_crds.sh            rows that the API server refuses; needs no controller
#     test_crds.sh Failed     rows that a running controller fails; needs KWARP_KUBECONFIG
#
# The rows stand in wrong/table.txt.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

STAGE=${1:-apply}

# The last step's answer is what counts; the steps before it must be accepted.
run_steps() { # FOLDER NAME : the answer goes to T/answer
	local f=$1 step object

	object=$(k apply -f "$f"/create.* -o name 2> "$T/answer") || return 1
	for step in "$f"/status-*.json; do
		[ -e "$step" ] || continue
		k patch "$object" --subresource=status --type=merge --patch-file "$step" \
			> /dev/null 2> "$T/answer" || return 1
	done
	if [ -e "$f/update.json" ]; then
		k apply -f "$f/update.json" > /dev/null 2> "$T/answer" || return 1
	fi
}

says_all() { # FOLDER
	local text

	while IFS= read -r text; do
		if ! grep -qF -- "$text" "$T/answer"; then
			echo "expected \"$text\", got: $(head -c 1000 "$T/answer")"
			return 1
		fi
	done < "$1/says"
}

apply_row() { # FOLDER NAME
	if run_steps "$1"; then
		if [ "$(cat "$1/stage")" = accepted ]; then
			pass "$2"
		else
			fail "$2" "it was accepted"
		fi
	elif [ "$(cat "$1/stage")" = accepted ]; then
		fail "$2" "refused: $(head -c 1000 "$T/answer")"
	else
		check "$2" says_all "$1"
	fi
}

# Rows that a controller refuses: all are there at once, and are waited for together.

create_row() { # FOLDER NAME
	k apply -f "$1"/create.* -o name > "$1/object" 2> "$T/answer" ||
		fail "$2" "refused at apply: $(head -c 1000 "$T/answer")"
}

all_failed() {
	local left

	left=$(k get warpjobs -o 'jsonpath={range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Failed")].status}{"\n"}{end}' |
		grep -v ' True$')
	echo "not Failed: $left"
	[ -z "$left" ]
}

# One line per row that was created: its name, a tab, what is wrong with it.
judge_rows() {
	k get warpjobs -o json > "$T/jobs.json" && python3 - "$T/jobs.json" "$T/rows" << 'PY'
import json
import pathlib
import sys

jobs = {j["metadata"]["name"]: j.get("status", {}) for j in json.load(open(sys.argv[1]))["items"]}
for row in sorted(pathlib.Path(sys.argv[2]).iterdir()):
    if not (row / "object").exists() or not (row / "object").read_text():
        continue
    status = jobs.get((row / "object").read_text().strip().partition("/")[2], {})
    failed = {c["type"]: c for c in status.get("conditions", [])}.get("Failed", {})
    wanted = (row / "reason").read_text().strip() if (row / "reason").exists() else ""
    wrong = ""
    if failed.get("status") != "True" or wanted not in ("", failed.get("reason")):
        wrong = f"expected Failed {wanted}, it is {status.get('state')} {status.get('why')}"
    for text in (row / "says").read_text().splitlines():
        if not wrong and text not in failed["message"]:
            wrong = f'expected "{text}", got: {failed["message"]}'
    print(row.name, wrong.replace("\n", " "), sep="\t")
PY
}

cluster_start
[ -n "${KWARP_KUBECONFIG:-}" ] || crds_apply
k create namespace wrong > /dev/null
k config view --raw --minify > "$T/kubeconfig"
k --kubeconfig "$T/kubeconfig" config set-context --current --namespace=wrong > /dev/null
export KUBECONFIG=$T/kubeconfig
python3 "$ROOT/test/integration/wrong/expand.py" "$ROOT/test/integration/wrong/table.txt" \
	"$T/rows" || abort "the table cannot be read"
for row in "$T"/rows/*; do
	name=$(basename "$row")
	case $STAGE/$(cat "$row/stage") in
	apply/apply | apply/accepted) apply_row "$row" "$name" ;;
	Failed/Failed) create_row "$row" "$name" ;;
	esac
done
if [ "$STAGE" = Failed ]; then
	wait_for 60 "every job is Failed" all_failed
	judge_rows > "$T/judged"
	while IFS=$'\t' read -r name wrong; do
		if [ -z "$wrong" ]; then
			pass "$name"
		else
			fail "$name" "$wrong"
		fi
	done < "$T/judged"
fi
k delete namespace wrong --wait=false > /dev/null
finish
