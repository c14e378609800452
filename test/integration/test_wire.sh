#!/bin/bash
#
# test_wire.sh - the network between agents and controller fails in every way while a job runs: cut
# again and again, slow, refused, silent. Everything goes on by itself, and the result is exact.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

accepted_at_least() { # NAME N
	local got

	got=$(k get warpjob "$1" -o 'jsonpath={.status.chunks.accepted}')
	echo "$got accepted"
	[ "${got:-0}" -ge "$2" ]
}

ready_are() { # STATUS
	local got

	got=$(k get warpnodes -o 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}')
	echo "Ready: $got"
	[ "$got" = "$1 $1 $1" ]
}

# Another job of 50 chunks, long enough to be under way.
begin() { # NAME
	SAMPLES=268435456 pi_job "$1" 50 'chunksPerSlice: 1' | k apply -f - > /dev/null
	wait_for 60 "$1 is under way" accepted_at_least "$1" 1 > /dev/null
}

ends_exactly() { # NAME
	completes "$1" 180 && field_is "warpjob/$1" '.status.results[0].value' 10541430473 &&
		field_is "warpjob/$1" .status.replicas.mismatched 0 &&
		field_is "warpjob/$1" .status.progress 50/50
}

cluster_start
crds_apply
CONTROLLER_PORT=$(free_port)
proxy=127.0.0.1:$(free_port)
export CONTROLLER_PORT
spawn wire python3 "$ROOT/test/tools/faultproxy.py" --listen "$proxy" \
	--target "127.0.0.1:$CONTROLLER_PORT" --control "$T/wire.sock"
# The last of two addresses is the one that counts.
controller_again --public-address "$proxy"
wait_for 30 "the data plane" k -n kwarp-system get configmap kwarp-data-plane > /dev/null ||
	abort "no controller"
for node in a1 a2 a3; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
done
check "the agents come through the proxy" grep -q "address: $proxy" "$T/a1.join"

begin cut
for _ in $(seq 12); do
	proxy_say wire cut > /dev/null
	sleep "0.$((RANDOM % 9))"
done
check "all connections cut, twelve times" ends_exactly cut

begin slow
proxy_say wire delay 300 > /dev/null
check "every byte 300 ms late" ends_exactly slow

proxy_say wire pass > /dev/null
begin refused
proxy_say wire refuse > /dev/null
check "agents that cannot connect are lost" wait_for 60 "none Ready" ready_are False
proxy_say wire pass > /dev/null
check "and come back" wait_for 30 "all Ready" ready_are True
check "with what they had computed" ends_exactly refused

begin silent
proxy_say wire blackhole > /dev/null
check "agents that are not heard are lost" wait_for 60 "none Ready" ready_are False
check "the job says for what it waits" wait_for 10 "why" sh -c \
	"kubectl get warpjob silent -o 'jsonpath={.status.why}' | grep -q node"
proxy_say wire cut > /dev/null
check "and come back, too" wait_for 30 "all Ready" ready_are True
check "and the job ends" ends_exactly silent

begin held
proxy_say wire blackhole > /dev/null
sleep 5
proxy_say wire pass > /dev/null
check "a silence of 5 s is no loss" ends_exactly held
check "indeed none" field_is warpjob/held .status.replicas.lost 0
finish
