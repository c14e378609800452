#!/bin/bash
#
# test_outage.sh - the API server goes away and comes back, connections fall silent: everything goes
# on by itself.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# What a Deployment does with a controller that has lost its Lease: it starts the next one.
supervise() {
	until [ -e "$T/stop" ]; do
		"$BIN/kwarp-controller" --kubeconfig "$1" --data-address "127.0.0.1:$CONTROLLER_PORT" \
			--public-address "127.0.0.1:$CONTROLLER_PORT" 2>> "$T/controller.log" &
		echo $! > "$T/controller.pid"
		wait $!
		sleep 0.5
	done
}

running() { # NAME AT-LEAST
	local n

	n=$(k get warpjob "$1" -o 'jsonpath={.status.chunks.accepted}')
	echo "$n accepted"
	[ "${n:-0}" -ge "$2" ]
}

cluster_start
[ -n "${CLUSTER:-}" ] || abort "needs a cluster of its own"
crds_apply
proxy_start net || abort "no proxy"
export CONTROLLER_PORT
CONTROLLER_PORT=$(free_port)
supervise "$T/net.kubeconfig" &
SPAWNED+=($!)
wait_for 30 "the data plane" k -n kwarp-system get configmap kwarp-data-plane > /dev/null
for node in a1 a2 a3; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
done

# Long enough to be under way all the time.
SAMPLES=67108864 pi_job long 64 'chunksPerSlice: 1' | k apply -f - > /dev/null
check "a job is under way" wait_for 60 "4 accepted" running long 4
"$ROOT/hack/testcluster" stop-apiserver "$CLUSTER" > /dev/null 2>&1
sleep 30
"$ROOT/hack/testcluster" start-apiserver "$CLUSTER" > /dev/null 2>&1
check "after 30 s without an API server it completes" completes long 240
check "with every chunk" field_is warpjob/long .status.progress 64/64
pi_job after 100 | k apply -f - > /dev/null
check "and the next job completes" completes after
check "exactly" field_is warpjob/after '.status.results[0].value' 20590316

proxy_say net blackhole old > /dev/null
silent_since=$SECONDS
pi_job silent 100 | k apply -f - > /dev/null
check "after connections fell silent for ever a job completes" completes silent 240
check "exactly, too" field_is warpjob/silent '.status.results[0].value' 20590316
while [ $((SECONDS - silent_since)) -lt 180 ]; do
	sleep 1
done
pi_job later 100 | k apply -f - > /dev/null
check "and after three minutes of it the next one" completes later

touch "$T/stop"
kill -TERM "$(cat "$T/controller.pid")"
check "the controller ends" wait_for 10 "no process" sh -c "! kill -0 $(cat "$T/controller.pid")"
finish
