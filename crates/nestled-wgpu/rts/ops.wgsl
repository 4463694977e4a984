// What scalar operations mean, in WGSL. One function for each operation and representation, named `add_i32`; a module gets those that it
// calls, and those that they call. Representations: `bool`, `u8`, `u16` and `f16` in a `u32`, `i8` and `i16` in an `i32`, `i32`, `u32`, `i64`, `u64`, `f32`, `f64`.
//
// WGSL promises little about NaN: `a != a` may be false. So NaNs are looked for by their bits.

// ---- Integers of 32 bits ----

fn add_i32(a: i32, b: i32) -> i32 { return a + b; }

fn sub_i32(a: i32, b: i32) -> i32 { return a - b; }

fn mul_i32(a: i32, b: i32) -> i32 { return a * b; }

fn div_i32(a: i32, b: i32) -> i32 {
  if (b == 0i) { return 0i; }
  if (b == -1i) { return 0i - a; }
  return a / b;
}

fn rem_i32(a: i32, b: i32) -> i32 {
  if (b == 0i) { return a; }
  if (b == -1i) { return 0i; }
  return a - (a / b) * b;
}

fn div_floor_i32(a: i32, b: i32) -> i32 {
  let q = div_i32(a, b);
  let r = rem_i32(a, b);
  if (b != 0i && r != 0i && ((r < 0i) != (b < 0i))) { return q - 1i; }
  return q;
}

fn rem_floor_i32(a: i32, b: i32) -> i32 {
  let r = rem_i32(a, b);
  if (b != 0i && r != 0i && ((r < 0i) != (b < 0i))) { return r + b; }
  return r;
}

fn neg_i32(a: i32) -> i32 { return 0i - a; }

fn abs_i32(a: i32) -> i32 {
  if (a < 0i) { return 0i - a; }
  return a;
}

fn min_i32(a: i32, b: i32) -> i32 { return select(b, a, a < b); }

fn max_i32(a: i32, b: i32) -> i32 { return select(b, a, a > b); }

fn and_i32(a: i32, b: i32) -> i32 { return a & b; }

fn or_i32(a: i32, b: i32) -> i32 { return a | b; }

fn xor_i32(a: i32, b: i32) -> i32 { return a ^ b; }

fn not_i32(a: i32) -> i32 { return ~a; }

fn shl_i32(a: i32, b: i32) -> i32 { return a << (u32(b) & 31u); }

fn shr_i32(a: i32, b: i32) -> i32 { return a >> (u32(b) & 31u); }

fn popcount_i32(a: i32) -> i32 { return i32(countOneBits(u32(a))); }

fn clz_i32(a: i32) -> i32 { return i32(countLeadingZeros(u32(a))); }

fn ctz_i32(a: i32) -> i32 { return i32(countTrailingZeros(u32(a))); }

fn eq_i32(a: i32, b: i32) -> bool { return a == b; }

fn ne_i32(a: i32, b: i32) -> bool { return a != b; }

fn lt_i32(a: i32, b: i32) -> bool { return a < b; }

fn le_i32(a: i32, b: i32) -> bool { return a <= b; }

fn gt_i32(a: i32, b: i32) -> bool { return a > b; }

fn ge_i32(a: i32, b: i32) -> bool { return a >= b; }

fn select_i32(c: bool, a: i32, b: i32) -> i32 { return select(b, a, c); }

fn add_u32(a: u32, b: u32) -> u32 { return a + b; }

fn sub_u32(a: u32, b: u32) -> u32 { return a - b; }

fn mul_u32(a: u32, b: u32) -> u32 { return a * b; }

fn div_u32(a: u32, b: u32) -> u32 {
  if (b == 0u) { return 0u; }
  return a / b;
}

fn rem_u32(a: u32, b: u32) -> u32 {
  if (b == 0u) { return a; }
  return a - (a / b) * b;
}

fn div_floor_u32(a: u32, b: u32) -> u32 { return div_u32(a, b); }

fn rem_floor_u32(a: u32, b: u32) -> u32 { return rem_u32(a, b); }

fn neg_u32(a: u32) -> u32 { return 0u - a; }

fn abs_u32(a: u32) -> u32 { return a; }

fn min_u32(a: u32, b: u32) -> u32 { return select(b, a, a < b); }

fn max_u32(a: u32, b: u32) -> u32 { return select(b, a, a > b); }

fn and_u32(a: u32, b: u32) -> u32 { return a & b; }

fn or_u32(a: u32, b: u32) -> u32 { return a | b; }

fn xor_u32(a: u32, b: u32) -> u32 { return a ^ b; }

fn not_u32(a: u32) -> u32 { return ~a; }

fn shl_u32(a: u32, b: u32) -> u32 { return a << (u32(b) & 31u); }

fn shr_u32(a: u32, b: u32) -> u32 { return a >> (u32(b) & 31u); }

fn popcount_u32(a: u32) -> u32 { return u32(countOneBits(u32(a))); }

fn clz_u32(a: u32) -> u32 { return u32(countLeadingZeros(u32(a))); }

fn ctz_u32(a: u32) -> u32 { return u32(countTrailingZeros(u32(a))); }

fn eq_u32(a: u32, b: u32) -> bool { return a == b; }

fn ne_u32(a: u32, b: u32) -> bool { return a != b; }

fn lt_u32(a: u32, b: u32) -> bool { return a < b; }

fn le_u32(a: u32, b: u32) -> bool { return a <= b; }

fn gt_u32(a: u32, b: u32) -> bool { return a > b; }

fn ge_u32(a: u32, b: u32) -> bool { return a >= b; }

fn select_u32(c: bool, a: u32, b: u32) -> u32 { return select(b, a, c); }

fn mulhi_u32(a: u32, b: u32) -> u32 {
  let al = a & 0xffffu;
  let ah = a >> 16u;
  let bl = b & 0xffffu;
  let bh = b >> 16u;
  let low = al * bl;
  let mid = ah * bl + (low >> 16u);
  let mid2 = al * bh + (mid & 0xffffu);
  return ah * bh + (mid >> 16u) + (mid2 >> 16u);
}

fn mulhi_i32(a: i32, b: i32) -> i32 {
  let high = mulhi_u32(u32(a), u32(b));
  let left = select(0u, u32(b), a < 0i);
  let right = select(0u, u32(a), b < 0i);
  return i32(high - left - right);
}

// ---- Bytes, in a `u32` whose other bits are zero ----

fn add_u8(a: u32, b: u32) -> u32 { return add_u32(a, b) & 0xffu; }

fn sub_u8(a: u32, b: u32) -> u32 { return sub_u32(a, b) & 0xffu; }

fn mul_u8(a: u32, b: u32) -> u32 { return mul_u32(a, b) & 0xffu; }

fn div_u8(a: u32, b: u32) -> u32 { return div_u32(a, b); }

fn rem_u8(a: u32, b: u32) -> u32 { return rem_u32(a, b); }

fn div_floor_u8(a: u32, b: u32) -> u32 { return div_floor_u32(a, b); }

fn rem_floor_u8(a: u32, b: u32) -> u32 { return rem_floor_u32(a, b); }

fn min_u8(a: u32, b: u32) -> u32 { return min_u32(a, b); }

fn max_u8(a: u32, b: u32) -> u32 { return max_u32(a, b); }

fn and_u8(a: u32, b: u32) -> u32 { return and_u32(a, b); }

fn or_u8(a: u32, b: u32) -> u32 { return or_u32(a, b); }

fn xor_u8(a: u32, b: u32) -> u32 { return xor_u32(a, b); }

fn neg_u8(a: u32) -> u32 { return (0u - a) & 0xffu; }

fn abs_u8(a: u32) -> u32 { return a; }

fn not_u8(a: u32) -> u32 { return a ^ 0xffu; }

fn shl_u8(a: u32, b: u32) -> u32 { return (a << (b & 7u)) & 0xffu; }

fn shr_u8(a: u32, b: u32) -> u32 { return a >> (b & 7u); }

fn popcount_u8(a: u32) -> u32 { return countOneBits(a); }

fn clz_u8(a: u32) -> u32 { return countLeadingZeros(a) - 24u; }

fn ctz_u8(a: u32) -> u32 { return countTrailingZeros(a | 0x100u); }

fn eq_u8(a: u32, b: u32) -> bool { return a == b; }

fn ne_u8(a: u32, b: u32) -> bool { return a != b; }

fn lt_u8(a: u32, b: u32) -> bool { return a < b; }

fn le_u8(a: u32, b: u32) -> bool { return a <= b; }

fn gt_u8(a: u32, b: u32) -> bool { return a > b; }

fn ge_u8(a: u32, b: u32) -> bool { return a >= b; }

fn select_u8(c: bool, a: u32, b: u32) -> u32 { return select(b, a, c); }

fn select_f16(c: bool, a: u32, b: u32) -> u32 { return select(b, a, c); }

// ---- Other integers of less than 32 bits: unsigned ones in a `u32` whose other bits are zero, signed ones in an `i32` of the same value ----

fn wrap_i8(a: i32) -> i32 { return (a << 24u) >> 24u; }

fn wrap_i16(a: i32) -> i32 { return (a << 16u) >> 16u; }

fn add_i8(a: i32, b: i32) -> i32 { return wrap_i8(add_i32(a, b)); }

