#!/usr/bin/env python3
"""cluster.py - what a job costs on a real control plane; part of `make bench`.

    cluster.py latency [RUNS]          one-chunk jobs next to one-pod Jobs on fake nodes
    cluster.py slices [CHUNKS]         trivial chunks, two replicas, slices of automatic size
    cluster.py large [CHUNKS]          960 KiB a chunk, two replicas, kept by the store, and read
    cluster.py pods [CHUNKS]           one chunk per pod next to an Indexed Job on fake nodes
    cluster.py memory [PODS]           the controller's memory while it keeps so many pods
    cluster.py idle                    memory of programs that have nothing to do

Needs KUBECONFIG, CLUSTER (the folder of hack/testcluster, for its audit log), CONTROLLER_PID,
AGENT_PIDS, STORE (of the controller) and BIN (our programs). Prints "key value" lines for report.py on standard output and progress on standard
error. Times are measured in this process: from before the request that creates the job is sent
until the watch event in which it is Complete has been read.
"""
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from kubeapi import Api, Watch

JOBS = "/apis/kwarp.dev/v1alpha1/namespaces/default/warpjobs"
BATCH = "/apis/batch/v1/namespaces/default/jobs"
PODS = "/api/v1/namespaces/default/pods"
WRITES = ("create", "update", "patch", "delete", "deletecollection")
TICKS = os.sysconf("SC_CLK_TCK")

KERNEL = """\
struct Params { seed_start: u32, num_samples: u32, samples_per_thread: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> hits: atomic<u32>;
fn pcg(v: u32) -> u32 {
  let s = v * 747796405u + 2891336453u;
  let w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u;
  return (w >> 22u) ^ w;
}
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var state = pcg(pcg(params.seed_start + id.x));
  var inside = 0u;
  for (var i = 0u; i < params.samples_per_thread; i++) {
    state = pcg(state);
    let x = f32(state) / 4294967296.0;
    state = pcg(state);
    let y = f32(state) / 4294967296.0;
    if (x * x + y * y < 1.0) { inside++; }
  }
  atomicAdd(&hits, inside);
}
"""


def put(key, value):
    print(key, value, flush=True)
    print(f"  {key} = {value}", file=sys.stderr, flush=True)


def warp_job(name, chunks, replicas=2, **spec):
    """A trivial chunk is one invocation of 256 samples."""
    return {"apiVersion": "kwarp.dev/v1alpha1", "kind": "WarpJob", "metadata": {"name": name},
            "spec": {"kernel": {"wgsl": KERNEL},
                     "chunks": {"count": chunks, "invocations": "1",
                                "params": {"seed_start": "chunk", "num_samples": 256,
                                           "samples_per_thread": 256}},
                     "outputs": [{"name": "hits", "reduce": "Sum"}],
                     "verify": {"replicas": replicas}, **spec}}


def indexed_job(name, pods):
    container = {"name": "c", "image": "none",
                 "resources": {"requests": {"cpu": "1m"}, "limits": {"cpu": "1m"}}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"completions": pods, "parallelism": pods, "completionMode": "Indexed",
                     "template": {"spec": {
                         "restartPolicy": "Never", "nodeSelector": {"type": "kwok"},
                         "tolerations": [{"key": "kwok.x-k8s.io/node", "operator": "Exists"}],
                         "containers": [container]}}}}


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def rss_mib(pid):
    with open(f"/proc/{pid}/status") as f:
        for line in f:
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    raise RuntimeError(f"no VmRSS of {pid}")


def server_pid(name):
    """Of a program that hack/testcluster has started."""
    with open(os.path.join(os.environ["CLUSTER"], "pids", name)) as f:
        return int(f.read().split()[0])


class Meter:
    """API writes (but for leases) and CPU time of some programs between start and stop."""

    def __init__(self, agents, pids):
        self.log = os.path.join(os.environ["CLUSTER"], "log", "audit.log")
        self.agents = agents  # beginnings of the user agents
        self.pids = pids

    def cpu_seconds(self):
        return sum(cpu_seconds(pid) for pid in self.pids)

    def start(self):
        self.offset = os.path.getsize(self.log)
        self.cpu = self.cpu_seconds()

    def stop(self):
        """(writes, CPU seconds)"""
        cpu = self.cpu_seconds() - self.cpu
        time.sleep(0.5)  # until the log is written
        writes, kinds = 0, {}
        with open(self.log, "rb") as f:
            f.seek(self.offset)
            for line in f.read().splitlines():
                event = json.loads(line)
                if event["verb"] not in WRITES:
                    continue
                if not event.get("userAgent", "").startswith(self.agents):
                    continue
                ref = event.get("objectRef", {})
                if ref.get("resource") == "leases":
                    continue
                writes += 1
                kind = f"{event['verb']} {ref.get('resource')}/{ref.get('subresource', '')}"
                kinds[kind] = kinds.get(kind, 0) + 1
        print(f"  writes: {kinds}", file=sys.stderr)
        return writes, cpu


