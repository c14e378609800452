#!/bin/bash
#
# test_cases.sh - the jobs of kernels/ on a cluster give exactly the values and classes of
# expected.json: with three agents of 1 and of 8 slots, one chunk per slice, three replicas. Those
# with large data work or are refused with a reason.
#
#   KWARP_SLOW=1   more combinations of these
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

CASES="pi-small pi-edge primes scale-add reducers pi"
LARGE="mandelbrot matmul"
NODES="a1 a2 a3"

# Applies the job of a file with a changed spec, as CASE-VARIANT.
apply_case() { # CASE VARIANT SPEC-JSON
	k patch --local -f "$ROOT/kernels/$1.yaml" --type=merge -o json \
		-p "{\"metadata\":{\"name\":\"$1-$2\"},\"spec\":$3}" > "$T/$1-$2.json" &&
		k create -f "$T/$1-$2.json" > /dev/null
}

ended() { # JOB
	local state

	state=$(k get warpjob "$1" -o 'jsonpath={.status.state} {.status.progress} {.status.why}')
	echo "$state"
	[[ $state == Complete* || $state == Failed* ]]
}

# The values and classes of expected.json, all chunks accepted by vote, nothing else said.
is_right() { # CASE VARIANT REPLICAS
	wait_for 120 "$1-$2 has ended" ended "$1-$2" || return 1
	k get warpjob "$1-$2" -o json > "$T/$1-$2.got" || return 1
	python3 - "$ROOT/kernels/expected.json" "$1" "$T/$1-$2.got" "$3" << 'PY'
import json
import sys

SIZE = {"i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}
expected = json.load(open(sys.argv[1]))[sys.argv[2]]
status = json.load(open(sys.argv[3]))["status"]
results = {r["name"]: r for r in status.get("results", [])}
conditions = {c["type"]: c["status"] for c in status.get("conditions", [])}
wrong = []
if status["state"] != "Complete":
    wrong.append(f"state is {status['state']}: {status.get('why')}")
for name, want in expected.items():
    got = dict(results.get(name, {}))
    if got:
        got["bytes"] = got["length"] * SIZE.get(got.get("type"), 0)
    wrong += [f"{name}.{k} is {got.get(k)}, expected {v}" for k, v in want.items() if got.get(k) != v]
extra = set(results) - set(expected)
if extra:
    wrong.append(f"results nobody expects: {extra}")
chunks = status["chunks"]
if chunks["accepted"] != chunks["total"] or chunks.get("failed") or chunks.get("unverified"):
    wrong.append(f"chunks are {chunks}")
replicas = int(sys.argv[4])
if status["verify"]["replicas"] != replicas or conditions.get("Verified") != "True":
    wrong.append(f"verify is {status['verify']}, Verified {conditions.get('Verified')}")
if status["replicas"].get("mismatched"):
    wrong.append(f"replicas are {status['replicas']}")
print(*wrong, sep="\n")
sys.exit(bool(wrong))
PY
}

# All cases at once, then each one's results.
variant() { # NAME REPLICAS SPEC-JSON
	local name=$1 replicas=$2 case

	for case in $CASES; do
		apply_case "$case" "$name" "$3" || fail "$case-$name" "was not created"
	done
	for case in $CASES; do
		check "$case-$name" is_right "$case" "$name" "$replicas"
	done
	k delete warpjobs --all > /dev/null
}

# Every agent ends cleanly and starts again with that many slots.
slots_become() { # SLOTS
	local node

	for node in $NODES; do
		kill -TERM "${PIDS[$node]}"
		wait "${PIDS[$node]}" || fail "agent $node ends cleanly" "exit $?"
		agent_again "$node" --slots "$1"
		PIDS[$node]=$AGENT_PID
	done
	for node in $NODES; do
		wait_field 30 "warpnode/$node" .status.slots "$1" || abort "$node has no $1 slots"
	done
}

# Too large to return in a status: a result that is right all the same, or a clear no.
large_case() { # CASE
	local input=$ROOT/kernels/$1-input.yaml state

	if [ -e "$input" ]; then
		k apply --server-side -f "$input" > /dev/null || return 1
	fi
	apply_case "$1" large '{}' || return 1
	wait_for 60 "$1-large has ended" ended "$1-large" || return 1
	state=$(ended "$1-large")
	case $state in
	Complete*) is_right "$1" large 2 ;;
	*) echo "$state" && k get warpjob "$1-large" \
		-o 'jsonpath={.status.conditions[?(@.type=="Failed")].message}' |
		grep -E '(partial|state|result|input|bytes).*[0-9]{4}' ;;
	esac
}

cluster_start
crds_apply
controller_start || abort "no controller"
declare -A PIDS
for node in $NODES; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
	PIDS[$node]=$AGENT_PID
done

variant slots1 2 '{}'
if [ "${KWARP_SLOW:-}" = 1 ]; then
	variant single1 2 '{"chunksPerSlice":1}'
fi
slots_become 8
variant slots8 2 '{}'
variant single8 2 '{"chunksPerSlice":1}'
variant three 3 '{"verify":{"replicas":3,"agree":2}}'
if [ "${KWARP_SLOW:-}" = 1 ]; then
	variant all3 3 '{"verify":{"replicas":3,"agree":3},"chunksPerSlice":1}'
fi
for case in $LARGE; do
	check "$case works or is refused with a reason" large_case "$case"
done
finish