fn sub_i8(a: i32, b: i32) -> i32 { return wrap_i8(sub_i32(a, b)); }

fn mul_i8(a: i32, b: i32) -> i32 { return wrap_i8(mul_i32(a, b)); }

fn div_i8(a: i32, b: i32) -> i32 { return wrap_i8(div_i32(a, b)); }

fn div_floor_i8(a: i32, b: i32) -> i32 { return wrap_i8(div_floor_i32(a, b)); }

fn rem_i8(a: i32, b: i32) -> i32 { return rem_i32(a, b); }

fn rem_floor_i8(a: i32, b: i32) -> i32 { return rem_floor_i32(a, b); }

fn min_i8(a: i32, b: i32) -> i32 { return min_i32(a, b); }

fn max_i8(a: i32, b: i32) -> i32 { return max_i32(a, b); }

fn and_i8(a: i32, b: i32) -> i32 { return and_i32(a, b); }

fn or_i8(a: i32, b: i32) -> i32 { return or_i32(a, b); }

fn xor_i8(a: i32, b: i32) -> i32 { return xor_i32(a, b); }

fn neg_i8(a: i32) -> i32 { return wrap_i8(0i - a); }

fn abs_i8(a: i32) -> i32 { return wrap_i8(abs_i32(a)); }

fn not_i8(a: i32) -> i32 { return ~a; }

fn shl_i8(a: i32, b: i32) -> i32 { return wrap_i8(a << (u32(b) & 7u)); }

fn shr_i8(a: i32, b: i32) -> i32 { return a >> (u32(b) & 7u); }

fn popcount_i8(a: i32) -> i32 { return i32(countOneBits(u32(a) & 0xffu)); }

fn clz_i8(a: i32) -> i32 { return i32(countLeadingZeros(u32(a) & 0xffu)) - 24i; }

fn ctz_i8(a: i32) -> i32 { return i32(countTrailingZeros(u32(a) | 0x100u)); }

fn eq_i8(a: i32, b: i32) -> bool { return a == b; }

fn ne_i8(a: i32, b: i32) -> bool { return a != b; }

fn lt_i8(a: i32, b: i32) -> bool { return a < b; }

fn le_i8(a: i32, b: i32) -> bool { return a <= b; }

fn gt_i8(a: i32, b: i32) -> bool { return a > b; }

fn ge_i8(a: i32, b: i32) -> bool { return a >= b; }

fn select_i8(c: bool, a: i32, b: i32) -> i32 { return select(b, a, c); }

fn add_i16(a: i32, b: i32) -> i32 { return wrap_i16(add_i32(a, b)); }

fn sub_i16(a: i32, b: i32) -> i32 { return wrap_i16(sub_i32(a, b)); }

fn mul_i16(a: i32, b: i32) -> i32 { return wrap_i16(mul_i32(a, b)); }

fn div_i16(a: i32, b: i32) -> i32 { return wrap_i16(div_i32(a, b)); }

fn div_floor_i16(a: i32, b: i32) -> i32 { return wrap_i16(div_floor_i32(a, b)); }

fn rem_i16(a: i32, b: i32) -> i32 { return rem_i32(a, b); }

fn rem_floor_i16(a: i32, b: i32) -> i32 { return rem_floor_i32(a, b); }

fn min_i16(a: i32, b: i32) -> i32 { return min_i32(a, b); }

fn max_i16(a: i32, b: i32) -> i32 { return max_i32(a, b); }

fn and_i16(a: i32, b: i32) -> i32 { return and_i32(a, b); }

fn or_i16(a: i32, b: i32) -> i32 { return or_i32(a, b); }

fn xor_i16(a: i32, b: i32) -> i32 { return xor_i32(a, b); }

fn neg_i16(a: i32) -> i32 { return wrap_i16(0i - a); }

fn abs_i16(a: i32) -> i32 { return wrap_i16(abs_i32(a)); }

fn not_i16(a: i32) -> i32 { return ~a; }

fn shl_i16(a: i32, b: i32) -> i32 { return wrap_i16(a << (u32(b) & 15u)); }

fn shr_i16(a: i32, b: i32) -> i32 { return a >> (u32(b) & 15u); }

fn popcount_i16(a: i32) -> i32 { return i32(countOneBits(u32(a) & 0xffffu)); }

fn clz_i16(a: i32) -> i32 { return i32(countLeadingZeros(u32(a) & 0xffffu)) - 16i; }

fn ctz_i16(a: i32) -> i32 { return i32(countTrailingZeros(u32(a) | 0x10000u)); }

fn eq_i16(a: i32, b: i32) -> bool { return a == b; }

fn ne_i16(a: i32, b: i32) -> bool { return a != b; }

fn lt_i16(a: i32, b: i32) -> bool { return a < b; }

fn le_i16(a: i32, b: i32) -> bool { return a <= b; }

fn gt_i16(a: i32, b: i32) -> bool { return a > b; }

fn ge_i16(a: i32, b: i32) -> bool { return a >= b; }

fn select_i16(c: bool, a: i32, b: i32) -> i32 { return select(b, a, c); }

fn add_u16(a: u32, b: u32) -> u32 { return add_u32(a, b) & 0xffffu; }

fn sub_u16(a: u32, b: u32) -> u32 { return sub_u32(a, b) & 0xffffu; }

fn mul_u16(a: u32, b: u32) -> u32 { return mul_u32(a, b) & 0xffffu; }

fn div_u16(a: u32, b: u32) -> u32 { return div_u32(a, b); }

fn div_floor_u16(a: u32, b: u32) -> u32 { return div_floor_u32(a, b); }

fn rem_u16(a: u32, b: u32) -> u32 { return rem_u32(a, b); }

fn rem_floor_u16(a: u32, b: u32) -> u32 { return rem_floor_u32(a, b); }

fn min_u16(a: u32, b: u32) -> u32 { return min_u32(a, b); }

fn max_u16(a: u32, b: u32) -> u32 { return max_u32(a, b); }

fn and_u16(a: u32, b: u32) -> u32 { return and_u32(a, b); }

fn or_u16(a: u32, b: u32) -> u32 { return or_u32(a, b); }

fn xor_u16(a: u32, b: u32) -> u32 { return xor_u32(a, b); }

fn neg_u16(a: u32) -> u32 { return (0u - a) & 0xffffu; }

fn abs_u16(a: u32) -> u32 { return a; }

fn not_u16(a: u32) -> u32 { return a ^ 0xffffu; }

fn shl_u16(a: u32, b: u32) -> u32 { return (a << (b & 15u)) & 0xffffu; }

fn shr_u16(a: u32, b: u32) -> u32 { return a >> (b & 15u); }

fn popcount_u16(a: u32) -> u32 { return countOneBits(a); }

fn clz_u16(a: u32) -> u32 { return countLeadingZeros(a) - 16u; }

fn ctz_u16(a: u32) -> u32 { return countTrailingZeros(a | 0x10000u); }

fn eq_u16(a: u32, b: u32) -> bool { return a == b; }

fn ne_u16(a: u32, b: u32) -> bool { return a != b; }

fn lt_u16(a: u32, b: u32) -> bool { return a < b; }

fn le_u16(a: u32, b: u32) -> bool { return a <= b; }

fn gt_u16(a: u32, b: u32) -> bool { return a > b; }

fn ge_u16(a: u32, b: u32) -> bool { return a >= b; }

fn select_u16(c: bool, a: u32, b: u32) -> u32 { return select(b, a, c); }

// ---- Truth values ----

fn min_bool(a: bool, b: bool) -> bool { return a && b; }

fn max_bool(a: bool, b: bool) -> bool { return a || b; }

fn and_bool(a: bool, b: bool) -> bool { return a && b; }

fn or_bool(a: bool, b: bool) -> bool { return a || b; }

fn xor_bool(a: bool, b: bool) -> bool { return a != b; }

fn eq_bool(a: bool, b: bool) -> bool { return a == b; }

fn ne_bool(a: bool, b: bool) -> bool { return a != b; }

fn lt_bool(a: bool, b: bool) -> bool { return !a && b; }

fn le_bool(a: bool, b: bool) -> bool { return !a || b; }

fn gt_bool(a: bool, b: bool) -> bool { return a && !b; }

fn ge_bool(a: bool, b: bool) -> bool { return a || !b; }

fn not_bool(a: bool) -> bool { return !a; }

fn select_bool(c: bool, a: bool, b: bool) -> bool { return select(b, a, c); }

// ---- Integers of 64 bits ----

fn add_i64(a: i64, b: i64) -> i64 { return a + b; }

fn sub_i64(a: i64, b: i64) -> i64 { return a - b; }

fn mul_i64(a: i64, b: i64) -> i64 { return a * b; }

fn div_i64(a: i64, b: i64) -> i64 {
  if (b == 0li) { return 0li; }
  if (b == -1li) { return 0li - a; }
  return a / b;
}

fn rem_i64(a: i64, b: i64) -> i64 {
  if (b == 0li) { return a; }
  if (b == -1li) { return 0li; }
  return a - (a / b) * b;
}

fn div_floor_i64(a: i64, b: i64) -> i64 {
  let q = div_i64(a, b);
  let r = rem_i64(a, b);
  if (b != 0li && r != 0li && ((r < 0li) != (b < 0li))) { return q - 1li; }
  return q;
}

