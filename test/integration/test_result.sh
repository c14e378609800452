#!/bin/bash
#
# test_result.sh - people read results: `kubectl warp result` gives exactly the bytes that the status
# names, and a ticket reads the results of one job for a while, and nothing else.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

result() { "$BIN/kubectl-warp" result "$@"; }

# A job whose result takes MIB MiB, in chunks of 512 KiB.
big_job() { # NAME MIB
	cat << END
apiVersion: kwarp.dev/v1alpha1
kind: WarpJob
metadata: {name: $1}
spec:
  kernel:
    wgsl: |
      struct Params { first: u32 }
      @group(0) @binding(0) var<uniform> params: Params;
      @group(0) @binding(1) var<storage, read_write> words: array<u32>;
      @compute @workgroup_size(256)
      fn main(@builtin(global_invocation_id) id: vec3u) {
        words[id.x] = (params.first + id.x) * 2654435761u;
      }
  chunks: {count: $(($2 * 2)), params: {first: "chunk * 131072"}, invocations: "131072"}
  outputs: [{name: words, length: "131072", reduce: Concat}]
  verify: {replicas: 2, agree: 2}
END
}

# What it must be, without kwarp.
words() { # MIB
	python3 -c '
import array, sys
sys.stdout.buffer.write(array.array("I", (i * 2654435761 & 0xffffffff
                                          for i in range(int(sys.argv[1]) << 18))).tobytes())' "$1"
}

digest_of() { # JOB
	k get warpjob "$1" -o 'jsonpath={.status.results[0].sha256}'
}

says() { # TEXT COMMAND... : it fails with one line that has TEXT
	local text=$1

	shift
	if "$@" > "$T/said.out" 2> "$T/said"; then
		echo "it succeeded"
		return 1
	fi
	cat "$T/said"
	[ "$(wc -l < "$T/said")" -eq 1 ] && grep -qF -- "$text" "$T/said"
}

prints() { # TEXT COMMAND...
	local text=$1 got

	shift
	got=$("$@" 2>&1) || return 1
	echo "$got"
	[ "$got" = "$text" ]
}

gives() { # FILE ARG...
	local want=$1

	shift
	rm -f "$T/got"
	result "$@" -o "$T/got" && cmp "$want" "$T/got"
}

# Temporary files, and tickets of the command.
nothing_is_left() {
	ls "$T"/got.new.* 2> /dev/null && return 1
	k get warptickets -A -o name | grep . && return 1
	return 0
}

# ---- tickets by hand -----------------------------------------------------------------------------

ticket() { # NAMESPACE NAME JOB SECONDS TOKEN
	k create -f - << END
apiVersion: kwarp.dev/v1alpha1
kind: WarpTicket
metadata: {name: $2, namespace: $1}
spec: {jobRef: {name: $3}, expirationSeconds: $4, tokenSha256: "$(printf %s "$5" | sha256sum | cut -c1-64)"}
END
}

ticket_is() { # NAMESPACE NAME STATUS REASON
	wait_for 10 "ticket $2 is $3 $4" ready_now "$@"
}

ready_now() { # NAMESPACE NAME STATUS REASON
	local got

	got=$(k -n "$1" get warpticket "$2" -o \
		'jsonpath={.status.conditions[?(@.type=="Ready")].status} {.status.conditions[?(@.type=="Ready")].reason}')
	echo "$got"
	[ "$got" = "$3 $4" ]
}

# One request; the body goes to T/body, the headers to T/head.
answers() { # STATUS TOKEN METHOD PATH [CURL-ARG...]
	local want=$1 token=$2 method=$3 path=$4 got

	shift 4
	got=$(curl --silent --http2 --cacert "$T/ca.pem" --max-time 20 --output "$T/body" \
		--dump-header "$T/head" --write-out '%{http_code}' --request "$method" \
		--header "authorization: Bearer $token" "$@" "https://127.0.0.1:$CONTROLLER_PORT$path")
	echo "$method $path: $got $(head -c 100 "$T/body" | tr -cd '[:print:]')"
	[ "$got" = "$want" ]
}

range_is() { # FIRST LAST SIZE
	answers 206 token-big GET "/v1/blobs/$BIG" --header "range: bytes=$1-$2" || return 1
	grep -i '^content-range' "$T/head"
	grep -qi "^content-range: bytes $1-$2/$3" "$T/head" || return 1
	cmp "$T/body" <(tail -c "+$(($1 + 1))" "$T/big.want" | head -c "$(($2 - $1 + 1))")
}

whole_is_right() {
	answers 200 token-big GET "/v1/blobs/$BIG" && cmp "$T/body" "$T/big.want"
}

# ---- a controller that starts anew in the middle -------------------------------------------------

