#!/bin/bash
# Run each fuzz target for a while, two at a time, starting from test/fuzz/corpus/NAME.
# usage: run-fuzz.sh SECONDS BINARY...     Ends with "fuzz: N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=$1
shift
[ "${1:-}" = --one ] && {
	bin=$2
	name=$(basename "$bin")
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$work/new"
	folders=("$work/new")
	[ -d "test/fuzz/corpus/${name#fuzz_}" ] && folders+=("test/fuzz/corpus/${name#fuzz_}")
	if "$bin" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
		-artifact_prefix="$work/" -print_final_stats=1 "${folders[@]}" \
		> "$work/log" 2>&1; then
		echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log") executions"
	else
		echo "$name: FAILED"
		tail -40 "$work/log"
		for f in "$work"/crash-* "$work"/timeout-* "$work"/oom-* "$work"/leak-*; do
			[ -e "$f" ] && { echo "input $(basename "$f"):"; head -c 600 "$f" | base64; }
		done
		exit 1
	fi
	exit 0
}
log=$(mktemp)
printf '%s\n' "$@" | xargs -P 2 -I{} "$0" "$seconds" --one {} | tee "$log"
failed=$(grep -c ': FAILED$' "$log")
echo "fuzz: $(($# - failed)) passed, $failed failed"
rm -f "$log"
[ "$failed" -eq 0 ]