fn rem_floor_i64(a: i64, b: i64) -> i64 {
  let r = rem_i64(a, b);
  if (b != 0li && r != 0li && ((r < 0li) != (b < 0li))) { return r + b; }
  return r;
}

fn neg_i64(a: i64) -> i64 { return 0li - a; }

fn abs_i64(a: i64) -> i64 {
  if (a < 0li) { return 0li - a; }
  return a;
}

fn min_i64(a: i64, b: i64) -> i64 { return select(b, a, a < b); }

fn max_i64(a: i64, b: i64) -> i64 { return select(b, a, a > b); }

fn and_i64(a: i64, b: i64) -> i64 { return a & b; }

fn or_i64(a: i64, b: i64) -> i64 { return a | b; }

fn xor_i64(a: i64, b: i64) -> i64 { return a ^ b; }

fn not_i64(a: i64) -> i64 { return ~a; }

fn shl_i64(a: i64, b: i64) -> i64 { return a << (u32(b) & 63u); }

fn shr_i64(a: i64, b: i64) -> i64 { return a >> (u32(b) & 63u); }

fn eq_i64(a: i64, b: i64) -> bool { return a == b; }

fn ne_i64(a: i64, b: i64) -> bool { return a != b; }

fn lt_i64(a: i64, b: i64) -> bool { return a < b; }

fn le_i64(a: i64, b: i64) -> bool { return a <= b; }

fn gt_i64(a: i64, b: i64) -> bool { return a > b; }

fn ge_i64(a: i64, b: i64) -> bool { return a >= b; }

fn select_i64(c: bool, a: i64, b: i64) -> i64 { return select(b, a, c); }

fn low_i64(a: i64) -> u32 { return u32(u64(a) & 0xfffffffflu); }

fn high_i64(a: i64) -> u32 { return u32(u64(a) >> 32u); }

fn join_i64(low: u32, high: u32) -> i64 { return i64(u64(low) | (u64(high) << 32u)); }

fn popcount_i64(a: i64) -> i64 { return join_i64(countOneBits(low_i64(a)) + countOneBits(high_i64(a)), 0u); }

fn clz_i64(a: i64) -> i64 {
  let high = high_i64(a);
  if (high != 0u) { return join_i64(countLeadingZeros(high), 0u); }
  return join_i64(countLeadingZeros(low_i64(a)) + 32u, 0u);
}

fn ctz_i64(a: i64) -> i64 {
  let low = low_i64(a);
  if (low != 0u) { return join_i64(countTrailingZeros(low), 0u); }
  return join_i64(countTrailingZeros(high_i64(a)) + 32u, 0u);
}

fn mulhi_u64(a: u64, b: u64) -> u64 {
  let al = a & 0xfffffffflu;
  let ah = a >> 32u;
  let bl = b & 0xfffffffflu;
  let bh = b >> 32u;
  let low = al * bl;
  let mid = ah * bl + (low >> 32u);
  let mid2 = al * bh + (mid & 0xfffffffflu);
  return ah * bh + (mid >> 32u) + (mid2 >> 32u);
}

fn mulhi_i64(a: i64, b: i64) -> i64 {
  let high = mulhi_u64(u64(a), u64(b));
  let left = select(0lu, u64(b), a < 0li);
  let right = select(0lu, u64(a), b < 0li);
  return i64(high - left - right);
}

fn add_u64(a: u64, b: u64) -> u64 { return a + b; }

fn sub_u64(a: u64, b: u64) -> u64 { return a - b; }

fn mul_u64(a: u64, b: u64) -> u64 { return a * b; }

fn div_u64(a: u64, b: u64) -> u64 {
  if (b == 0lu) { return 0lu; }
  return a / b;
}

fn rem_u64(a: u64, b: u64) -> u64 {
  if (b == 0lu) { return a; }
  return a - (a / b) * b;
}

fn div_floor_u64(a: u64, b: u64) -> u64 { return div_u64(a, b); }

fn rem_floor_u64(a: u64, b: u64) -> u64 { return rem_u64(a, b); }

fn neg_u64(a: u64) -> u64 { return 0lu - a; }

fn abs_u64(a: u64) -> u64 { return a; }

fn min_u64(a: u64, b: u64) -> u64 { return select(b, a, a < b); }

fn max_u64(a: u64, b: u64) -> u64 { return select(b, a, a > b); }

fn and_u64(a: u64, b: u64) -> u64 { return a & b; }

fn or_u64(a: u64, b: u64) -> u64 { return a | b; }

fn xor_u64(a: u64, b: u64) -> u64 { return a ^ b; }

fn not_u64(a: u64) -> u64 { return ~a; }

fn shl_u64(a: u64, b: u64) -> u64 { return a << u32(b & 63lu); }

fn shr_u64(a: u64, b: u64) -> u64 { return a >> u32(b & 63lu); }

fn eq_u64(a: u64, b: u64) -> bool { return a == b; }

fn ne_u64(a: u64, b: u64) -> bool { return a != b; }

fn lt_u64(a: u64, b: u64) -> bool { return a < b; }

fn le_u64(a: u64, b: u64) -> bool { return a <= b; }

fn gt_u64(a: u64, b: u64) -> bool { return a > b; }

fn ge_u64(a: u64, b: u64) -> bool { return a >= b; }

fn select_u64(c: bool, a: u64, b: u64) -> u64 { return select(b, a, c); }

fn join_u64(low: u32, high: u32) -> u64 { return u64(low) | (u64(high) << 32u); }

fn popcount_u64(a: u64) -> u64 { return u64(popcount_i64(i64(a))); }

fn clz_u64(a: u64) -> u64 { return u64(clz_i64(i64(a))); }

fn ctz_u64(a: u64) -> u64 { return u64(ctz_i64(i64(a))); }

// ---- Floats ----

fn is_nan_f32(a: f32) -> bool { return (bitcast<u32>(a) & 0x7fffffffu) > 0x7f800000u; }

// Compilers for GPUs take floats for real numbers: x - x is 0, x / x is 1, and (a + b) - b is a. So what goes in or comes out passes through integers, with which
// they cannot do that: the words that are read here are 0, which they do not know. There are two, one for what goes in and one for what comes out, because the same
// twice is nothing.
fn opaque_u32(a: u32) -> u32 { return a ^ params[3]; }

fn opaque_f32(a: f32) -> f32 { return bitcast<f32>(opaque_u32(bitcast<u32>(a))); }

// The two sides of an operation are hidden in two ways: what is hidden alike is alike, and its difference would be 0 again, its quotient 1. Both must be hidden, or a
// known zero makes a negation of a difference, which has another zero.
fn left_f32(a: f32) -> f32 { return bitcast<f32>(bitcast<u32>(a) + params[2]); }

fn right_f32(a: f32) -> f32 { return bitcast<f32>(bitcast<u32>(a) ^ params[2]); }

fn lit_f32(bits: u32) -> f32 { return bitcast<f32>(opaque_u32(bits)); }

fn add_f32(a: f32, b: f32) -> f32 { return opaque_f32(left_f32(a) + right_f32(b)); }

fn sub_f32(a: f32, b: f32) -> f32 { return opaque_f32(left_f32(a) - right_f32(b)); }

fn mul_f32(a: f32, b: f32) -> f32 { return opaque_f32(left_f32(a) * right_f32(b)); }

fn neg_f32(a: f32) -> f32 { return bitcast<f32>(bitcast<u32>(a) ^ 0x80000000u); }

fn abs_f32(a: f32) -> f32 { return bitcast<f32>(bitcast<u32>(a) & 0x7fffffffu); }

// What only looks at numbers looks at their bits, as integers: adapters may take subnormal numbers for zeros, and compilers NaNs for numbers. -0 ranks just below 0.
fn rank_f32(a: f32) -> i32 {
  let bits = bitcast<i32>(a);
  return bits ^ ((bits >> 31u) & 0x7fffffffi);
}

fn are_zeros_f32(a: f32, b: f32) -> bool { return ((bitcast<u32>(a) | bitcast<u32>(b)) & 0x7fffffffu) == 0u; }

fn min_f32(a: f32, b: f32) -> f32 {
  if (is_nan_f32(a) || is_nan_f32(b)) { return lit_f32(0x7fc00000u); }
  return select(b, a, rank_f32(a) < rank_f32(b));
}

fn max_f32(a: f32, b: f32) -> f32 {
  if (is_nan_f32(a) || is_nan_f32(b)) { return lit_f32(0x7fc00000u); }
  return select(b, a, rank_f32(a) > rank_f32(b));
}

fn eq_f32(a: f32, b: f32) -> bool { return (bitcast<u32>(a) == bitcast<u32>(b) && !is_nan_f32(a)) || are_zeros_f32(a, b); }

fn lt_f32(a: f32, b: f32) -> bool { return rank_f32(a) < rank_f32(b) && !are_zeros_f32(a, b) && !is_nan_f32(a) && !is_nan_f32(b); }

fn le_f32(a: f32, b: f32) -> bool { return (rank_f32(a) <= rank_f32(b) || are_zeros_f32(a, b)) && !is_nan_f32(a) && !is_nan_f32(b); }

fn gt_f32(a: f32, b: f32) -> bool { return lt_f32(b, a); }

