#!/bin/bash
#
# test_lifecycle.sh - what people do with jobs and pods: watch, wait, describe, delete, in every way.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

apply() { # NAME CHUNKS [SPEC-LINE...]
	pi_job "$@" | k apply -f - > "$T/apply.log" 2>&1 || cat "$T/apply.log"
}

# A job that is still busy when the test comes to it.
slow() { # NAME
	SAMPLES=268435456 apply "$1" 250 'chunksPerSlice: 1' 'parallelism: 4'
	wait_for 30 "$1 has two running pods" running_pods "$1" 2
}

pods_of() { k get pods -l "kwarp.dev/job=$1" -o name; }
running_pods() { # NAME AT-LEAST
	local n

	n=$(k get pods -l "kwarp.dev/job=$1" --field-selector=status.phase=Running -o name | wc -l)
	echo "$n running"
	[ "$n" -ge "$2" ]
}
no_pods() { [ -z "$(pods_of "$1")" ]; }
gone() { ! k get "$1" 2> /dev/null; }

says() { # FILE TEXT...
	local file=$1 text

	shift
	for text in "$@"; do
		grep -q -- "$text" "$file" || {
			echo "no \"$text\" in: $(tail -n 60 "$file")"
			return 1
		}
	done
}

all_pods_are() { # NAME PHASE
	local other

	other=$(k get pods -l "kwarp.dev/job=$1" \
		-o 'jsonpath={range .items[*]}{.status.phase}{"\n"}{end}' | grep -vx "$2")
	echo "other phases: $other"
	[ -z "$other" ]
}

cluster_start
crds_apply
controller_start
for node in a1 a2 a3; do
	agent_start "$node" --slots 2 || abort "agent $node did not become ready"
done

# ---- looking -------------------------------------------------------------------------------------

spawn watch kubectl get warpjobs -w
apply pi 100 'chunksPerSlice: 5'
check "kubectl wait sees the end" completes pi
check "the sum is exact" field_is warpjob/pi '.status.results[0].value' 20590316
check "kubectl get -w shows progress and the end" \
	wait_for 5 "Complete in the watch" says "$T/watch.log" Running 'Complete *100/100'
k describe warpjob pi > "$T/describe"
check "kubectl describe shows events and conditions" says "$T/describe" Events: Complete
check "pods are found by label" test -n "$(pods_of pi)"
check "pods have succeeded" wait_for 10 "all Succeeded" all_pods_are pi Succeeded
k describe node kwarp > "$T/describe"
check "the virtual Node is described" says "$T/describe" kwarp.dev/slots

apply narrow 100 'chunksPerSlice: 10' 'parallelism: 1'
check "a job with parallelism 1 and 2 replicas ends" completes narrow
check "exactly" field_is warpjob/narrow '.status.results[0].value' 20590316

# ---- deleting ------------------------------------------------------------------------------------

k delete warpjob pi > /dev/null
check "deleting a finished job removes its pods" wait_for 60 "no pods" no_pods pi

slow away
k delete warpjob away > /dev/null
check "deleting a running job removes its pods" wait_for 60 "no pods" no_pods away

slow orphan
k delete warpjob orphan --cascade=orphan > /dev/null
check "orphaned pods are ended" wait_for 30 "a pod JobGone" sh -c \
	"kubectl get pods -l kwarp.dev/job=orphan -o 'jsonpath={.items[*].status.reason}' | grep JobGone"
check "none of them runs on" wait_for 10 "none running" sh -c \
	"! kubectl get pods -l kwarp.dev/job=orphan --field-selector=status.phase=Running -o name | grep ."
check "orphaned pods stay" test -n "$(pods_of orphan)"
k delete pods -l kwarp.dev/job=orphan > /dev/null
check "they can be deleted" wait_for 30 "no pods" no_pods orphan

apply pick 100 'chunksPerSlice: 1' 'parallelism: 4'
for _ in 1 2 3 4 5 6 7 8; do
	k delete pod --wait=false "$(k get pods -l kwarp.dev/job=pick -o name | tail -n 1)" \
		> /dev/null 2>&1
done
check "a job whose pods are deleted completes" completes pick
check "and its sum is exact" field_is warpjob/pick '.status.results[0].value' 20590316

apply nodeless 100 'chunksPerSlice: 1' 'parallelism: 4'
k delete node kwarp > /dev/null
check "a deleted virtual Node comes back" wait_for 20 "Node Ready" \
	field_is node/kwarp '.status.conditions[?(@.type=="Ready")].status' True
check "and the job completes" completes nodeless
check "with the exact sum" field_is warpjob/nodeless '.status.results[0].value' 20590316

k cordon kwarp > /dev/null
sleep 1
apply later 100
check "a cordoned Node pauses dispatches" wait_for 10 "why" sh -c \
	"kubectl get warpjob later -o 'jsonpath={.status.why}' | grep -qi cordon"
k uncordon kwarp > /dev/null
check "uncordoned, it goes on" completes later

k create namespace doomed > /dev/null
SAMPLES=268435456 pi_job gone 250 'chunksPerSlice: 1' 'parallelism: 4' | k apply -n doomed -f - > /dev/null
wait_for 30 "pods" sh -c "kubectl get pods -n doomed -o name | grep -q ." > /dev/null
kill -TERM "$CONTROLLER_PID"
wait "$CONTROLLER_PID"
check "the controller ends cleanly on SIGTERM" test $? -eq 0
k delete namespace doomed --wait=false > /dev/null
check "a namespace goes while no controller runs" wait_for 60 "namespace gone" gone namespace/doomed
controller_again
apply after 100
check "the next controller serves the next job" completes after 90
check "exactly" field_is warpjob/after '.status.results[0].value' 20590316

k delete warpjobs --all > /dev/null
check "nothing is left" wait_for 60 "no pods at all" sh -c "! kubectl get pods -A -l kwarp.dev/job -o name | grep ."
finish