def our_meter():
    return Meter("kwarp-controller", [int(os.environ["CONTROLLER_PID"])])


def job_meter():
    """Whoever has a part in a Job: its controller, the scheduler, and kwok as the kubelet."""
    names = ("kube-controller-manager", "kube-scheduler", "kwok")
    return Meter(names, [server_pid(name) for name in names])


def run_job(api, watch, path, job, limit_s):
    start = time.monotonic()
    api.call("POST", path, job)
    return watch.ended_at(job["metadata"]["name"], limit_s) - start


def remove(api, path, name):
    api.call("DELETE", f"{path}/{name}?propagationPolicy=Background")


def wait_no_pods(api, limit_s=120):
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if not api.call("GET", f"{PODS}?limit=1")["items"]:
            return
        time.sleep(0.2)
    raise RuntimeError(f"pods are still there after {limit_s} s")


def check_sum(watch, name, chunks):
    status = watch.objects[name]["status"]
    if status["chunks"]["accepted"] != chunks:
        raise RuntimeError(f"{name}: {status['chunks']}")
    return status["results"][0]["value"]


def quantile(sorted_values, q):
    """The nearest rank: of 100 values the 99th is what 99 do not exceed."""
    return sorted_values[max(0, math.ceil(q * len(sorted_values)) - 1)]


def latency(api, runs):
    with Watch(api, JOBS) as jobs, Watch(api, BATCH) as batch:
        ours, theirs = [], []
        run_job(api, jobs, JOBS, warp_job("warm", 1), 30)
        for i in range(runs):
            ours.append(run_job(api, jobs, JOBS, warp_job(f"one-{i}", 1), 30) * 1000)
            if i % 5 == 0:  # in between, so that both meet the same load
                theirs.append(run_job(api, batch, BATCH, indexed_job(f"one-{i}", 1), 30) * 1000)
                remove(api, BATCH, f"one-{i}")
        for i in range(runs):
            remove(api, JOBS, f"one-{i}")
        remove(api, JOBS, "warm")
    ours.sort()
    theirs.sort()
    put("latency_runs", runs)
    put("latency_median_ms", f"{statistics.median(ours):.0f}")
    put("latency_p99_ms", f"{quantile(ours, 0.99):.0f}")
    put("latency_min_ms", f"{ours[0]:.0f}")
    put("latency_job_median_ms", f"{statistics.median(theirs):.0f}")
    put("latency_job_max_ms", f"{theirs[-1]:.0f}")
    wait_no_pods(api)


def slices(api, chunks):
    meter = our_meter()
    with Watch(api, JOBS) as jobs:
        run_job(api, jobs, JOBS, warp_job("warm", 1), 30)
        remove(api, JOBS, "warm")
        best = None
        for i in range(3):
            name = f"slices-{i}"
            meter.start()
            seconds = run_job(api, jobs, JOBS, warp_job(name, chunks), 120)
            writes, cpu = meter.stop()
            check_sum(jobs, name, chunks)
            print(f"  {name}: {seconds:.2f} s, {writes} writes, {cpu:.2f} CPU s", file=sys.stderr)
            if best is None or seconds < best[0]:
                best = (seconds, writes, cpu)
            remove(api, JOBS, name)
            wait_no_pods(api)
    seconds, writes, cpu = best
    put("slices_chunks", chunks)
    put("slices_seconds", f"{seconds:.2f}")
    put("slices_results_per_s", f"{2 * chunks / seconds:.0f}")
    put("slices_writes_per_1000", f"{writes * 1000 / chunks:.1f}")
    put("slices_cpu_per_1000", f"{cpu * 1000 / chunks:.3f}")


LARGE = 960 << 10  # bytes a chunk; at most 1 MiB may come back

FILL = """\
struct Params { first: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> numbers: array<u32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  numbers[id.x] = (params.first + id.x) * 2654435761u;
}
"""


