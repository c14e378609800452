#!/bin/bash
# All static checks; each counts as one test. Ends with "lint: N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0
for check in format layers headers size symbols goldens shell cppcheck tidy; do
	if make --no-print-directory "$check"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "--- $check failed"
	fi
done
echo "lint: $passed passed, $failed failed"
[ $failed -eq 0 ]
