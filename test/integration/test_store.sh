#!/bin/bash
#
# test_store.sh - results too large for a status: kept by --store whatever dies, removed when nothing
# names them any more, and waited for when the store is away.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

STORE=$T/store
PICTURE=$(python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["mandelbrot"]["image"]["sha256"])' "$ROOT/kernels/expected.json")

# Mandelbrot's picture in so many rows a chunk; `slow`: a chunk at a time, so that it takes a while.
picture() { # NAME ROWS [slow]
	case_apply mandelbrot "$1" "{\"chunks\":{\"count\":$((768 / $2)),\"params\":{\"rows\":\"$2\"}},\
\"chunksPerSlice\":1,\"backoffLimitPerChunk\":50,\"verify\":{\"replicas\":2,\"agree\":2}\
${3:+,\"parallelism\":2}}"
}

is_picture() { # JOB
	field_is "warpjob/$1" '.status.results[0].sha256' "$PICTURE"
}

uid_of() { # JOB
	k get warpjob "$1" -o 'jsonpath={.metadata.uid}'
}

# What the store has of a job, one name per line.
stored() { # JOB-UID
	ls -A "$STORE/$1" 2> /dev/null
}

only_result_stored() { # JOB-UID
	local names

	names=$(stored "$1")
	echo "$names"
	[ "$names" = "$PICTURE" ]
}

nothing_stored() { # JOB-UID
	ls -lA "$STORE"
	[ ! -e "$STORE/$1" ]
}

accepted() { # JOB COUNT : at least so many
	local n

	n=$(k get warpjob "$1" -o 'jsonpath={.status.chunks.accepted}')
	echo "accepted ${n:-0}"
	[ "${n:-0}" -ge "$2" ]
}

still_runs() { # JOB
	! job_ended "$1"
}

controller_dies() {
	kill -KILL "$CONTROLLER_PID"
	wait "$CONTROLLER_PID" 2> /dev/null
}

why_says() { # JOB TEXT
	local why

	why=$(k get warpjob "$1" -o 'jsonpath={.status.why}')
	echo "$why"
	[[ $why == *"$2"* ]]
}

has_event() { # JOB REASON
	k get events --field-selector "involvedObject.name=$1,reason=$2" -o name | grep . > /dev/null
}

cluster_start
crds_apply

# ---- without a store such jobs are refused, small ones are not ----

controller_start --leader-elect=false || abort "no controller"
for node in a1 a2 a3; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
done
picture refused 32 || fail refused "was not created"
check "without --store it is refused" wait_for 30 "the end" why_says refused "--store"
pi_job small 10 | k create -f - > /dev/null
check "small results need no store" completes small
k delete warpjobs --all > /dev/null
controller_dies

# ---- the controller dies at any moment ----

controller_again --leader-elect=false --store "$STORE"
picture killed 4 slow || fail killed "was not created"
UID_KILLED=$(uid_of killed)
for kill in 1 2 3 4 5 6 7 8; do
	check "chunks go on after $((kill - 1)) deaths" wait_for 60 chunks accepted killed $((kill * 8))
	controller_dies
	controller_again --leader-elect=false --store "$STORE"
done
check "it completes after eight deaths" completes killed 120
check "the picture is exact" is_picture killed
check "no mismatch was made" field_is warpjob/killed .status.replicas.mismatched 0
check "only the result stays" wait_for 20 tidy only_result_stored "$UID_KILLED"

# ---- restarts without the store, and with it again ----

picture away 4 slow || fail away "was not created"
UID_AWAY=$(uid_of away)
wait_for 60 "first chunks" accepted away 10 > /dev/null
for node in a1 a2 a3; do
	"$BIN/kubectl-warp" cordon "$node" > /dev/null
done
check "it is not done yet" still_runs away
controller_dies
controller_again --leader-elect=false
check "without its store it waits and says so" wait_for 60 why why_says away "--store"
check "nothing of it is lost" accepted away 10
controller_dies
mv "$STORE" "$T/elsewhere"
controller_again --leader-elect=false --store "$STORE"
for node in a1 a2 a3; do
	"$BIN/kubectl-warp" uncordon "$node" > /dev/null
