/*
 * selftest_subgroup.c - subgroups for the self-test; see selftest_int.h.
 *
 * Each invocation leaves its number in work-group memory at the place that its subgroup and its
 * id there say, works out from those what every operation must give, and compares. So the results
 * are the same for any size of subgroups. A bit per operation tells which was wrong. The kernel
 * stands here once for the device's size and once for each size that a kernel may ask for.
 */
#include "base/num.h"
#include "run/selftest_int.h"

static const uint32_t MIX = 0x9e3779b1;

/* Only some take part in the last one. */
#define KERNEL(enable, size)                                                                       \
	"enable subgroups" enable ";\n"                                                            \
	"@group(0) @binding(0) var<storage, read> a: array<u32>;\n"                                \
	"@group(0) @binding(1) var<storage, read_write> r: array<u32>;\n"                          \
	"var<workgroup> t: array<u32, 128>;\n"                                                     \
	"var<private> bad: u32;\n"                                                                 \
	"fn want(ok: bool, bit: u32) { bad |= select(1u << bit, 0u, ok); }\n"                      \
	"@compute @workgroup_size(128)" size "\n"                                                  \
	"fn main(@builtin(global_invocation_id) id: vec3u, @builtin(subgroup_size) n: u32,\n"      \
	"        @builtin(subgroup_invocation_id) s: u32, @builtin(subgroup_id) g: u32,\n"         \
	"        @builtin(num_subgroups) m: u32) {\n"                                              \
	"  let x = a[id.x / arrayLength(&a)] ^ (a[id.x % arrayLength(&a)] << 1u);\n"               \
	"  let count = n; let p = g * n;\n"                                                        \
	"  t[p + s] = x;\n"                                                                        \
	"  workgroupBarrier();\n"                                                                  \
	"  want(n * m == 128u && n >= 4u && n <= 128u && (n & (n - 1u)) == 0u && "                 \
	"       s < count, 0u);\n"                                                                 \
	"  var sum = 0u; var product = 1u; var low = 0xffffffffu; var high = 0u; "                 \
	"  var least = 1i << 30u;\n"                                                               \
	"  var both = 0xffffffffu; var any = 0u; var odd = 0u; var evens = 0u; "                   \
	"  var bits = vec4u();\n"                                                                  \
	"  var before = 0u; var before_product = 1u;\n"                                            \
	"  for (var i = 0u; i < count; i++) {\n"                                                   \
	"    let y = t[p + i];\n"                                                                  \
	"    if i < s { before += y; before_product *= y | 1u; }\n"                                \
	"    sum += y; product *= y | 1u; low = min(low, y); high = max(high, y);\n"               \
	"    least = min(least, i32(y) >> 2u);\n"                                                  \
	"    both &= y; any |= y; odd ^= y;\n"                                                     \
	"    if (y & 1u) == 0u { evens++; bits[i / 32u] |= 1u << (i % 32u); }\n"                   \
	"  }\n"                                                                                    \
	"  want((subgroupAdd(x) == sum) & (subgroupMul(x | 1u) == product), 1u);\n"                \
	"  want((subgroupMin(x) == low) & (subgroupMax(x) == high), 2u);\n"                        \
	"  want(subgroupMin(i32(x) >> 2u) == least, 3u);\n"                                        \
	"  want((subgroupAnd(x) == both) & (subgroupOr(x) == any) & (subgroupXor(x) == "           \
	"  odd), 4u);\n"                                                                           \
	"  want((subgroupExclusiveAdd(x) == before) & (subgroupInclusiveAdd(x) == "                \
	"  before + x), 5u);\n"                                                                    \
	"  want((subgroupExclusiveMul(x | 1u) == before_product) &\n"                              \
	"       (subgroupInclusiveMul(x | 1u) == before_product * (x | 1u)), 6u);\n"               \
	"  let f = subgroupAdd(vec2f(f32(s), 1)); let k = f32(count);\n"                           \
	"  want((f.x == k * (k - 1) / 2) & (f.y == k) & (subgroupMax(f32(s)) == k - 1), "          \
	"  7u);\n"                                                                                 \
	"  want(all(subgroupBallot((x & 1u) == 0u) == bits), 8u);\n"                               \
	"  want(subgroupAll((x & 1u) == 0u) == (evens == count), 9u);\n"                           \
	"  want((subgroupAny((x & 1u) == 0u) == (evens > 0u)) & (subgroupElect() == (s "           \
	"  == 0u)), 10u);\n"                                                                       \
	"  want((subgroupBroadcast(x, 3) == t[p + 3u]) & (subgroupBroadcastFirst(x) == "           \
	"  t[p]), 11u);\n"                                                                         \
	"  let q = (s * 5u + x) % count; let z = subgroupShuffle(vec3u(x, s, 7), q);\n"            \
	"  want(z.x == t[p + q] && z.y == q && z.z == 7u, 12u);\n"                                 \
	"  want(subgroupShuffleXor(x, 2) == t[p + (s ^ 2u)], 13u);\n"                              \
	"  let up = subgroupShuffleUp(x, 1); let down = subgroupShuffleDown(x, 3);\n"              \
	"  want((s < 1u || up == t[p + s - 1u]) && (s + 3u >= count || down == t[p + s "           \
	"  + 3u]), 14u);\n"                                                                        \
	"  want((quadBroadcast(x, 2) == t[p + (s & 0xfffffffcu) + 2u]) &\n"                        \
	"       (quadSwapX(x) == t[p + (s ^ 1u)]), 15u);\n"                                        \
	"  want((quadSwapY(x) == t[p + (s ^ 2u)]) & (quadSwapDiagonal(x) == t[p + (s ^ "           \
	"  3u)]), 16u);\n"                                                                         \
	"  @diagnostic(off, subgroup_uniformity) if (x & 1u) == 0u {\n"                            \
	"    want((subgroupAdd(1u) == evens) & all(subgroupBallot(true) == bits), 17u);\n"         \
	"  }\n"                                                                                    \
	"  r[id.x] = (x * 0x9e3779b1u) ^ bad; }\n"

#define SIZED(n) KERNEL(", subgroup_size_control", " @subgroup_size(" n ")")

const char SELFTEST_SUBGROUP[] = KERNEL("", "");
const char SELFTEST_SUBGROUP_4[] = SIZED("4");
const char SELFTEST_SUBGROUP_8[] = SIZED("8");
const char SELFTEST_SUBGROUP_16[] = SIZED("16");
const char SELFTEST_SUBGROUP_32[] = SIZED("32");
const char SELFTEST_SUBGROUP_64[] = SIZED("64");
const char SELFTEST_SUBGROUP_128[] = SIZED("128");

static uint32_t operand(uint32_t i)
{
	return i * i * MIX >> 3;
}

void selftest_subgroup_input(void *to)
{
	for (uint32_t i = 0; i < SELFTEST_SUBGROUPS; i++)
		num_put_u32((char *)to + 4 * (size_t)i, operand(i));
}

uint32_t selftest_subgroup_result(uint32_t i, uint32_t j)
{
	return (operand(i) ^ operand(j) << 1) * MIX;
}
