#!/bin/bash
#
# run.sh - runs the integration tests, each on clusters of its own, several at a time.
#
#     run.sh [TEST...]        names without test_ and .sh [all]
#
# Ends with one line "integration: N passed, N failed", the sum of the tests' own last lines; a
# test without one counts as one failure. KWARP_TEST_JOBS is how many run at a time [2].

set -u
cd "$(dirname "$0")/../.." || exit 1

LOGS=$(mktemp -d "${TMPDIR:-/tmp}/kwarp-integration.XXXXXX")
trap 'rm -rf "$LOGS"' EXIT
passed=0
failed=0

run_one() { # NAME
	local start=$SECONDS line rc

	"test/integration/test_$1.sh" > "$LOGS/$1.log" 2>&1
	rc=$?
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$LOGS/$1.log" | tail -n 1)
	if [ -z "$line" ] || { [ "$rc" -ne 0 ] && [[ $line == *" 0 failed" ]]; }; then
		line="${line:-no last line}, exit $rc"
	fi
	printf '%s\n' "$line" > "$LOGS/$1.result"
	printf '%-24s %4d s  %s\n' "$1" $((SECONDS - start)) "$line"
}

add_up() { # NAME
	local line

	line=$(cat "$LOGS/$1.result")
	if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
		[ "${BASH_REMATCH[2]}" -gt 0 ] || return
	else
		failed=$((failed + 1))
	fi
	echo "--- $1"
	grep -v '^ok ' "$LOGS/$1.log" | tail -n 60
}

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
	for f in test/integration/test_*.sh; do
		f=${f##*/test_}
		names+=("${f%.sh}")
	done
fi
# Once, before the tests need it at the same time and inside their own deadlines.
hack/testcluster build || exit 1
for name in "${names[@]}"; do
	while [ "$(jobs -rp | wc -l)" -ge "${KWARP_TEST_JOBS:-2}" ]; do
		wait -n
	done
	run_one "$name" &
done
wait
for name in "${names[@]}"; do
	add_up "$name"
done
echo "integration: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
