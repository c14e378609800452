#!/bin/bash
#
# test_kill_writes.sh - the controller is killed after each single write of a job's life, for every
# write, and started again: the result is exact each time. Then the answer of each single write is
# lost, with the controller alive.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# Of 4 chunks of pi-small, as computed in C.
SUM=823322
KILLED=0

writes_say() { python3 "$ROOT/test/tools/writeproxy.py" --control "$T/writes.sock" --say "$*"; }
apply() { pi_job "$1" 4 'chunksPerSlice: 2' | k apply -f - > "$T/apply.log" 2>&1 || cat "$T/apply.log"; }

controller_through() {
	KUBECONFIG=$T/writes.kubeconfig controller_again --leader-elect=false
}

dead() { ! kill -0 "$CONTROLLER_PID" 2> /dev/null; }
dead_or_complete() { dead || k wait --for=condition=Complete --timeout=0 "warpjob/$1"; }

# Not inside check: the id of the next controller must stay known.
kill_at() { # N
	writes_say kill "$1" "$CONTROLLER_PID" > /dev/null
	apply "w$1"
	wait_for 60 "killed, or w$1 is Complete" dead_or_complete "w$1"
	if dead; then
		KILLED=$((KILLED + 1))
	else
		# The job needed fewer writes this time: the proxy must not kill a later controller.
		kill -KILL "$CONTROLLER_PID" 2> /dev/null
		wait "$CONTROLLER_PID" 2> /dev/null
	fi
	controller_through
}

exact() { # NAME
	completes "$1" 90 && field_is "warpjob/$1" '.status.results[0].value' "$SUM"
}

lost_at() { # N
	writes_say lose "$1" > /dev/null || return 1
	apply "l$1"
	exact "l$1"
}

cluster_start
crds_apply
spawn writes python3 "$ROOT/test/tools/writeproxy.py" --kubeconfig "$KUBECONFIG" \
	--write "$T/writes.kubeconfig" --control "$T/writes.sock"
wait_for 10 "the proxy" test -s "$T/writes.kubeconfig" || abort "no proxy"
export CONTROLLER_PORT
CONTROLLER_PORT=$(free_port)
controller_through
wait_for 30 "the data plane" k -n kwarp-system get configmap kwarp-data-plane > /dev/null
for node in a1 a2 a3; do
	agent_start "$node" --slots 2 || abort "agent $node did not become ready"
done

apply plain
check "a job completes undisturbed" completes plain
check "its sum is exact" field_is warpjob/plain '.status.results[0].value' "$SUM"
before=$(writes_say count)
apply counted
completes counted > /dev/null
sleep 3
n=$(($(writes_say count) - before))
check "its life has writes to be killed at ($n)" test "$n" -ge 4
for ((i = 1; i <= n; i++)); do
	kill_at "$i"
	check "killed after write $i of $n" exact "w$i"
done
check "it was killed nearly every time ($KILLED of $n)" test $((KILLED + 3)) -ge "$n"
for ((i = 1; i <= n; i++)); do
	check "the answer of write $i of $n lost" lost_at "$i"
done
finish
