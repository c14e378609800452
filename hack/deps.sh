#!/bin/sh
# deps.sh install: install the Debian packages that are missing (as root).
# deps.sh doctor:  only say which are missing; exits 1 if any is.
set -eu
build="gcc make pkg-config libc6-dev libyaml-dev libcurl4-openssl-dev libjansson-dev libnghttp2-dev
libssl-dev libseccomp-dev llvm-19-dev"
tests="libcmocka-dev clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev cppcheck shellcheck
openssl curl python3 git procps"
missing=""
for p in $build $tests; do
	[ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2> /dev/null || true)" = installed ] || missing="$missing $p"
done
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
