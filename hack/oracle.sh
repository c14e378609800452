#!/bin/sh
# Compare our WGSL compiler with two others; see docs/testing.md.
# usage: oracle.sh ORACLE_TOOL [record]
# Sets up, in $KWARP_CACHE/oracle by version (only this needs the network): naga-cli and Dawn from npm, and
# SwiftShader (swiftshader.sh). Then asks them about every kernel of test/oracle/kernels: the answers must be
# those of test/oracle/golden.txt (record writes that file), and ours must agree with them but for
# test/oracle/differences.txt. Last, our SPIR-V runs on SwiftShader and, where it is installed, on Mesa's
# lavapipe, and must leave the words that our native code leaves.
set -eu
naga_version=30.0.1
dawn_version=0.6.2
tool=$1
here="$(dirname "$0")/../test/oracle"
cache="${KWARP_CACHE:-$HOME/.cache/kwarp}/oracle"
naga="$cache/naga-$naga_version/bin/naga"
dawn="$cache/dawn-$dawn_version/node_modules/webgpu/index.js"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$cache"

if [ ! -x "$naga" ]; then
	echo "oracle: building naga-cli $naga_version" >&2
	CARGO_TARGET_DIR="$work/naga" nice cargo install -q --locked naga-cli --version "$naga_version" \
		--root "$cache/naga-$naga_version"
fi
if [ ! -e "$dawn" ]; then
	mkdir -p "$cache/dawn-$dawn_version"
	(cd "$cache/dawn-$dawn_version" && npm install --silent --ignore-scripts --no-audit --no-fund --prefix . \
		"webgpu@$dawn_version")
fi
icd=$("$(dirname "$0")/swiftshader.sh")
vulkan=${icd%/*}

mkdir "$work/kernels"
"$tool" expand "$here/kernels" "$work/kernels"
{
	echo "# Written by hack/oracle.sh: naga-cli $naga_version, Dawn (npm webgpu $dawn_version) on SwiftShader (${vulkan##*/})."
	LD_LIBRARY_PATH="$vulkan" VK_ICD_FILENAMES="$icd" XDG_RUNTIME_DIR="$work" \
		timeout 600 node "$here/oracles.mjs" "$work/kernels" "$naga" "$dawn" 2> "$work/why"
} > "$work/golden.txt"
if [ "${2:-}" = record ]; then
	cp "$work/golden.txt" "$here/golden.txt"
	cp "$work/why" "${TMPDIR:-/tmp}/oracle-why.txt"
elif ! diff -u -I "^#" "$here/golden.txt" "$work/golden.txt" > "$work/diff"; then
	head -c 4000 "$work/diff"
	echo "oracle: the others' answers are not those of test/oracle/golden.txt (oracle.sh record writes it)"
	exit 1
fi
"$tool" check "$here/kernels" "$here/golden.txt" "$here/differences.txt"

export XDG_RUNTIME_DIR="$work" MESA_SHADER_CACHE_DISABLE=true
VK_ICD_FILENAMES="$icd" LD_LIBRARY_PATH="$vulkan" \
	timeout 600 "$tool" device "$here/kernels" swiftshader "$here/differences.txt"
lavapipe=$(echo /usr/share/vulkan/icd.d/lvp_icd.*.json)
if [ -e "$lavapipe" ]; then
	VK_ICD_FILENAMES="$lavapipe" timeout 600 "$tool" device "$here/kernels" lavapipe "$here/differences.txt"
else
	echo "oracle: lavapipe (mesa-vulkan-drivers) is not installed: not compared" >&2
fi
