#!/bin/bash
#
# test_votes.sh - who may vote, and what a vote is worth: an agent that computes wrongly, one that was
# counted lost and returns, two that offer forged results for every chunk after the controller has
# started anew; two replicas one after the other.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

declare -A PID

start() { # NODE [ARG...]
	agent_start "$@" || abort "agent $1 did not become ready"
	PID[$1]=$AGENT_PID
}

end() { # SIGNAL NODE
	kill "-$1" "${PID[$2]}"
	wait "${PID[$2]}" 2> /dev/null
}

ready() { wait_field "$1" "warpnode/$2" '.status.conditions[?(@.type=="Ready")].status' "$3"; }

# pi's kernel in 40 chunks; two agents vote unless it says otherwise.
apply() { # NAME VERIFY [SPEC-LINE...]
	local name=$1 verify=$2

	shift 2
	pi_job "$name" 40 "verify: $verify" "$@" | sed '/^  verify:$/,/^    agree/d' |
		k apply -f - > "$T/apply.log" 2>&1 || cat "$T/apply.log"
}

at_least() { # OBJECT JSONPATH N
	local got

	got=$(k get "$1" -o "jsonpath={$2}")
	echo "$1 $2 = $got"
	[ "${got:-0}" -ge "$3" ]
}

sum_of() { # NAME
	field_is "warpjob/$1" '.status.results[0].value' "$SUM" &&
		field_is "warpjob/$1" .status.progress 40/40
}

why_says() { # NAME PATTERN
	local got

	got=$(k get warpjob "$1" -o 'jsonpath={.status.why}')
	echo "why: $got"
	grep -qE "$2" <<< "$got"
}

cluster_start
crds_apply
controller_start --leader-elect=false || abort "no controller"
for node in a1 a2 a3; do
	start "$node" --slots 1
done

# ---- one after the other -------------------------------------------------------------------------

SUM=8236314
apply serial '{replicas: 2, agree: 2}' 'parallelism: 1' 'chunksPerSlice: 4'
check "parallelism 1 with two replicas ends" completes serial
check "exactly" sum_of serial

# ---- float functions -----------------------------------------------------------------------------

floats() { # NAME NUMERICS
	k apply -f - > "$T/apply.log" 2>&1 << EOF || cat "$T/apply.log"
apiVersion: kwarp.dev/v1alpha1
kind: WarpJob
metadata: {name: $1}
spec:
  kernel:
    wgsl: |
      struct Params { first: u32 }
      @group(0) @binding(0) var<uniform> params: Params;
      @group(0) @binding(1) var<storage, read_write> o: array<f32>;
      @compute @workgroup_size(64)
      fn main(@builtin(global_invocation_id) id: vec3u) {
        let x = f32(params.first + id.x);
        o[id.x] = sin(x * 1000.0) / (x + 3.0) + exp(-x * 0.01) + pow(x, 0.3);
      }
  chunks: {count: 4, params: {first: "chunk * 64"}}
  outputs: [{name: o, length: "64", reduce: Concat}]
  verify: {replicas: 3, agree: 3, maxReplicas: 3, numerics: $2}
EOF
}

floats loose Native
check "what has no fixed bits is not compared by digest" wait_field 30 warpjob/loose \
	'.status.conditions[?(@.type=="Failed")].reason' KernelNotComparable
check "and the way out is named" \
	grep -q 'verify.numerics: Strict' <<< "$(k get warpjob loose -o 'jsonpath={.status.conditions}')"
floats strict Strict
check "with numerics: Strict three nodes agree on it" completes strict
check "bit by bit" field_is warpjob/strict .status.replicas.mismatched 0
check "its class is Deterministic" field_is warpjob/strict '.status.results[0].class' Deterministic

# ---- a liar --------------------------------------------------------------------------------------

