#!/bin/bash
#
# test_testcluster.sh - the test cluster itself and the misbehaving proxy: what other tests stand on.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
unset KWARP_KUBECONFIG

TC=$ROOT/hack/testcluster

processes_of() { # FOLDER : ids of everything that names it
	grep -lFs -- "$1/" /proc/[0-9]*/cmdline | cut -d/ -f3 | grep -vx $$
}

nothing_left() { # FOLDER
	local pid

	for pid in $(processes_of "$1"); do
		if [[ $(cat "/proc/$pid/comm") =~ ^(etcd|kube-|kwok|testcluster) ]]; then
			echo "process $pid is left"
			return 1
		fi
	done
}

starts_side_by_side() {
	"$TC" start "$T/one" &
	"$TC" start "$T/two" || return 1
	wait $! || return 1
	[ "$(cat "$T/one/ports")" != "$(cat "$T/two/ports")" ]
}

kubectl_of() { # CLUSTER ARG...
	local c=$T/$1

	shift
	"$c/bin/kubectl" --kubeconfig "$c/kubeconfig" "$@"
}

have_their_own_data() {
	kubectl_of one create configmap mine || return 1
	! kubectl_of two get configmap mine
}

checks_rights() {
	kubectl_of one create serviceaccount nobody || return 1
	! kubectl_of one --as=system:serviceaccount:default:nobody get pods
}

keeps_an_audit_log() {
	grep -q '"verb":"create".*"resource":"configmaps".*"name":"mine"' "$T/one/log/audit.log"
}

refuses_a_second_start() {
	! "$TC" start "$T/one"
}

loses_only_the_apiserver() { # stop-apiserver | kill-apiserver
	"$TC" "$1" "$T/one" || return 1
	! kubectl_of one get configmap mine || return 1
	"$TC" start-apiserver "$T/one" || return 1
	kubectl_of one get configmap mine
}

stops_only_its_own() {
	"$TC" stop "$T/two" || return 1
	nothing_left "$T/two" || return 1
	kubectl_of one get --raw /readyz
}

starts_again_with_its_data() {
	"$TC" stop "$T/one" && "$TC" start "$T/one" && kubectl_of one get configmap mine
}

spares_a_stranger_with_the_same_id() {
	mkdir -p "$T/other/pids"
	spawn stranger sleep 60
	echo "$SPAWN_PID 1" > "$T/other/pids/etcd"
	"$TC" stop "$T/other" && kill -0 "$SPAWN_PID"
}

stops_half_started() {
	local pid delay

	for delay in 0.1 0.6 1.5; do
		"$TC" start "$T/half" > /dev/null 2>&1 &
		pid=$!
		sleep "$delay"
		kill -KILL "$pid"
		wait "$pid"
		"$TC" stop "$T/half" || return 1
		nothing_left "$T/half" || return 1
	done
}

runs_pods_on_fake_nodes() {
	"$TC" kwok "$T/one" 2 || return 1
	kubectl_of one create job quick --image=none --dry-run=client -o json |
		sed 's/"restartPolicy"/"tolerations": [{"operator": "Exists"}], &/' |
		kubectl_of one apply -f - || return 1
	kubectl_of one wait --for=condition=Complete job/quick --timeout=20s
}

# A watch through the proxy that writes what it sees to T/watch.log.
watch_through() {
	proxy_start wall || return 1
	spawn watch kubectl --kubeconfig "$T/wall.kubeconfig" get configmaps -o name --watch
	WATCH_PID=$SPAWN_PID
	wait_for 10 "the watch has started" grep -q mine "$T/watch.log"
}

holds_old_connections() {
	proxy_say wall blackhole old || return 1
	k create configmap held || return 1
	k --kubeconfig "$T/wall.kubeconfig" get configmap held || return 1
	sleep 0.5
	! grep held "$T/watch.log" || return 1
	proxy_say wall pass || return 1
	wait_for 10 "the watch goes on where it was held" grep -q held "$T/watch.log"
}

holds_all_connections() {
	proxy_say wall blackhole || return 1
	! k --kubeconfig "$T/wall.kubeconfig" --request-timeout=1s get configmaps || return 1
	proxy_say wall pass
}

delays() {
	local start_ms

	proxy_say wall delay 200 || return 1
	start_ms=$(date +%s%3N)
	k --kubeconfig "$T/wall.kubeconfig" get --raw /healthz || return 1
	[ $(($(date +%s%3N) - start_ms)) -ge 400 ] || return 1
	proxy_say wall pass
}

carries_a_megabyte() {
	head -c 700000 /dev/urandom > "$T/bytes"
	k create configmap big --from-file=data="$T/bytes" || return 1
	k --kubeconfig "$T/wall.kubeconfig" get configmap big -o 'jsonpath={.binaryData.data}' |
		base64 -d | cmp - "$T/bytes"
}

refuses_connections() {
	proxy_say wall refuse || return 1
	! curl -sk "$(k --kubeconfig "$T/wall.kubeconfig" config view \
		-o 'jsonpath={.clusters[0].cluster.server}')"
}

watch_ended() {
	! kill -0 "$WATCH_PID"
}

# Here, not in a function that check runs in a shell of its own: it is stopped at the end.
CLUSTERS+=("$T/one" "$T/two")
check "two clusters start side by side" starts_side_by_side
export KUBECONFIG=$T/one/kubeconfig PATH=$T/one/bin:$PATH
check "clusters share nothing" have_their_own_data
check "rights are checked" checks_rights
check "writes are in the audit log" keeps_an_audit_log
check "a running cluster is not started twice" refuses_a_second_start
check "the API server stops and comes back with its data" loses_only_the_apiserver stop-apiserver
check "the API server is killed and comes back with its data" loses_only_the_apiserver kill-apiserver
check "stop ends only its own cluster" stops_only_its_own
check "a stopped cluster starts again with its data" starts_again_with_its_data
check "a stranger with the same process id is spared" spares_a_stranger_with_the_same_id
check "a half-started cluster is stopped" stops_half_started
check "fake nodes run a job" runs_pods_on_fake_nodes
watch_through || fail "a watch runs through the proxy"
check "the proxy holds old connections and lets them go on" holds_old_connections
check "the proxy holds all connections" holds_all_connections
check "the proxy delays" delays
check "the proxy carries a megabyte unchanged" carries_a_megabyte
check "the proxy refuses connections" refuses_connections
check "the watch was cut" wait_for 10 "the watch ended" watch_ended
finish
