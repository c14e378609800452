//! kernel i_add accept in=i32
  o[i] = x + y;
//! kernel i_sub accept in=i32
  o[i] = x - y;
//! kernel i_mul accept in=i32
  o[i] = x * y;
//! kernel i_div accept in=i32
  o[i] = x / y;
//! kernel i_rem accept in=i32
  o[i] = x % y;
//! kernel i_div_const accept in=i32
  o[i] = (x / 7) ^ (x / -3) ^ (x / 16) ^ (x / -16);
//! kernel i_rem_const accept in=i32
  o[i] = (x % 7) * 1000 + (x % -5) + (x % 8) * 100;
//! kernel i_neg accept in=i32
  o[i] = -x;
//! kernel i_not accept in=i32
  o[i] = ~x;
//! kernel i_bits accept in=i32
  o[i] = (x & y) + (x | y) * 3 + (x ^ y) * 7;
//! kernel i_shl accept in=i32
  o[i] = x << (bitcast<u32>(y) & 31u);
//! kernel i_shl_mod accept in=i32
  o[i] = x << bitcast<u32>(y);
//! kernel i_shr accept in=i32
  o[i] = x >> bitcast<u32>(y);
//! kernel i_compare accept in=i32
  var r = 0;
  if (x < y) { r |= 1; }
  if (x <= y) { r |= 2; }
  if (x > y) { r |= 4; }
  if (x >= y) { r |= 8; }
  if (x == y) { r |= 16; }
  if (x != y) { r |= 32; }
  o[i] = r;
//! kernel i_abs accept in=i32
  o[i] = abs(x);
//! kernel i_min_max accept in=i32
  o[i] = min(x, y) ^ (max(x, y) << 1u);
//! kernel i_clamp accept in=i32
  o[i] = clamp(x, -5, y);
//! kernel i_clamp_crossed accept in=i32
  o[i] = clamp(x, y, min(y, -7));
//! kernel i_sign accept in=i32
  o[i] = sign(x) * 10 + sign(y);
//! kernel i_select accept in=i32
  o[i] = select(x, y, (i & 1u) == 0u);
//! kernel i_compound accept in=i32
  var v = x;
  v += y; v -= 3; v *= y; v /= 5; v %= 1000003; v &= y; v |= 64; v ^= x; v <<= 3u; v >>= 1u;
  o[i] = v;
//! kernel i_compound_element accept in=i32
  o[i] = x;
  o[i] += y;
  o[i] *= 3;
  o[i]++;
  o[i] >>= 1u;
//! kernel i_inc_dec accept in=i32
  var v = x;
  v++;
  v++;
  v--;
  o[i] = v;
//! kernel i_clz accept in=i32
  o[i] = countLeadingZeros(x) + 100 * countTrailingZeros(x) + 10000 * countOneBits(x);
//! kernel i_reverse accept in=i32
  o[i] = reverseBits(x);
//! kernel i_first_bits accept in=i32
  o[i] = firstLeadingBit(x) + 100 * firstTrailingBit(x);
//! kernel i_extract accept in=i32
  o[i] = extractBits(x, bitcast<u32>(y), 5u);
//! kernel i_extract_long accept in=i32
  o[i] = extractBits(x, 3u, bitcast<u32>(y));
//! kernel i_extract_whole accept in=i32
  o[i] = extractBits(x, 0u, 32u) ^ extractBits(x, 0u, 0u) ^ extractBits(y, 31u, 1u);
//! kernel i_insert accept in=i32
  o[i] = insertBits(x, y, bitcast<u32>(y) & 63u, i);
//! kernel i_precedence accept in=i32
  o[i] = -x + y * 3 - (x & 7) * ~y;
//! kernel i_unary_chain accept in=i32
  o[i] = - -x + ~~y - (-(-(x)));
//! kernel i_min_literal accept in=i32
  o[i] = select(x, -2147483648, x == -2147483648) + (-2147483647 - 1);

//! kernel u_add accept in=u32
  o[i] = x + y;
//! kernel u_sub accept in=u32
  o[i] = x - y;
//! kernel u_mul accept in=u32
  o[i] = x * y;
//! kernel u_div accept in=u32
  o[i] = x / y;
//! kernel u_rem accept in=u32
  o[i] = x % y;
//! kernel u_div_const accept in=u32
  o[i] = (x / 7u) ^ (x / 641u) ^ (x / 0x80000000u) ^ (x / 3u);
//! kernel u_rem_const accept in=u32
  o[i] = (x % 7u) * 100000u + (x % 641u) + (x % 64u) * 1000u;
