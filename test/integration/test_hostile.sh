#!/bin/bash
#
# test_hostile.sh - kernels that want to hang, crash or fill what runs them: each ends with a clear
# condition within 10 s, with the usual limit of iterations and with a low one, and the same agents
# serve the next job.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

LIMIT_S=10

# A job with the kernel on standard input and one u32 output `out`.
apply() { # NAME LIMITS
	{
		cat << END_OF_HEAD
apiVersion: kwarp.dev/v1alpha1
kind: WarpJob
metadata: {name: $1}
spec:
  limits: {$2}
  backoffLimitPerChunk: 0
  verify: {replicas: 2, agree: 2}
  chunks: {count: 1, invocations: "64"}
  outputs:
  - {name: out, reduce: Sum}
  kernel:
    wgsl: |
      @group(0) @binding(0) var<storage, read_write> out: atomic<u32>;
END_OF_HEAD
		sed 's/^/      /'
	} | k apply -f - > "$T/apply.log" 2>&1 || cat "$T/apply.log"
}

endless() {
	cat << 'END_OF_KERNEL'
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var n = 2u * id.x + 1u;
  loop {
    n = n * 3u;
    if (n == 0u) { break; }
  }
  atomicAdd(&out, n);
}
END_OF_KERNEL
}

# Clamped to the last element: 64 invocations find the 7 there.
far_index() {
	cat << 'END_OF_KERNEL'
var<private> few: array<u32, 4>;
var<workgroup> shared_few: array<u32, 4>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  few[4000000000u + id.x] = 7u;
  shared_few[-2147483647 + i32(id.x)] = 7u;
  workgroupBarrier();
  atomicAdd(&out, few[4000000000u - id.x] + few[3] + shared_few[3] - shared_few[1000000u * id.x + 3u]);
}
END_OF_KERNEL
}

nested() {
	python3 -c 'n = 10000
print("@compute @workgroup_size(64) fn main() { atomicAdd(&out, " + "(" * n + "1u" + ")" * n + "); }")'
}

call_bomb() {
	python3 -c 'print("fn f0(x: u32) -> u32 { return x * 3u + 1u; }")
for i in range(1, 31):
    print(f"fn f{i}(x: u32) -> u32 {{ return f{i-1}(f{i-1}(x)); }}")
print("@compute @workgroup_size(64) fn main() { atomicAdd(&out, f30(1u)); }")'
}

memory_bomb() {
	cat << 'END_OF_KERNEL'
var<workgroup> huge: array<u32, 268435456>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  huge[id.x * 4000000u] = 1u;
  workgroupBarrier();
  atomicAdd(&out, huge[id.x]);
}
END_OF_KERNEL
}

ended() { # NAME
	local got

	got=$(k get warpjob "$1" -o 'jsonpath={range .status.conditions[?(@.status=="True")]}{.type}:{.reason}:{.message}{"\n"}{end}')
	echo "$got"
	grep -qE '^(Complete|Failed):' <<< "$got"
}

# The condition NAME ends with begins with CONDITION and says TEXT.
ends_with() { # NAME CONDITION TEXT
	local got

	wait_for "$LIMIT_S" "$1 has ended" ended "$1" || return 1
	got=$(ended "$1")
	echo "$got"
	grep -E "^$2" <<< "$got" | grep -iE -- "$3" > /dev/null
}

next_job_is_served() { # NAME
	pi_job "$1" 4 | k apply -f - > /dev/null
	completes "$1" 30 && field_is "warpjob/$1" '.status.results[0].value' 823322
}

all_kernels() { # SUFFIX LIMITS REASON-OF-ENDLESS TEXT-OF-ENDLESS
	endless | apply "endless-$1" "$2"
	check "an endless loop, $1" ends_with "endless-$1" "Failed:$3" "$4"
	check "the next job after it, $1" next_job_is_served "after-$1"
	far_index | apply "far-$1" "$2"
	check "an index far out of range, $1" ends_with "far-$1" Complete: ''
	check "was clamped, $1" field_is "warpjob/far-$1" '.status.results[0].value' 896
	nested | apply "nested-$1" "$2"
	check "10,000 nested parentheses, $1" ends_with "nested-$1" Failed:KernelInvalid 'nest|deep|depth'
	call_bomb | apply "calls-$1" "$2"
	check "a tree of 2^30 calls, $1" ends_with "calls-$1" Failed:KernelInvalid '65,?536|instructions|call'
	memory_bomb | apply "memory-$1" "$2"
	check "1 GiB of workgroup memory, $1" ends_with "memory-$1" Failed:KernelInvalid 'workgroup.*byte|byte.*workgroup'
	check "the next job at the end, $1" next_job_is_served "last-$1"
}

cluster_start
crds_apply
controller_start || abort "no controller"
agent_start a1 --slots 1 || abort "agent a1 did not become ready"
a1=$AGENT_PID
agent_start a2 --slots 1 || abort "agent a2 did not become ready"

all_kernels time 'chunkTimeoutSeconds: 2' ChunkFailed 'out of time'
all_kernels iterations 'chunkTimeoutSeconds: 2, iterationsPerInvocation: "1000000"' \
	'(ChunkFailed|IterationLimit)' 'iteration'
check "the same agents have served them all" kill -0 "$a1" "$AGENT_PID"
check "the same controller has" kill -0 "$CONTROLLER_PID"
finish
