#!/bin/sh
# Run unit test binaries one after the other and count their tests.
# usage: run-unit.sh BUILD_DIR BINARY...
# Ends with "unit: N passed, N failed"; exits 1 if a test failed or a binary crashed.
set -u
dir=$1
shift
log="$dir/test/unit.log"
mkdir -p "$dir/test"
passed=0
failed=0
for bin in "$@"; do
	timeout 300 "$bin" > "$log" 2>&1
	rc=$?
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
