#!/bin/bash
#
# test_virtual_node.sh - the virtual Node among others: DaemonSets, strange pods, quota, readiness;
# and what becomes of jobs after their end.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOLERATE='[{"operator": "Exists"}]'

pod_on_kwarp() { # NAME
	cat << END
apiVersion: v1
kind: Pod
metadata: {name: $1, namespace: default}
spec:
  nodeName: kwarp
  tolerations: $TOLERATE
  containers: [{name: c, image: nothing}]
END
}

why_says() { # NAME TEXT
	k get warpjob "$1" -o 'jsonpath={.status.why}' > "$T/why" && cat "$T/why" && grep -qi -- "$2" "$T/why"
}


gone() { ! k get "$1" 2> /dev/null; }

cluster_start
crds_apply
controller_start --leader-elect=false
for node in a1 a2 a3; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
done
wait_for 20 "the Node is there" k get node kwarp > /dev/null

# ---- other pods ----------------------------------------------------------------------------------

k apply -f - > /dev/null << END
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: logs, namespace: default}
spec:
  selector: {matchLabels: {app: logs}}
  template:
    metadata: {labels: {app: logs}}
    spec:
      tolerations: $TOLERATE
      containers: [{name: c, image: nothing}]
END
check "a DaemonSet counts as rolled out" wait_field 30 daemonset/logs .status.numberReady 1
check "its pod says that it is not run here" sh -c \
	"kubectl get pods -l app=logs -o 'jsonpath={.items[0].status.reason}' | grep -x VirtualNode"
k delete daemonset logs > /dev/null
check "deleting it removes the pod" wait_for 30 "no pod" sh -c \
	"! kubectl get pods -l app=logs -o name | grep ."

pod_on_kwarp stray | k apply -f - > /dev/null
check "a strange pod is told why" wait_field 20 pod/stray .status.reason VirtualNode
check "and stays Pending" field_is pod/stray .status.phase Pending
k delete pod stray --wait=false > /dev/null
check "its deletion is confirmed" wait_for 20 "no pod" gone pod/stray

# ---- readiness -----------------------------------------------------------------------------------

# More than any machine does before the job is deleted below.
SAMPLES=2147483648 pi_job busy 200 'chunksPerSlice: 1' 'parallelism: 2' | k apply -f - > /dev/null
wait_for 60 "a running pod" sh -c \
	"kubectl get pods -l kwarp.dev/job=busy --field-selector=status.phase=Running -o name | grep ." > /dev/null
k patch node kwarp --subresource=status --type=merge \
	-p '{"status":{"conditions":[{"type":"Ready","status":"False","reason":"Test","message":"test"}]}}' > /dev/null
check "the Node is made Ready again" wait_field 30 node/kwarp \
	'.status.conditions[?(@.type=="Ready")].status' True
k label node kwarp type- > /dev/null
check "its label is restored" wait_field 30 node/kwarp .metadata.labels.type virtual-kubelet

# ---- suspend, quota, ttl -------------------------------------------------------------------------

k patch warpjob busy --type=merge -p '{"spec":{"suspend":true}}' > /dev/null
check "suspend stops a job" wait_field 30 warpjob/busy .status.state Suspended
check "and removes its running pods" wait_for 30 "none" sh -c \
	"! kubectl get pods -l kwarp.dev/job=busy --field-selector=status.phase=Running -o name | grep ."
k patch warpjob busy --type=merge -p '{"spec":{"suspend":false}}' > /dev/null
check "resumed, it runs on" wait_field 30 warpjob/busy .status.state Running
wait_for 60 "accepted chunks" sh -c \
	"kubectl get warpjob busy -o 'jsonpath={.status.chunks.accepted}' | grep '[1-9]'" > /dev/null
kill -KILL "$CONTROLLER_PID"
wait "$CONTROLLER_PID" 2> /dev/null
k patch warpjob busy --subresource=status --type=merge -p '{"status":{"partial":"/v////8="}}' > /dev/null
controller_again --leader-elect=false
check "a job whose state a newer version wrote is left alone" wait_for 30 "why" \
	why_says busy version
check "and keeps that state" field_is warpjob/busy .status.partial /v////8=
k delete warpjob busy > /dev/null

k create namespace tight > /dev/null
k create quota none -n tight --hard=pods=0 > /dev/null
sleep 1
pi_job full 100 | k apply -n tight -f - > /dev/null
check "a refused pod is a condition" wait_for 30 "PodsRefused" sh -c \
	"kubectl get warpjob full -n tight -o 'jsonpath={.status.conditions[?(@.type==\"Schedulable\")].reason}' | grep -x PodsRefused"
k delete quota none -n tight > /dev/null
check "and the job goes on when it may" wait_for 90 "Complete" \
	k wait -n tight --for=condition=Complete --timeout=1s warpjob/full

pi_job brief 100 'ttlSecondsAfterFinished: 2' | k apply -f - > /dev/null
check "a job with a ttl completes" completes brief
check "and goes" wait_for 30 "gone" gone warpjob/brief
pi_job picky 100 'where: has("vulkan")' | k apply -f - > /dev/null
check "a job that matches nowhere says so" wait_for 20 "why" why_says picky 'lack vulkan'
finish
