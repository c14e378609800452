#!/bin/bash
#
# test_cases.sh - the jobs of kernels/ on a cluster give exactly the values and classes of
# expected.json: with three agents of 1 and of 8 slots, one chunk per slice, three replicas. Those
# with large results are kept by a store.
#
#   KWARP_SLOW=1   more combinations of these
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

NODES="a1 a2 a3"

# All cases at once, then each one's results.
variant() { # NAME SPEC-JSON
	local name=$1 case

	for case in $CASES; do
		case_apply "$case" "$case-$name" "$2" || fail "$case-$name" "was not created"
	done
	for case in $CASES; do
		check "$case-$name" case_is_right "$case" "$case-$name" \
			"$(k get warpjob "$case-$name" -o 'jsonpath={.spec.verify.replicas}')"
	done
	k delete warpjobs --all > /dev/null
}

# Every agent ends cleanly and starts again with that many slots.
slots_become() { # SLOTS
	local node

	for node in $NODES; do
		kill -TERM "${PIDS[$node]}"
		wait "${PIDS[$node]}" || fail "agent $node ends cleanly" "exit $?"
		agent_again "$node" --slots "$1"
		PIDS[$node]=$AGENT_PID
	done
	for node in $NODES; do
		wait_field 30 "warpnode/$node" .status.slots "$1" || abort "$node has no $1 slots"
	done
}

cluster_start
crds_apply
controller_start --store "$T/store" || abort "no controller"
CASES="$CASES $LARGE_CASES"
declare -A PIDS
for node in $NODES; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
	PIDS[$node]=$AGENT_PID
done

variant slots1 '{}'
if [ "${KWARP_SLOW:-}" = 1 ]; then
	variant single1 '{"chunksPerSlice":1}'
fi
slots_become 8
variant slots8 '{}'
variant single8 '{"chunksPerSlice":1}'
variant three '{"verify":{"replicas":3,"agree":2}}'
if [ "${KWARP_SLOW:-}" = 1 ]; then
	variant all3 '{"verify":{"replicas":3,"agree":3},"chunksPerSlice":1}'
fi
finish
