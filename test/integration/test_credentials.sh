#!/bin/bash
#
# test_credentials.sh - an agent with a wrong, a missing or another node's credential gets nothing,
# and an agent's credential gives no access to the API server.
#
# shellcheck disable=SC2317 # functions that check and wait_for call by name

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

credential_of() { sed -n 's/^credential: "\(.*\)"/\1/p' "$T/$1.join"; }

# One request to the data plane; prints the status code and leaves the body in T/body.
ask() { # CREDENTIAL METHOD PATH [BODY-FILE]
	curl --silent --http2 --cacert "$T/ca.pem" --max-time 10 \
		--output "$T/body" --write-out '%{http_code}' --request "$2" \
		${1:+--header "authorization: Bearer $1"} ${4:+--data-binary "@$4"} \
		"https://$ADDRESS$3"
}

answers() { # STATUS CREDENTIAL METHOD PATH [BODY-FILE]
	local want=$1 got

	shift
	got=$(ask "$@")
	echo "$2 $3: $got $(head -c 200 "$T/body" 2> /dev/null)"
	[ "$got" = "$want" ] || return 1
	# A refusal tells nothing but that.
	[ "$want" != 401 ] || [ "$(wc -c < "$T/body")" -lt 100 ]
}

# Without bodies: the answer comes before they are read, and not every curl likes that.
gets_nothing() { # CREDENTIAL
	answers 401 "$1" POST /v1/register &&
		answers 401 "$1" POST /v1/results &&
		answers 401 "$1" GET "/v1/blobs/$KERNEL" &&
		answers 401 "$1" GET /nowhere
}

ready_is() { # NODE STATUS
	local got

	got=$(k get warpnode "$1" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}')
	echo "$1 Ready: $got"
	[ "${got:-False}" = "$2" ]
}

# The API server as an agent would try it: its own credential, no client certificate.
api_refuses() { # PATH
	local got

	got=$(curl --silent --cacert "$T/api-ca.pem" --max-time 10 --output "$T/body" \
		--write-out '%{http_code}' --header "authorization: Bearer $CREDENTIAL" "$SERVER$1")
	echo "$1: $got $(head -c 200 "$T/body")"
	[ "$got" = 401 ]
}

# Encoded by hand (docs/wire.md 1): an empty page of session 1.
printf '\x08\x01\x28\x01' > "$T/page"

cluster_start
crds_apply
controller_start || abort "no controller"
for node in good other; do
	agent_start "$node" --slots 1 || abort "agent $node did not become ready"
done
node_add idle > "$T/idle.join"
ADDRESS=$(sed -n 's/^address: //p' "$T/good.join")
CREDENTIAL=$(credential_of good)
k get configmap -n kwarp-system kwarp-data-plane -o 'jsonpath={.data.ca\.crt}' > "$T/ca.pem"
pi_job pi 8 | k apply -f - > /dev/null
check "a job completes" completes pi
# The one digest of something real that an outsider may know.
KERNEL=$(k get warpjob pi -o 'jsonpath={.status.kernel.sha256}')

# ---- the data plane ------------------------------------------------------------------------------

check "without a credential: nothing" gets_nothing ''
check "with a wrong credential: nothing" gets_nothing "$(printf 0%.0s {1..64})"
check "with half of a credential: nothing" gets_nothing "${CREDENTIAL:0:32}"
check "with a digest instead of a credential: nothing" \
	gets_nothing "$(printf %s "$CREDENTIAL" | sha256sum | cut -c1-64)"
check "with a credential and more: nothing" gets_nothing "${CREDENTIAL}0"
check "a node that was not asked reads no kernel" \
	answers 404 "$(credential_of idle)" GET "/v1/blobs/$KERNEL"
check "a node sends no results in another's session" \
	answers 409 "$(credential_of idle)" POST /v1/results "$T/page"
check "nonsense is refused as such" answers 400 "$CREDENTIAL" POST /v1/results "$T/ca.pem"

sed 's/^credential: .*/credential: "0000000000000000000000000000000000000000000000000000000000000000"/' \
	"$T/idle.join" > "$T/wrong.join"
agent_again wrong
check "an agent with a wrong credential says so" \
	wait_for 20 "its log" grep -q 'credential' "$T/agent-wrong.log"
check "and is no node" ready_is idle False
kill -TERM "$AGENT_PID"
wait "$AGENT_PID"

# Its own credential, the other's name: it is what the credential says.
sed 's/^name: .*/name: good/' "$T/idle.join" > "$T/mask.join"
agent_again mask
check "an agent with another's name is who its credential says" wait_for 20 "idle Ready" ready_is idle True
check "and the other stays connected" ready_is good True
kill -TERM "$AGENT_PID"
wait "$AGENT_PID"

sed '/^credential:/d' "$T/idle.join" > "$T/none.join"
check "an agent without a credential does not start" sh -c \
	"! timeout 10 '$BIN/kwarp-agent' --join '$T/none.join' 2> '$T/none.log' && grep -q credential '$T/none.log'"

python3 - "$T/idle.join" "$T/foreign.join" << 'PY'
import subprocess
import sys

pem = subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
     "-keyout", "/dev/null", "-subj", "/CN=kwarp", "-days", "2"],
    capture_output=True, text=True, check=True).stdout
head = open(sys.argv[1]).read().partition("ca: |")[0]
open(sys.argv[2], "w").write(head + "ca: |\n" + "".join(f"  {line}\n" for line in pem.splitlines()))
PY
before=$(grep -c 'agent connected' "$T/controller.log")
agent_again foreign
check "an agent trusts only the CA of its join file" \
	wait_for 20 "its log" grep -qiE 'certificate|verify' "$T/agent-foreign.log"
check "and sends its credential to nobody else" \
	test "$(grep -c 'agent connected' "$T/controller.log")" -eq "$before"
kill -TERM "$AGENT_PID"
wait "$AGENT_PID"

# ---- a credential that is withdrawn --------------------------------------------------------------

k delete secret -n kwarp-system kwarp-node-other > /dev/null
check "a node without its Secret is out" wait_for 20 "other not Ready" ready_is other False
check "at once and for good" gets_nothing "$(credential_of other)"
old=$CREDENTIAL
node_add good > "$T/good.join"
check "a new credential ends the old one" wait_for 20 "401" answers 401 "$old" GET "/v1/blobs/$KERNEL"
CREDENTIAL=$(credential_of good)
check "and is valid itself" wait_for 20 "no 401" answers 404 "$CREDENTIAL" GET /v1/nowhere

# ---- the API server ------------------------------------------------------------------------------

SERVER=$(k config view --raw -o 'jsonpath={.clusters[0].cluster.server}')
k config view --raw -o 'jsonpath={.clusters[0].cluster.certificate-authority-data}' | base64 -d > "$T/api-ca.pem"
if [ ! -s "$T/api-ca.pem" ]; then
	cp "$(k config view --raw -o 'jsonpath={.clusters[0].cluster.certificate-authority}')" "$T/api-ca.pem"
fi
for path in /api/v1/namespaces/default/pods /api/v1/namespaces/kwarp-system/secrets \
	/apis/kwarp.dev/v1alpha1/warpjobs /apis/kwarp.dev/v1alpha1/warpnodes /api/v1/nodes/kwarp; do
	check "the API server refuses an agent's credential: $path" api_refuses "$path"
done
finish
