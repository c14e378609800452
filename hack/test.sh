#!/bin/bash
# Run all test stages one after the other and end with one line "N passed, N failed".
#
# usage: test.sh [STAGE...]     default: all, in this order
# A stage is a make target that prints a last line "NAME: N passed, N failed"; a stage without one
# counts as one test. Logs: $BUILD/test-logs/STAGE.log. A failing stage does not stop the others.
set -u
cd "$(dirname "$0")/.." || exit 1
stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=(build unit cases lint asan tsan fuzz integration)
logs=${BUILD:-build}/test-logs
mkdir -p "$logs"
passed=0
failed=0

run_stage() {
	local stage=$1 log=$logs/$1.log rc line start=$SECONDS
	make --no-print-directory -j2 "test-$stage" > "$log" 2>&1
	rc=$?
	line=$(grep -E '^([a-z-]+: )?[0-9]+ passed, [0-9]+ failed' "$log" | tail -1)
	if [[ $line =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
		[ $rc -eq 0 ] || [ "${BASH_REMATCH[2]}" -gt 0 ] || failed=$((failed + 1))
	elif [ $rc -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
	printf '%-12s %4d s  %s\n' "$stage" $((SECONDS - start)) "${line:-exit $rc}"
	if [ $rc -ne 0 ]; then
		echo "--- last lines of $log"
		tail -60 "$log"
	fi
}

for stage in "${stages[@]}"; do
	run_stage "$stage"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
