#!/bin/sh
# swiftshader.sh [DIR]: print the path of SwiftShader's Vulkan driver manifest (VK_DRIVER_FILES), for tests.
#
# The driver is taken out of Debian's chromium-common package and kept in $KWARP_CACHE/swiftshader/VERSION;
# nothing is installed. Once it is there, no network is needed (remove the folder for a newer one). With
# DIR it is copied there: runners that root starts are nobody and cannot look into root's folders.
# Exits 1 with one line on standard error if it cannot be had.
set -eu
cache=${KWARP_CACHE:-${HOME:?}/.cache/kwarp}/swiftshader
die() {
	echo "swiftshader: $*" >&2
	exit 1
}
newest() {
	for f in "$cache"/*/vk_swiftshader_icd.json; do
		[ ! -e "$f" ] || echo "$f"
	done | sort -V | tail -n 1
}
fetch() {
	version=$(apt-cache show --no-all-versions chromium-common 2> /dev/null | sed -n 's/^Version: //p')
	[ -n "$version" ] || die "apt knows no chromium-common package (apt-get update?)"
	mkdir -p "$cache"
	new=$(mktemp -d "$cache/new.XXXXXX")
	trap 'rm -rf "$new"' EXIT
	(cd "$new" && apt-get download -qq "chromium-common=$version" > /dev/null 2>&1) ||
		die "cannot download chromium-common $version"
	mkdir "$new/lib"
	dpkg-deb --fsys-tarfile "$new"/chromium-common_*.deb | tar -x -C "$new/lib" --strip-components=4 \
		./usr/lib/chromium/libvk_swiftshader.so ./usr/lib/chromium/vk_swiftshader_icd.json ||
		die "chromium-common $version has no SwiftShader"
	# Whoever comes first wins; both are the same.
	mv -T "$new/lib" "$cache/$version" 2> /dev/null || [ -n "$(newest)" ] || die "cannot write $cache"
}
icd=$(newest)
if [ -z "$icd" ]; then
	fetch
	icd=$(newest)
fi
if [ $# -gt 0 ]; then
	cp "${icd%/*}"/* "$1"
	icd=$1/vk_swiftshader_icd.json
fi
echo "$icd"
