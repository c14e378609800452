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
	"$ROOT/kernels/pi-small.yaml" | k apply -f - > "$T/apply.log" || abort "$(cat "$T/apply.log")"
check "a job whose result depends on the order fails" wait_field 30 warpjob/racy .status.state Failed
check "for that reason" field_is warpjob/racy \
	'.status.conditions[?(@.type=="Failed")].reason' KernelNotComparable
k get warpjob racy -o wide

sed 's/name: pi-small/name: next/' "$ROOT/kernels/pi-small.yaml" | k apply -f - > "$T/apply.log" ||
	abort "$(cat "$T/apply.log")"
check "the nodes do the next job" wait_field 60 warpjob/next .status.state Complete
check "and its sum is exact" field_is warpjob/next '.status.results[0].value' 20590316
finish
