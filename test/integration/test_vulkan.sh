#!/bin/bash
#
# test_vulkan.sh - replicas vote across back ends: agents with native code, Mesa's lavapipe and
# SwiftShader run the jobs of kernels/, whose results must be equal bit by bit and right; and one
# with subgroups. Who voted is printed.
#
# lavapipe cuts long loops and SwiftShader flushes subnormals: both must be found out, and each is
# asked only for what it can do.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

LAVAPIPE=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json
# Few enough passes that a device which cuts loops is asked, too.
SHORT='"limits":{"iterationsPerInvocation":"3000"}'

# Starts the agent of a node that finds only this driver.
agent_with() { # NAME DRIVER ARG...
	local name=$1 driver=$2

	shift 2
	VK_DRIVER_FILES=$driver VK_ICD_FILENAMES=$driver agent_start "$name" "$@"
}

# Writes down every pod as it changes: of a job that has ended only the latest are kept.
pods_record() {
	spawn pods kubectl get pods -l kwarp.dev/job --watch -o "jsonpath={.metadata.labels.kwarp\\.dev/job} \
{.metadata.labels.kwarp\\.dev/node} {.metadata.annotations.kwarp\\.dev/chunks} {.status.phase}{'\\n'}"
}

# Who voted on which chunks, from the pods that brought results: these back ends, all of them, on
# some chunk, and no others on any. That they were equal says the job: each chunk needs all its
# replicas. Nodes are named as their back ends are, maybe with a number behind.
votes_were_of() { # JOB BACKEND...
	python3 - "$T/pods.log" "$@" << 'PY'
import collections
import sys

votes = collections.defaultdict(set)
for line in open(sys.argv[1]):
    job, node, spans, phase = (line.split() + [""] * 4)[:4]
    if job != sys.argv[2] or phase != "Succeeded":
        continue
    for span in spans.split(","):
        first, _, last = span.partition("-")
        for chunk in range(int(first), int(last or first) + 1):
            votes[chunk].add(node)
for who, n in collections.Counter(map(frozenset, votes.values())).items():
    print(f"     {sys.argv[2]}: {n} chunks by", *sorted(who))
want = set(sys.argv[3:])
ends = [{node.split("-")[0] for node in who} for who in votes.values()]
sys.exit(want not in ends or not all(some <= want for some in ends))
PY
}

# Its output is worth reading also when it passes. Pods are written a moment after their job.
check_votes() { # JOB BACKEND...
	local out

	wait_for 20 "the pods of $1 tell who voted" votes_were_of "$@" > /dev/null
	if out=$(votes_were_of "$@"); then
		pass "$1: replicas of $(shift && echo "$*") were equal"
	else
		fail "$1: replicas of $(shift && echo "$*")" "$out"
	fi
	echo "$out"
}