end TERM a3
KWARP_RUNNER_HOSTILE=lie agent_again a3 --slots 1
PID[a3]=$AGENT_PID
check "a liar passes its self-test" ready 30 a3 True
apply outvoted '{replicas: 3, agree: 2}' 'chunksPerSlice: 4'
check "two right against one wrong: complete" completes outvoted
check "exactly" sum_of outvoted
# Two equal results decide before the third is there: not every wrong one was a vote.
check "wrong results are counted" at_least warpjob/outvoted .status.replicas.mismatched 1
mismatched=$(k get warpjob outvoted -o 'jsonpath={.status.replicas.mismatched}')
check "in the column MISMATCHED, too" sh -c "kubectl get warpjob outvoted | grep -q ' 40/40 *$mismatched '"
check "a vote of all is verified" \
	field_is warpjob/outvoted '.status.conditions[?(@.type=="Verified")].status' True
apply disputed '{replicas: 2, agree: 2}' 'chunksPerSlice: 4'
check "disputed chunks get one more opinion" completes disputed
check "and are exact" sum_of disputed
mismatched=$((mismatched + $(k get warpjob disputed -o 'jsonpath={.status.replicas.mismatched}')))
check "all of it is said of the liar" wait_field 60 warpnode/a3 .status.trust.mismatched "$mismatched"
check "and only of it" field_is warpnode/a1 .status.trust.mismatched 0
end TERM a3
agent_again a3 --slots 1
PID[a3]=$AGENT_PID
check "an honest agent takes its place" ready 30 a3 True

# ---- colluders, after a restart of the controller ------------------------------------------------

export SAMPLES=536870912
SUM=16866324944
apply forged '{replicas: 2, agree: 2}' 'chunksPerSlice: 1'
check "a job is under way" wait_for 60 "accepted chunks" at_least warpjob/forged .status.chunks.accepted 2
kill -KILL "$CONTROLLER_PID"
wait "$CONTROLLER_PID" 2> /dev/null
end KILL a2
end KILL a3
uid=$(k get warpjob forged -o 'jsonpath={.metadata.uid}')
cp -r "$T/state-a2" "$T/honest-a2"
for node in a2 a3; do
	other=$([ "$node" = a2 ] && echo state-a3 || echo honest-a2)
	python3 "$ROOT/test/tools/forge.py" --job "$uid" --chunks 40 --own "$T/state-$node" \
		--other "$T/$other" || abort "nothing was forged"
done
controller_again --leader-elect=false
for node in a2 a3; do
	agent_again "$node" --slots 1
	PID[$node]=$AGENT_PID
done
for node in a2 a3; do
	check "$node offers forged results and hears no" \
		wait_for 60 "its log" grep -q 'results refused' "$T/agent-$node.log"
done
check "the controller says why" \
	grep -q 'without a valid ticket' "$T/controller.log"
check "the job completes" completes forged 120
check "exactly" sum_of forged
check "what was forged was not even a vote" field_is warpjob/forged .status.replicas.mismatched 0

# ---- lost and found ------------------------------------------------------------------------------

apply found '{replicas: 3, agree: 3, maxReplicas: 3}' 'chunksPerSlice: 1'
check "a job of three nodes is under way" \
	wait_for 60 "accepted chunks" at_least warpjob/found .status.chunks.accepted 2
kill -STOP "${PID[a3]}"
SAMPLES=262144 pi_job meanwhile 100 | k apply -f - > /dev/null
check "an agent that is silent is lost" ready 60 a3 False
check "its attempts are losses" wait_for 20 "lost" at_least warpjob/found .status.replicas.lost 1
check "the job waits and says for what" wait_for 60 "why" why_says found 'node'
check "other jobs go on without it" completes meanwhile
kill -CONT "${PID[a3]}"
check "the agent returns" ready 30 a3 True
check "and its late results are votes" completes found 120
check "exactly" sum_of found
check "the losses stay counted" at_least warpjob/found .status.replicas.lost 1
finish