fn ge_f32(a: f32, b: f32) -> bool { return le_f32(b, a); }

fn ne_f32(a: f32, b: f32) -> bool { return !eq_f32(a, b); }

fn select_f32(c: bool, a: f32, b: f32) -> f32 { return select(b, a, c); }

fn signed_like_f32(a: f32, sign: f32) -> f32 { return bitcast<f32>((bitcast<u32>(a) & 0x7fffffffu) | (bitcast<u32>(sign) & 0x80000000u)); }

// A subnormal number between two integers is between 0 and one beside it.
fn floor_f32(a: f32) -> f32 { return signed_like_f32(select(floor(a), 1.0f, bitcast<u32>(a) - 0x80000001u < 0x7fffffu), a); }

fn ceil_f32(a: f32) -> f32 { return signed_like_f32(select(ceil(a), 1.0f, bitcast<u32>(a) - 1u < 0x7fffffu), a); }

fn trunc_f32(a: f32) -> f32 { return signed_like_f32(trunc(a), a); }

fn round_even_f32(a: f32) -> f32 { return signed_like_f32(round(a), a); }

fn round_f32(a: f32) -> f32 {
  let whole = trunc(a);
  var result = whole;
  if (abs_f32(a - whole) >= 0.5f) { result = whole + signed_like_f32(1.0f, a); }
  return signed_like_f32(result, a);
}

fn is_nan_f64(a: f64) -> bool { return (bitcast<u64>(a) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu; }

fn opaque_u64(a: u64) -> u64 { return a ^ u64(params[3]); }

fn opaque_f64(a: f64) -> f64 { return bitcast<f64>(opaque_u64(bitcast<u64>(a))); }

fn left_f64(a: f64) -> f64 { return bitcast<f64>(bitcast<u64>(a) + u64(params[2])); }

fn right_f64(a: f64) -> f64 { return bitcast<f64>(bitcast<u64>(a) ^ u64(params[2])); }

fn lit_f64(bits: u64) -> f64 { return bitcast<f64>(opaque_u64(bits)); }

fn add_f64(a: f64, b: f64) -> f64 { return opaque_f64(left_f64(a) + right_f64(b)); }

fn sub_f64(a: f64, b: f64) -> f64 { return opaque_f64(left_f64(a) - right_f64(b)); }

fn mul_f64(a: f64, b: f64) -> f64 { return opaque_f64(left_f64(a) * right_f64(b)); }

fn div_f64(a: f64, b: f64) -> f64 { return opaque_f64(left_f64(a) / right_f64(b)); }

fn neg_f64(a: f64) -> f64 { return bitcast<f64>(bitcast<u64>(a) ^ 0x8000000000000000lu); }

fn abs_f64(a: f64) -> f64 { return bitcast<f64>(bitcast<u64>(a) & 0x7ffffffffffffffflu); }

fn min_f64(a: f64, b: f64) -> f64 {
  if (is_nan_f64(a) || is_nan_f64(b)) { return lit_f64(0x7ff8000000000000lu); }
  if (a == b) { return bitcast<f64>(bitcast<u64>(a) | bitcast<u64>(b)); }
  if (a < b) { return a; }
  return b;
}

fn max_f64(a: f64, b: f64) -> f64 {
  if (is_nan_f64(a) || is_nan_f64(b)) { return lit_f64(0x7ff8000000000000lu); }
  if (a == b) { return bitcast<f64>(bitcast<u64>(a) & bitcast<u64>(b)); }
  if (a > b) { return a; }
  return b;
}

fn eq_f64(a: f64, b: f64) -> bool { return a == b && !is_nan_f64(a) && !is_nan_f64(b); }

fn lt_f64(a: f64, b: f64) -> bool { return a < b && !is_nan_f64(a) && !is_nan_f64(b); }

fn le_f64(a: f64, b: f64) -> bool { return a <= b && !is_nan_f64(a) && !is_nan_f64(b); }

fn gt_f64(a: f64, b: f64) -> bool { return a > b && !is_nan_f64(a) && !is_nan_f64(b); }

fn ge_f64(a: f64, b: f64) -> bool { return a >= b && !is_nan_f64(a) && !is_nan_f64(b); }

fn ne_f64(a: f64, b: f64) -> bool { return !eq_f64(a, b); }

fn select_f64(c: bool, a: f64, b: f64) -> f64 { return select(b, a, c); }

fn sqrt_f64(a: f64) -> f64 { return opaque_f64(sqrt(a)); }

fn signed_like_f64(a: f64, sign: f64) -> f64 { return bitcast<f64>((bitcast<u64>(a) & 0x7ffffffffffffffflu) | (bitcast<u64>(sign) & 0x8000000000000000lu)); }

fn floor_f64(a: f64) -> f64 { return signed_like_f64(floor(a), a); }

fn ceil_f64(a: f64) -> f64 { return signed_like_f64(ceil(a), a); }

// Not `trunc`: software Vulkan has been seen to leave the half of 4503599627370495.5.
fn trunc_f64(a: f64) -> f64 { return signed_like_f64(select(ceil(a), floor(a), a >= 0.0lf), a); }

// Not `round`: software Vulkan has been seen to turn halves toward zero.
fn round_even_f64(a: f64) -> f64 {
  let whole = trunc_f64(a);
  let rest = abs_f64(a - whole);
  var result = whole;
  if (rest > 0.5lf || (rest == 0.5lf && trunc_f64(whole * 0.5lf) * 2.0lf != whole)) { result = whole + signed_like_f64(1.0lf, a); }
  return signed_like_f64(result, a);
}

fn round_f64(a: f64) -> f64 {
  let whole = trunc_f64(a);
  var result = whole;
  if (abs_f64(a - whole) >= 0.5lf) { result = whole + signed_like_f64(1.0lf, a); }
  return signed_like_f64(result, a);
}

// ---- Conversions ----

fn cvt_bool_u8(a: bool) -> u32 { return select(0u, 1u, a); }

fn cvt_bool_i32(a: bool) -> i32 { return select(0i, 1i, a); }

fn cvt_bool_u32(a: bool) -> u32 { return select(0u, 1u, a); }

fn cvt_bool_i64(a: bool) -> i64 { return select(0li, 1li, a); }

fn cvt_bool_f32(a: bool) -> f32 { return select(0.0f, 1.0f, a); }

fn cvt_bool_f64(a: bool) -> f64 { return select(0.0lf, 1.0lf, a); }

fn cvt_u8_bool(a: u32) -> bool { return a != 0u; }

fn cvt_u8_i32(a: u32) -> i32 { return i32(a); }

fn cvt_u8_u32(a: u32) -> u32 { return u32(a); }

fn cvt_u8_i64(a: u32) -> i64 { return join_i64(a, 0u); }

fn cvt_u8_f32(a: u32) -> f32 { return f32(a); }

fn cvt_u8_f64(a: u32) -> f64 { return f64(a); }

fn cvt_bool_i8(a: bool) -> i32 { return select(0i, 1i, a); }

fn cvt_bool_i16(a: bool) -> i32 { return select(0i, 1i, a); }

fn cvt_bool_u16(a: bool) -> u32 { return select(0u, 1u, a); }

fn cvt_i8_bool(a: i32) -> bool { return a != 0i; }

fn cvt_i8_u8(a: i32) -> u32 { return u32(a) & 0xffu; }

fn cvt_i8_i16(a: i32) -> i32 { return wrap_i16(i32(a)); }

fn cvt_i8_u16(a: i32) -> u32 { return u32(a) & 0xffffu; }

fn cvt_i8_i32(a: i32) -> i32 { return i32(a); }

fn cvt_i8_u32(a: i32) -> u32 { return u32(a); }

fn cvt_i8_i64(a: i32) -> i64 { return widen_i32(a); }

fn cvt_i8_f32(a: i32) -> f32 { return f32(a); }

fn cvt_i8_f64(a: i32) -> f64 { return f64(a); }

fn cvt_u8_i8(a: u32) -> i32 { return wrap_i8(i32(a)); }

fn cvt_u8_i16(a: u32) -> i32 { return wrap_i16(i32(a)); }

fn cvt_u8_u16(a: u32) -> u32 { return u32(a) & 0xffffu; }

fn cvt_i16_bool(a: i32) -> bool { return a != 0i; }

fn cvt_i16_i8(a: i32) -> i32 { return wrap_i8(i32(a)); }

fn cvt_i16_u8(a: i32) -> u32 { return u32(a) & 0xffu; }

fn cvt_i16_u16(a: i32) -> u32 { return u32(a) & 0xffffu; }

fn cvt_i16_i32(a: i32) -> i32 { return i32(a); }

fn cvt_i16_u32(a: i32) -> u32 { return u32(a); }

fn cvt_i16_i64(a: i32) -> i64 { return widen_i32(a); }

fn cvt_i16_f32(a: i32) -> f32 { return f32(a); }

fn cvt_i16_f64(a: i32) -> f64 { return f64(a); }

fn cvt_u16_bool(a: u32) -> bool { return a != 0u; }

fn cvt_u16_i8(a: u32) -> i32 { return wrap_i8(i32(a)); }

fn cvt_u16_u8(a: u32) -> u32 { return u32(a) & 0xffu; }

fn cvt_u16_i16(a: u32) -> i32 { return wrap_i16(i32(a)); }

fn cvt_u16_i32(a: u32) -> i32 { return i32(a); }

fn cvt_u16_u32(a: u32) -> u32 { return u32(a); }

fn cvt_u16_i64(a: u32) -> i64 { return join_i64(a, 0u); }

fn cvt_u16_f32(a: u32) -> f32 { return f32(a); }

fn cvt_u16_f64(a: u32) -> f64 { return f64(a); }

fn cvt_i32_i8(a: i32) -> i32 { return wrap_i8(i32(a)); }

fn cvt_i32_i16(a: i32) -> i32 { return wrap_i16(i32(a)); }

fn cvt_i32_u16(a: i32) -> u32 { return u32(a) & 0xffffu; }

fn cvt_u32_i8(a: u32) -> i32 { return wrap_i8(i32(a)); }

fn cvt_u32_i16(a: u32) -> i32 { return wrap_i16(i32(a)); }

fn cvt_u32_u16(a: u32) -> u32 { return u32(a) & 0xffffu; }

fn cvt_i64_i8(a: i64) -> i32 { return wrap_i8(i32(low_i64(a))); }

fn cvt_i64_i16(a: i64) -> i32 { return wrap_i16(i32(low_i64(a))); }

fn cvt_i64_u16(a: i64) -> u32 { return u32(low_i64(a)) & 0xffffu; }

fn cvt_f32_i8(a: f32) -> i32 {
  if (is_nan_f32(a)) { return 0i; }
  if (a <= -128.0f) { return -128i; }
  if (a >= 128.0f) { return 127i; }
  return i32(a);
}

fn cvt_f32_i16(a: f32) -> i32 {
  if (is_nan_f32(a)) { return 0i; }
  if (a <= -32768.0f) { return -32768i; }
  if (a >= 32768.0f) { return 32767i; }
  return i32(a);
}

fn cvt_f32_u16(a: f32) -> u32 {
  if (is_nan_f32(a)) { return 0u; }
  if (a <= 0.0f) { return 0u; }
  if (a >= 65536.0f) { return 65535u; }
  return u32(a);
}

fn cvt_f64_i8(a: f64) -> i32 {
  if (is_nan_f64(a)) { return 0i; }
  if (a <= -128.0lf) { return -128i; }
  if (a >= 128.0lf) { return 127i; }
  return i32(a);
}

fn cvt_f64_i16(a: f64) -> i32 {
  if (is_nan_f64(a)) { return 0i; }
  if (a <= -32768.0lf) { return -32768i; }
  if (a >= 32768.0lf) { return 32767i; }
  return i32(a);
}

fn cvt_f64_u16(a: f64) -> u32 {
  if (is_nan_f64(a)) { return 0u; }
  if (a <= 0.0lf) { return 0u; }
  if (a >= 65536.0lf) { return 65535u; }
  return u32(a);
}

fn cvt_i32_bool(a: i32) -> bool { return a != 0i; }

fn cvt_i32_u8(a: i32) -> u32 { return u32(a) & 0xffu; }

fn cvt_i32_u32(a: i32) -> u32 { return u32(a); }

fn cvt_i32_i64(a: i32) -> i64 { return widen_i32(a); }

// What a conversion rounds is opaque, since Mesa leaves a double on the way to an `f32` out, though it rounds.
fn cvt_i32_f32(a: i32) -> f32 { return opaque_f32(f32(a)); }

fn cvt_i32_f64(a: i32) -> f64 { return f64(a); }

fn cvt_u32_bool(a: u32) -> bool { return a != 0u; }

fn cvt_u32_u8(a: u32) -> u32 { return u32(a) & 0xffu; }

fn cvt_u32_i32(a: u32) -> i32 { return i32(a); }

fn cvt_u32_i64(a: u32) -> i64 { return join_i64(a, 0u); }

fn cvt_u32_f32(a: u32) -> f32 { return opaque_f32(f32(a)); }

fn cvt_u32_f64(a: u32) -> f64 { return f64(a); }

fn cvt_i64_bool(a: i64) -> bool { return a != 0li; }

fn cvt_i64_u8(a: i64) -> u32 { return low_i64(a) & 0xffu; }

fn cvt_i64_i32(a: i64) -> i32 { return i32(low_i64(a)); }

fn cvt_i64_u32(a: i64) -> u32 { return u32(low_i64(a)); }

fn cvt_i64_f32(a: i64) -> f32 { return opaque_f32(f32(a)); }

fn cvt_i64_f64(a: i64) -> f64 { return opaque_f64(f64(a)); }

fn cvt_f32_bool(a: f32) -> bool { return ne_f32(a, 0.0f); }

fn cvt_f32_u8(a: f32) -> u32 {
  if (is_nan_f32(a)) { return 0u; }
  if (a <= 0.0f) { return 0u; }
  if (a >= 256.0f) { return 255u; }
  return u32(a);
}

fn cvt_f32_i32(a: f32) -> i32 {
  if (is_nan_f32(a)) { return 0i; }
  if (a <= -2147483648.0f) { return i32(-2147483648); }
  if (a >= 2147483648.0f) { return 2147483647i; }
  return i32(a);
}

fn cvt_f32_u32(a: f32) -> u32 {
  if (is_nan_f32(a)) { return 0u; }
  if (a <= 0.0f) { return 0u; }
  if (a >= 4294967296.0f) { return 4294967295u; }
  return u32(a);
}

// From floats to integers of 64 bits by the bits, for NVIDIA's Vulkan has been seen to make 2³³ - 1 of 2³². What is less than one is zero, and so are NaNs.
fn cvt_f32_i64(a: f32) -> i64 {
  let bits = bitcast<u32>(a);
  let magnitude = bits & 0x7fffffffu;
  if (magnitude < 0x3f800000u || magnitude > 0x7f800000u) { return 0li; }
  let negative = bits != magnitude;
  if (magnitude >= 0x5f000000u) { return select(greatest_i64(), least_i64(), negative); }
  let whole = i64(whole_f32(magnitude));
  return select(whole, 0li - whole, negative);
}

// The integer in a number from 1 on, and below 2⁶⁴.
fn whole_f32(bits: u32) -> u64 {
  let exponent = bits >> 23u;
  let mantissa = join_u64((bits & 0x7fffffu) | 0x800000u, 0u);
  if (exponent < 150u) { return mantissa >> (150u - exponent); }
  return mantissa << (exponent - 150u);
}

// Subnormal numbers are so many times the least of them.
fn cvt_f32_f64(a: f32) -> f64 {
  let bits = bitcast<u32>(a);
  let magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x800000u) { return f64(a); }
  return bitcast<f64>(bitcast<u64>(f64(magnitude) * 1.401298464324817e-45lf) | join_u64(0u, bits & 0x80000000u));
}