//! kernel u_bits accept in=u32
  o[i] = (x & y) + (x | y) * 3 + (x ^ ~y) * 7;
//! kernel u_shift accept in=u32
  o[i] = (x << (y & 31u)) ^ (x >> (y & 31u));
//! kernel u_shift_mod accept in=u32
  o[i] = (x << y) ^ (x >> y);
//! kernel u_compare accept in=u32
  o[i] = select(0u, 1u, x < y) + select(0u, 2u, x <= y) + select(0u, 4u, x > y) +
         select(0u, 8u, x >= y) + select(0u, 16u, x == y) + select(0u, 32u, x != y);
//! kernel u_min_max accept in=u32
  o[i] = min(x, y) ^ (max(x, y) << 1u);
//! kernel u_clamp accept in=u32
  o[i] = clamp(x, 5u, y);
//! kernel u_abs accept in=u32
  o[i] = abs(x) - y;
//! kernel u_counts accept in=u32
  o[i] = countLeadingZeros(x) + 100 * countTrailingZeros(x) + 10000 * countOneBits(x);
//! kernel u_first_bits accept in=u32
  o[i] = firstLeadingBit(x) + 100 * firstTrailingBit(x);
//! kernel u_reverse accept in=u32
  o[i] = reverseBits(x) + reverseBits(y);
//! kernel u_extract accept in=u32
  o[i] = extractBits(x, y, 5u) ^ extractBits(x, 3u, y);
//! kernel u_insert accept in=u32
  o[i] = insertBits(x, y, y, i) ^ insertBits(x, y, 7u, 25u);
//! kernel u_insert_too_long reject in=u32
  o[i] = insertBits(x, y, 7u, 40u);
//! kernel u_extract_too_long reject in=u32
  o[i] = extractBits(x, 30u, 3u);
//! kernel u_rotate accept in=u32
  let s = y & 31u;
  o[i] = (x << s) | (x >> ((32u - s) & 31u));
//! kernel u_multiply_high accept in=u32
  let lo = (x & 0xffffu) * (y & 0xffffu);
  let m1 = (x >> 16u) * (y & 0xffffu) + (lo >> 16u);
  let m2 = (x & 0xffffu) * (y >> 16u) + (m1 & 0xffffu);
  o[i] = (x >> 16u) * (y >> 16u) + (m1 >> 16u) + (m2 >> 16u);
//! kernel u_pcg accept in=u32
  var s = x * 747796405u + 2891336453u;
  let w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u;
  o[i] = (w >> 22u) ^ w;
//! kernel u_hex accept in=u32
  o[i] = (x & 0xFFFF0000u) | (y & 0x0000ffffu) | 0XaBu;
//! kernel mixed_bitwise_and_sum reject in=u32
  o[i] = x | y + 1u;
//! kernel mixed_sum_and_bitwise reject in=u32
  o[i] = x + y | 1u;
//! kernel mixed_and_or reject in=u32
  o[i] = x & y | 1u;
//! kernel mixed_bitwise_after_parentheses reject in=u32
  o[i] = (x & 1u) | (y & 2u) + 1u;
//! kernel shift_chain reject in=u32
  o[i] = x << 1u << 2u;
//! kernel shift_of_sum reject in=u32
  o[i] = x + 1u << 2u;
//! kernel compare_chain reject in=u32
  o[i] = u32(x < y < x);
//! kernel mixed_logic reject in=u32
  o[i] = u32(x < y && x > 1u || y > 2u);
//! kernel dot4u accept in=u32
  o[i] = dot4U8Packed(x, y);
//! kernel dot4i accept in=i32
  o[i] = dot4I8Packed(bitcast<u32>(x), bitcast<u32>(y));
//! kernel bool_ops accept in=u32
  let p = x > y;
  let q = (x & 1u) == 1u;
  o[i] = select(0u, 1u, p && q) + select(0u, 2u, p || q) + select(0u, 4u, p & q) + select(0u, 8u, p | q) +
         select(0u, 16u, !p) + select(0u, 32u, p == q) + select(0u, 64u, p != q);
//! kernel bool_short_circuit accept in=u32
fn touch(i: u32, v: bool) -> bool {
  o[i] += 1u;
  return v;
}
//! main
  if (touch(i, x > y) && touch(i, x > 100u)) { o[i] += 16u; }
  if (touch(i, x > y) || touch(i, y > 100u)) { o[i] += 256u; }
//! kernel bool_conversions accept in=u32
  o[i] = u32(bool(x)) + u32(bool(y)) * 2u + u32(true) * 4u;
