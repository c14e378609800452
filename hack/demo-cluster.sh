#!/bin/bash
# pi.yaml on a real control plane on loopback with three agents: what `make demo-cluster` runs.
# Everything lies in one temporary folder and is stopped at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
job=${1:-kernels/pi.yaml}
name=$(basename "$job" .yaml)
dir=$(mktemp -d "${TMPDIR:-/tmp}/kwarp-demo.XXXXXX")
pids=()

cleanup() {
	trap - EXIT
	trap '' INT TERM HUP
	for pid in "${pids[@]}"; do
		kill "$pid" 2> /dev/null || true
	done
	wait
	TESTCLUSTER_FAST=1 hack/testcluster stop "$dir/cluster"
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

say() {
	printf '\n$ %s\n' "$*"
}

echo "starting etcd, kube-apiserver, controller-manager, scheduler"
hack/testcluster start "$dir/cluster"
export KUBECONFIG=$dir/cluster/kubeconfig PATH=$dir/cluster/bin:$PWD/bin:$PATH
say "kubectl apply --server-side -f crds/"
kubectl apply --server-side -f crds/
kubectl wait --for=condition=Established --timeout=60s crd/warpjobs.kwarp.dev crd/warpnodes.kwarp.dev > /dev/null
address=127.0.0.1:$(free_port)
say "kwarp-controller --data-address $address --public-address $address --store $dir/store &"
kwarp-controller --data-address "$address" --public-address "$address" --store "$dir/store" 2> "$dir/controller.log" &
pids+=($!)
for _ in $(seq 100); do
	kubectl get configmap kwarp-data-plane -n kwarp-system > /dev/null 2>&1 && break
	sleep 0.2
done
for n in node-1 node-2 node-3; do
	say "kubectl warp node add $n > $n.join; kwarp-agent --join $n.join &"
	kubectl-warp node add "$n" > "$dir/$n.join"
	kwarp-agent --join "$dir/$n.join" --slots 1 --state "$dir/$n.state" 2> "$dir/$n.log" &
	pids+=($!)
done
kubectl wait --for=condition=Ready --timeout=30s warpnode/node-1 warpnode/node-2 warpnode/node-3 > /dev/null
say "kubectl get warpnodes"
kubectl get warpnodes
say "kubectl apply -f $job; kubectl get warpjobs -w"
kubectl apply -f "$job"
timeout 900 kubectl get warpjobs "$name" -w &
watch=$!
kubectl wait --for=condition=Complete --timeout=900s "warpjob/$name" > /dev/null
sleep 1
kill "$watch" 2> /dev/null || true
say "kubectl get pods -l kwarp.dev/job=$name | tail -5"
kubectl get pods -l "kwarp.dev/job=$name" | tail -5
say "kubectl get warpjobs -o wide"
kubectl get warpjobs -o wide
