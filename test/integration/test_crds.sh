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

failed_with() { # OBJECT [REASON]
	local got

	got=$(k get "$1" -o 'jsonpath={.status.conditions[?(@.type=="Failed")].status}{" "}{.status.conditions[?(@.type=="Failed")].reason}')
	echo "Failed: $got; $(k get "$1" -o 'jsonpath={.status.state} {.status.why}')"
	[ "$got" = "True $2" ] || [[ -z $2 && $got == "True "* ]]
}

failed_row() { # FOLDER NAME
	local object reason

	object=$(k apply -f "$1"/create.* -o name 2> "$T/answer") || {
		fail "$2" "refused at apply: $(head -c 1000 "$T/answer")"
		return
	}
	reason=$(cat "$1/reason" 2> /dev/null)
	if wait_for 10 "$object Failed $reason" failed_with "$object" "$reason" > "$T/why"; then
		k get "$object" -o 'jsonpath={.status.conditions[?(@.type=="Failed")].message}' \
			> "$T/answer"
		check "$2" says_all "$1"
	else
		fail "$2" "$(cat "$T/why")"
	fi
	k delete --wait=false "$object" > /dev/null
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
	Failed/Failed) failed_row "$row" "$name" ;;
	esac
done
k delete namespace wrong --wait=false > /dev/null
finish
