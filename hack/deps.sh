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
# The test cluster's servers are built with Go 1.26; Debian 12's own is too old, but can fetch a newer
# one as a module. hack/testcluster looks in the same place.
go_module=golang.org/toolchain@v0.0.1-go1.26.8.linux-$(dpkg --print-architecture)
go_dir=${KWARP_CACHE:-$HOME/.cache/kwarp}/go1.26.8
go_ok() {
	[ -x "$go_dir/bin/go" ] ||
		{ command -v go > /dev/null && go version | grep -Eq 'go1\.(2[6-9]|[3-9][0-9])'; }
}
fetch_go() {
	scratch=$(mktemp -d)
	(cd "$scratch" && GOTOOLCHAIN=local GOMODCACHE=$scratch/modules GOFLAGS=-mod=mod \
		go mod download "$go_module")
	chmod -R u+w "$scratch"
	chmod +x "$scratch/modules/$go_module"/bin/* "$scratch/modules/$go_module"/pkg/tool/*/*
	mkdir -p "$(dirname "$go_dir")"
	mv "$scratch/modules/$go_module" "$go_dir"
	rm -rf "$scratch"
	echo "Go 1.26.8 is in $go_dir"
}
need_go=
go_ok || need_go=1
[ -z "$need_go" ] || command -v go > /dev/null || missing="$missing golang-go"
if [ -z "$missing$need_go" ]; then
	echo "all packages are installed"
	exit 0
fi
if [ "${1:-doctor}" != install ]; then
	[ -z "$missing" ] || echo "missing Debian packages:$missing"
	[ -z "$need_go" ] || echo "missing: Go 1.26"
	echo "install them with: make deps"
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
if [ -n "$missing" ]; then
	apt-get update -qq
	# shellcheck disable=SC2086 # the list of packages is meant to be split
	apt-get install -y -qq --no-install-recommends $missing > /dev/null
	echo "installed:$missing"
fi
[ -z "$need_go" ] || fetch_go
