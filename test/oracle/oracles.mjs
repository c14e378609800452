// oracles.mjs - ask naga and Dawn about expanded kernels (oracle expand) and print golden.txt.
// usage: node oracles.mjs DIR NAGA DAWN_MODULE
// Dawn runs in a child process (`node oracles.mjs --dawn DIR MODULE FIRST`) that may crash or hang on a
// kernel: that kernel's answer is then "crash" and the next child goes on behind it.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const SECONDS_PER_KERNEL = 20;

// ---- the child --------------------------------------------------------------------------

const layoutType = { u: 'uniform', r: 'read-only-storage', w: 'storage' };

function bindGroups(device, binds, buffers) {
  const groups = [];
  for (let g = 0; g <= Math.max(-1, ...binds.map((b) => b.group)); g++) {
    const mine = binds.map((b, i) => ({ b, i })).filter((e) => e.b.group === g);
    const layout = device.createBindGroupLayout({
      entries: mine.map(({ b }) => ({
        binding: b.binding, visibility: 4 /* compute */, buffer: { type: layoutType[b.access] },
      })),
    });
    groups.push({ layout, entries: mine.map(({ b, i }) => (
      { binding: b.binding, resource: { buffer: buffers[i] } })) });
  }
  return groups;
}

async function readBack(device, buffer, size) {
  const copy = device.createBuffer({ size, usage: 0x1 | 0x8 }); // MAP_READ | COPY_DST
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(1);
  return [...new Uint32Array(copy.getMappedRange())].map((w) => w.toString(16)).join(' ');
}

async function runKernel(device, k, pipeline, groups, buffers) {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  groups.forEach((g, i) => pass.setBindGroup(i, device.createBindGroup(g)));
  pass.dispatchWorkgroups(...k.groups);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const words = {};
  for (const [i, b] of k.binds.entries())
    if (b.access === 'w')
      words[`${b.group}.${b.binding}`] = await readBack(device, buffers[i], b.words.length * 4);
  return words;
}

async function ask(device, k, code, canRun) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code });
  const info = await module.getCompilationInfo();
  const wrong = info.messages.find((m) => m.type === 'error');
  if (wrong) {
    await device.popErrorScope();
    return { verdict: 'reject', why: `${wrong.lineNum}:${wrong.linePos} ${wrong.message}` };
  }
  const buffers = k.binds.map((b) => {
    const buffer = device.createBuffer({ size: b.words.length * 4,
      usage: 0x4 | 0x8 | (b.access === 'u' ? 0x40 : 0x80) });
    device.queue.writeBuffer(buffer, 0, new Uint32Array(b.words));
    return buffer;
  });
  const groups = bindGroups(device, k.binds, buffers);
  const layout = device.createPipelineLayout({ bindGroupLayouts: groups.map((g) => g.layout) });
  const pipeline = device.createComputePipeline({ layout, compute: { module, entryPoint: 'main', constants: k.constants } });
  let error = await device.popErrorScope();
  if (error) return { verdict: 'reject', why: error.message };
  if (!canRun) return { verdict: 'accept', words: {} };
  device.pushErrorScope('validation');
  const words = await runKernel(device, k, pipeline, groups, buffers);
  error = await device.popErrorScope();
  if (error) throw new Error(`${k.name}: ${error.message}`);
  return { verdict: 'accept', words };
}

// Every feature that kernels may enable, where the adapter has it.
const FEATURES = ['shader-f16', 'subgroups', 'subgroup-size-control'];

async function openDevice(create, options) {
  const gpu = create(options);
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error(`Dawn found no adapter (${options.join(' ')})`);
  const limits = {};
  for (const name of ['maxStorageBufferBindingSize', 'maxBufferSize', 'maxComputeWorkgroupStorageSize'])
    limits[name] = adapter.limits[name];
  const device = await adapter.requestDevice({
    requiredFeatures: FEATURES.filter((f) => adapter.features.has(f)), requiredLimits: limits });
  return { gpu, adapter, device }; // the device does not keep the others alive
}

