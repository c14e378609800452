# shellcheck shell=bash
#
# lib.sh - what integration tests share; to be sourced first.
#
#     . "$(dirname "$0")/lib.sh"
#     cluster_start
#     crds_apply
#     check "the job ends" wait_field 30 warpjob/pi .status.state Complete
#     finish
#
# Everything that a test makes lies in T and ends with the test, also when it is interrupted:
# processes of `spawn`, the cluster, the files. KWARP_TEST_KEEP=1 keeps the files.
#
#   KWARP_BIN         folder of the programs under test [bin in the tree]
#   KWARP_KUBECONFIG  use this cluster instead of starting one

# With pipefail, `| grep -q` may fail what it found: it ends first, and the writer dies of SIGPIPE. So `| grep X > /dev/null`.
set -uo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export BIN=${KWARP_BIN:-$ROOT/bin}
T=$(mktemp -d "${TMPDIR:-/tmp}/kwarp-test.XXXXXX")
PASSED=0
FAILED=0
CLUSTERS=() # folders of started clusters
SPAWNED=()  # process ids of spawn

cleanup() {
	local pid dir children

	# Not the default action: who interrupts often signals twice, the group and the shell.
	trap - EXIT
	trap '' INT TERM HUP
	# Only who still is our child: the number of one that has ended may be another's by now.
	children=" $(pgrep -P $$ | tr '\n' ' ')"
	for pid in "${SPAWNED[@]}"; do
		[[ $children == *" $pid "* ]] || continue
		kill -KILL "$pid" 2> /dev/null
		wait "$pid" 2> /dev/null
	done
	for dir in "${CLUSTERS[@]}"; do
		TESTCLUSTER_FAST=1 "$ROOT/hack/testcluster" stop "$dir"
	done
	if [ "${KWARP_TEST_KEEP:-}" = 1 ]; then
		echo "kept: $T" >&2
	else
		rm -rf "$T"
	fi
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# ---- results -------------------------------------------------------------------------------------

pass() { # NAME
	PASSED=$((PASSED + 1))
	echo "ok   $1"
}

fail() { # NAME [REASON]
	FAILED=$((FAILED + 1))
	echo "FAIL $1${2:+: $2}"
}

# The test named NAME passes when COMMAND succeeds; its output is shown when it does not.
check() { # NAME COMMAND...
	local name=$1 out

	shift
	if out=$("$@" 2>&1); then
		pass "$name"
	else
		fail "$name" "$out"
	fi
}

# What programs say when they find a fault in themselves; a supervisor may have started them again.
no_faults() {
	! grep -HE 'assertion failed|ERROR: [A-Za-z]+Sanitizer|WARNING: ThreadSanitizer|runtime error:' \
		"$T"/*.log 2> /dev/null
}

# The last line of every integration test, read by whoever counts.
finish() {
	no_faults > "$T/faults" || fail "no program finds a fault in itself" "$(head -n 5 "$T/faults")"
	echo "$PASSED passed, $FAILED failed"
	[ "$FAILED" -eq 0 ] && [ "$PASSED" -gt 0 ]
	exit
}

# For what has to work before there is anything to test.
abort() { # MESSAGE
	fail setup "$1"
	finish
}

# ---- waiting -------------------------------------------------------------------------------------

# Repeats COMMAND until it succeeds; returns 1 after SECONDS and says what it waited for.
wait_for() { # SECONDS WHAT COMMAND...
	local end_s=$((SECONDS + $1)) limit=$1 what=$2

	shift 2
	until "$@" > "$T/wait.out" 2>&1; do
		if [ "$SECONDS" -ge "$end_s" ]; then
			echo "after $limit s still not: $what; last: $(tail -n 3 "$T/wait.out")"
			return 1
		fi
		sleep 0.1
	done
}

field_is() { # OBJECT JSONPATH VALUE
	local got

	got=$(k get "$1" -o "jsonpath={$2}" 2>&1)
	echo "$1 $2 = $got"
	[ "$got" = "$3" ]
}

wait_field() { # SECONDS OBJECT JSONPATH VALUE
	wait_for "$1" "$2 $3 = $4" field_is "$2" "$3" "$4"
}

# ---- clusters and processes ----------------------------------------------------------------------

# Starts a cluster in T/NAME [cluster] and makes it the current one (KUBECONFIG, k). With
# KWARP_KUBECONFIG that cluster is used and left as it is.
cluster_start() { # [NAME]
	local dir=$T/${1:-cluster}

	if [ -n "${KWARP_KUBECONFIG:-}" ]; then
		export KUBECONFIG=$KWARP_KUBECONFIG
		return
	fi
	CLUSTERS+=("$dir")
	"$ROOT/hack/testcluster" start "$dir" || abort "the cluster did not start"
	export KUBECONFIG=$dir/kubeconfig PATH=$dir/bin:$PATH
	export CLUSTER=$dir # for hack/testcluster stop-apiserver and so on
}

k() { kubectl "$@"; }

# Installs the CRDs and returns when objects of them are accepted, a moment after they are listed.
crds_apply() {
	local kind plural

	k apply -f "$ROOT/crds" > /dev/null || abort "the CRDs were refused"
	for kind in "$ROOT"/crds/*.yaml; do
		plural=$(basename "$kind" .yaml)
		wait_for 30 "$plural are served" k get --raw "/apis/kwarp.dev/v1alpha1/$plural" ||
			abort "$plural are not served"
	done
	wait_for 30 "a custom resource is accepted" k create --dry-run=server -f - << 'END' ||
apiVersion: kwarp.dev/v1alpha1
kind: WarpQueue
metadata: {name: probe}
spec: {weight: 1}
END
		abort "custom resources are not accepted"
}

# Starts COMMAND in the background; its output goes to T/NAME.log and its id to SPAWN_PID.
spawn() { # NAME COMMAND...
	local name=$1

	shift
	"$@" >> "$T/$name.log" 2>&1 < /dev/null &
	SPAWN_PID=$!
	SPAWNED+=("$SPAWN_PID")
}

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Puts a faulty network between a program and the API server: T/NAME.kubeconfig goes through it.
# `proxy_say NAME blackhole` and so on; the commands stand in test/tools/faultproxy.py.
proxy_start() { # NAME
	local target port

	target=$(k config view --raw -o 'jsonpath={.clusters[0].cluster.server}')
	port=$(free_port)
	spawn "$1" python3 "$ROOT/test/tools/faultproxy.py" --listen "127.0.0.1:$port" \
		--target "${target#https://}" --control "$T/$1.sock"
	wait_for 10 "the proxy answers" proxy_say "$1" stat || return 1
	sed "s|$target|https://127.0.0.1:$port|" "$KUBECONFIG" > "$T/$1.kubeconfig"
}

proxy_say() { # NAME COMMAND...
	local name=$1

	shift
	python3 "$ROOT/test/tools/faultproxy.py" --control "$T/$name.sock" --say "$*"
}

# ---- the programs under test ---------------------------------------------------------------------

# Starts a controller for the current cluster; CONTROLLER_PID is its id, T/controller.log its log.
# It serves agents on CONTROLLER_PORT, which controller_again uses once more.
controller_start() { # [ARG...]
	CONTROLLER_PORT=$(free_port)
	export CONTROLLER_PORT
	controller_again "$@"
	wait_for 30 "the controller has written its data plane's address" \
		k -n kwarp-system get configmap kwarp-data-plane
}

controller_again() { # [ARG...]
	spawn controller "$BIN/kwarp-controller" --kubeconfig "$KUBECONFIG" \
		--data-address "127.0.0.1:$CONTROLLER_PORT" \
		--public-address "127.0.0.1:$CONTROLLER_PORT" "$@"
	export CONTROLLER_PID=$SPAWN_PID
}

node_add() { # NAME : prints a join file
	"$BIN/kubectl-warp" node add "$1"
}

# Adds a node and starts its agent; AGENT_PID is its id, T/agent-NAME.log its log.
agent_start() { # NAME [ARG...]
	local name=$1

	shift
	node_add "$name" > "$T/$name.join" || return 1
	agent_again "$name" "$@"
	wait_field 30 "warpnode/$name" '.status.conditions[?(@.type=="Ready")].status' True
}

# Starts the agent of a node that was added before: same credential, same state.
agent_again() { # NAME [ARG...]
	local name=$1

	shift
	spawn "agent-$name" "$BIN/kwarp-agent" --join "$T/$name.join" --state "$T/state-$name" "$@"
	export AGENT_PID=$SPAWN_PID
}

# A job made from kernels/pi-small.yaml, on standard output: another name, so many chunks, more
# lines of spec. SAMPLES per chunk [262144]; pi-small's own sum is 20590316.
pi_job() { # NAME CHUNKS [SPEC-LINE...]
	local name=$1 chunks=$2 line

	shift 2
	sed -e "s/^  name: pi-small/  name: $name/" -e "s/^    count: 100/    count: $chunks/" \
		-e "s/262144/${SAMPLES:-262144}/" "$ROOT/kernels/pi-small.yaml"
	for line in "$@"; do
		echo "  $line"
	done
}

completes() { # NAME [SECONDS]
	wait_for "${2:-60}" "$1 is Complete" \
		k wait --for=condition=Complete --timeout=1s "warpjob/$1"
}

# ---- the jobs of kernels/ and expected.json ------------------------------------------------------

# Those that run on every cluster, and those whose results need a controller with --store.
export CASES="pi-small pi-edge primes scale-add reducers pi"
export LARGE_CASES="mandelbrot matmul"

# Applies the job of a file under another name, with a changed spec.
case_apply() { # CASE JOB SPEC-JSON
	local input=$ROOT/kernels/$1-input.yaml

	if [ -e "$input" ]; then
		k apply --server-side -f "$input" > /dev/null || return 1
	fi
	k patch --local -f "$ROOT/kernels/$1.yaml" --type=merge -o json \
		-p "{\"metadata\":{\"name\":\"$2\"},\"spec\":$3}" > "$T/$2.json" &&
		k create -f "$T/$2.json" > /dev/null
}

job_ended() { # JOB
	local state

	state=$(k get warpjob "$1" -o 'jsonpath={.status.state} {.status.progress} {.status.why}')
	echo "$state"
	[[ $state == Complete* || $state == Failed* ]]
}

# The values and classes of expected.json, all chunks accepted by vote, nothing else said.
case_is_right() { # CASE JOB REPLICAS
	wait_for 120 "$2 has ended" job_ended "$2" || return 1
	k get warpjob "$2" -o json > "$T/$2.got" || return 1
	python3 - "$ROOT/kernels/expected.json" "$1" "$T/$2.got" "$3" << 'PY'
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
