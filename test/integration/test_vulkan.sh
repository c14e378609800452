#!/bin/bash
#
# test_vulkan.sh - replicas vote across back ends: agents with native code, Mesa's lavapipe and
# SwiftShader run the jobs of kernels/, whose results must be equal bit by bit and right.
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

apply_case() { # CASE NAME SPEC-JSON
	k patch --local -f "$ROOT/kernels/$1.yaml" --type=merge -o json \
		-p "{\"metadata\":{\"name\":\"$2\"},\"spec\":$3}" > "$T/$2.json" &&
		k create -f "$T/$2.json" > /dev/null
}

ended() { # JOB
	local state

	state=$(k get warpjob "$1" -o 'jsonpath={.status.state} {.status.progress} {.status.why}')
	echo "$state"
	[[ $state == Complete* || $state == Failed* ]]
}

# All values of expected.json, no mismatch, every chunk accepted by vote.
is_right() { # CASE JOB
	wait_for 120 "$2 has ended" ended "$2" || return 1
	k get warpjob "$2" -o json > "$T/$2.got" || return 1
	python3 - "$ROOT/kernels/expected.json" "$1" "$T/$2.got" << 'PY'
import json
import sys

expected = json.load(open(sys.argv[1]))[sys.argv[2]]
status = json.load(open(sys.argv[3]))["status"]
results = {r["name"]: r for r in status.get("results", [])}
wrong = []
if status["state"] != "Complete":
    wrong.append(f"state is {status['state']}: {status.get('why')}")
for name, want in expected.items():
    got = results.get(name, {})
    wrong += [f"{name}.{k} is {got.get(k)}, expected {v}" for k, v in want.items()
              if k in ("value", "sha256", "class") and got.get(k) != v]
chunks = status["chunks"]
if chunks["accepted"] != chunks["total"] or chunks.get("failed") or chunks.get("unverified"):
    wrong.append(f"chunks are {chunks}")
if status["replicas"].get("mismatched"):
    wrong.append(f"replicas are {status['replicas']}")
print(*wrong, sep="\n")
sys.exit(bool(wrong))
PY
}

# What the WarpNode says of its devices: backend and profile of each.
devices_are() { # NODE TEXT
	local got

	got=$(k get warpnode "$1" -o json | python3 -c '
import json, sys
for d in json.load(sys.stdin)["status"]["devices"]:
    print(d["backend"], d["selfTest"], ",".join(p for p in d["numericProfile"] if p != "subgroup"))')
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
	wait_for 120 "wide has ended" ended wide || return 1
	k get warpjob wide -o json | python3 -c '
import json, math, sys
status = json.load(sys.stdin)["status"]
got = {r["name"]: json.loads(r["value"]) for r in status.get("results", [])}
roots = [math.sqrt(i + 0.1) / 3 for i in range(8)]
mixed = [i * 0x9e3779b97f4a7c15 % 2**64 % 1000000007 for i in range(8)]
print(status["state"], got)
sys.exit(got != {"roots": roots, "mixed": mixed} or status["chunks"]["accepted"] != 1)'
}

ran_on() { # JOB NODE
	k get pods -l "kwarp.dev/job=$1" -o 'jsonpath={.items[*].metadata.labels.kwarp\.dev/node}' |
		tr ' ' '\n' | grep -qx "$2"
}

[ -e "$LAVAPIPE" ] || abort "lavapipe is missing (Debian: mesa-vulkan-drivers)"
chmod 755 "$T"
mkdir -m 755 "$T/swiftshader"
SWIFTSHADER=$("$ROOT/hack/swiftshader.sh" "$T/swiftshader") || SWIFTSHADER=""

cluster_start
crds_apply
controller_start || abort "no controller"
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

three='"verify":{"replicas":3,"agree":3}'
[ -n "$SWIFTSHADER" ] || three='"verify":{"replicas":2,"agree":2}'
for case in primes reducers; do
	apply_case "$case" "$case-all" "{$three,$SHORT}" || fail "$case-all" "was not created"
done
for case in pi-small pi-edge scale-add; do
	apply_case "$case" "$case-two" "{\"verify\":{\"replicas\":2,\"agree\":2},$SHORT}" ||
		fail "$case-two" "was not created"
done
for case in primes reducers; do
	check "$case: all back ends agree" is_right "$case" "$case-all"
done
for case in pi-small pi-edge scale-add; do
	check "$case: native code and lavapipe agree" is_right "$case" "$case-two"
	check "$case was on lavapipe" ran_on "$case-two" lavapipe
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

# Without a limit its loops might be long: lavapipe is not asked, and the reason is said.
apply_case pi-small long '{"where":"has(\"vulkan\") and not has(\"native\")","verify":{"replicas":2,"agree":2}}' ||
	fail long "was not created"
check "a kernel with long loops does not go to lavapipe" \
	wait_for 20 "why" why_says long "cuts long loops"
k delete warpjobs --all > /dev/null

# One agent, two devices: each kernel goes to the one that can run it.
VK_DRIVER_FILES=$LAVAPIPE VK_ICD_FILENAMES=$LAVAPIPE \
	agent_start both --device native --device vulkan || abort "the agent with two devices did not become ready"
check "two devices have two slots" field_is warpnode/both .status.slots 2
check "both are shown" devices_are both "$(printf '%s\n%s' \
	"Native Passed rte32,denorm32,infnan32,nocontract,loops64k,f16,i64,f64" \
	"Vulkan Passed rte32,denorm32,infnan32,nocontract,f16,i64,f64")"
apply_case pi-small short-both "{\"nodeName\":\"both\",\"verify\":{\"replicas\":1,\"agree\":1},$SHORT}" || fail short-both "was not created"
apply_case pi-small long-both '{"nodeName":"both","verify":{"replicas":1,"agree":1}}' || fail long-both "was not created"
for job in short-both long-both; do
	wait_for 60 "$job has ended" ended "$job" > /dev/null
	check "$job is right" field_is "warpjob/$job" .status.resultSummary hits=20590316
done
finish