fn cvt_f64_bool(a: f64) -> bool { return ne_f64(a, 0.0lf); }

fn cvt_f64_u8(a: f64) -> u32 {
  if (is_nan_f64(a)) { return 0u; }
  if (a <= 0.0lf) { return 0u; }
  if (a >= 256.0lf) { return 255u; }
  return u32(a);
}

fn cvt_f64_i32(a: f64) -> i32 {
  if (is_nan_f64(a)) { return 0i; }
  if (a <= -2147483648.0lf) { return i32(-2147483648); }
  if (a >= 2147483648.0lf) { return 2147483647i; }
  return i32(a);
}

fn cvt_f64_u32(a: f64) -> u32 {
  if (is_nan_f64(a)) { return 0u; }
  if (a <= 0.0lf) { return 0u; }
  if (a >= 4294967296.0lf) { return 4294967295u; }
  return u32(a);
}

fn cvt_f64_i64(a: f64) -> i64 {
  let bits = bitcast<u64>(a);
  let magnitude = bits & 0x7ffffffffffffffflu;
  if (magnitude < 0x3ff0000000000000lu || magnitude > 0x7ff0000000000000lu) { return 0li; }
  let negative = bits != magnitude;
  if (magnitude >= 0x43e0000000000000lu) { return select(greatest_i64(), least_i64(), negative); }
  let whole = i64(whole_f64(magnitude));
  return select(whole, 0li - whole, negative);
}

fn whole_f64(bits: u64) -> u64 {
  let exponent = u32(bits >> 52u);
  let mantissa = (bits & 0xffffffffffffflu) | 0x10000000000000lu;
  if (exponent < 1075u) { return mantissa >> (1075u - exponent); }
  return mantissa << (exponent - 1075u);
}

fn cvt_f64_f32(a: f64) -> f32 {
  let bits = bitcast<u64>(a);
  if ((bits & 0x7ffffffffffffffflu) >= 0x3810000000000000lu) { return opaque_f32(f32(a)); }
  let times = u32(round_even_f64(abs_f64(a) * 713623846352979940529142984724747568191373312.0lf));
  return bitcast<f32>(times | (u32(bits >> 32u) & 0x80000000u));
}

fn cvt_bool_u64(a: bool) -> u64 { return select(0lu, 1lu, a); }

fn cvt_u8_u64(a: u32) -> u64 { return join_u64(a, 0u); }

fn cvt_u16_u64(a: u32) -> u64 { return join_u64(a, 0u); }

fn cvt_u32_u64(a: u32) -> u64 { return join_u64(a, 0u); }