# What the WarpNode says of its devices: backend and profile of each, without subgroups, whose sizes
# are the machine's.
devices_are() { # NODE TEXT
	local got

	got=$(k get warpnode "$1" -o json | python3 -c '
import json, sys
for d in json.load(sys.stdin)["status"]["devices"]:
    print(d["backend"], d["selfTest"], ",".join(p for p in d["numericProfile"] if not p.startswith("subgroup")))')
	echo "$1: $got"
	[ "$got" = "$2" ]
}

has_token() { # NODE TOKEN
	k get warpnode "$1" -o json | python3 -c '
import json, sys
tokens = json.load(sys.stdin)["status"]["capabilities"]["tokens"]
print(tokens)
sys.exit(sys.argv[1] not in tokens)' "$2"
}

is_no_gpu() { # NODE
	! has_token "$1" gpu
}

why_says() { # JOB TEXT
	local why

	why=$(k get warpjob "$1" -o 'jsonpath={.status.why}')
	echo "$why"
	[[ $why == *"$2"* ]]
}

is_wide_right() {
	wait_for 120 "wide has ended" job_ended wide || return 1
	k get warpjob wide -o json | python3 -c '
import json, math, sys
status = json.load(sys.stdin)["status"]
got = {r["name"]: json.loads(r["value"]) for r in status.get("results", [])}
roots = [math.sqrt(i + 0.1) / 3 for i in range(8)]
mixed = [i * 0x9e3779b97f4a7c15 % 2**64 % 1000000007 for i in range(8)]
print(status["state"], got)
sys.exit(got != {"roots": roots, "mixed": mixed} or status["chunks"]["accepted"] != 1)'
}

# Native code has each size that a kernel may ask for, on every machine.
native_has_all_sizes() {
	k get warpnode native -o json | python3 -c '
import json, sys
(d,) = json.load(sys.stdin)["status"]["devices"]
missing = {"subgroup"} | {"subgroup%d" % (1 << n) for n in range(2, 8)}
missing -= set(d["numericProfile"])
sys.exit("no " + ", ".join(missing) if missing else 0)'
}

# The nodes that claim subgroups.
have_subgroups() {
	k get warpnodes -o json | python3 -c '
import json, sys
for node in json.load(sys.stdin)["items"]:
    if any("subgroup" in d["numericProfile"] for d in node["status"]["devices"]):
        print(node["metadata"]["name"])'
}

# A WarpJob on standard input has the sum and the largest of x in lanes.yaml.
lanes_are_right() {
	python3 -c '
import json, sys
status = json.load(sys.stdin)["status"]
got = {r["name"]: r["value"] for r in status.get("results", [])}
xs = [i * 7919 % 1013 for i in range(6000)]
print(status["state"], status.get("why"), got)
sys.exit(got != {"sum": str(sum(xs)), "most": str(max(xs))} or status["chunks"]["accepted"] != 6)'
}

are_lanes_right() {
	wait_for 60 "lanes has ended" job_ended lanes || return 1
	k get warpjob lanes -o json | lanes_are_right
}

# What the agent said of this driver holds without a cluster, too.
runs_lanes() { # NODE DRIVER
	local run=(env VK_DRIVER_FILES="$2" VK_ICD_FILENAMES="$2" "$BIN/kubectl-warp" run -o json
		--device vulkan -f "$T/lanes.yaml")

	if have_subgroups | grep -x "$1" > /dev/null; then
		"${run[@]}" | lanes_are_right
	else
		! "${run[@]}" > "$T/refused" 2>&1 && grep "the device has no subgroup" "$T/refused"
	fi
}

ran_on() { # JOB NODE
	k get pods -l "kwarp.dev/job=$1" -o 'jsonpath={.items[*].metadata.labels.kwarp\.dev/node}' |
		tr ' ' '\n' | grep -x "$2" > /dev/null
}

[ -e "$LAVAPIPE" ] || abort "lavapipe is missing (Debian: mesa-vulkan-drivers)"
chmod 755 "$T"
mkdir -m 755 "$T/swiftshader"
SWIFTSHADER=$("$ROOT/hack/swiftshader.sh" "$T/swiftshader") || SWIFTSHADER=""

cluster_start
crds_apply
controller_start --store "$T/store" || abort "no controller"
pods_record
agent_start native --device native || abort "the native agent did not become ready"
agent_with lavapipe "$LAVAPIPE" --device vulkan || abort "lavapipe's agent did not become ready"
if [ -n "$SWIFTSHADER" ]; then
	agent_with swiftshader "$SWIFTSHADER" --device vulkan || abort "SwiftShader's agent did not become ready"
else
	echo "skip SwiftShader: it is not to be had here"
fi

check "native code can do everything" devices_are native \
	"Native Passed rte32,denorm32,infnan32,nocontract,loops64k,f16,i64,f64"
check "lavapipe's cut loops are found" devices_are lavapipe \
	"Vulkan Passed rte32,denorm32,infnan32,nocontract,f16,i64,f64"
check "has(vulkan) finds it" has_token lavapipe vulkan
check "it is no GPU" is_no_gpu lavapipe
if [ -n "$SWIFTSHADER" ]; then
	check "SwiftShader's flushed subnormals are found" devices_are swiftshader \
		"Vulkan Passed rte32,infnan32,nocontract,loops64k,f16"
fi

# Integers only: everyone is asked. Floats: whoever flushes subnormals is not.
FLOATS="native lavapipe"
ALL="$FLOATS${SWIFTSHADER:+ swiftshader}"

backends_of() { # CASE
	case $1 in
	primes | reducers) echo "$ALL" ;;
	*) echo "$FLOATS" ;;
	esac
}

CASES="$LARGE_CASES ${CASES/% pi/}"
for case in $CASES; do
	n=$(backends_of "$case" | wc -w)
	case_apply "$case" "$case" "{\"verify\":{\"replicas\":$n,\"agree\":$n},$SHORT}" ||
		fail "$case" "was not created"
done
for case in $CASES; do
	# shellcheck disable=SC2046 # words
	set -- $(backends_of "$case")
	check "$case is right" case_is_right "$case" "$case" $#
	check_votes "$case" "$@"
done

# 64-bit types: SwiftShader has none and is not asked; the two others vote, bit by bit.
cat > "$T/wide.yaml" << 'YAML'
apiVersion: kwarp.dev/v1alpha1
kind: WarpJob
metadata: {name: wide}
spec:
  kernel:
    wgsl: |
      enable kwarp_i64, kwarp_f64;
      @group(0) @binding(0) var<storage, read_write> roots: array<f64>;
      @group(0) @binding(1) var<storage, read_write> mixed: array<u64>;
      @compute @workgroup_size(8)
      fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        roots[id.x] = sqrt(f64(id.x) + 0.1lf) / 3lf;
        mixed[id.x] = (u64(id.x) * 0x9e3779b97f4a7c15lu) % 1000000007lu;
      }
  chunks: {count: 1, invocations: "8"}
  verify: {numerics: Strict, replicas: 2, agree: 2}
  outputs:
  - {name: roots, reduce: Concat, length: "8"}
  - {name: mixed, reduce: Concat, length: "8"}
