#!/bin/sh
# Run unit test binaries, one for each CPU at the same time, and count their tests.
# usage: run-unit.sh BUILD_DIR BINARY...
# Ends with "unit: N passed, N failed"; exits 1 if a test failed or a binary crashed. What a binary said
# is in BINARY.log.
set -u
dir=$1
shift
mkdir -p "$dir/test"
passed=0
failed=0
for bin in "$@"; do
	rm -f "$bin.rc"
done
# shellcheck disable=SC2016 # for the inner shell
printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} sh -c 'timeout 300 "$1" > "$1.log" 2>&1; echo $? > "$1.rc"' sh {}
for bin in "$@"; do
	log=$bin.log
	rc=$(cat "$bin.rc" || echo 1)
	p=$(grep -c '^\[       OK \]' "$log")
	f=$(sed '/test(s) run/q' "$log" | grep -c '^\[  FAILED  \] ')
	[ "$rc" -ne 0 ] && [ "$f" -eq 0 ] && f=1
	passed=$((passed + p))
	failed=$((failed + f))
	if [ "$rc" -ne 0 ]; then
		echo "--- $bin (exit $rc)"
		grep -v -e '^\[ RUN' -e '^\[       OK' "$log" | tail -40
	fi
done
echo "unit: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