fn cvt_i8_u64(a: i32) -> u64 { return u64(widen_i32(a)); }

fn cvt_i16_u64(a: i32) -> u64 { return u64(widen_i32(a)); }

fn cvt_i32_u64(a: i32) -> u64 { return u64(widen_i32(a)); }

fn cvt_i64_u64(a: i64) -> u64 { return u64(a); }

fn cvt_u64_bool(a: u64) -> bool { return a != 0lu; }

fn cvt_u64_i8(a: u64) -> i32 { return cvt_i64_i8(i64(a)); }

fn cvt_u64_u8(a: u64) -> u32 { return cvt_i64_u8(i64(a)); }

fn cvt_u64_i16(a: u64) -> i32 { return cvt_i64_i16(i64(a)); }

fn cvt_u64_u16(a: u64) -> u32 { return cvt_i64_u16(i64(a)); }

fn cvt_u64_i32(a: u64) -> i32 { return cvt_i64_i32(i64(a)); }

fn cvt_u64_u32(a: u64) -> u32 { return cvt_i64_u32(i64(a)); }

fn cvt_u64_i64(a: u64) -> i64 { return i64(a); }

fn cvt_u64_f32(a: u64) -> f32 { return opaque_f32(f32(a)); }

fn cvt_u64_f64(a: u64) -> f64 { return opaque_f64(f64(a)); }

fn cvt_f32_u64(a: f32) -> u64 {
  let bits = bitcast<u32>(a);
  if (bits < 0x3f800000u || bits > 0x7f800000u) { return 0lu; }
  if (bits >= 0x5f800000u) { return 18446744073709551615lu; }
  return whole_f32(bits);
}

fn cvt_f64_u64(a: f64) -> u64 {
  let bits = bitcast<u64>(a);
  if (bits < 0x3ff0000000000000lu || bits > 0x7ff0000000000000lu) { return 0lu; }
  if (bits >= 0x43f0000000000000lu) { return 18446744073709551615lu; }
  return whole_f64(bits);
}

fn cvt_f16_f32(a: u32) -> f32 {
  let sign = (a & 0x8000u) << 16u;
  let exponent = (a >> 10u) & 31u;
  let mantissa = a & 0x3ffu;
  if (exponent == 31u) { return lit_f32(sign | 0x7f800000u | (mantissa << 13u)); }
  if (exponent == 0u) { return signed_like_f32(f32(mantissa) * 5.9604644775390625e-8f, bitcast<f32>(sign)); }
  return bitcast<f32>(sign | ((exponent + 112u) << 23u) | (mantissa << 13u));
}

fn cvt_f32_f16(a: f32) -> u32 {
  let bits = bitcast<u32>(a);
  let sign = (bits >> 16u) & 0x8000u;
  let magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) { return sign | 0x7e00u; }
  if (magnitude >= 0x477ff000u) { return sign | 0x7c00u; }
  if (magnitude < 0x33000000u) { return sign; }
  var kept = magnitude;
  var drop = 13u;
  if (magnitude < 0x38800000u) {
    kept = (magnitude & 0x7fffffu) | 0x800000u;
    drop = 126u - (magnitude >> 23u);
  } else {
    kept = magnitude - 0x38000000u;
  }
  let lower = kept & ((1u << drop) - 1u);
  let half = 1u << (drop - 1u);
  var result = kept >> drop;
  if (lower > half || (lower == half && (result & 1u) == 1u)) { result = result + 1u; }
  return sign | result;
}

fn cvt_f16_f64(a: u32) -> f64 { return f64(cvt_f16_f32(a)); }

// Rounded to odd on the way, so that rounding twice is rounding once.
fn cvt_f64_f16(a: f64) -> u32 {
  let near = cvt_f64_f32(a);
  let back = f64(near);
  var bits = bitcast<u32>(near);
  if (!is_nan_f64(a) && back != a && (bits & 1u) == 0u && (bits & 0x7fffffffu) < 0x7f800000u) {
    if (abs_f64(back) > abs_f64(a)) { bits = bits - 1u; } else { bits = bits | 1u; }
  }
  return cvt_f32_f16(bitcast<f32>(bits));
}

fn bits_i32_u32(a: i32) -> u32 { return bitcast<u32>(a); }

fn bits_u32_i32(a: u32) -> i32 { return bitcast<i32>(a); }

fn bits_i32_f32(a: i32) -> f32 { return bitcast<f32>(a); }

fn bits_f32_i32(a: f32) -> i32 { return bitcast<i32>(a); }

fn bits_u32_f32(a: u32) -> f32 { return bitcast<f32>(a); }

fn bits_f32_u32(a: f32) -> u32 { return bitcast<u32>(a); }

fn bits_i64_f64(a: i64) -> f64 { return bitcast<f64>(a); }

fn bits_f64_i64(a: f64) -> i64 { return bitcast<i64>(a); }

fn bits_i64_u64(a: i64) -> u64 { return u64(a); }

fn bits_u64_i64(a: u64) -> i64 { return i64(a); }

fn bits_u64_f64(a: u64) -> f64 { return bitcast<f64>(a); }

fn bits_f64_u64(a: f64) -> u64 { return bitcast<u64>(a); }

// ---- Random bits ----

struct Pair { a: u32, b: u32 }

fn rotate_left(a: u32, by: u32) -> u32 { return (a << by) | (a >> (32u - by)); }

fn threefry_four(x: Pair, r0: u32, r1: u32, r2: u32, r3: u32, k0: u32, k1: u32) -> Pair {
  var a = x.a;
  var b = x.b;
  a = a + b;
  b = rotate_left(b, r0) ^ a;
  a = a + b;
  b = rotate_left(b, r1) ^ a;
  a = a + b;
  b = rotate_left(b, r2) ^ a;
  a = a + b;
  b = rotate_left(b, r3) ^ a;
  return Pair(a + k0, b + k1);
}

fn threefry(k0: u32, k1: u32, c0: u32, c1: u32) -> Pair {
  let k2 = 0x1bd11bdau ^ k0 ^ k1;
  var x = Pair(c0 + k0, c1 + k1);
  x = threefry_four(x, 13u, 15u, 26u, 6u, k1, k2 + 1u);
  x = threefry_four(x, 17u, 29u, 16u, 24u, k2, k0 + 2u);
  x = threefry_four(x, 13u, 15u, 26u, 6u, k0, k1 + 3u);
  x = threefry_four(x, 17u, 29u, 16u, 24u, k1, k2 + 4u);
  x = threefry_four(x, 13u, 15u, 26u, 6u, k2, k0 + 5u);
  return x;
}

// ---- Indices ----

fn inside_i32(i: i32, extent: i32) -> bool { return i >= 0i && i < extent; }

fn inside_i64(i: i64, extent: i32) -> bool { return high_i64(i) == 0u && low_i64(i) < u32(extent); }

fn clamp_i32(i: i32, extent: i32) -> i32 { return clamp(i, 0i, extent - 1i); }

fn clamp_i64(i: i64, extent: i32) -> i32 { return cvt_i64_i32(max_i64(0li, min_i64(i, widen_i32(extent - 1i)))); }

fn wrap_i32(i: i32, extent: i32) -> i32 { return rem_floor_i32(i, extent); }

fn wrap_i64(i: i64, extent: i32) -> i32 { return cvt_i64_i32(rem_floor_i64(i, widen_i32(extent))); }

fn narrow_i32(i: i32) -> i32 { return i; }

fn narrow_i64(i: i64) -> i32 { return cvt_i64_i32(i); }

// Not `i64(i)`: Mesa 22 compares such a number wrongly with a constant.
fn widen_i32(i: i32) -> i64 { return join_i64(u32(i), u32(i >> 31u)); }

// ---- Memory: one heap of words. An address is the number of a word ----

fn address(at: u32) -> Address { return params[at]; }

fn word(at: u32) -> u32 { return params[at]; }

// A size whose exact value may have come from the device: [low, high, bound].
fn extent(at: u32) -> i32 {
  let low = params[at];
  let high = params[at + 1u];
  let bound = params[at + 2u];
  if (high == 0u) { return i32(min(low, bound)); }
  return select(i32(bound), 0i, high >= 0x80000000u);
}

// Segmentations: [kind, offsets, how many, size].
fn seg_start(at: u32, segment: i32) -> i32 {
  if (params[at] == 0u) { return segment * extent(at + 4u); }
  return ld_small(address(at + 1u), clamp(segment, 0i, i32(params[at + 3u]) - 1i));
}

fn seg_length(at: u32, segment: i32) -> i32 {
  if (params[at] == 0u) { return extent(at + 4u); }
  return max(0i, seg_start(at, segment + 1i) - seg_start(at, segment));
}

fn seg_total(at: u32, owners: i32) -> i32 {
  if (params[at] == 0u) { return owners * extent(at + 4u); }
  return extent(at + 4u);
}

// The last segment that begins there or before: those before it that begin there too are empty.
fn seg_owner(at: u32, element: i32, owners: i32) -> i32 {
  if (params[at] == 0u) { return div_i32(element, extent(at + 4u)); }
  let offsets = address(at + 1u);
  var low = 0i;
  var high = min(owners, i32(params[at + 3u]));
  while (high - low > 1i) {
    let middle = (low + high) / 2i;
    if (ld_small(offsets, middle) <= element) { low = middle; } else { high = middle; }
  }
  return low;
}

