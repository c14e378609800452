#!/bin/bash
#
# test_kube.sh - the Kubernetes client against a real API server: calls, lists, watches, and what
# happens to a watch when the server or the network goes away for a while.
#
# shellcheck disable=SC2317 # functions that check calls by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
unset KWARP_KUBECONFIG

SMOKE=${KWARP_TEST_BIN:-$ROOT/build/release/test/integration}/kube_smoke
TC=$ROOT/hack/testcluster

follow_start() { # NAME KUBECONFIG [SILENCE_MS]
	spawn "$1" "$SMOKE" "$2" follow "$1" "${@:3}"
	FOLLOW_PID=$SPAWN_PID
	wait_for 10 "$1 follows" grep -q following "$T/$1.log"
	sleep 1 # the watch is open
}

follow_end() { # NAME
	k create configmap "$1" && k label configmap "$1" smoke=yes || return 1
	wait "$FOLLOW_PID" && return
	cat "$T/$1.log"
	return 1
}

goes_on_after_a_restart() {
	follow_start restart "$KUBECONFIG" || return 1
	"$TC" stop-apiserver "$CLUSTER" && sleep 3 && "$TC" start-apiserver "$CLUSTER" || return 1
	follow_end restart
}

goes_on_after_a_kill() {
	follow_start kill "$KUBECONFIG" || return 1
	"$TC" kill-apiserver "$CLUSTER" && "$TC" start-apiserver "$CLUSTER" || return 1
	follow_end kill
}

goes_on_after_a_cut() {
	follow_start cut "$T/proxy.kubeconfig" || return 1
	proxy_say proxy cut || return 1
	follow_end cut
}

notices_a_black_hole() {
	follow_start hole "$T/proxy.kubeconfig" 4000 || return 1
	proxy_say proxy blackhole old || return 1
	follow_end hole || return 1
	grep -Eq 'silent [1-9]' "$T/hole.log" || { cat "$T/hole.log"; return 1; }
}

lead_start() { # NAME HOLD_MS
	spawn "$1" "$SMOKE" "$KUBECONFIG" lead 3000 "$2"
	LEAD_PID=$SPAWN_PID
}

epoch_of() { # NAME
	sed -n 's/^leading //p' "$T/$1.log"
}

# The second leads when the first has released the Lease; stopped for longer than it may lead, it
# ends before it does anything else.
leadership_is_handed_on_and_ends_in_time() {
	local first

	lead_start first 3000
	first=$LEAD_PID
	wait_for 20 "the first leads" grep -q leading "$T/first.log" || return 1
	lead_start second 60000
	wait "$first" || { cat "$T/first.log"; return 1; }
	wait_for 3 "the second leads at once" grep -q leading "$T/second.log" || return 1
	[ "$(epoch_of second)" -gt "$(epoch_of first)" ] || return 1
	kill -STOP "$LEAD_PID" && sleep 2.5 && kill -CONT "$LEAD_PID" || return 1
	wait "$LEAD_PID"
	[ $? -eq 1 ] && grep -q 'not renewed in time' "$T/second.log" && return
	cat "$T/second.log"
	return 1
}

cluster_start
check "calls" "$SMOKE" "$KUBECONFIG" calls
check "1200 objects" "$SMOKE" "$KUBECONFIG" many 1200
check "leadership goes on with a higher epoch; a frozen leader ends" \
	leadership_is_handed_on_and_ends_in_time
check "a watch goes on after the server stopped for 3 s" goes_on_after_a_restart
check "a watch goes on after the server was killed" goes_on_after_a_kill
# Not in check, which runs it in a shell of its own: it is ended at the end.
proxy_start proxy > /dev/null
check "a proxy starts" test -s "$T/proxy.kubeconfig"
check "a watch goes on after its connection was cut" goes_on_after_a_cut
check "a watch in a black hole is noticed" notices_a_black_hole
finish
