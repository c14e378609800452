#!/bin/bash
#
# test_wrong.sh - wrong inputs that only a controller can find: each row of wrong/table.txt that says
# so ends with its condition and message, and the next right job completes.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

cluster_start
crds_apply
controller_start || abort "no controller"
agent_start a1 --slots 2 || abort "agent a1 did not become ready"

KWARP_KUBECONFIG=$KUBECONFIG "$ROOT/test/integration/test_crds.sh" Failed > "$T/rows.log" 2>&1
rows=$(grep -c '^\(ok  \|FAIL\) ' "$T/rows.log")
while IFS= read -r line; do
	case $line in
	'ok   '*) pass "${line#ok   }" ;;
	'FAIL '*) fail "${line#FAIL }" ;;
	*' passed, '*' failed') ;;
	*) echo "$line" ;;
	esac
done < "$T/rows.log"
check "the table was read to its end ($rows rows)" grep -q '^[0-9]* passed, [0-9]* failed$' "$T/rows.log"

pi_job right 4 'verify: {replicas: 1}' | sed '/^  verify:$/,/^    agree/d' | k apply -f - > "$T/apply.log" 2>&1
check "the next right job completes" completes right
check "exactly" field_is warpjob/right '.status.results[0].value' 823322
check "neither controller nor agent has died" kill -0 "$CONTROLLER_PID" "$AGENT_PID"
finish
