#!/bin/sh
# cppcheck over the product's sources, with a cache of what passed.
set -eu
cd "$(dirname "$0")/.."
cache="${KWARP_CACHE:-$HOME/.cache/kwarp}/cppcheck"
mkdir -p "$cache"
dirs=""
for d in lib controller agent runner cli; do
	[ -d "$d" ] && dirs="$dirs $d"
done
# shellcheck disable=SC2086 # the list of folders is meant to be split
cppcheck --std=c11 --enable=warning,style,performance,portability --inline-suppr --error-exitcode=2 \
	--suppress=missingIncludeSystem --suppressions-list=hack/cppcheck-suppressions.txt \
	--cppcheck-build-dir="$cache" -j 2 -q -Ilib -I. $dirs