# The command waits for a reader that stops in the middle, between two parts. Not in a subshell.
stop_in_the_middle() {
	rm -f "$T/pipe"
	mkfifo "$T/pipe"
	spawn pipe "$BIN/kubectl-warp" result huge -o "$T/pipe"
	exec 7< "$T/pipe"
	dd bs=1000 count=1 status=none <&7 > "$T/pipe.got"
}

the_rest_comes() {
	cat <&7 >> "$T/pipe.got"
	cat "$T/pipe.log"
	cmp "$T/pipe.got" "$T/huge.want"
}

# Interrupted while nobody answers its ticket.
leaves_nothing_when_interrupted() {
	local pid rc

	rm -f "$T/got"
	"$BIN/kubectl-warp" result big -o "$T/got" 2> "$T/interrupted" &
	pid=$!
	wait_for 10 "its ticket is there" has_ticket || return 1
	kill -TERM "$pid" # the shell lets background jobs ignore SIGINT
	wait "$pid"
	rc=$?
	cat "$T/interrupted"
	echo "exit $rc"
	[ "$rc" -eq 1 ] && [ ! -e "$T/got" ] && grep -q interrupted "$T/interrupted"
}

has_ticket() {
	k get warptickets -o name | grep . > /dev/null
}

# ---- who may -------------------------------------------------------------------------------------

# A kubeconfig of a ServiceAccount of default.
account_config() { # NAME
	local token

	k create serviceaccount "$1" > /dev/null || return 1
	token=$(k create token "$1" --duration=1h) || return 1
	k config view --raw --minify --flatten > "$T/$1.kubeconfig"
	k --kubeconfig "$T/$1.kubeconfig" config unset users > /dev/null
	k --kubeconfig "$T/$1.kubeconfig" config set-credentials account --token "$token" > /dev/null
	k --kubeconfig "$T/$1.kubeconfig" config set-context --current --user=account > /dev/null
}

# The Role of docs/results.md, and one that only sees jobs.
roles() {
	sed -n '/^kind: Role$/,/^```$/p' "$ROOT/docs/results.md" | grep -v '^```' |
		sed '1i apiVersion: rbac.authorization.k8s.io/v1' | k apply -f - &&
		k create rolebinding reader --role=warp-results --serviceaccount=default:reader &&
		k create role jobs --verb=get --resource=warpjobs.kwarp.dev &&
		k create rolebinding onlooker --role=jobs --serviceaccount=default:onlooker
}

cluster_start
crds_apply
controller_start --leader-elect=false --store "$T/store" || abort "no controller"
for node in one two; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
done
k get configmap -n kwarp-system kwarp-data-plane -o 'jsonpath={.data.ca\.crt}' > "$T/ca.pem"
words 5 > "$T/big.want"
words 12 > "$T/huge.want"

# ---- the command ---------------------------------------------------------------------------------

pi_job later 8 "suspend: true" | k apply -f - > /dev/null
pi_job pi 8 | k apply -f - > /dev/null
big_job big 5 | k apply -f - > /dev/null
big_job huge 12 | k apply -f - > /dev/null
k create namespace other > /dev/null
big_job foreign 1 | k -n other apply -f - > /dev/null
check "a small job completes" completes pi
check "a job with 5 MiB of results completes" completes big 120
check "a job with 12 MiB of results completes" completes huge 120
k -n other wait --for=condition=Complete --timeout=60s warpjob/foreign > /dev/null
BIG=$(digest_of big)
check "the status names its bytes" test "$BIG" = "$(sha256sum < "$T/big.want" | cut -c1-64)"
check "it is listed by digest" prints "words: 1310720 elements of u32, sha256 $BIG" result big
check "one output by name" prints "words: 1310720 elements of u32, sha256 $BIG" result big words
HITS=$(k get warpjob pi -o 'jsonpath={.status.results[0].value}')
check "a small result is listed by value" prints "hits=$HITS" result pi
python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<q", int(sys.argv[1])))' "$HITS" > "$T/pi.want"
check "a small result as bytes" gives "$T/pi.want" pi
check "a large result as bytes" gives "$T/big.want" big
check "a larger one, by name" gives "$T/huge.want" huge words
check "to standard output" sh -c "'$BIN/kubectl-warp' result big -o - | cmp - '$T/big.want'"
"$BIN/kubectl-warp" result big -o - 2> "$T/said" | head -c 5 > "$T/five"
check "a reader that has enough gets what it wants" cmp "$T/five" <(head -c 5 "$T/big.want")
check "nothing is left behind" nothing_is_left
check "a job that is not there" says 'warpjobs.kwarp.dev "nobody" not found' result nobody
check "a job that is not finished" says "later is not finished: Suspended, 0/8" result later
check "an output that is not there" says "no output word; did you mean words?" result big word
check "a file that cannot be made" says "create $T/no/where" result big -o "$T/no/where"
check "too many words" sh -c "'$BIN/kubectl-warp' result a b c; [ \$? -eq 2 ]"

