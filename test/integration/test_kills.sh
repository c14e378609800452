#!/bin/bash
#
# test_kills.sh - kill -9 of the controller, of agents and of runners at random moments, many times
# during one run of pi (its chunks several times over) with one chunk per pod: the result is exact.
#
#   KWARP_KILLS   how many [50]
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

KILLS=${KWARP_KILLS:-50}
NODES=(a1 a2 a3)
declare -A AGENT

job_is_over() { ! kill -0 "$WAITER" 2> /dev/null; }

kill_controller() {
	kill -KILL "$CONTROLLER_PID"
	wait "$CONTROLLER_PID" 2> /dev/null
	controller_again --leader-elect=false
}

kill_agent() {
	local node=${NODES[$((RANDOM % ${#NODES[@]}))]}

	kill -KILL "${AGENT[$node]}"
	wait "${AGENT[$node]}" 2> /dev/null
	agent_again "$node" --slots 1
	AGENT[$node]=$AGENT_PID
}

# A child of an agent: the compiler or a slot.
kill_runner() {
	local node=${NODES[$((RANDOM % ${#NODES[@]}))]} children

	mapfile -t children < <(pgrep -P "${AGENT[$node]}")
	[ "${#children[@]}" -gt 0 ] || return
	kill -KILL "${children[$((RANDOM % ${#children[@]}))]}" 2> /dev/null
}

cluster_start
crds_apply
controller_start --leader-elect=false
for node in "${NODES[@]}"; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
	AGENT[$node]=$AGENT_PID
done

# Crashes that we cause must not fail a chunk. The hundred chunks of pi six times over and one slice at
# a time, so that also a fast machine is busy for longer than all the kills take.
TIMES=6
sed -e 's/^spec:/spec:\n  chunksPerSlice: 1\n  backoffLimitPerChunk: 50\n  parallelism: 1/' \
	-e "s/count: 100$/count: ${TIMES}00/" -e 's/"chunk \* 16777216"/"chunk % 100 * 16777216"/' \
	"$ROOT/kernels/pi.yaml" |
	k apply -f - > "$T/apply.log" || abort "$(cat "$T/apply.log")"
wait_for 60 "first chunks" sh -c \
	"kubectl get warpjob pi -o 'jsonpath={.status.chunks.accepted}' | grep -q '[1-9]'" > /dev/null
spawn waiter kubectl wait --for=condition=Complete --timeout=15m warpjob/pi
WAITER=$SPAWN_PID
kills=0
while [ "$kills" -lt "$KILLS" ] && ! job_is_over; do
	case $((RANDOM % 3)) in
	0) kill_controller ;;
	1) kill_agent ;;
	2) kill_runner ;;
	esac
	kills=$((kills + 1))
	sleep "0.$((RANDOM % 3))"
done
check "killed $kills times while it ran" test "$kills" -ge "$KILLS"
check "pi completes" completes pi 600
check "its sum is exact" field_is warpjob/pi '.status.results[0].value' $((TIMES * 7853998330))
check "every chunk is accepted" field_is warpjob/pi .status.progress "${TIMES}00/${TIMES}00"
k get warpjob pi -o wide
finish
