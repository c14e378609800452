#!/bin/bash
# The main job on this machine, without a cluster: what `make demo` runs after building.
set -euo pipefail
cd "$(dirname "$0")/.."
job=${1:-kernels/pi.yaml}
samples=10000000000

echo "kubectl warp run -f $job"
start=$(date +%s%N)
bin/kubectl-warp run -f "$job" -o json > "${TMPDIR:-/tmp}/kwarp-demo.$$.json"
ms=$((($(date +%s%N) - start) / 1000000))
trap 'rm -f "${TMPDIR:-/tmp}/kwarp-demo.$$.json"' EXIT
python3 - "${TMPDIR:-/tmp}/kwarp-demo.$$.json" "$samples" "$ms" <<'PY'
import json
import sys

status = json.load(open(sys.argv[1]))["status"]
samples, ms = int(sys.argv[2]), int(sys.argv[3])
hits = int(status["results"][0]["value"])
print(f"state      {status['state']} {status['progress']}")
print(f"hits       {hits}")
print(f"pi         {4 * hits / samples:.9f}")
print(f"samples/s  {samples / ms * 1000:.3g} ({ms / 1000:.1f} s)")
PY
cat <<'END'

The same on a cluster (make demo-cluster does it on loopback with three agents):
  kubectl apply --server-side -f crds/
  bin/kwarp-controller --public-address HOST:8443
  bin/kubectl-warp node add node-1 > node-1.join      # once per node
  bin/kwarp-agent --join node-1.join                  # on the node
  kubectl apply -f kernels/pi.yaml
  kubectl get warpjobs -w
END