// ---- Orders of floats as integers: NaN where it is wanted, and -0 before +0 ----

fn least_i32() -> i32 { return i32(-2147483648); }

fn greatest_i32() -> i32 { return 2147483647i; }

fn least_i64() -> i64 { return -9223372036854775807li - 1li; }

fn greatest_i64() -> i64 { return 9223372036854775807li; }

fn order_f32(a: f32, nan: i32) -> i32 {
  if (is_nan_f32(a)) { return nan; }
  return rank_f32(a);
}

fn order_f64(a: f64, nan: i64) -> i64 {
  if (is_nan_f64(a)) { return nan; }
  let bits = bitcast<i64>(a);
  return bits ^ ((bits >> 63u) & 0x7fffffffffffffffli);
}

fn ld_u32(base: Address, at: i32) -> u32 { return heap[base + u32(at)]; }

fn ld_i32(base: Address, at: i32) -> i32 { return i32(ld_u32(base, at)); }

// Bytes and halves lie packed, and their bases are counted in them.
fn ld_u8(base: Address, at: i32) -> u32 {
  let place = base + u32(at);
  return (heap[place / 4u] >> (8u * (place % 4u))) & 0xffu;
}

fn ld_f16(base: Address, at: i32) -> u32 {
  let place = base + u32(at);
  return (heap[place / 2u] >> (16u * (place % 2u))) & 0xffffu;
}

fn ld_bool(base: Address, at: i32) -> bool { return ld_u8(base, at) != 0u; }

// In scratch a truth value takes a word.
fn ld_flag(base: Address, at: i32) -> bool { return ld_u32(base, at) != 0u; }

fn ld_f32(base: Address, at: i32) -> f32 { return bitcast<f32>(ld_u32(base, at)); }

fn ld_i64(base: Address, at: i32) -> i64 { return join_i64(ld_u32(base, 2i * at), ld_u32(base, 2i * at + 1i)); }

fn ld_u64(base: Address, at: i32) -> u64 { return join_u64(ld_u32(base, 2i * at), ld_u32(base, 2i * at + 1i)); }

fn ld_f64(base: Address, at: i32) -> f64 { return bitcast<f64>(ld_i64(base, at)); }

// An index that is known to be small.
fn ld_small(base: Address, at: i32) -> i32 { return ld_i32(base, 2i * at); }

fn st_u32(to: Address, at: i32, value: u32) { heap[to + u32(at)] = value; }

fn st_i32(to: Address, at: i32, value: i32) { st_u32(to, at, u32(value)); }

// Others may write the other parts of the word meanwhile: so only those bits are turned around that have to be.
fn st_part(word: u32, mask: u32, value: u32) {
  let turned = (atomicLoad(&atoms[word]) ^ value) & mask;
  if (turned != 0u) { atomicXor(&atoms[word], turned); }
}

fn st_u8(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  let shift = 8u * (place % 4u);
  st_part(place / 4u, 0xffu << shift, value << shift);
}

fn st_f16(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  let shift = 16u * (place % 2u);
  st_part(place / 2u, 0xffffu << shift, value << shift);
}

fn st_bool(to: Address, at: i32, value: bool) { st_u8(to, at, select(0u, 1u, value)); }

fn st_flag(to: Address, at: i32, value: bool) { st_u32(to, at, select(0u, 1u, value)); }

// Four neighbours that are gathered and then stored, or the first so many of them: in whole words where all belong to whoever writes them.
fn pack_u8(held: u32, k: i32, value: u32) -> u32 { return held | (value << (8u * u32(k))); }

fn pack_bool(held: u32, k: i32, value: bool) -> u32 { return pack_u8(held, k, select(0u, 1u, value)); }

fn pack_f16(held: vec2<u32>, k: i32, value: u32) -> vec2<u32> {
  let part = value << (16u * (u32(k) % 2u));
  return held | select(vec2<u32>(0u, part), vec2<u32>(part, 0u), k < 2i);
}

fn put_u8(to: Address, at: i32, count: i32, values: u32) {
  let place = to + u32(at);
  if (count == 4i && place % 4u == 0u) {
    heap[place / 4u] = values;
    return;
  }
  for (var k = 0i; k < count; k = k + 1i) { st_u8(to, at + k, (values >> (8u * u32(k))) & 0xffu); }
}

fn put_bool(to: Address, at: i32, count: i32, values: u32) { put_u8(to, at, count, values); }

fn put_f16(to: Address, at: i32, count: i32, values: vec2<u32>) {
  let place = to + u32(at);
  if (count == 4i && place % 2u == 0u) {
    heap[place / 2u] = values.x;
    heap[place / 2u + 1u] = values.y;
    return;
  }
  for (var k = 0i; k < count; k = k + 1i) {
    let word = select(values.y, values.x, k < 2i);
    st_f16(to, at + k, (word >> (16u * (u32(k) % 2u))) & 0xffffu);
  }
}

fn st_f32(to: Address, at: i32, value: f32) { st_u32(to, at, bitcast<u32>(value)); }

fn st_i64(to: Address, at: i32, value: i64) {
  st_u32(to, 2i * at, low_i64(value));
  st_u32(to, 2i * at + 1i, high_i64(value));
}

fn st_u64(to: Address, at: i32, value: u64) { st_i64(to, at, i64(value)); }

fn st_f64(to: Address, at: i32, value: f64) { st_i64(to, at, bitcast<i64>(value)); }

fn st_small(to: Address, at: i32, value: i32) {
  st_i32(to, 2i * at, value);
  st_u32(to, 2i * at + 1i, select(0u, 0xffffffffu, value < 0i));
}

fn param_u32(at: u32) -> u32 { return params[at]; }

fn param_i32(at: u32) -> i32 { return i32(params[at]); }

// The mark says where in the word it lies.
fn param_u8(at: u32) -> u32 { return (params[at] >> params[at + 6u]) & 0xffu; }

fn param_f16(at: u32) -> u32 { return (params[at] >> params[at + 6u]) & 0xffffu; }

fn param_bool(at: u32) -> bool { return param_u8(at) != 0u; }

// The others as those of the same size.
fn ld_i8(base: Address, at: i32) -> i32 { return wrap_i8(i32(ld_u8(base, at))); }

fn ld_i16(base: Address, at: i32) -> i32 { return wrap_i16(i32(ld_f16(base, at))); }

fn ld_u16(base: Address, at: i32) -> u32 { return ld_f16(base, at); }

fn st_i8(to: Address, at: i32, value: i32) { st_u8(to, at, u32(value) & 0xffu); }

fn st_i16(to: Address, at: i32, value: i32) { st_f16(to, at, u32(value) & 0xffffu); }

fn st_u16(to: Address, at: i32, value: u32) { st_f16(to, at, value); }

fn pack_i8(held: u32, k: i32, value: i32) -> u32 { return pack_u8(held, k, u32(value) & 0xffu); }

fn pack_i16(held: vec2<u32>, k: i32, value: i32) -> vec2<u32> { return pack_f16(held, k, u32(value) & 0xffffu); }

fn pack_u16(held: vec2<u32>, k: i32, value: u32) -> vec2<u32> { return pack_f16(held, k, value); }

fn put_i8(to: Address, at: i32, count: i32, values: u32) { put_u8(to, at, count, values); }

fn put_i16(to: Address, at: i32, count: i32, values: vec2<u32>) { put_f16(to, at, count, values); }

fn put_u16(to: Address, at: i32, count: i32, values: vec2<u32>) { put_f16(to, at, count, values); }

fn param_i8(at: u32) -> i32 { return wrap_i8(i32(param_u8(at))); }

fn param_i16(at: u32) -> i32 { return wrap_i16(i32(param_f16(at))); }

fn param_u16(at: u32) -> u32 { return param_f16(at); }

fn param_f32(at: u32) -> f32 { return bitcast<f32>(params[at]); }

fn param_i64(at: u32) -> i64 { return join_i64(params[at], params[at + 1u]); }

fn param_u64(at: u32) -> u64 { return join_u64(params[at], params[at + 1u]); }

fn param_f64(at: u32) -> f64 { return bitcast<f64>(param_i64(at)); }

fn atomic_min(to: Address, at: i32, value: u32) { atomicMin(&atoms[to + u32(at)], value); }

fn atomic_max(to: Address, at: i32, value: u32) { atomicMax(&atoms[to + u32(at)], value); }

fn combine_add_u32(to: Address, at: i32, value: u32) { atomicAdd(&atoms[to + u32(at)], value); }

fn combine_and_u32(to: Address, at: i32, value: u32) { atomicAnd(&atoms[to + u32(at)], value); }

fn combine_or_u32(to: Address, at: i32, value: u32) { atomicOr(&atoms[to + u32(at)], value); }

fn combine_xor_u32(to: Address, at: i32, value: u32) { atomicXor(&atoms[to + u32(at)], value); }

fn combine_min_u32(to: Address, at: i32, value: u32) { atomicMin(&atoms[to + u32(at)], value); }

fn combine_max_u32(to: Address, at: i32, value: u32) { atomicMax(&atoms[to + u32(at)], value); }

