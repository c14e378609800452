#!/bin/bash
#
# test_order.sh - a kernel whose result depends on the order of its invocations is found by a probe on
# one node and refused, and that node goes on.

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

cluster_start
crds_apply
controller_start
for node in a1 a2; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
done

sed -e 's/name: pi-small/name: racy/' -e 's/atomicAdd(&hits, inside)/atomicStore(\&hits, inside)/' \
	"$ROOT/kernels/pi-small.yaml" > "$T/racy.yaml"
k apply -f "$T/racy.yaml" > "$T/apply.log" || abort "$(cat "$T/apply.log")"
check "a job whose result depends on the order fails" wait_field 30 warpjob/racy .status.state Failed
check "for that reason" field_is warpjob/racy \
	'.status.conditions[?(@.type=="Failed")].reason' KernelNotComparable
k get warpjob racy -o wide

# The same job without a cluster: $1, and arguments of `run`.
refuses_racy() {
	"$BIN/kubectl-warp" run "${@:2}" -f "$T/$1.yaml" > "$T/run.log" 2>&1
	[ $? -eq 1 ] && grep -q 'KernelNotComparable: .*in another order gave another result' "$T/run.log"
}
check "kubectl warp run refuses it, too" refuses_racy racy
check "also for a Vulkan device" refuses_racy racy --device vulkan
sed 's/replicas: 2/replicas: 1/; s/agree: 2/agree: 1/' "$T/racy.yaml" > "$T/alone.yaml"
check "but not when one result is enough" "$BIN/kubectl-warp" run -f "$T/alone.yaml"

sed 's/name: pi-small/name: next/' "$ROOT/kernels/pi-small.yaml" | k apply -f - > "$T/apply.log" ||
	abort "$(cat "$T/apply.log")"
check "the nodes do the next job" wait_field 60 warpjob/next .status.state Complete
check "and its sum is exact" field_is warpjob/next '.status.results[0].value' 20590316
finish
