#!/bin/bash
#
# test_leadership.sh - two controllers: one leads, the other follows when the first ends, freezes or
# loses its Lease; a frozen leader that wakes up writes nothing.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# Each with a port of its own; agents dial that of the first.
other() { # NAME
	spawn "$1" "$BIN/kwarp-controller" --kubeconfig "$KUBECONFIG" \
		--data-address "127.0.0.1:$(free_port)" --public-address "127.0.0.1:$CONTROLLER_PORT"
	OTHER_PID=$SPAWN_PID
}

leads() { grep -q '"msg":"leading"' "$T/$1.log"; }
ended() { ! kill -0 "$1" 2> /dev/null; }
epoch() { k get warpjob "$1" -o 'jsonpath={.status.controllerEpoch}'; }
accepted() { # NAME AT-LEAST
	local n

	n=$(k get warpjob "$1" -o 'jsonpath={.status.chunks.accepted}')
	echo "$n accepted"
	[ "${n:-0}" -ge "$2" ]
}

cluster_start
crds_apply
controller_start
for node in a1 a2 a3; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
done
other second
sleep 3
check "the second one does not lead" sh -c "! grep -q leading '$T/second.log'"

SAMPLES=67108864 pi_job job 60 'chunksPerSlice: 1' | k apply -f - > /dev/null
wait_for 60 "4 accepted" accepted job 4 || abort "the job does not run"
before=$(epoch job)
kill -STOP "$CONTROLLER_PID"
check "when the first freezes the second leads" wait_for 30 "leading" leads second
kill -CONT "$CONTROLLER_PID"
check "the first ends when it wakes up" wait_for 10 "ended" ended "$CONTROLLER_PID"
wait "$CONTROLLER_PID"
check "as a failure" test $? -eq 1

controller_again
first=$(grep -c '"msg":"leading"' "$T/controller.log")
kill -TERM "$OTHER_PID"
check "a leader that is told to end hands over" wait_for 10 "leading" sh -c \
	"[ \$(grep -c '\"msg\":\"leading\"' '$T/controller.log') -gt $first ]"
check "and the job completes" completes job 120
check "with a higher epoch" test "$(epoch job)" -gt "$before"
check "with every chunk" field_is warpjob/job .status.progress 60/60

k delete lease -n kwarp-system kwarp-controller > /dev/null
check "a leader whose Lease was removed ends" wait_for 15 "ended" ended "$CONTROLLER_PID"
finish
