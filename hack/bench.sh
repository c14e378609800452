#!/bin/bash
# bench.sh: measures what docs/benchmarks.md shows and writes that page; what `make bench` runs.
#
#     hack/bench.sh PROGRAMS       the folder with run_pi and others; KWARP_BIN is the one with kwarp-*
#
# Every figure stands next to something real that was measured in the same run, in turns with it.
#   BENCH_PARTS  which parts [pi compile kernels strict idle latency slices large pods memory]; the page is written
#                only when all were measured
#   BENCH_NOTE   one more sentence about the machine, for the page
set -euo pipefail
cd "$(dirname "$0")/.."
programs=$(cd "$1" && pwd)
parts=${BENCH_PARTS:-pi compile kernels strict idle latency slices large pods memory}
all="pi compile kernels strict idle latency slices large pods memory"

# shellcheck source=/dev/null
. test/integration/lib.sh
set -e
trap 'set +e; cleanup' EXIT # a process that is killed fails, which is no reason to stop
bench=$ROOT/test/bench
figures=$T/figures
export KWARP_RUNNER=$BIN/kwarp-runner LP_NUM_THREADS=2 MESA_SHADER_CACHE_DISABLE=true
# Nothing but lavapipe, whatever else is installed.
for driver in /usr/share/vulkan/icd.d/lvp_icd.*; do
	[ ! -e "$driver" ] || export VK_DRIVER_FILES=$driver VK_ICD_FILENAMES=$driver
done

want() { [[ " $parts " == *" $1 "* ]]; }

put() { # KEY VALUE
	echo "$1 $2" | tee -a "$figures"
}

# The value of NAME in a line like "hits=1 best_ms=2.5".
value() { # NAME LINE
	sed -n "s/.*\\b$1=\\([0-9.]*\\).*/\\1/p" <<< "$2"
}

build_others() {
	local flags=(-std=gnu17 -O3 -march=native -ffp-contract=off)

	gcc "${flags[@]}" -o "$T/c_pi_gcc" "$bench/c_pi.c" -lpthread
	clang-14 "${flags[@]}" -o "$T/c_pi_clang" "$bench/c_pi.c" -lpthread
	gcc -std=gnu17 -O2 -o "$T/vk_pi" "$bench/vk_pi.c" -lvulkan
	glslangValidator -V "$bench/pi.comp" -o "$T/pi.spv" > /dev/null
}

pi() {
	local name line hits=78543034

	for _ in 1 2 3 4 5; do
		for name in ours lavapipe gcc clang; do
			case $name in
			ours) line=$("$programs/run_pi" chunk) ;;
			lavapipe) line=$("$T/vk_pi" "$T/pi.spv" 5) ;;
			*) line=$("$T/c_pi_$name" 5) ;;
			esac
			[ "$(value hits "$line")" = $hits ] || abort "$name: $line, expected hits=$hits"
			put "pi_$name" "$(value best_ms "$line")"
			if [ $name = lavapipe ]; then
				put compile_lavapipe "$(value compile_ms "$line")"
			fi
		done
	done
}

now_ms() { echo $(($(date +%s%N) / 1000000)); }

compile() {
	local start

	for _ in 1 2 3; do
		"$programs/run_pi" | sed -n -e 's/^compile, \([a-z]*\) *[a-z]* *\([0-9.]*\) ms/compile_\1 \2/p' \
			-e 's/^start, \([a-z]*\) *\([0-9.]*\) ms/start_\1 \2/p' | tee -a "$figures"
		"$programs/front" | tee -a "$figures"
		start=$(now_ms)
		clang-14 -std=gnu17 -O3 -march=native -ffp-contract=off -c -o "$T/c_pi.o" "$bench/c_pi.c"
		put compile_clang $(($(now_ms) - start))
	done
}

# Lines "native_NAME MS", "gcc_NAME MS", "clang_NAME MS", "unchecked_NAME MS", "vulkan_NAME MS".
kernels() {
	while read -r name ms; do
		put "kernel_$name" "$ms"
	done < <(BENCH_LAVAPIPE=1 "$programs/native" "$programs/c_gcc.so" "$programs/c_clang.so" 2 5)
}

strict() {
	local name ours libm

	while read -r name ours libm; do
		put "strict_$name" "$ours"
		put "strict_libm_$name" "$libm"
	done < <("$programs/strict")
}

cluster() {
	local name

	AGENT_PIDS=
	cluster_start
	hack/testcluster kwok "$CLUSTER" 10
	crds_apply
	export STORE=$T/store
	controller_start --store "$STORE" || abort "the controller did not start: $(tail -n 3 "$T/controller.log")"
	for name in node-1 node-2 node-3; do
		agent_start "$name" || abort "the agent of $name did not start"
		# shellcheck disable=SC2153 # agent_start sets it
		AGENT_PIDS="$AGENT_PIDS $AGENT_PID"
	done
	export AGENT_PIDS
}

measure() { # PART [COUNT]
	want "$1" || return 0
	echo "$1" >&2
	python3 "$bench/cluster.py" "$@" >> "$figures"
}

: > "$figures"
put load_before "$(cut -d' ' -f1 /proc/loadavg)"
put commit "$(git rev-parse --short HEAD 2> /dev/null || echo none)"
build_others
if want pi; then pi; fi
if want compile; then compile; fi
if want kernels; then kernels; fi
if want strict; then strict; fi
if [[ " $parts " =~ " idle "|" latency "|" slices "|" large "|" pods "|" memory " ]]; then
	cluster
	sleep 3 # to be idle after the start
	measure idle
	measure latency 100
	measure slices 10000
	measure large 128
	measure pods 1000
	measure memory 10000
fi
put seconds "$SECONDS"
if [ "$parts" = "$all" ]; then
	python3 "$bench/report.py" "$figures" docs/benchmarks.md
else
	python3 "$bench/report.py" "$figures"
fi
