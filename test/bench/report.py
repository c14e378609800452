#!/usr/bin/env python3
"""report.py - the figures of a run as a table; part of `make bench`.

    report.py FIGURES            prints it
    report.py FIGURES PAGE       also puts it between the two marker lines of the page

FIGURES holds "key value" lines; a key that stands there several times was measured several times.
What was not measured is left out.
"""
import datetime
import os
import platform
import sys

BEGIN = "<!-- figures: written by make bench -->"
END = "<!-- end of figures -->"


def read(path):
    figures = {}
    with open(path) as f:
        for line in f:
            key, value = line.split(maxsplit=1)
            figures.setdefault(key, []).append(value.strip())
    return figures


class Figures:
    def __init__(self, figures):
        self.figures = figures

    def least(self, key):
        return min(float(v) for v in self.figures[key])

    def text(self, key):
        return self.figures[key][-1]

    def has(self, *keys):
        return all(k in self.figures for k in keys)

    def pairs(self, a, b):
        """The ratios a/b of runs in turn: (of the best ones, smallest, largest)."""
        ratios = [float(x) / float(y) for x, y in zip(self.figures[a], self.figures[b])]
        return self.least(a) / self.least(b), min(ratios), max(ratios)


def met(good):
    return "yes" if good else "**no**"


def pi_rows(f):
    if not f.has("pi_ours"):
        return
    ours = f.least("pi_ours")
    for key, name, target in (("pi_lavapipe", "lavapipe", 2.5), ("pi_gcc", "C, gcc -O3", None),
                              ("pi_clang", "C, clang -O3", None)):
        ratio, low, high = f.pairs(key, "pi_ours")
        yield ("pi chunk, 1e8 samples, 2 threads", f"{ours:.1f} ms",
               f"{name} {f.least(key):.1f} ms",
               f"{ratio:.2f} times as fast ({low:.2f} to {high:.2f})",
               f"at least {target}" if target else "stated",
               met(ratio >= target) if target else "")


def compile_rows(f):
    if not f.has("compile_new"):
        return
    others = [("clang -O3 of the C loop", f.least("compile_clang"))]
    if f.has("compile_lavapipe"):
        others.append(("lavapipe, from SPIR-V", f.least("compile_lavapipe")))
    beside = "; ".join(f"{name} {ms:.0f} ms" for name, ms in others)
    for key, name, target in (("compile_new", "new process", 60),
                              ("compile_warm", "warm process", 25),
                              ("compile_cached", "cached", 1)):
        ms = f.least(key)
        ratio = ", ".join(f"{other / ms:.1f}" for _, other in others) if ms >= 1 else ""
        yield (f"compile pi from text, {name}", f"{ms:.2f} ms", beside if ms >= 1 else "",
               f"{ratio} times as fast" if ratio else "", f"at most {target} ms",
               met(ms <= target))


def front_rows(f):
    """Text to SPIR-V in this process."""
    if not f.has("spirv_pi"):
        return
    lines = f.text("spirv_large_lines")
    for key, name, target in (("spirv_pi", "pi", 0.5),
                              ("spirv_large", f"{lines} lines that are generated", 20)):
        ms = f.least(key)
        yield (f"text to SPIR-V, {name}", f"{ms:.2f} ms", "", "", f"at most {target} ms",
               met(ms <= target))


def start_rows(f):
    for key, name, target in (("start_native", "native, cached code", 20),
                              ("start_vulkan", "Vulkan, lavapipe", 80)):
        if f.has(key):
            ms = f.least(key)
            yield (f"runner, start to first result, {name}", f"{ms:.1f} ms", "", "",
                   f"at most {target} ms", met(ms <= target))


KERNELS = (("pi", "pi, 16.8 million samples", 0.9), ("saxpy", "saxpy of 4 Mi", 0.8),
           ("matrix", "matrix product 512, naive", 0.5),
           ("matrix_tiled", "matrix product 512, tiles of 16 x 16", 0.5),
           ("histogram", "histogram of 16 Mi values, work-group atomics", 0.5),
           ("mandelbrot", "Mandelbrot 1024 x 768 x 500", 0.8),
           ("bodies", "n-body, 4,096 bodies", 0.8))