YAML
k create -f "$T/wide.yaml" > /dev/null || fail wide "was not created"
check "native code and lavapipe agree on 64-bit types" is_wide_right
check "lavapipe was asked for 64-bit types" ran_on wide lavapipe
if [ -n "$SWIFTSHADER" ]; then
	k patch --local -f "$T/wide.yaml" --type=merge -o json \
		-p '{"metadata":{"name":"wide-away"},"spec":{"where":"has(\"vulkan\")"}}' > "$T/away.json"
	k create -f "$T/away.json" > /dev/null || fail wide-away "was not created"
	check "SwiftShader is not asked for them" \
		wait_for 20 "why" why_says wide-away "1 lacks i64"
	VK_DRIVER_FILES=$SWIFTSHADER VK_ICD_FILENAMES=$SWIFTSHADER \
		"$BIN/kubectl-warp" run --device vulkan -f "$T/wide.yaml" > /dev/null 2> "$T/refused"
	check "kubectl warp run says what it lacks" grep -q "the device has no f64" "$T/refused"
fi

# Sums in subgroups, added up by atomics: how large subgroups are leaves no trace.
cat > "$T/lanes.yaml" << 'YAML'
apiVersion: kwarp.dev/v1alpha1
kind: WarpJob
metadata: {name: lanes}
spec:
  kernel:
    wgsl: |
      enable subgroups;
      struct Params { first: u32 }
      @group(0) @binding(0) var<uniform> params: Params;
      @group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;
      @group(0) @binding(2) var<storage, read_write> most: atomic<u32>;
      @compute @workgroup_size(64)
      fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let x = (params.first + id.x) * 7919u % 1013u;
        let all = subgroupAdd(x);
        let high = subgroupMax(x);
        if subgroupElect() { atomicAdd(&sum, all); atomicMax(&most, high); }
      }
  chunks: {count: 6, params: {first: "chunk * 1000"}, invocations: "1000"}
  outputs:
  - {name: sum, reduce: Sum}
  - {name: most, reduce: Max}
YAML
# shellcheck disable=SC2046 # words
set -- $(have_subgroups)
k patch --local -f "$T/lanes.yaml" --type=merge -o json \
	-p "{\"spec\":{\"verify\":{\"replicas\":$#,\"agree\":$#}}}" > "$T/lanes.json"
k create -f "$T/lanes.json" > /dev/null || fail lanes "was not created"
check "native code has subgroups" grep -qw native <<< "$*"
check "native code has them of all sizes" native_has_all_sizes
check "sums in subgroups are right" are_lanes_right
check_votes lanes "$@"
for node in lavapipe ${SWIFTSHADER:+swiftshader}; do
	check "kubectl warp run on $node has subgroups or says no" runs_lanes "$node" \
		"$([ "$node" = lavapipe ] && echo "$LAVAPIPE" || echo "$SWIFTSHADER")"
done

# Without a limit its loops might be long: lavapipe is not asked, and the reason is said.
case_apply pi-small long '{"where":"has(\"vulkan\") and not has(\"native\")","verify":{"replicas":2,"agree":2}}' ||
	fail long "was not created"
check "a kernel with long loops does not go to lavapipe" \
	wait_for 20 "why" why_says long "cuts long loops"
k delete warpjobs --all > /dev/null

# Ten milliards of samples are much for lavapipe: with one node more it gets what it has time for.
agent_start native-2 --device native || abort "the second native agent did not become ready"
case_apply pi pi "{\"verify\":{\"replicas\":2,\"agree\":2},$SHORT}" || fail pi "was not created"
check "pi is right" case_is_right pi pi 2
# shellcheck disable=SC2086 # words
check_votes pi $FLOATS

# One agent, two devices: each kernel goes to the one that can run it.
VK_DRIVER_FILES=$LAVAPIPE VK_ICD_FILENAMES=$LAVAPIPE \
	agent_start both --device native --device vulkan || abort "the agent with two devices did not become ready"
check "two devices have two slots" field_is warpnode/both .status.slots 2
check "both are shown" devices_are both "$(printf '%s\n%s' \
	"Native Passed rte32,denorm32,infnan32,nocontract,loops64k,f16,i64,f64" \
	"Vulkan Passed rte32,denorm32,infnan32,nocontract,f16,i64,f64")"
case_apply pi-small short-both "{\"nodeName\":\"both\",\"verify\":{\"replicas\":1,\"agree\":1},$SHORT}" || fail short-both "was not created"
case_apply pi-small long-both '{"nodeName":"both","verify":{"replicas":1,"agree":1}}' || fail long-both "was not created"
for job in short-both long-both; do
	wait_for 60 "$job has ended" job_ended "$job" > /dev/null
	check "$job is right" field_is "warpjob/$job" .status.resultSummary hits=20590316
done
finish
