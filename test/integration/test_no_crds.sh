#!/bin/bash
#
# test_no_crds.sh - a controller that is started before its CRDs says so, waits, and goes on.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

says() { grep -q -- "$1" "$T/controller.log"; }

cluster_start
[ -n "${CLUSTER:-}" ] || abort "needs a cluster of its own"
controller_start --leader-elect=false
check "it says which list it waits for" wait_for 30 "warpjobs" says '"kind":"warpjobs"'
check "it does not begin" sh -c "! grep -q 'lists complete' '$T/controller.log'"
crds_apply
pi_job early 100 | k apply -f - > /dev/null
check "with the CRDs it goes on" wait_for 60 "lists complete" says 'lists complete'
check "a job without nodes says what it needs" wait_for 20 "why" sh -c \
	"kubectl get warpjob early -o 'jsonpath={.status.why}' | grep 'no node has joined'"
kill -TERM "$CONTROLLER_PID"
wait "$CONTROLLER_PID"
check "it ends cleanly" test $? -eq 0
finish