async function child(dir, dawn, first) {
  const { create, globals } = await import(pathToFileURL(dawn));
  Object.assign(globalThis, globals);
  // The null back end runs nothing, but has all features.
  const real = await openDevice(create, []);
  const none = await openDevice(create, ['backend=null']);
  const list = JSON.parse(readFileSync(`${dir}/list.json`, 'utf8'));
  for (let i = first; i < list.length; i++) {
    const k = list[i];
    const code = readFileSync(`${dir}/${k.name}.wgsl`, 'utf8');
    const answer = await ask(k.null ? none.device : real.device, k, code, !k.null);
    await new Promise((done) => process.stdout.write(`${JSON.stringify({ i, ...answer })}\n`, done));
  }
  process.exit(0);
}

// ---- the parent -------------------------------------------------------------------------

function dawnFrom(dir, dawn, first, answers) {
  return new Promise((done) => {
    const p = spawn(process.execPath, [process.argv[1], '--dawn', dir, dawn, String(first)],
      { stdio: ['ignore', 'pipe', 'inherit'] });
    let next = first, rest = '', timer;
    const rearm = () => {
      clearTimeout(timer);
      timer = setTimeout(() => p.kill('SIGKILL'), SECONDS_PER_KERNEL * 1000);
    };
    rearm();
    p.stdout.on('data', (text) => {
      rest += text;
      for (let end; (end = rest.indexOf('\n')) >= 0; rest = rest.slice(end + 1)) {
        if (!rest.startsWith('{"i":')) continue; // Dawn prints warnings
        const a = JSON.parse(rest.slice(0, end));
        answers[a.i] = a;
        next = a.i + 1;
        rearm();
      }
    });
    p.on('close', (code) => { clearTimeout(timer); done({ next, ok: code === 0 }); });
  });
}

async function askDawn(dir, dawn, n) {
  const answers = [];
  for (let first = 0; first < n;) {
    const { next, ok } = await dawnFrom(dir, dawn, first, answers);
    if (next === 0) throw new Error('Dawn does not start');
    if (!ok && next < n) answers[next] = { verdict: 'crash', why: 'the process died' };
    first = next + 1;
  }
  return answers;
}

// It knows subgroups, but not the directives for them.
function forNaga(text) {
  return text.replace(/^enable subgroups(, subgroup_size_control)?;$/m, '')
    .replace(/^enable subgroup_size_control;$/m, '').replace('enable subgroups, ', 'enable ')
    .replace(/^requires subgroup.*;$/m, '').replace(/@?diagnostic\([a-z]+, subgroup_uniformity\);?/g, '');
}

function askNaga(naga, file) {
  const text = readFileSync(file, 'utf8');
  if (text !== forNaga(text)) writeFileSync(file, forNaga(text)); // Dawn has read it
  const r = spawnSync(naga, [file], { encoding: 'utf8', timeout: SECONDS_PER_KERNEL * 1000 });
  if (r.status === 0) return { verdict: 'accept' };
  const why = (r.stderr ?? '').split('\n').find((l) => /error/i.test(l)) ?? '';
  return { verdict: r.status === null || /panicked/.test(r.stderr) ? 'crash' : 'reject', why };
}

async function parent(dir, naga, dawn) {
  const list = JSON.parse(readFileSync(`${dir}/list.json`, 'utf8'));
  const answers = await askDawn(dir, dawn, list.length);
  list.forEach((k, i) => {
    const n = askNaga(naga, `${dir}/${k.name}.wgsl`), d = answers[i];
    console.log(`kernel ${k.name} naga=${n.verdict} dawn=${d.verdict}`);
    for (const [where, words] of Object.entries(d.words ?? {})) console.log(`${where} ${words}`);
    for (const [who, a] of [['naga', n], ['dawn', d]])
      if (a.why) console.error(`${k.name} ${who} ${a.verdict} ${a.why.split('\n')[0]}`);
  });
}

const args = process.argv.slice(2);
if (args[0] === '--dawn') await child(args[1], args[2], Number(args[3]));
else await parent(...args);
