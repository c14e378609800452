//! kernel add accept in=grid
//! bind 3 w zero 4
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>, 4>;
//! main
  atomicAdd(&c[0], 1u);
  atomicAdd(&c[1], i);
  atomicSub(&c[2], a[i]);
//! kernel signed_min_max accept in=grid
//! bind 3 w =0,0,5,-5
@group(0) @binding(3) var<storage, read_write> c: array<atomic<i32>, 4>;
//! main
  let v = bitcast<i32>(a[i]);
  atomicMax(&c[0], v);
  atomicMin(&c[1], v);
  atomicMax(&c[2], -v);
  atomicMin(&c[3], i32(i) - 30);
//! kernel unsigned_min_max accept in=grid
//! bind 3 w =0,0xffffffff,1,1
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>, 4>;
//! main
  atomicMax(&c[0], a[i]);
  atomicMin(&c[1], a[i]);
//! kernel bits accept in=grid
//! bind 3 w =0,0xffffffff,0,0
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>, 4>;
//! main
  atomicOr(&c[0], 1u << (i & 31u));
  atomicAnd(&c[1], ~(1u << (i % 7u)));
  atomicXor(&c[2], a[i]);
//! kernel per_element accept in=grid
//! bind 3 w iota 64
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>>;
//! main
  let p = &c[i];
  o[i] = atomicAdd(p, 3u) + atomicSub(p, 1u) + atomicMax(p, 100u) + atomicMin(p, 50u) +
         atomicAnd(p, 0xfeu) + atomicOr(p, 1u) + atomicXor(p, 7u) + atomicExchange(p, i * 2u) + atomicLoad(p);
//! kernel signed_per_element accept in=grid
//! bind 3 w i32x 64
@group(0) @binding(3) var<storage, read_write> c: array<atomic<i32>>;
//! main
  o[i] = bitcast<u32>(atomicMax(&c[i], 5));
  o[i] ^= bitcast<u32>(atomicMin(&c[i], -5));
  o[i] ^= bitcast<u32>(atomicAdd(&c[i], -1));
//! kernel load_store accept in=grid
//! bind 3 w iota 64
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>>;
//! main
  let v = atomicLoad(&c[i]);
  atomicStore(&c[i], v * v);
  o[i] = atomicLoad(&c[i]);
//! kernel compare_exchange accept in=grid
//! bind 3 w iota 64
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>>;
//! main
  var r = atomicCompareExchangeWeak(&c[i], i, 500u);
  loop { if (r.exchanged) { break; } r = atomicCompareExchangeWeak(&c[i], i, 500u); }
  let s = atomicCompareExchangeWeak(&c[i], 3u, 4u);
  o[i] = r.old_value + u32(r.exchanged) * 1000u + s.old_value * 2u + u32(s.exchanged);
//! kernel in_struct accept in=grid
//! bind 3 w zero 8
struct S { n: u32, c: atomic<u32>, list: array<atomic<i32>, 3> }
@group(0) @binding(3) var<storage, read_write> s: S;
//! main
  atomicAdd(&s.c, 2u);
  atomicAdd(&s.list[i % 3u], -1);
  if (i == 0u) { s.n = 5u; }
//! kernel scalar_binding accept in=grid
//! bind 3 w =10
@group(0) @binding(3) var<storage, read_write> c: atomic<u32>;
//! main
  atomicAdd(&c, i & 1u);
//! kernel workgroup_counter accept in=grid
var<workgroup> c: atomic<u32>;
var<workgroup> d: array<atomic<i32>, 4>;
//! main
  atomicAdd(&c, lane);
  atomicMax(&d[lane & 3u], i32(lane));
  workgroupBarrier();
  o[i] = atomicLoad(&c) * 100u + u32(atomicLoad(&d[lane & 3u]));
//! kernel histogram accept in=grid
//! bind 3 w zero 16
var<workgroup> bins: array<atomic<u32>, 16>;
@group(0) @binding(3) var<storage, read_write> all: array<atomic<u32>, 16>;
//! main
  atomicAdd(&bins[a[i] & 15u], 1u);
  workgroupBarrier();
  if (lane < 16u) { atomicAdd(&all[lane], atomicLoad(&bins[lane])); }
//! kernel pointer_parameter accept in=grid
//! bind 3 w zero 4
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>, 4>;
fn count(p: ptr<storage, array<atomic<u32>, 4>, read_write>, k: u32) { atomicAdd(&(*p)[k], 1u); }
//! main
  count(&c, i & 3u);
//! kernel atomic_parameter accept in=grid
var<workgroup> c: atomic<u32>;
fn bump(p: ptr<workgroup, atomic<u32>>) { atomicAdd(p, 3u); }
//! main
  bump(&c);
  workgroupBarrier();
  o[i] = atomicLoad(&c);
//! kernel index_clamped accept in=grid
//! bind 3 w zero 4
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>>;
//! main
  atomicAdd(&c[min(i, 3u)], 1u);
//! kernel wraps accept in=grid
//! bind 3 w =0xfffffff0,0x7fffffff
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>, 2>;
//! main
  atomicAdd(&c[0], 1u);
  atomicSub(&c[1], 0x80000001u);
//! kernel no_plain_read reject in=grid
@group(0) @binding(3) var<storage, read_write> c: atomic<u32>;
//! main
  o[i] = c;
//! kernel no_plain_write reject in=grid
@group(0) @binding(3) var<storage, read_write> c: atomic<u32>;
//! main
  c = 1u;
//! kernel no_read_only_atomic reject in=grid
@group(0) @binding(3) var<storage, read> c: atomic<u32>;
//! main
  o[i] = atomicLoad(&c);
//! kernel no_private_atomic reject in=grid
var<private> c: atomic<u32>;
//! main
  o[i] = 1u;
//! kernel no_uniform_atomic reject in=grid
@group(0) @binding(3) var<uniform> c: atomic<u32>;
//! main
  o[i] = 1u;
//! kernel no_atomic_float reject in=grid
@group(0) @binding(3) var<storage, read_write> c: atomic<f32>;
//! main
  o[i] = 1u;
//! kernel no_atomic_vector reject in=grid
@group(0) @binding(3) var<storage, read_write> c: atomic<vec2<u32>>;
//! main
  o[i] = 1u;
//! kernel no_value_argument reject in=grid
@group(0) @binding(3) var<storage, read_write> c: atomic<u32>;
//! main
  atomicAdd(c, 1u);
//! kernel no_wrong_operand reject in=grid
@group(0) @binding(3) var<storage, read_write> c: atomic<u32>;
//! main
  atomicAdd(&c, 1i);
//! kernel no_atomic_on_plain reject in=grid
  atomicAdd(&o[i], 1u);
//! kernel no_store_result reject in=grid
@group(0) @binding(3) var<storage, read_write> c: atomic<u32>;
//! main
  o[i] = atomicStore(&c, 1u);
//! kernel no_load_dropped reject in=grid
@group(0) @binding(3) var<storage, read_write> c: atomic<u32>;
//! main
  let v = atomicLoad(&c, 1u);
//! kernel no_atomic_initialiser reject in=grid
var<workgroup> c: atomic<u32> = 1u;
//! main
  o[i] = 1u;
//! kernel no_compound_assignment reject in=grid
@group(0) @binding(3) var<storage, read_write> c: atomic<u32>;
//! main
  c += 1u;