# ---- tickets -------------------------------------------------------------------------------------

for job in big pi; do
	ticket default "t-$job" "$job" 600 "token-$job" > /dev/null
	check "a ticket for $job is Ready" ticket_is default "t-$job" True Ready
done
ticket default t-short big 10 token-short > /dev/null
ticket default t-nobody foreign 600 token-nobody > /dev/null
ticket other t-other foreign 600 token-other > /dev/null
ticket other t-twin foreign 600 token-big > /dev/null
check "a ticket does not reach into other namespaces" ticket_is default t-nobody False JobNotFound
check "another namespace has its own" ticket_is other t-other True Ready
check "a token has one ticket" ticket_is other t-twin False TokenInUse
check "everything is read" whole_is_right
check "its first byte" range_is 0 0 5242880
check "its last byte" range_is 5242879 5242879 5242880
check "a part of several blocks" range_is 1048570 4200000 5242880
check "nothing behind the end" answers 416 token-big GET "/v1/blobs/$BIG" --header "range: bytes=5242880-"
check "the use is recorded" wait_for 10 "condition Used" \
	k wait --for=condition=Used --timeout=1s warpticket/t-big
check "a wrong token" answers 401 token-bigger GET "/v1/blobs/$BIG"
check "a digest instead of a token" \
	answers 401 "$(printf %s token-big | sha256sum | cut -c1-64)" GET "/v1/blobs/$BIG"
check "a ticket that was refused" answers 401 token-nobody GET "/v1/blobs/$BIG"
check "a ticket for another job" answers 404 token-pi GET "/v1/blobs/$BIG"
check "a ticket of another namespace" answers 404 token-other GET "/v1/blobs/$BIG"
check "a digest that is no result" \
	answers 404 token-big GET "/v1/blobs/$(printf x | sha256sum | cut -c1-64)"
check "the kernel is no result" answers 404 token-big GET \
	"/v1/blobs/$(k get warpjob big -o 'jsonpath={.status.kernel.sha256}')"
check "nothing is written" answers 405 token-big PUT "/v1/blobs/$BIG"
check "a ticket is no node" answers 404 token-big POST /v1/register
check "a ticket expires" wait_for 20 "401" answers 401 token-short GET "/v1/blobs/$BIG"
k delete warpticket t-big > /dev/null
check "a ticket that is deleted ends" wait_for 10 "401" answers 401 token-big GET "/v1/blobs/$BIG"
k delete warptickets --all > /dev/null
k -n other delete warptickets --all > /dev/null

# ---- rights --------------------------------------------------------------------------------------

account_config reader || abort "no account"
account_config onlooker || abort "no account"
roles > /dev/null || abort "no roles"
check "who has the rights of docs/results.md reads" \
	gives "$T/big.want" big --kubeconfig "$T/reader.kubeconfig" -n default
check "who may not make tickets is told which right is missing" \
	says "needs the rights create, get and delete on warptickets" \
	result big -o "$T/got" --kubeconfig "$T/onlooker.kubeconfig" -n default

# ---- controllers that come and go ----------------------------------------------------------------

stop_in_the_middle
PIPE_PID=$SPAWN_PID
kill -KILL "$CONTROLLER_PID"
wait "$CONTROLLER_PID" 2> /dev/null
controller_again --leader-elect=false --store "$T/store"
check "a download goes on when the controller starts anew" the_rest_comes
exec 7<&-
wait "$PIPE_PID"
check "and ends well" test $? -eq 0

HUGE=$T/store/$(k get warpjob huge -o 'jsonpath={.metadata.uid}')/$(digest_of huge)
printf x | dd of="$HUGE" bs=1 seek=9000000 conv=notrunc status=none
check "a damaged result is noticed" says "another SHA-256" result huge -o "$T/damaged"
check "and is no file" test ! -e "$T/damaged"
rm "$HUGE"
check "a result that is no longer kept" says "does not keep this result any more" result huge -o "$T/got"
kill -KILL "$CONTROLLER_PID"
wait "$CONTROLLER_PID" 2> /dev/null
check "an interrupt is obeyed" leaves_nothing_when_interrupted
check "and leaves nothing behind" nothing_is_left
check "without a controller it says so" says "no controller has answered WarpTicket" result big -o "$T/got"
check "small results need no controller" gives "$T/pi.want" pi
controller_again --leader-elect=false
check "a controller without a store says so" says "NoStore: the controller keeps no large results" \
	result big -o "$T/got"
finish
