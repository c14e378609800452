#!/bin/sh
# clang-tidy, one file per process (several files in one run gave false reports). A file that
# passed is not checked again while it, every header and the configuration are the same.
# usage: check-tidy.sh CPPFLAGS...
set -eu
cd "$(dirname "$0")/.."
cache="${KWARP_CACHE:-$HOME/.cache/kwarp}/tidy"
mkdir -p "$cache"
llvm=$(llvm-config-19 --cflags 2> /dev/null || true)
export llvm cache
one() {
	file=$1
	shift
	# shellcheck disable=SC2086 # flags are meant to be split
	sum=$({ cat .clang-tidy; gcc -std=gnu17 "$@" $llvm -E -P "$file"; cat "$file"; } | sha256sum | cut -d' ' -f1)
	[ -e "$cache/$sum" ] && return 0
	# shellcheck disable=SC2086
	if out=$(clang-tidy-14 --quiet "$file" -- -std=gnu17 "$@" $llvm 2>&1); then
		: > "$cache/$sum"
	else
		printf '%s\n' "$out" | grep -v 'warnings generated'
		return 1
	fi
}
if [ "${1:-}" = --one ]; then
	shift
	file=$1
	shift
	one "$file" "$@"
	exit
fi
git ls-files --cached --others --exclude-standard 'lib/*.c' 'controller/*.c' 'agent/*.c' 'runner/*.c' 'cli/*.c' |
	xargs -P 2 -I{} "$0" --one {} "$@"
