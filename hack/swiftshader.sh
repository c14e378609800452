#!/bin/sh
# swiftshader.sh [DIR]: print the path of SwiftShader's Vulkan driver manifest (VK_DRIVER_FILES), for tests.
#
# The driver is taken out of Debian's chromium-common package and kept in $KWARP_CACHE/swiftshader/VERSION, and
# beside it the package's Vulkan loader (libvulkan.so.1), for programs that find none; nothing is installed. Once it is there, no network is needed (remove the folder for a newer one). With
# DIR it is copied there: runners that root starts are nobody and cannot look into root's folders.
# Exits 1 with one line on standard error if it cannot be had.
set -eu
cache=${KWARP_CACHE:-${HOME:?}/.cache/kwarp}/swiftshader
die() {
	echo "swiftshader: $*" >&2
	exit 1
}
newest() {
	for f in "$cache"/*/libvulkan.so.1; do
		[ ! -e "$f" ] || echo "${f%/*}/vk_swiftshader_icd.json"
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
	mkdir -p "$new/lib" "$cache/$version"
	for f in libvk_swiftshader.so vk_swiftshader_icd.json libvulkan.so.1; do
		dpkg-deb --fsys-tarfile "$new"/chromium-common_*.deb |
			tar -x -C "$new/lib" --strip-components=4 "./usr/lib/chromium/$f" ||
			die "chromium-common $version has no $f"
	done
	# Whoever else fetches has the same files; newest() looks for the last one.
	for f in libvk_swiftshader.so vk_swiftshader_icd.json libvulkan.so.1; do
		mv "$new/lib/$f" "$cache/$version/$f" || die "cannot write $cache"
	done
}
icd=$(newest)
if [ -z "$icd" ]; then
	fetch
	icd=$(newest)
fi
if [ $# -gt 0 ]; then
	# By renames: other programs may have the files mapped that are there.
	copy=$(mktemp -d "$1/new.XXXXXX")
	trap 'rm -rf "$copy"' EXIT
	cp "${icd%/*}"/* "$copy"
	mv -f "$copy"/* "$1"
	icd=$1/vk_swiftshader_icd.json
fi
echo "$icd"
