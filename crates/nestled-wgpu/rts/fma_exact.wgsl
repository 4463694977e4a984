// For machines on which `fma` rounds twice, though they have 64 bits: rounded once all the same.

// The product is exact in 64 bits. The sum is rounded to odd there, so that rounding it again to 32 bits is rounding once.
fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
  let product = opaque_f64(f64(a) * f64(b));
  let addend = f64(c);
  let sum = add_f64(product, addend);
  let part = sub_f64(sum, product);
  let error = sub_f64(product, sub_f64(sum, part)) + sub_f64(addend, part);
  var bits = bitcast<u64>(sum);
  let finite = (bits & 0x7ff0000000000000lu) != 0x7ff0000000000000lu;
  if (finite && error != 0.0lf && (bits & 1lu) == 0lu) {
    if ((error > 0.0lf) == (sum > 0.0lf)) { bits = bits + 1lu; } else { bits = bits - 1lu; }
  }
  return f32(bitcast<f64>(bits));
}

struct Wide { high: u64, low: u64 }

struct Parts { mantissa: u64, exponent: i32 }

fn mul_wide(a: u64, b: u64) -> Wide { return Wide(mulhi_u64(a, b), a * b); }

fn shl_wide(a: Wide, by: u32) -> Wide {
  if (by == 0u) { return a; }
  if (by >= 64u) { return Wide(a.low << (by - 64u), 0lu); }
  return Wide((a.high << by) | (a.low >> (64u - by)), a.low << by);
}

// What falls off the end is kept in the last bit.
fn shr_wide_sticky(a: Wide, by: u32) -> Wide {
  if (by == 0u) { return a; }
  if (by >= 128u) { return Wide(0lu, select(0lu, 1lu, (a.high | a.low) != 0lu)); }
  if (by == 64u) { return Wide(0lu, a.high | select(0lu, 1lu, a.low != 0lu)); }
  if (by > 64u) {
    let lost = a.low | (a.high << (128u - by));
    return Wide(0lu, (a.high >> (by - 64u)) | select(0lu, 1lu, lost != 0lu));
  }
  let lost = a.low << (64u - by);
  return Wide(a.high >> by, (a.low >> by) | (a.high << (64u - by)) | select(0lu, 1lu, lost != 0lu));
}

fn less_wide(a: Wide, b: Wide) -> bool { return a.high < b.high || (a.high == b.high && a.low < b.low); }

fn add_wide(a: Wide, b: Wide) -> Wide {
  let low = a.low + b.low;
  return Wide(a.high + b.high + select(0lu, 1lu, low < a.low), low);
}

fn sub_wide(a: Wide, b: Wide) -> Wide { return Wide(a.high - b.high - select(0lu, 1lu, a.low < b.low), a.low - b.low); }

fn leading_u64(a: u64) -> i32 {
  let high = u32(a >> 32u);
  if (high != 0u) { return 63i - i32(countLeadingZeros(high)); }
  return 31i - i32(countLeadingZeros(u32(a & 0xfffffffflu)));
}

// 53 bits of a number that is not zero, and the power of two that they are to be multiplied by.
fn parts_f64(a: f64) -> Parts {
  let bits = bitcast<u64>(a);
  let exponent = i32(u32(bits >> 52u) & 0x7ffu);
  let mantissa = bits & 0xffffffffffffflu;
  if (exponent == 0i) {
    let up = 52i - leading_u64(mantissa);
    return Parts(mantissa << u32(up), -1074i - up);
  }
  return Parts(mantissa | 0x10000000000000lu, exponent - 1075i);
}

fn is_plain_f64(a: f64) -> bool {
  let magnitude = bitcast<u64>(a) & 0x7ffffffffffffffflu;
  return magnitude != 0lu && magnitude < 0x7ff0000000000000lu;
}

fn fma_f64(a: f64, b: f64, c: f64) -> f64 {
  if (!is_plain_f64(a) || !is_plain_f64(b)) { return add_f64(mul_f64(a, b), c); }
  if (!is_plain_f64(c)) {
    if ((bitcast<u64>(c) & 0x7ffffffffffffffflu) == 0lu) { return mul_f64(a, b); }
    return c;
  }
  let pa = parts_f64(a);
  let pb = parts_f64(b);
  let pc = parts_f64(c);
  // Both with their first bit at 120 or 121 of 128.
  var product = shl_wide(mul_wide(pa.mantissa, pb.mantissa), 16u);
  var addend = shl_wide(Wide(0lu, pc.mantissa), 69u);
  let exponent_p = pa.exponent + pb.exponent - 16i;
  let exponent_c = pc.exponent - 69i;
  let exponent = max(exponent_p, exponent_c);
  product = shr_wide_sticky(product, u32(exponent - exponent_p));
  addend = shr_wide_sticky(addend, u32(exponent - exponent_c));
  let sign_p = (bitcast<u64>(a) ^ bitcast<u64>(b)) & 0x8000000000000000lu;
  let sign_c = bitcast<u64>(c) & 0x8000000000000000lu;
  var sign = sign_p;
  var sum = add_wide(product, addend);
  if (sign_p != sign_c) {
    if (less_wide(product, addend)) {
      sum = sub_wide(addend, product);
      sign = sign_c;
    } else {
      sum = sub_wide(product, addend);
    }
  }
  if ((sum.high | sum.low) == 0lu) { return 0.0lf; }
  var lead = 0i;
  if (sum.high != 0lu) { lead = 64i + leading_u64(sum.high); } else { lead = leading_u64(sum.low); }
  let last = max(exponent + lead - 52i, -1074i);
  let drop = last - exponent;
  var kept = 0lu;
  if (drop <= 0i) {
    kept = sum.low << u32(-drop);
  } else {
    // Two bits more than are kept, the last one sticky.
    var more = Wide(0lu, 0lu);
    if (drop == 1i) { more = shl_wide(sum, 1u); } else { more = shr_wide_sticky(sum, u32(drop - 2i)); }
    kept = more.low >> 2u;
    let rest = more.low & 3lu;
    if (rest == 3lu || (rest == 2lu && (kept & 1lu) == 1lu)) { kept = kept + 1lu; }
  }
  var bits = kept;
  if (kept >= 0x10000000000000lu) {
    if (last + 1075i >= 2047i) { return bitcast<f64>(sign | 0x7ff0000000000000lu); }
    bits = (u64(u32(last + 1075i)) << 52u) + (kept - 0x10000000000000lu);
  }
  return bitcast<f64>(sign | bits);
}