def large_job(name, chunks):
    n = str(LARGE // 4)
    return {"apiVersion": "kwarp.dev/v1alpha1", "kind": "WarpJob", "metadata": {"name": name},
            "spec": {"kernel": {"wgsl": FILL},
                     "chunks": {"count": chunks, "invocations": n,
                                "params": {"first": f"chunk * {n}"}},
                     "outputs": [{"name": "numbers", "reduce": "Concat", "length": n}]}}


def write_synced(path, parts):
    with open(path, "wb") as f:
        for part in parts:
            f.write(part)
        f.flush()
        os.fsync(f.fileno())


def write_twice(folder, chunks):
    """What the store has to do at least: a file for each chunk, then all of them in one."""
    block = os.urandom(LARGE)
    start = time.monotonic()
    for i in range(chunks):
        write_synced(os.path.join(folder, str(i)), [block])
    write_synced(os.path.join(folder, "all"), (block for _ in range(chunks)))
    return time.monotonic() - start


def large(api, chunks):
    mib = chunks * LARGE / (1 << 20)
    keep, disk, read, copy = [], [], [], []
    with Watch(api, JOBS) as jobs:
        for i in range(3):
            name = f"large-{i}"
            with tempfile.TemporaryDirectory(dir=os.path.dirname(os.environ["STORE"])) as folder:
                disk.append(write_twice(folder, chunks))
                keep.append(run_job(api, jobs, JOBS, large_job(name, chunks), 120))
                if jobs.objects[name]["status"]["state"] != "Complete":
                    raise RuntimeError(f"{name}: {jobs.objects[name]['status']}")
                start = time.monotonic()
                out = os.path.join(folder, "out")
                subprocess.run([os.path.join(os.environ["BIN"], "kubectl-warp"), "result", name,
                                "-o", out], check=True, stdout=sys.stderr)
                read.append(time.monotonic() - start)
                start = time.monotonic()
                shutil.copyfile(out, out + ".copy")
                with open(out + ".copy", "rb") as f:
                    os.fsync(f.fileno())
                copy.append(time.monotonic() - start)
            remove(api, JOBS, name)
            wait_no_pods(api)
    put("large_mib", f"{mib:.0f}")
    put("large_seconds", f"{min(keep):.2f}")
    put("large_disk_seconds", f"{min(disk):.2f}")
    put("large_read_seconds", f"{min(read):.2f}")
    put("large_copy_seconds", f"{min(copy):.2f}")
    put("large_controller_mib", f"{rss_mib(int(os.environ['CONTROLLER_PID'])):.0f}")


def pods(api, chunks):
    enough_at = time.monotonic() + 90  # a loaded machine takes minutes for each
    ours, theirs = [], []  # (seconds, writes, CPU seconds)
    with Watch(api, JOBS) as jobs, Watch(api, BATCH) as batch:
        for i in range(3):
            name = f"pods-{i}"
            meter = our_meter()
            meter.start()
            seconds = run_job(api, jobs, JOBS, warp_job(name, chunks, 1, chunksPerSlice=1), 180)
            ours.append((seconds, *meter.stop()))
            check_sum(jobs, name, chunks)
            remove(api, JOBS, name)
            wait_no_pods(api)
            meter = job_meter()
            meter.start()
            seconds = run_job(api, batch, BATCH, indexed_job(name, chunks), 180)
            theirs.append((seconds, *meter.stop()))
            remove(api, BATCH, name)
            wait_no_pods(api)
            print(f"  {chunks / ours[-1][0]:.0f} pods/s, Indexed Job {chunks / seconds:.0f} pods/s",
                  file=sys.stderr)
            if time.monotonic() > enough_at:
                break
    ratios = sorted(b[0] / a[0] for a, b in zip(ours, theirs))
    put("pods_chunks", chunks)
    put("pods_ratio", f"{statistics.median(ratios):.2f}")
    put("pods_ratio_min", f"{ratios[0]:.2f}")
    for prefix, runs in (("pods", ours), ("pods_job", theirs)):
        seconds, writes, cpu = min(runs)
        put(f"{prefix}_per_s", f"{chunks / seconds:.0f}")
        put(f"{prefix}_writes_per_1000", f"{writes * 1000 / chunks:.0f}")
        put(f"{prefix}_cpu_per_1000", f"{cpu * 1000 / chunks:.2f}")


def memory(api, count):
    """Jobs that keep 1,000 finished pods each, which is the most one job may keep."""
    names = [f"kept-{i}" for i in range(count // 1000)]
    start = time.monotonic()
    with Watch(api, JOBS) as jobs:
        for name in names:
            api.call("POST", JOBS, warp_job(name, 1000, 1, chunksPerSlice=1, podHistoryLimit=1000))
        try:
            for name in names:
                jobs.ended_at(name, max(1, start + 280 - time.monotonic()))
        except TimeoutError as e:  # then with the pods that there are
            print(f"  {e}", file=sys.stderr)
    put("memory_pods", len(api.call("GET", PODS)["items"]))
    put("memory_controller_mib", f"{rss_mib(int(os.environ['CONTROLLER_PID'])):.1f}")
    put("memory_kcm_mib", f"{rss_mib(server_pid('kube-controller-manager')):.1f}")


def idle():
    put("idle_controller_mib", f"{rss_mib(int(os.environ['CONTROLLER_PID'])):.1f}")
    agents = [rss_mib(int(pid)) for pid in os.environ["AGENT_PIDS"].split()]
    put("idle_agent_mib", f"{max(agents):.1f}")
    put("idle_kcm_mib", f"{rss_mib(server_pid('kube-controller-manager')):.1f}")
    put("idle_kwok_mib", f"{rss_mib(server_pid('kwok')):.1f}")


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if what == "idle":
        idle()
    elif what == "latency":
        latency(Api(), count or 100)
    elif what == "slices":
        slices(Api(), count or 10000)
    elif what == "large":
        large(Api(), count or 128)
    elif what == "pods":
        pods(Api(), count or 1000)
    elif what == "memory":
        memory(Api(), count or 10000)
    else:
        sys.exit(__doc__)


main()