def kernel_rows(f):
    """Native code next to the better of gcc's and clang's hand-written C."""
    for name, text, target in KERNELS:
        if not f.has("kernel_native_" + name):
            continue
        ours = f.least("kernel_native_" + name)
        best = min("gcc", "clang", key=lambda cc: f.least(f"kernel_{cc}_{name}"))
        ratio, low, high = f.pairs(f"kernel_{best}_{name}", "kernel_native_" + name)
        yield (f"{text}, native, 2 threads", f"{ours:.2f} ms",
               f"C, {best} -O3 {f.least(f'kernel_{best}_{name}'):.2f} ms",
               f"{ratio:.2f} times as fast ({low:.2f} to {high:.2f})", f"at least {target}",
               met(ratio >= target))
    if f.has("kernel_unchecked_pi"):
        cost, _, _ = f.pairs("kernel_native_pi", "kernel_unchecked_pi")
        yield ("pi with counters and clamps", f"{f.least('kernel_native_pi'):.2f} ms",
               f"without {f.least('kernel_unchecked_pi'):.2f} ms", f"{cost:.2f} times the time",
               "at most 1.05", met(cost <= 1.05))


# How many times as fast native code has to be.
VULKAN_TARGETS = {"saxpy": 20, "matrix": 20, "matrix_tiled": 20}


def vulkan_rows(f):
    """Native code next to the same text as SPIR-V on lavapipe."""
    for name, text, _ in KERNELS:
        if not f.has("kernel_vulkan_" + name):
            continue
        ours, theirs = f.least("kernel_native_" + name), f.least("kernel_vulkan_" + name)
        ratio, low, high = f.pairs("kernel_vulkan_" + name, "kernel_native_" + name)
        target = VULKAN_TARGETS.get(name, 1)
        yield (f"{text}, native, 2 threads", f"{ours:.2f} ms",
               f"our SPIR-V on lavapipe {theirs:.1f} ms",
               f"{ratio:.1f} times as fast ({low:.1f} to {high:.1f})", f"at least {target}",
               met(ratio >= target))


def strict_rows(f):
    for name in ("exp", "log", "sin", "cos", "pow"):
        if not f.has("strict_" + name):
            continue
        ours, libm = f.least("strict_" + name), f.least("strict_libm_" + name)
        yield (f"{name} with numerics: Strict, one core", f"{ours:.2f} ns",
               f"glibc {name}f, scalar, {libm:.2f} ns", f"{libm / ours:.2f} times as fast",
               "at least 1", met(libm >= ours))


def latency_rows(f):
    if not f.has("latency_median_ms"):
        return
    median, p99 = f.least("latency_median_ms"), f.least("latency_p99_ms")
    beside = f.least("latency_job_median_ms")
    runs = f.text("latency_runs")
    yield (f"one-chunk job, create to Complete, {runs} runs, median", f"{median:.0f} ms",
           f"one-pod Job on a fake node {beside:.0f} ms", f"{beside / median:.1f} times as fast",
           "at most 300 ms", met(median <= 300))
    beside = f.least("latency_job_max_ms")
    yield ("the same, 99th percentile", f"{p99:.0f} ms", f"slowest of its runs {beside:.0f} ms",
           f"{beside / p99:.1f} times as fast", "at most 1000 ms", met(p99 <= 1000))


def slice_rows(f):
    if not f.has("slices_seconds"):
        return
    seconds, rate = f.least("slices_seconds"), float(f.text("slices_results_per_s"))
    pods = float(f.text("pods_job_per_s")) if f.has("pods_job_per_s") else None
    beside = f"Indexed Job {pods:.0f} pods/s" if pods else ""
    chunks = f.text("slices_chunks")
    yield (f"{chunks} trivial chunks, replicas 2, 3 agents, automatic slices",
           f"{seconds:.2f} s", "", "", "at most 8 s", met(seconds <= 8))
    yield ("chunk results in slice mode", f"{rate:.0f}/s", beside,
           f"{rate / pods:.0f} times as many" if pods else "", "at least 5000/s",
           met(rate >= 5000))
    yield ("API writes per 1000 chunks, slice mode", f.text("slices_writes_per_1000"), "", "",
           "stated", "")
    yield ("controller CPU per 1000 chunks, slice mode", f"{f.text('slices_cpu_per_1000')} s", "",
           "", "stated", "")


