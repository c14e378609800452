#!/bin/bash
#
# test_rbac.sh - the controller works with the rights of deploy/rbac.yaml and is never refused.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

WHO=system:serviceaccount:kwarp-system:kwarp-controller

# A kubeconfig that has the ServiceAccount's token and nothing else.
account_config() {
	local token

	token=$(k -n kwarp-system create token kwarp-controller --duration=1h) || return 1
	k config view --raw --minify --flatten > "$T/account.kubeconfig"
	k --kubeconfig "$T/account.kubeconfig" config unset users > /dev/null
	k --kubeconfig "$T/account.kubeconfig" config set-credentials account --token "$token" \
		> /dev/null
	k --kubeconfig "$T/account.kubeconfig" config set-context --current --user=account > /dev/null
}

is_gone() { # OBJECT
	! k get "$1" > "$T/gone" 2>&1 && grep -q NotFound "$T/gone"
}

has_events() {
	[ -n "$(k get events --field-selector involvedObject.name=pi -o name)" ]
}

# What the API server refused to the controller, from its audit log.
refused_nothing() {
	python3 - "$CLUSTER/log/audit.log" "$WHO" << 'PY'
import json
import sys

seen = set()
for line in open(sys.argv[1]):
    event = json.loads(line)
    if event["user"]["username"] != sys.argv[2] or "responseStatus" not in event:
        continue
    ref = event.get("objectRef", {})
    what = " ".join((event["verb"], ref.get("resource", "?"), ref.get("subresource", ""), ref.get("namespace", "")))
    seen.add((event["responseStatus"].get("code"), what))
refused = sorted(what for code, what in seen if code in (401, 403))
print("refused:", *refused, sep="\n")
sys.exit(bool(refused) or len(seen) < 10)
PY
}

may_not() { # VERB RESOURCE [ARG...]
	local answer

	answer=$(k auth can-i "$@" --as "$WHO" 2> /dev/null)
	echo "$*: $answer"
	[ "$answer" = no ]
}

cluster_start
crds_apply
k apply -f "$ROOT/deploy/rbac.yaml" > /dev/null || abort "deploy/rbac.yaml was refused"
account_config || abort "no token"
CONTROLLER_PORT=$(free_port)
export CONTROLLER_PORT
KUBECONFIG=$T/account.kubeconfig controller_again
wait_for 30 "the controller has written its data plane's address" \
	k -n kwarp-system get configmap kwarp-data-plane || abort "no controller"
for node in one two; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
done
check "the virtual Node has its Lease" k -n kube-node-lease get lease kwarp
pi_job pi 8 "ttlSecondsAfterFinished: 20" | k apply -f - > /dev/null
check "a job completes" completes pi 120
# One by hand: large results are tested elsewhere.
k create -f - > /dev/null << END
apiVersion: kwarp.dev/v1alpha1
kind: WarpTicket
metadata: {name: mine}
spec: {jobRef: {name: pi}, expirationSeconds: 10, tokenSha256: "$(printf 0%.0s {1..64})"}
END
check "a ticket is answered" wait_field 10 warpticket/mine \
	'.status.conditions[?(@.type=="Ready")].reason' NoStore
check "events are written" wait_for 20 "events of pi" has_events
check "a finished job is deleted after its time" wait_for 60 "pi is gone" is_gone warpjob/pi
check "an expired ticket is deleted" wait_for 90 "ticket mine is gone" is_gone warpticket/mine
check "nothing was refused" refused_nothing
check "Secrets of others are none of its business" may_not get secrets -n default
check "it cannot change jobs" may_not update warpjobs.kwarp.dev
check "it makes no tickets" may_not create warptickets.kwarp.dev
check "it cannot give rights" may_not create clusterrolebindings.rbac.authorization.k8s.io
finish
