#!/bin/sh
# deps.sh install [bench]: install the Debian packages that are missing (as root).
# deps.sh doctor [bench]:  only say which are missing; exits 1 if any is.
# With bench also those that only `make bench` needs, for what it compares with.
set -eu
build="gcc make pkg-config libc6-dev libyaml-dev libcurl4-openssl-dev libjansson-dev libnghttp2-dev
libssl-dev libseccomp-dev llvm-19-dev libvulkan-dev"
tests="libcmocka-dev clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev cppcheck shellcheck
openssl curl python3 git procps spirv-tools mesa-vulkan-drivers"
bench="glslang-tools"
[ "${2:-}" = bench ] || bench=""
missing=""
for p in $build $tests $bench; do
	[ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2> /dev/null || true)" = installed ] || missing="$missing $p"
done
go_ok() { # the test cluster's servers need it; Debian 12's own is too old
	command -v go > /dev/null && go version | grep -Eq 'go1\.(2[6-9]|[3-9][0-9])'
}
go_ok || echo "Go 1.26 or newer is missing: make test and make demo-cluster build the test cluster with it" >&2
if [ -z "$missing" ]; then
	echo "all packages are installed"
	exit 0
fi
if [ "${1:-doctor}" != install ]; then
	echo "missing Debian packages:$missing"
	echo "install them with: make deps"
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 # the list of packages is meant to be split
apt-get install -y -qq --no-install-recommends $missing > /dev/null
echo "installed:$missing"