def large_rows(f):
    if not f.has("large_seconds"):
        return
    mib, seconds, disk = (f.least(f"large_{k}") for k in ("mib", "seconds", "disk_seconds"))
    read, copy = f.least("large_read_seconds"), f.least("large_copy_seconds")
    yield (f"{mib:.0f} MiB of results, replicas 2, create to Complete", f"{seconds:.2f} s, "
           f"{mib / seconds:.0f} MiB/s", f"the store's files written and synced alone {disk:.2f} s",
           f"{seconds / disk:.1f} times the time", "stated", "")
    yield (f"kubectl warp result -o, {mib:.0f} MiB", f"{read:.2f} s, {mib / read:.0f} MiB/s",
           f"copied and synced {copy:.2f} s", f"{read / copy:.1f} times the time", "stated", "")
    yield ("controller's memory after these", f"{f.text('large_controller_mib')} MiB", "", "",
           "stated", "")


def pod_rows(f):
    if not f.has("pods_per_s"):
        return
    ratio = float(f.text("pods_ratio"))
    yield (f"one chunk per pod, {f.text('pods_chunks')} pods", f"{f.text('pods_per_s')} pods/s",
           f"Indexed Job {f.text('pods_job_per_s')} pods/s",
           f"{ratio:.2f} times as many (at least {f.text('pods_ratio_min')})", "at least 1.2",
           met(ratio >= 1.2))
    writes, theirs = f.text("pods_writes_per_1000"), f.text("pods_job_writes_per_1000")
    yield ("API writes per 1000 chunks, one per pod", writes, f"Indexed Job {theirs}",
           f"{float(theirs) / float(writes):.1f} times fewer", "stated", "")
    cpu, theirs = f.text("pods_cpu_per_1000"), f.text("pods_job_cpu_per_1000")
    yield ("controller CPU per 1000 chunks, one per pod", f"{cpu} s",
           f"controller-manager, scheduler, kwok {theirs} s",
           f"{float(theirs) / float(cpu):.1f} times less", "stated", "")


def memory_rows(f):
    if f.has("idle_controller_mib"):
        mib = f.least("idle_controller_mib")
        beside = float(f.text("idle_kcm_mib"))
        yield ("controller's memory, idle", f"{mib:.1f} MiB",
               f"controller-manager {beside:.0f} MiB",
               f"{beside / mib:.1f} times less", "at most 20 MiB", met(mib <= 20))
        mib = f.least("idle_agent_mib")
        beside = float(f.text("idle_kwok_mib"))
        yield ("agent's memory, idle, without its runner", f"{mib:.1f} MiB",
               f"kwok {beside:.0f} MiB",
               f"{beside / mib:.1f} times less", "at most 15 MiB", met(mib <= 15))
    if f.has("memory_controller_mib"):
        mib = f.least("memory_controller_mib")
        beside = float(f.text("memory_kcm_mib"))
        pods = int(f.text("memory_pods"))
        yield (f"controller's memory, {pods} pods", f"{mib:.1f} MiB",
               f"controller-manager {beside:.0f} MiB", f"{beside / mib:.1f} times less",
               "at most 100 MiB with 10000 pods",
               met(mib <= 100) if pods >= 10000 else "not enough pods in time")


def table(rows):
    head = ("figure", "measured", "next to", "ratio", "target", "met")
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def machine():
    cpu = "unknown"
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
    kernel = platform.release().split("-")[0]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    return f"{os.cpu_count()} CPUs ({cpu}), {memory} GiB, Linux {kernel}"


def report(f):
    note = os.environ.get("BENCH_NOTE", "")
    load = f.least("load_before")
    when = datetime.date.today().isoformat()
    idle = "" if load < 1 else ", so the machine was not idle"
    lines = [f"Measured on {when} at commit {f.text('commit')} on {machine()}; load average "
             f"{load:.1f} when it started{idle}; {f.text('seconds')} s in all."]
    if note:
        lines.append(note)
    parts = (pi_rows, compile_rows, front_rows, start_rows, kernel_rows, vulkan_rows, strict_rows,
             latency_rows, slice_rows, large_rows, pod_rows, memory_rows)
    rows = [row for part in parts for row in part(f)]
    return "\n".join([*lines, "", *table(rows), ""])


def main():
    text = report(Figures(read(sys.argv[1])))
    print(text)
    if len(sys.argv) > 2:
        with open(sys.argv[2]) as f:
            page = f.read()
        before, rest = page.split(BEGIN)
        after = rest.split(END)[1]
        with open(sys.argv[2], "w") as f:
            f.write(f"{before}{BEGIN}\n{text}{END}{after}")


main()