done
check "with an empty store it does not end wrongly" \
	wait_for 150 "trouble" has_event away StoreTrouble
check "nothing of it is lost in this way either" accepted away 10
controller_dies
cp -rn "$T/elsewhere/." "$STORE"
controller_again --leader-elect=false --store "$STORE"
check "with its store it completes" completes away 120
check "and is exact" is_picture away

# ---- a store that cannot be written ----

picture full 2 slow || fail full "was not created"
UID_FULL=$(uid_of full)
wait_for 60 "first chunks" accepted full 5 > /dev/null
mv "$STORE/$UID_FULL" "$T/full"
touch "$STORE/$UID_FULL"
check "it says that the store fails" wait_for 60 "trouble" has_event full StoreTrouble
check "and why says so too" wait_for 10 why why_says full "the store: "
rm "$STORE/$UID_FULL"
# Meanwhile written anew or not: both are whole.
if [ -d "$STORE/$UID_FULL" ]; then
	cp -n "$T/full/"* "$STORE/$UID_FULL"
else
	mv "$T/full" "$STORE/$UID_FULL"
fi
check "it completes when the store works again" completes full 120
check "and that is exact" is_picture full
check "and nothing waits any more" field_is warpjob/full .status.why ""

# ---- a state of the reducers that is too large for a status ----

# Sums of 8000 elements, in 200 chunks.
sums() { # NAME
	cat << END
apiVersion: kwarp.dev/v1alpha1
kind: WarpJob
metadata: {name: $1}
spec:
  kernel:
    wgsl: |
      struct Params { first: u32 }
      @group(0) @binding(0) var<uniform> params: Params;
      @group(0) @binding(1) var<storage, read_write> sums: array<u32>;
      @compute @workgroup_size(1)
      fn main(@builtin(global_invocation_id) id: vec3u) {
        sums[id.x] = (params.first + id.x) * 2654435761u;
      }
  chunks: {count: 200, params: {first: "chunk * 8000"}, invocations: "8000"}
  outputs: [{name: sums, length: "8000", reduce: Sum}]
  chunksPerSlice: 1
  parallelism: 2
  verify: {replicas: 2, agree: 2}
END
}

few_stored() { # JOB-UID
	stored "$1"
	[ "$(stored "$1" | wc -l)" -le 3 ] # one, the next, and what is being written
}

sums sums | k apply -f - > /dev/null
UID_SUMS=$(uid_of sums)
wait_for 60 "first chunks" accepted sums 60 > /dev/null
check "states that were replaced go" wait_for 2 "few files" few_stored "$UID_SUMS"
controller_dies
controller_again --leader-elect=false --store "$STORE"
check "it completes" completes sums 120
check "and is exact" field_is warpjob/sums '.status.results[0].sha256' "$(python3 -c '
import array, hashlib
sums = [sum((c * 8000 + i) * 2654435761 & 0xffffffff for c in range(200)) for i in range(8000)]
print(hashlib.sha256(array.array("Q", sums).tobytes()).hexdigest())')"

# ---- what nothing names goes ----

k delete warpjob killed > /dev/null
check "a deleted job leaves nothing" wait_for 20 "its end" nothing_stored "$UID_KILLED"
controller_dies
k delete warpjob away > /dev/null
mkdir -p "$STORE/0a0a0a0a-1111-4222-8333-444444444444"
controller_again --leader-elect=false --store "$STORE"
check "nor one deleted while no controller ran" wait_for 30 "its end" nothing_stored "$UID_AWAY"
check "nor one that nobody knows" \
	wait_for 20 "its end" nothing_stored 0a0a0a0a-1111-4222-8333-444444444444
check "a finished job keeps its result over restarts" only_result_stored "$UID_FULL"
case_apply mandelbrot brief '{"blobTTLSecondsAfterFinished":5,"verify":{"replicas":2,"agree":2}}'
UID_BRIEF=$(uid_of brief)
check "a job with a short time completes" completes brief 120
check "its result is named" is_picture brief
check "its result goes after its time" wait_for 30 "its end" nothing_stored "$UID_BRIEF"
check "its status stays" is_picture brief
finish
