// For machines whose division or square root of 32 bits is off by some units in the last place: what they say is a first guess, which integers put right.
// Remainders are small, so that 32 bits of them are enough, though what they are differences of has 48.

fn rough_div(a: f32, b: f32) -> f32 { return opaque_f32(left_f32(a) / right_f32(b)); }

fn rough_sqrt(a: f32) -> f32 { return opaque_f32(sqrt(a)); }

struct Magnitude { mantissa: u32, exponent: i32 }

// 24 bits, the first of them set, of a number that is neither zero nor infinite, and the exponent of that first bit.
fn magnitude_f32(bits: u32) -> Magnitude {
  let mantissa = bits & 0x7fffffu;
  let exponent = i32((bits >> 23u) & 0xffu);
  if (exponent != 0i) { return Magnitude(mantissa | 0x800000u, exponent - 127i); }
  let up = countLeadingZeros(mantissa) - 8u;
  return Magnitude(mantissa << up, -126i - i32(up));
}

fn div_f32(a: f32, b: f32) -> f32 {
  let bits_a = bitcast<u32>(a) & 0x7fffffffu;
  let bits_b = bitcast<u32>(b) & 0x7fffffffu;
  let sign = (bitcast<u32>(a) ^ bitcast<u32>(b)) & 0x80000000u;
  if (bits_a > 0x7f800000u || bits_b > 0x7f800000u) { return lit_f32(0x7fc00000u); }
  if (bits_a == 0x7f800000u) { return lit_f32(select(sign | 0x7f800000u, 0x7fc00000u, bits_b == 0x7f800000u)); }
  if (bits_b == 0x7f800000u) { return lit_f32(sign); }
  if (bits_b == 0u) { return lit_f32(select(sign | 0x7f800000u, 0x7fc00000u, bits_a == 0u)); }
  if (bits_a == 0u) { return lit_f32(sign); }
  let x = magnitude_f32(bits_a);
  let y = magnitude_f32(bits_b);
  // The quotient has 24 bits.
  let up = select(23u, 24u, x.mantissa < y.mantissa);
  let scale = select(8388608.0f, 16777216.0f, x.mantissa < y.mantissa);
  var quotient = u32(rough_div(f32(x.mantissa), f32(y.mantissa)) * scale);
  var rest = i32((x.mantissa << up) - quotient * y.mantissa);
  let divisor = i32(y.mantissa);
  while (rest < 0i) {
    quotient = quotient - 1u;
    rest = rest + divisor;
  }
  while (rest >= divisor) {
    quotient = quotient + 1u;
    rest = rest - divisor;
  }
  let exponent = x.exponent - y.exponent - i32(up) + 150i;
  if (exponent >= 255i) { return lit_f32(sign | 0x7f800000u); }
  if (exponent > 0i) {
    // A quotient is never in the middle of two numbers.
    let more = select(0u, 1u, 2i * rest > divisor);
    return lit_f32(sign | ((u32(exponent) << 23u) + (quotient - 0x800000u) + more));
  }
  let drop = u32(1i - exponent);
  if (drop > 25u) { return lit_f32(sign); }
  let kept = quotient >> drop;
  let lower = quotient & ((1u << drop) - 1u);
  let half = 1u << (drop - 1u);
  let up_to = lower > half || (lower == half && (rest > 0i || (kept & 1u) == 1u));
  return lit_f32(sign | (kept + select(0u, 1u, up_to)));
}

fn sqrt_f32(a: f32) -> f32 {
  let bits = bitcast<u32>(a);
  if ((bits & 0x7fffffffu) == 0u || bits == 0x7f800000u) { return a; }
  if (bits > 0x7f800000u) { return lit_f32(0x7fc00000u); }
  let x = magnitude_f32(bits);
  // As a number from 1 to 4, whose root is from 1 to 2.
  let odd = u32(x.exponent & 1i);
  let half = (x.exponent - i32(odd)) / 2i;
  let near = bitcast<f32>((x.mantissa & 0x7fffffu) | ((127u + odd) << 23u));
  var root = u32(rough_sqrt(near) * 8388608.0f);
  var rest = i32((x.mantissa << (23u + odd)) - root * root);
  while (rest < 0i) {
    root = root - 1u;
    rest = rest + i32(2u * root + 1u);
  }
  while (rest > i32(2u * root)) {
    rest = rest - i32(2u * root + 1u);
    root = root + 1u;
  }
  // A root is never in the middle of two numbers.
  if (rest > i32(root)) { root = root + 1u; }
  return lit_f32((u32(half + 127i) << 23u) + (root - 0x800000u));
}