// Signed integers by atomics on what their bits are with the sign turned would need another base: so by comparing.
fn combine_min_i32(to: Address, at: i32, value: i32) {
  var held = atomicLoad(&atoms[to + u32(at)]);
  while (value < i32(held)) {
    let tried = atomicCompareExchangeWeak(&atoms[to + u32(at)], held, u32(value));
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_max_i32(to: Address, at: i32, value: i32) {
  var held = atomicLoad(&atoms[to + u32(at)]);
  while (value > i32(held)) {
    let tried = atomicCompareExchangeWeak(&atoms[to + u32(at)], held, u32(value));
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_mul_u32(to: Address, at: i32, value: u32) {
  var held = atomicLoad(&atoms[to + u32(at)]);
  while (true) {
    let tried = atomicCompareExchangeWeak(&atoms[to + u32(at)], held, held * value);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_and_u8(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  let shift = 8u * (place % 4u);
  atomicAnd(&atoms[place / 4u], (value << shift) | ~(0xffu << shift));
}

fn combine_or_u8(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  atomicOr(&atoms[place / 4u], value << (8u * (place % 4u)));
}

fn combine_xor_u8(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  atomicXor(&atoms[place / 4u], value << (8u * (place % 4u)));
}

fn combine_add_u8(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  let shift = 8u * (place % 4u);
  var held = atomicLoad(&atoms[place / 4u]);
  while (true) {
    let old = (held >> shift) & 0xffu;
    let wanted = held ^ ((old ^ add_u8(old, value)) << shift);
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[place / 4u], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_mul_u8(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  let shift = 8u * (place % 4u);
  var held = atomicLoad(&atoms[place / 4u]);
  while (true) {
    let old = (held >> shift) & 0xffu;
    let wanted = held ^ ((old ^ mul_u8(old, value)) << shift);
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[place / 4u], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_min_u8(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  let shift = 8u * (place % 4u);
  var held = atomicLoad(&atoms[place / 4u]);
  while (true) {
    let old = (held >> shift) & 0xffu;
    let wanted = held ^ ((old ^ min(old, value)) << shift);
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[place / 4u], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_max_u8(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  let shift = 8u * (place % 4u);
  var held = atomicLoad(&atoms[place / 4u]);
  while (true) {
    let old = (held >> shift) & 0xffu;
    let wanted = held ^ ((old ^ max(old, value)) << shift);
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[place / 4u], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_and_u16(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  let shift = 16u * (place % 2u);
  atomicAnd(&atoms[place / 2u], (value << shift) | ~(0xffffu << shift));
}

fn combine_or_u16(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  atomicOr(&atoms[place / 2u], value << (16u * (place % 2u)));
}

fn combine_xor_u16(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  atomicXor(&atoms[place / 2u], value << (16u * (place % 2u)));
}

fn combine_add_u16(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  let shift = 16u * (place % 2u);
  var held = atomicLoad(&atoms[place / 2u]);
  while (true) {
    let old = (held >> shift) & 0xffffu;
    let wanted = held ^ ((old ^ add_u16(old, value)) << shift);
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[place / 2u], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_mul_u16(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  let shift = 16u * (place % 2u);
  var held = atomicLoad(&atoms[place / 2u]);
  while (true) {
    let old = (held >> shift) & 0xffffu;
    let wanted = held ^ ((old ^ mul_u16(old, value)) << shift);
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[place / 2u], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_min_u16(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  let shift = 16u * (place % 2u);
  var held = atomicLoad(&atoms[place / 2u]);
  while (true) {
    let old = (held >> shift) & 0xffffu;
    let wanted = held ^ ((old ^ min(old, value)) << shift);
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[place / 2u], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_max_u16(to: Address, at: i32, value: u32) {
  let place = to + u32(at);
  let shift = 16u * (place % 2u);
  var held = atomicLoad(&atoms[place / 2u]);
  while (true) {
    let old = (held >> shift) & 0xffffu;
    let wanted = held ^ ((old ^ max(old, value)) << shift);
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[place / 2u], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_add_i8(to: Address, at: i32, value: i32) { combine_add_u8(to, at, u32(value) & 0xffu); }

fn combine_mul_i8(to: Address, at: i32, value: i32) { combine_mul_u8(to, at, u32(value) & 0xffu); }

fn combine_and_i8(to: Address, at: i32, value: i32) { combine_and_u8(to, at, u32(value) & 0xffu); }

fn combine_or_i8(to: Address, at: i32, value: i32) { combine_or_u8(to, at, u32(value) & 0xffu); }

fn combine_xor_i8(to: Address, at: i32, value: i32) { combine_xor_u8(to, at, u32(value) & 0xffu); }

fn combine_min_i8(to: Address, at: i32, value: i32) {
  let place = to + u32(at);
  let shift = 8u * (place % 4u);
  var held = atomicLoad(&atoms[place / 4u]);
  while (true) {
    let old = (held >> shift) & 0xffu;
    let wanted = held ^ ((old ^ (u32(min(wrap_i8(i32(old)), value)) & 0xffu)) << shift);
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[place / 4u], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_max_i8(to: Address, at: i32, value: i32) {
  let place = to + u32(at);
  let shift = 8u * (place % 4u);
  var held = atomicLoad(&atoms[place / 4u]);
  while (true) {
    let old = (held >> shift) & 0xffu;
    let wanted = held ^ ((old ^ (u32(max(wrap_i8(i32(old)), value)) & 0xffu)) << shift);
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[place / 4u], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_add_i16(to: Address, at: i32, value: i32) { combine_add_u16(to, at, u32(value) & 0xffffu); }

fn combine_mul_i16(to: Address, at: i32, value: i32) { combine_mul_u16(to, at, u32(value) & 0xffffu); }

fn combine_and_i16(to: Address, at: i32, value: i32) { combine_and_u16(to, at, u32(value) & 0xffffu); }

fn combine_or_i16(to: Address, at: i32, value: i32) { combine_or_u16(to, at, u32(value) & 0xffffu); }

fn combine_xor_i16(to: Address, at: i32, value: i32) { combine_xor_u16(to, at, u32(value) & 0xffffu); }

fn combine_min_i16(to: Address, at: i32, value: i32) {
  let place = to + u32(at);
  let shift = 16u * (place % 2u);
  var held = atomicLoad(&atoms[place / 2u]);
  while (true) {
    let old = (held >> shift) & 0xffffu;
    let wanted = held ^ ((old ^ (u32(min(wrap_i16(i32(old)), value)) & 0xffffu)) << shift);
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[place / 2u], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_max_i16(to: Address, at: i32, value: i32) {
  let place = to + u32(at);
  let shift = 16u * (place % 2u);
  var held = atomicLoad(&atoms[place / 2u]);
  while (true) {
    let old = (held >> shift) & 0xffffu;
    let wanted = held ^ ((old ^ (u32(max(wrap_i16(i32(old)), value)) & 0xffffu)) << shift);
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[place / 2u], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_min_f32(to: Address, at: i32, value: f32) {
  var held = atomicLoad(&atoms[to + u32(at)]);
  while (true) {
    let wanted = bitcast<u32>(min_f32(bitcast<f32>(held), value));
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[to + u32(at)], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

fn combine_max_f32(to: Address, at: i32, value: f32) {
  var held = atomicLoad(&atoms[to + u32(at)]);
  while (true) {
    let wanted = bitcast<u32>(max_f32(bitcast<f32>(held), value));
    if (wanted == held) { break; }
    let tried = atomicCompareExchangeWeak(&atoms[to + u32(at)], held, wanted);
    if (tried.exchanged) { break; }
    held = tried.old_value;
  }
}

// What the lower halves carry goes to the upper ones in whatever order: nobody looks before all are done.
fn combine_add_i64(to: Address, at: i32, value: i64) {
  let low = low_i64(value);
  let sum = low + atomicAdd(&atoms[to + u32(2i * at)], low);
  var high = high_i64(value);
  if (sum < low) { high = high + 1u; }
  if (high != 0u) { atomicAdd(&atoms[to + u32(2i * at + 1i)], high); }
}

fn combine_and_i64(to: Address, at: i32, value: i64) {
  atomicAnd(&atoms[to + u32(2i * at)], low_i64(value));
  atomicAnd(&atoms[to + u32(2i * at + 1i)], high_i64(value));
}

fn combine_or_i64(to: Address, at: i32, value: i64) {
  atomicOr(&atoms[to + u32(2i * at)], low_i64(value));
  atomicOr(&atoms[to + u32(2i * at + 1i)], high_i64(value));
}

fn combine_xor_i64(to: Address, at: i32, value: i64) {
  atomicXor(&atoms[to + u32(2i * at)], low_i64(value));
  atomicXor(&atoms[to + u32(2i * at + 1i)], high_i64(value));
}

fn combine_add_u64(to: Address, at: i32, value: u64) { combine_add_i64(to, at, i64(value)); }

fn combine_and_u64(to: Address, at: i32, value: u64) { combine_and_i64(to, at, i64(value)); }

fn combine_or_u64(to: Address, at: i32, value: u64) { combine_or_i64(to, at, i64(value)); }

fn combine_xor_u64(to: Address, at: i32, value: u64) { combine_xor_i64(to, at, i64(value)); }

// The least point that faults at a site, by the site's number within the kernel.
fn fault(slot: i32, element: i32) { atomic_min(address(0u), slot, u32(element)); }
