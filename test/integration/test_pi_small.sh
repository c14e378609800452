#!/bin/bash
#
# test_pi_small.sh - the thinnest whole thread: apply, three agents, 2-of-2, the exact result.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

cluster_start
crds_apply
controller_start --leader-elect=false
for node in a1 a2 a3; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
done

k apply -f "$ROOT/kernels/pi-small.yaml" > "$T/apply.log" 2>&1 || abort "$(cat "$T/apply.log")"
check "pi-small completes" wait_for 60 "condition Complete" \
	k wait --for=condition=Complete --timeout=1s warpjob/pi-small
check "its sum is exact" field_is warpjob/pi-small '.status.results[0].value' 20590316
check "its summary says the same" field_is warpjob/pi-small .status.resultSummary hits=20590316
check "every chunk is accepted" field_is warpjob/pi-small .status.progress 100/100
check "as one range" field_is warpjob/pi-small .status.acceptedIndexes 0-99
check "nothing disagreed" field_is warpjob/pi-small .status.replicas.mismatched 0
finish
