// What scalar operations mean, in CUDA C++: the functions of `nestled-wgpu/rts/ops.wgsl` under the same names. Floats round as IEEE says, and nothing is
// contracted; signed integers wrap because they are added as unsigned ones.

typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef float f32;
typedef double f64;
typedef unsigned long long Address;

#define OPERATION __device__ __forceinline__

// ---- Integers ----

OPERATION i32 add_i32(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }

OPERATION i32 sub_i32(i32 a, i32 b) { return (i32)((u32)a - (u32)b); }

OPERATION i32 mul_i32(i32 a, i32 b) { return (i32)((u32)a * (u32)b); }

OPERATION i32 div_i32(i32 a, i32 b) { return b == 0 ? 0 : b == -1 ? (i32)(0 - (u32)a) : a / b; }

OPERATION i32 rem_i32(i32 a, i32 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }

OPERATION i32 div_floor_i32(i32 a, i32 b) { i32 q = div_i32(a, b); i32 r = rem_i32(a, b); return b != 0 && r != 0 && ((r < 0) != (b < 0)) ? q - 1 : q; }

OPERATION i32 rem_floor_i32(i32 a, i32 b) { i32 r = rem_i32(a, b); return b != 0 && r != 0 && ((r < 0) != (b < 0)) ? r + b : r; }

OPERATION i32 neg_i32(i32 a) { return (i32)(0 - (u32)a); }

OPERATION i32 abs_i32(i32 a) { return a < 0 ? (i32)(0 - (u32)a) : a; }

OPERATION i32 min_i32(i32 a, i32 b) { return a < b ? a : b; }

OPERATION i32 max_i32(i32 a, i32 b) { return a > b ? a : b; }

OPERATION i32 and_i32(i32 a, i32 b) { return a & b; }

OPERATION i32 or_i32(i32 a, i32 b) { return a | b; }

OPERATION i32 xor_i32(i32 a, i32 b) { return a ^ b; }

OPERATION i32 not_i32(i32 a) { return ~a; }

OPERATION i32 shl_i32(i32 a, i32 b) { return (i32)((u32)a << ((u32)b & 31u)); }

OPERATION i32 shr_i32(i32 a, i32 b) { return a >> ((u32)b & 31u); }

OPERATION i32 popcount_i32(i32 a) { return (i32)__popc(a); }

OPERATION i32 clz_i32(i32 a) { return (i32)__clz(a); }

OPERATION i32 ctz_i32(i32 a) { return a == 0 ? 32 : (i32)(__ffs(a) - 1); }

OPERATION bool eq_i32(i32 a, i32 b) { return a == b; }

OPERATION bool ne_i32(i32 a, i32 b) { return a != b; }

OPERATION bool lt_i32(i32 a, i32 b) { return a < b; }

OPERATION bool le_i32(i32 a, i32 b) { return a <= b; }

OPERATION bool gt_i32(i32 a, i32 b) { return a > b; }

OPERATION bool ge_i32(i32 a, i32 b) { return a >= b; }

OPERATION i32 select_i32(bool c, i32 a, i32 b) { return c ? a : b; }

OPERATION u32 add_u32(u32 a, u32 b) { return (u32)((u32)a + (u32)b); }

OPERATION u32 sub_u32(u32 a, u32 b) { return (u32)((u32)a - (u32)b); }

OPERATION u32 mul_u32(u32 a, u32 b) { return (u32)((u32)a * (u32)b); }

OPERATION u32 div_u32(u32 a, u32 b) { return b == 0 ? 0 : a / b; }

OPERATION u32 rem_u32(u32 a, u32 b) { return b == 0 ? a : a % b; }

OPERATION u32 div_floor_u32(u32 a, u32 b) { return div_u32(a, b); }

OPERATION u32 rem_floor_u32(u32 a, u32 b) { return rem_u32(a, b); }

OPERATION u32 neg_u32(u32 a) { return 0 - a; }

OPERATION u32 abs_u32(u32 a) { return a; }

OPERATION u32 min_u32(u32 a, u32 b) { return a < b ? a : b; }

OPERATION u32 max_u32(u32 a, u32 b) { return a > b ? a : b; }

OPERATION u32 and_u32(u32 a, u32 b) { return a & b; }

OPERATION u32 or_u32(u32 a, u32 b) { return a | b; }

OPERATION u32 xor_u32(u32 a, u32 b) { return a ^ b; }

OPERATION u32 not_u32(u32 a) { return ~a; }

OPERATION u32 shl_u32(u32 a, u32 b) { return (u32)((u32)a << ((u32)b & 31u)); }

OPERATION u32 shr_u32(u32 a, u32 b) { return a >> ((u32)b & 31u); }

OPERATION u32 popcount_u32(u32 a) { return (u32)__popc(a); }

OPERATION u32 clz_u32(u32 a) { return (u32)__clz(a); }

OPERATION u32 ctz_u32(u32 a) { return a == 0 ? 32 : (u32)(__ffs(a) - 1); }

OPERATION bool eq_u32(u32 a, u32 b) { return a == b; }

OPERATION bool ne_u32(u32 a, u32 b) { return a != b; }

OPERATION bool lt_u32(u32 a, u32 b) { return a < b; }

OPERATION bool le_u32(u32 a, u32 b) { return a <= b; }

OPERATION bool gt_u32(u32 a, u32 b) { return a > b; }

OPERATION bool ge_u32(u32 a, u32 b) { return a >= b; }

OPERATION u32 select_u32(bool c, u32 a, u32 b) { return c ? a : b; }

OPERATION i64 add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

OPERATION i64 sub_i64(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }

OPERATION i64 mul_i64(i64 a, i64 b) { return (i64)((u64)a * (u64)b); }

OPERATION i64 div_i64(i64 a, i64 b) { return b == 0 ? 0 : b == -1 ? (i64)(0 - (u64)a) : a / b; }

OPERATION i64 rem_i64(i64 a, i64 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }

OPERATION i64 div_floor_i64(i64 a, i64 b) { i64 q = div_i64(a, b); i64 r = rem_i64(a, b); return b != 0 && r != 0 && ((r < 0) != (b < 0)) ? q - 1 : q; }

OPERATION i64 rem_floor_i64(i64 a, i64 b) { i64 r = rem_i64(a, b); return b != 0 && r != 0 && ((r < 0) != (b < 0)) ? r + b : r; }

OPERATION i64 neg_i64(i64 a) { return (i64)(0 - (u64)a); }

OPERATION i64 abs_i64(i64 a) { return a < 0 ? (i64)(0 - (u64)a) : a; }

OPERATION i64 min_i64(i64 a, i64 b) { return a < b ? a : b; }

OPERATION i64 max_i64(i64 a, i64 b) { return a > b ? a : b; }

OPERATION i64 and_i64(i64 a, i64 b) { return a & b; }

OPERATION i64 or_i64(i64 a, i64 b) { return a | b; }

OPERATION i64 xor_i64(i64 a, i64 b) { return a ^ b; }

OPERATION i64 not_i64(i64 a) { return ~a; }

OPERATION i64 shl_i64(i64 a, i64 b) { return (i64)((u64)a << ((u32)b & 63u)); }

OPERATION i64 shr_i64(i64 a, i64 b) { return a >> ((u32)b & 63u); }

OPERATION i64 popcount_i64(i64 a) { return (i64)__popcll(a); }

OPERATION i64 clz_i64(i64 a) { return (i64)__clzll(a); }

OPERATION i64 ctz_i64(i64 a) { return a == 0 ? 64 : (i64)(__ffsll(a) - 1); }

OPERATION bool eq_i64(i64 a, i64 b) { return a == b; }

OPERATION bool ne_i64(i64 a, i64 b) { return a != b; }

OPERATION bool lt_i64(i64 a, i64 b) { return a < b; }

OPERATION bool le_i64(i64 a, i64 b) { return a <= b; }

OPERATION bool gt_i64(i64 a, i64 b) { return a > b; }

OPERATION bool ge_i64(i64 a, i64 b) { return a >= b; }

OPERATION i64 select_i64(bool c, i64 a, i64 b) { return c ? a : b; }

OPERATION u64 add_u64(u64 a, u64 b) { return a + b; }

OPERATION u64 sub_u64(u64 a, u64 b) { return a - b; }

OPERATION u64 mul_u64(u64 a, u64 b) { return a * b; }

OPERATION u64 div_u64(u64 a, u64 b) { return b == 0 ? 0 : a / b; }

OPERATION u64 rem_u64(u64 a, u64 b) { return b == 0 ? a : a % b; }

OPERATION u64 div_floor_u64(u64 a, u64 b) { return div_u64(a, b); }

OPERATION u64 rem_floor_u64(u64 a, u64 b) { return rem_u64(a, b); }

OPERATION u64 neg_u64(u64 a) { return 0 - a; }

OPERATION u64 abs_u64(u64 a) { return a; }

OPERATION u64 min_u64(u64 a, u64 b) { return a < b ? a : b; }

OPERATION u64 max_u64(u64 a, u64 b) { return a > b ? a : b; }

OPERATION u64 and_u64(u64 a, u64 b) { return a & b; }

OPERATION u64 or_u64(u64 a, u64 b) { return a | b; }

OPERATION u64 xor_u64(u64 a, u64 b) { return a ^ b; }

OPERATION u64 not_u64(u64 a) { return ~a; }

OPERATION u64 shl_u64(u64 a, u64 b) { return a << ((u32)b & 63u); }

OPERATION u64 shr_u64(u64 a, u64 b) { return a >> ((u32)b & 63u); }

OPERATION u64 popcount_u64(u64 a) { return (u64)__popcll(a); }

OPERATION u64 clz_u64(u64 a) { return (u64)__clzll(a); }

OPERATION u64 ctz_u64(u64 a) { return a == 0 ? 64 : (u64)(__ffsll(a) - 1); }

OPERATION bool eq_u64(u64 a, u64 b) { return a == b; }

OPERATION bool ne_u64(u64 a, u64 b) { return a != b; }

OPERATION bool lt_u64(u64 a, u64 b) { return a < b; }

OPERATION bool le_u64(u64 a, u64 b) { return a <= b; }

OPERATION bool gt_u64(u64 a, u64 b) { return a > b; }

OPERATION bool ge_u64(u64 a, u64 b) { return a >= b; }

OPERATION u64 select_u64(bool c, u64 a, u64 b) { return c ? a : b; }

OPERATION i32 mulhi_i32(i32 a, i32 b) { return __mulhi(a, b); }

OPERATION u32 mulhi_u32(u32 a, u32 b) { return __umulhi(a, b); }

OPERATION i64 mulhi_i64(i64 a, i64 b) { return __mul64hi(a, b); }

OPERATION u64 mulhi_u64(u64 a, u64 b) { return __umul64hi(a, b); }

// ---- Bytes, in a `u32` whose other bits are zero ----

OPERATION u32 add_u8(u32 a, u32 b) { return add_u32(a, b) & 0xffu; }

OPERATION u32 sub_u8(u32 a, u32 b) { return sub_u32(a, b) & 0xffu; }

OPERATION u32 mul_u8(u32 a, u32 b) { return mul_u32(a, b) & 0xffu; }

OPERATION u32 div_u8(u32 a, u32 b) { return div_u32(a, b); }

OPERATION u32 rem_u8(u32 a, u32 b) { return rem_u32(a, b); }

OPERATION u32 div_floor_u8(u32 a, u32 b) { return div_floor_u32(a, b); }

OPERATION u32 rem_floor_u8(u32 a, u32 b) { return rem_floor_u32(a, b); }

OPERATION u32 min_u8(u32 a, u32 b) { return min_u32(a, b); }

OPERATION u32 max_u8(u32 a, u32 b) { return max_u32(a, b); }

OPERATION u32 and_u8(u32 a, u32 b) { return and_u32(a, b); }

OPERATION u32 or_u8(u32 a, u32 b) { return or_u32(a, b); }

OPERATION u32 xor_u8(u32 a, u32 b) { return xor_u32(a, b); }

OPERATION u32 neg_u8(u32 a) { return (0u - a) & 0xffu; }

OPERATION u32 abs_u8(u32 a) { return a; }

OPERATION u32 not_u8(u32 a) { return a ^ 0xffu; }

OPERATION u32 shl_u8(u32 a, u32 b) { return (a << (b & 7u)) & 0xffu; }

OPERATION u32 shr_u8(u32 a, u32 b) { return a >> (b & 7u); }

OPERATION u32 popcount_u8(u32 a) { return __popc(a); }

OPERATION u32 clz_u8(u32 a) { return __clz(a) - 24; }

OPERATION u32 ctz_u8(u32 a) { return ctz_u32(a | 0x100u); }

OPERATION bool eq_u8(u32 a, u32 b) { return a == b; }

OPERATION bool ne_u8(u32 a, u32 b) { return a != b; }

OPERATION bool lt_u8(u32 a, u32 b) { return a < b; }

OPERATION bool le_u8(u32 a, u32 b) { return a <= b; }

OPERATION bool gt_u8(u32 a, u32 b) { return a > b; }

OPERATION bool ge_u8(u32 a, u32 b) { return a >= b; }

OPERATION u32 select_u8(bool c, u32 a, u32 b) { return c ? a : b; }

OPERATION u32 select_f16(bool c, u32 a, u32 b) { return c ? a : b; }

// ---- Other integers of less than 32 bits: unsigned ones in a `u32` whose other bits are zero, signed ones in an `i32` of the same value ----

OPERATION i32 wrap_i8(i32 a) { return (i32)(i8)a; }

OPERATION i32 wrap_i16(i32 a) { return (i32)(i16)a; }

OPERATION i32 add_i8(i32 a, i32 b) { return wrap_i8(add_i32(a, b)); }

OPERATION i32 sub_i8(i32 a, i32 b) { return wrap_i8(sub_i32(a, b)); }

OPERATION i32 mul_i8(i32 a, i32 b) { return wrap_i8(mul_i32(a, b)); }

OPERATION i32 div_i8(i32 a, i32 b) { return wrap_i8(div_i32(a, b)); }

OPERATION i32 div_floor_i8(i32 a, i32 b) { return wrap_i8(div_floor_i32(a, b)); }

OPERATION i32 rem_i8(i32 a, i32 b) { return rem_i32(a, b); }

OPERATION i32 rem_floor_i8(i32 a, i32 b) { return rem_floor_i32(a, b); }

OPERATION i32 min_i8(i32 a, i32 b) { return min_i32(a, b); }

OPERATION i32 max_i8(i32 a, i32 b) { return max_i32(a, b); }

OPERATION i32 and_i8(i32 a, i32 b) { return and_i32(a, b); }

OPERATION i32 or_i8(i32 a, i32 b) { return or_i32(a, b); }

OPERATION i32 xor_i8(i32 a, i32 b) { return xor_i32(a, b); }

OPERATION i32 neg_i8(i32 a) { return wrap_i8(0 - a); }

OPERATION i32 abs_i8(i32 a) { return wrap_i8(abs_i32(a)); }

OPERATION i32 not_i8(i32 a) { return ~a; }

OPERATION i32 shl_i8(i32 a, i32 b) { return wrap_i8((i32)((u32)a << ((u32)b & 7u))); }

OPERATION i32 shr_i8(i32 a, i32 b) { return a >> ((u32)b & 7u); }

OPERATION i32 popcount_i8(i32 a) { return (i32)__popc((u32)a & 0xffu); }

OPERATION i32 clz_i8(i32 a) { return (i32)__clz((u32)a & 0xffu) - 24; }

OPERATION i32 ctz_i8(i32 a) { return (i32)ctz_u32((u32)a | 0x100u); }

OPERATION bool eq_i8(i32 a, i32 b) { return a == b; }

OPERATION bool ne_i8(i32 a, i32 b) { return a != b; }

OPERATION bool lt_i8(i32 a, i32 b) { return a < b; }

OPERATION bool le_i8(i32 a, i32 b) { return a <= b; }

OPERATION bool gt_i8(i32 a, i32 b) { return a > b; }

OPERATION bool ge_i8(i32 a, i32 b) { return a >= b; }

OPERATION i32 select_i8(bool c, i32 a, i32 b) { return c ? a : b; }

OPERATION i32 add_i16(i32 a, i32 b) { return wrap_i16(add_i32(a, b)); }

OPERATION i32 sub_i16(i32 a, i32 b) { return wrap_i16(sub_i32(a, b)); }

OPERATION i32 mul_i16(i32 a, i32 b) { return wrap_i16(mul_i32(a, b)); }

OPERATION i32 div_i16(i32 a, i32 b) { return wrap_i16(div_i32(a, b)); }

OPERATION i32 div_floor_i16(i32 a, i32 b) { return wrap_i16(div_floor_i32(a, b)); }

OPERATION i32 rem_i16(i32 a, i32 b) { return rem_i32(a, b); }

OPERATION i32 rem_floor_i16(i32 a, i32 b) { return rem_floor_i32(a, b); }

OPERATION i32 min_i16(i32 a, i32 b) { return min_i32(a, b); }

OPERATION i32 max_i16(i32 a, i32 b) { return max_i32(a, b); }

OPERATION i32 and_i16(i32 a, i32 b) { return and_i32(a, b); }

OPERATION i32 or_i16(i32 a, i32 b) { return or_i32(a, b); }

OPERATION i32 xor_i16(i32 a, i32 b) { return xor_i32(a, b); }

OPERATION i32 neg_i16(i32 a) { return wrap_i16(0 - a); }

OPERATION i32 abs_i16(i32 a) { return wrap_i16(abs_i32(a)); }

OPERATION i32 not_i16(i32 a) { return ~a; }

OPERATION i32 shl_i16(i32 a, i32 b) { return wrap_i16((i32)((u32)a << ((u32)b & 15u))); }

OPERATION i32 shr_i16(i32 a, i32 b) { return a >> ((u32)b & 15u); }

OPERATION i32 popcount_i16(i32 a) { return (i32)__popc((u32)a & 0xffffu); }

OPERATION i32 clz_i16(i32 a) { return (i32)__clz((u32)a & 0xffffu) - 16; }

OPERATION i32 ctz_i16(i32 a) { return (i32)ctz_u32((u32)a | 0x10000u); }

OPERATION bool eq_i16(i32 a, i32 b) { return a == b; }

OPERATION bool ne_i16(i32 a, i32 b) { return a != b; }

OPERATION bool lt_i16(i32 a, i32 b) { return a < b; }

OPERATION bool le_i16(i32 a, i32 b) { return a <= b; }

OPERATION bool gt_i16(i32 a, i32 b) { return a > b; }

OPERATION bool ge_i16(i32 a, i32 b) { return a >= b; }

OPERATION i32 select_i16(bool c, i32 a, i32 b) { return c ? a : b; }

OPERATION u32 add_u16(u32 a, u32 b) { return add_u32(a, b) & 0xffffu; }

OPERATION u32 sub_u16(u32 a, u32 b) { return sub_u32(a, b) & 0xffffu; }

OPERATION u32 mul_u16(u32 a, u32 b) { return mul_u32(a, b) & 0xffffu; }

OPERATION u32 div_u16(u32 a, u32 b) { return div_u32(a, b); }

OPERATION u32 div_floor_u16(u32 a, u32 b) { return div_floor_u32(a, b); }

OPERATION u32 rem_u16(u32 a, u32 b) { return rem_u32(a, b); }

OPERATION u32 rem_floor_u16(u32 a, u32 b) { return rem_floor_u32(a, b); }

OPERATION u32 min_u16(u32 a, u32 b) { return min_u32(a, b); }

OPERATION u32 max_u16(u32 a, u32 b) { return max_u32(a, b); }

OPERATION u32 and_u16(u32 a, u32 b) { return and_u32(a, b); }

OPERATION u32 or_u16(u32 a, u32 b) { return or_u32(a, b); }

OPERATION u32 xor_u16(u32 a, u32 b) { return xor_u32(a, b); }

OPERATION u32 neg_u16(u32 a) { return (0u - a) & 0xffffu; }

OPERATION u32 abs_u16(u32 a) { return a; }

OPERATION u32 not_u16(u32 a) { return a ^ 0xffffu; }

OPERATION u32 shl_u16(u32 a, u32 b) { return (a << (b & 15u)) & 0xffffu; }

OPERATION u32 shr_u16(u32 a, u32 b) { return a >> (b & 15u); }

OPERATION u32 popcount_u16(u32 a) { return __popc(a); }

OPERATION u32 clz_u16(u32 a) { return __clz(a) - 16; }

OPERATION u32 ctz_u16(u32 a) { return ctz_u32(a | 0x10000u); }

OPERATION bool eq_u16(u32 a, u32 b) { return a == b; }

OPERATION bool ne_u16(u32 a, u32 b) { return a != b; }

OPERATION bool lt_u16(u32 a, u32 b) { return a < b; }

OPERATION bool le_u16(u32 a, u32 b) { return a <= b; }

OPERATION bool gt_u16(u32 a, u32 b) { return a > b; }

OPERATION bool ge_u16(u32 a, u32 b) { return a >= b; }

OPERATION u32 select_u16(bool c, u32 a, u32 b) { return c ? a : b; }

// ---- Truth values ----

OPERATION bool min_bool(bool a, bool b) { return a && b; }

OPERATION bool max_bool(bool a, bool b) { return a || b; }

OPERATION bool and_bool(bool a, bool b) { return a && b; }

OPERATION bool or_bool(bool a, bool b) { return a || b; }

OPERATION bool xor_bool(bool a, bool b) { return a != b; }

OPERATION bool not_bool(bool a) { return !a; }

OPERATION bool eq_bool(bool a, bool b) { return a == b; }

OPERATION bool ne_bool(bool a, bool b) { return a != b; }

OPERATION bool lt_bool(bool a, bool b) { return a < b; }

OPERATION bool le_bool(bool a, bool b) { return a <= b; }

OPERATION bool gt_bool(bool a, bool b) { return a > b; }

OPERATION bool ge_bool(bool a, bool b) { return a >= b; }

OPERATION bool select_bool(bool c, bool a, bool b) { return c ? a : b; }

// ---- Floats ----

OPERATION f32 lit_f32(u32 bits) { return __uint_as_float(bits); }

OPERATION f64 lit_f64(u64 bits) { return __longlong_as_double((i64)bits); }

OPERATION u32 bits_i32_u32(i32 a) { return (u32)a; }

OPERATION i32 bits_u32_i32(u32 a) { return (i32)a; }

OPERATION f32 bits_i32_f32(i32 a) { return __int_as_float(a); }

OPERATION i32 bits_f32_i32(f32 a) { return __float_as_int(a); }

OPERATION f32 bits_u32_f32(u32 a) { return __uint_as_float(a); }

OPERATION u32 bits_f32_u32(f32 a) { return __float_as_uint(a); }

OPERATION f64 bits_i64_f64(i64 a) { return __longlong_as_double(a); }

OPERATION i64 bits_f64_i64(f64 a) { return __double_as_longlong(a); }

OPERATION u64 bits_i64_u64(i64 a) { return (u64)a; }

OPERATION i64 bits_u64_i64(u64 a) { return (i64)a; }

OPERATION f64 bits_u64_f64(u64 a) { return __longlong_as_double((i64)a); }

OPERATION u64 bits_f64_u64(f64 a) { return (u64)__double_as_longlong(a); }

OPERATION bool is_nan_f32(f32 a) { return (__float_as_uint(a) & 0x7fffffffu) > 0x7f800000u; }

OPERATION f32 add_f32(f32 a, f32 b) { return __fadd_rn(a, b); }

OPERATION f32 sub_f32(f32 a, f32 b) { return __fsub_rn(a, b); }

OPERATION f32 mul_f32(f32 a, f32 b) { return __fmul_rn(a, b); }

OPERATION f32 div_f32(f32 a, f32 b) { return __fdiv_rn(a, b); }

OPERATION f32 fma_f32(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }

OPERATION f32 sqrt_f32(f32 a) { return __fsqrt_rn(a); }

OPERATION f32 neg_f32(f32 a) { return lit_f32(__float_as_uint(a) ^ 0x80000000u); }

OPERATION f32 abs_f32(f32 a) { return lit_f32(__float_as_uint(a) & 0x7fffffffu); }

OPERATION f32 min_f32(f32 a, f32 b) { if (is_nan_f32(a) || is_nan_f32(b)) return lit_f32(0x7fc00000u); if (a == b) return lit_f32(__float_as_uint(a) | __float_as_uint(b)); return a < b ? a : b; }

OPERATION f32 max_f32(f32 a, f32 b) { if (is_nan_f32(a) || is_nan_f32(b)) return lit_f32(0x7fc00000u); if (a == b) return lit_f32(__float_as_uint(a) & __float_as_uint(b)); return a > b ? a : b; }

OPERATION bool eq_f32(f32 a, f32 b) { return a == b; }

OPERATION bool ne_f32(f32 a, f32 b) { return a != b; }

OPERATION bool lt_f32(f32 a, f32 b) { return a < b; }

OPERATION bool le_f32(f32 a, f32 b) { return a <= b; }

OPERATION bool gt_f32(f32 a, f32 b) { return a > b; }

OPERATION bool ge_f32(f32 a, f32 b) { return a >= b; }

OPERATION f32 select_f32(bool c, f32 a, f32 b) { return c ? a : b; }

OPERATION f32 floor_f32(f32 a) { return floorf(a); }

OPERATION f32 ceil_f32(f32 a) { return ceilf(a); }

OPERATION f32 trunc_f32(f32 a) { return truncf(a); }

OPERATION f32 round_even_f32(f32 a) { return rintf(a); }

OPERATION f32 round_f32(f32 a) { return roundf(a); }

OPERATION bool is_nan_f64(f64 a) { return ((u64)__double_as_longlong(a) & 0x7fffffffffffffffull) > 0x7ff0000000000000ull; }

OPERATION f64 add_f64(f64 a, f64 b) { return __dadd_rn(a, b); }

OPERATION f64 sub_f64(f64 a, f64 b) { return __dsub_rn(a, b); }

OPERATION f64 mul_f64(f64 a, f64 b) { return __dmul_rn(a, b); }

OPERATION f64 div_f64(f64 a, f64 b) { return __ddiv_rn(a, b); }

OPERATION f64 fma_f64(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }

OPERATION f64 sqrt_f64(f64 a) { return __dsqrt_rn(a); }

OPERATION f64 neg_f64(f64 a) { return lit_f64((u64)__double_as_longlong(a) ^ 0x8000000000000000ull); }

OPERATION f64 abs_f64(f64 a) { return lit_f64((u64)__double_as_longlong(a) & 0x7fffffffffffffffull); }

OPERATION f64 min_f64(f64 a, f64 b) { if (is_nan_f64(a) || is_nan_f64(b)) return lit_f64(0x7ff8000000000000ull); if (a == b) return lit_f64((u64)__double_as_longlong(a) | (u64)__double_as_longlong(b)); return a < b ? a : b; }

OPERATION f64 max_f64(f64 a, f64 b) { if (is_nan_f64(a) || is_nan_f64(b)) return lit_f64(0x7ff8000000000000ull); if (a == b) return lit_f64((u64)__double_as_longlong(a) & (u64)__double_as_longlong(b)); return a > b ? a : b; }

OPERATION bool eq_f64(f64 a, f64 b) { return a == b; }

OPERATION bool ne_f64(f64 a, f64 b) { return a != b; }

OPERATION bool lt_f64(f64 a, f64 b) { return a < b; }

OPERATION bool le_f64(f64 a, f64 b) { return a <= b; }

OPERATION bool gt_f64(f64 a, f64 b) { return a > b; }

OPERATION bool ge_f64(f64 a, f64 b) { return a >= b; }

OPERATION f64 select_f64(bool c, f64 a, f64 b) { return c ? a : b; }

OPERATION f64 floor_f64(f64 a) { return floor(a); }

OPERATION f64 ceil_f64(f64 a) { return ceil(a); }

OPERATION f64 trunc_f64(f64 a) { return trunc(a); }

OPERATION f64 round_even_f64(f64 a) { return rint(a); }

OPERATION f64 round_f64(f64 a) { return round(a); }

// ---- Conversions ----

OPERATION u32 cvt_bool_u8(bool a) { return (u32)a & 0xffu; }

OPERATION i32 cvt_bool_i32(bool a) { return (i32)a; }

OPERATION u32 cvt_bool_u32(bool a) { return (u32)a; }

OPERATION i64 cvt_bool_i64(bool a) { return (i64)a; }

OPERATION f32 cvt_bool_f32(bool a) { return (f32)a; }

OPERATION f64 cvt_bool_f64(bool a) { return (f64)a; }

OPERATION bool cvt_u8_bool(u32 a) { return a != 0; }

OPERATION i32 cvt_u8_i32(u32 a) { return (i32)a; }

OPERATION u32 cvt_u8_u32(u32 a) { return (u32)a; }

OPERATION i64 cvt_u8_i64(u32 a) { return (i64)a; }

OPERATION f32 cvt_u8_f32(u32 a) { return __uint2float_rn(a); }

OPERATION f64 cvt_u8_f64(u32 a) { return (f64)a; }

OPERATION i32 cvt_bool_i8(bool a) { return a ? 1 : 0; }

OPERATION i32 cvt_bool_i16(bool a) { return a ? 1 : 0; }

OPERATION u32 cvt_bool_u16(bool a) { return a ? 1u : 0u; }

OPERATION bool cvt_i8_bool(i32 a) { return a != 0; }

OPERATION u32 cvt_i8_u8(i32 a) { return (u32)a & 0xffu; }

OPERATION i32 cvt_i8_i16(i32 a) { return wrap_i16((i32)a); }

OPERATION u32 cvt_i8_u16(i32 a) { return (u32)a & 0xffffu; }

OPERATION i32 cvt_i8_i32(i32 a) { return (i32)a; }

OPERATION u32 cvt_i8_u32(i32 a) { return (u32)a; }

OPERATION i64 cvt_i8_i64(i32 a) { return (i64)a; }

OPERATION f32 cvt_i8_f32(i32 a) { return __int2float_rn(a); }

OPERATION f64 cvt_i8_f64(i32 a) { return (f64)a; }

OPERATION i32 cvt_u8_i8(u32 a) { return wrap_i8((i32)a); }

OPERATION i32 cvt_u8_i16(u32 a) { return wrap_i16((i32)a); }

OPERATION u32 cvt_u8_u16(u32 a) { return (u32)a & 0xffffu; }

OPERATION bool cvt_i16_bool(i32 a) { return a != 0; }

OPERATION i32 cvt_i16_i8(i32 a) { return wrap_i8((i32)a); }

OPERATION u32 cvt_i16_u8(i32 a) { return (u32)a & 0xffu; }

OPERATION u32 cvt_i16_u16(i32 a) { return (u32)a & 0xffffu; }

OPERATION i32 cvt_i16_i32(i32 a) { return (i32)a; }

OPERATION u32 cvt_i16_u32(i32 a) { return (u32)a; }

OPERATION i64 cvt_i16_i64(i32 a) { return (i64)a; }

OPERATION f32 cvt_i16_f32(i32 a) { return __int2float_rn(a); }

OPERATION f64 cvt_i16_f64(i32 a) { return (f64)a; }

OPERATION bool cvt_u16_bool(u32 a) { return a != 0; }

OPERATION i32 cvt_u16_i8(u32 a) { return wrap_i8((i32)a); }

OPERATION u32 cvt_u16_u8(u32 a) { return (u32)a & 0xffu; }

OPERATION i32 cvt_u16_i16(u32 a) { return wrap_i16((i32)a); }

OPERATION i32 cvt_u16_i32(u32 a) { return (i32)a; }

OPERATION u32 cvt_u16_u32(u32 a) { return (u32)a; }

OPERATION i64 cvt_u16_i64(u32 a) { return (i64)a; }

OPERATION f32 cvt_u16_f32(u32 a) { return __uint2float_rn(a); }

OPERATION f64 cvt_u16_f64(u32 a) { return (f64)a; }

OPERATION i32 cvt_i32_i8(i32 a) { return wrap_i8((i32)a); }

OPERATION i32 cvt_i32_i16(i32 a) { return wrap_i16((i32)a); }

OPERATION u32 cvt_i32_u16(i32 a) { return (u32)a & 0xffffu; }

OPERATION i32 cvt_u32_i8(u32 a) { return wrap_i8((i32)a); }

OPERATION i32 cvt_u32_i16(u32 a) { return wrap_i16((i32)a); }

OPERATION u32 cvt_u32_u16(u32 a) { return (u32)a & 0xffffu; }

OPERATION i32 cvt_i64_i8(i64 a) { return wrap_i8((i32)a); }

OPERATION i32 cvt_i64_i16(i64 a) { return wrap_i16((i32)a); }

OPERATION u32 cvt_i64_u16(i64 a) { return (u32)a & 0xffffu; }

OPERATION i32 cvt_f32_i8(f32 a) { return is_nan_f32(a) ? 0 : a <= -128.0f ? -128 : a >= 128.0f ? 127 : (i32)a; }

OPERATION i32 cvt_f32_i16(f32 a) { return is_nan_f32(a) ? 0 : a <= -32768.0f ? -32768 : a >= 32768.0f ? 32767 : (i32)a; }

OPERATION u32 cvt_f32_u16(f32 a) { return is_nan_f32(a) ? 0 : a <= 0.0f ? 0u : a >= 65536.0f ? 65535u : (u32)a; }

OPERATION i32 cvt_f64_i8(f64 a) { return is_nan_f64(a) ? 0 : a <= -128.0 ? -128 : a >= 128.0 ? 127 : (i32)a; }

OPERATION i32 cvt_f64_i16(f64 a) { return is_nan_f64(a) ? 0 : a <= -32768.0 ? -32768 : a >= 32768.0 ? 32767 : (i32)a; }

OPERATION u32 cvt_f64_u16(f64 a) { return is_nan_f64(a) ? 0 : a <= 0.0 ? 0u : a >= 65536.0 ? 65535u : (u32)a; }

OPERATION bool cvt_i32_bool(i32 a) { return a != 0; }

OPERATION u32 cvt_i32_u8(i32 a) { return (u32)a & 0xffu; }

OPERATION u32 cvt_i32_u32(i32 a) { return (u32)a; }

OPERATION i64 cvt_i32_i64(i32 a) { return (i64)a; }

OPERATION f32 cvt_i32_f32(i32 a) { return __int2float_rn(a); }

OPERATION f64 cvt_i32_f64(i32 a) { return (f64)a; }

OPERATION bool cvt_u32_bool(u32 a) { return a != 0; }

OPERATION u32 cvt_u32_u8(u32 a) { return (u32)a & 0xffu; }

OPERATION i32 cvt_u32_i32(u32 a) { return (i32)a; }

OPERATION i64 cvt_u32_i64(u32 a) { return (i64)a; }

OPERATION f32 cvt_u32_f32(u32 a) { return __uint2float_rn(a); }

OPERATION f64 cvt_u32_f64(u32 a) { return (f64)a; }

OPERATION bool cvt_i64_bool(i64 a) { return a != 0; }

OPERATION u32 cvt_i64_u8(i64 a) { return (u32)a & 0xffu; }

OPERATION i32 cvt_i64_i32(i64 a) { return (i32)a; }

OPERATION u32 cvt_i64_u32(i64 a) { return (u32)a; }

OPERATION f32 cvt_i64_f32(i64 a) { return __ll2float_rn(a); }

OPERATION f64 cvt_i64_f64(i64 a) { return __ll2double_rn(a); }

OPERATION bool cvt_f32_bool(f32 a) { return a != 0; }

OPERATION u32 cvt_f32_u8(f32 a) { return is_nan_f32(a) ? 0 : a <= 0.0f ? 0u : a >= 256.0f ? 255u : (u32)a; }

OPERATION i32 cvt_f32_i32(f32 a) { return is_nan_f32(a) ? 0 : a <= -2147483648.0f ? (-2147483647 - 1) : a >= 2147483648.0f ? 2147483647 : (i32)a; }

OPERATION u32 cvt_f32_u32(f32 a) { return is_nan_f32(a) ? 0 : a <= 0.0f ? 0u : a >= 4294967296.0f ? 4294967295u : (u32)a; }

OPERATION i64 cvt_f32_i64(f32 a) { return is_nan_f32(a) ? 0 : a <= -9223372036854775808.0f ? (-9223372036854775807ll - 1ll) : a >= 9223372036854775808.0f ? 9223372036854775807ll : (i64)a; }

OPERATION f64 cvt_f32_f64(f32 a) { return (f64)a; }

OPERATION bool cvt_f64_bool(f64 a) { return a != 0; }

OPERATION u32 cvt_f64_u8(f64 a) { return is_nan_f64(a) ? 0 : a <= 0.0 ? 0u : a >= 256.0 ? 255u : (u32)a; }

OPERATION i32 cvt_f64_i32(f64 a) { return is_nan_f64(a) ? 0 : a <= -2147483648.0 ? (-2147483647 - 1) : a >= 2147483648.0 ? 2147483647 : (i32)a; }

OPERATION u32 cvt_f64_u32(f64 a) { return is_nan_f64(a) ? 0 : a <= 0.0 ? 0u : a >= 4294967296.0 ? 4294967295u : (u32)a; }

OPERATION i64 cvt_f64_i64(f64 a) { return is_nan_f64(a) ? 0 : a <= -9223372036854775808.0 ? (-9223372036854775807ll - 1ll) : a >= 9223372036854775808.0 ? 9223372036854775807ll : (i64)a; }

OPERATION f32 cvt_f64_f32(f64 a) { return __double2float_rn(a); }

OPERATION u64 cvt_bool_u64(bool a) { return (u64)a; }

OPERATION u64 cvt_u8_u64(u32 a) { return (u64)a; }

OPERATION u64 cvt_u16_u64(u32 a) { return (u64)a; }

OPERATION u64 cvt_u32_u64(u32 a) { return (u64)a; }

OPERATION u64 cvt_i8_u64(i32 a) { return (u64)(i64)a; }

OPERATION u64 cvt_i16_u64(i32 a) { return (u64)(i64)a; }

OPERATION u64 cvt_i32_u64(i32 a) { return (u64)(i64)a; }

OPERATION u64 cvt_i64_u64(i64 a) { return (u64)a; }

OPERATION bool cvt_u64_bool(u64 a) { return a != 0; }

OPERATION i32 cvt_u64_i8(u64 a) { return wrap_i8((i32)a); }

OPERATION u32 cvt_u64_u8(u64 a) { return (u32)a & 0xffu; }

OPERATION i32 cvt_u64_i16(u64 a) { return wrap_i16((i32)a); }

OPERATION u32 cvt_u64_u16(u64 a) { return (u32)a & 0xffffu; }

OPERATION i32 cvt_u64_i32(u64 a) { return (i32)a; }

OPERATION u32 cvt_u64_u32(u64 a) { return (u32)a; }

OPERATION i64 cvt_u64_i64(u64 a) { return (i64)a; }

OPERATION f32 cvt_u64_f32(u64 a) { return __ull2float_rn(a); }

OPERATION f64 cvt_u64_f64(u64 a) { return __ull2double_rn(a); }

OPERATION u64 cvt_f32_u64(f32 a) { return is_nan_f32(a) ? 0 : a <= 0.0f ? 0ull : a >= 18446744073709551616.0f ? 18446744073709551615ull : (u64)a; }

OPERATION u64 cvt_f64_u64(f64 a) { return is_nan_f64(a) ? 0 : a <= 0.0 ? 0ull : a >= 18446744073709551616.0 ? 18446744073709551615ull : (u64)a; }

OPERATION f32 cvt_f16_f32(u32 a) { f32 r; asm("{ cvt.f32.f16 %0, %1; }" : "=f"(r) : "h"((unsigned short)a)); return r; }

OPERATION u32 cvt_f32_f16(f32 a) { unsigned short r; asm("{ cvt.rn.f16.f32 %0, %1; }" : "=h"(r) : "f"(a)); return is_nan_f32(a) ? 0x7e00u : (u32)r; }

OPERATION f64 cvt_f16_f64(u32 a) { return (f64)cvt_f16_f32(a); }

OPERATION u32 cvt_f64_f16(f64 a) { unsigned short r; asm("{ cvt.rn.f16.f64 %0, %1; }" : "=h"(r) : "d"(a)); return is_nan_f64(a) ? 0x7e00u : (u32)r; }

// ---- Orders of floats as integers: NaN where it is wanted, and -0 before +0 ----

OPERATION i32 least_i32() { return -2147483647 - 1; }

OPERATION i32 greatest_i32() { return 2147483647; }

OPERATION i64 least_i64() { return -9223372036854775807ll - 1ll; }

OPERATION i64 greatest_i64() { return 9223372036854775807ll; }

OPERATION i32 order_f32(f32 a, i32 nan) {
  if (is_nan_f32(a)) return nan;
  const i32 bits = __float_as_int(a);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

OPERATION i64 order_f64(f64 a, i64 nan) {
  if (is_nan_f64(a)) return nan;
  const i64 bits = __double_as_longlong(a);
  return bits ^ ((bits >> 63) & 0x7fffffffffffffffll);
}

// ---- Random bits ----

struct Pair {
  u32 a;
  u32 b;
};

OPERATION u32 rotate_left(u32 a, u32 by) { return (a << by) | (a >> (32u - by)); }

OPERATION Pair threefry_four(Pair x, u32 r0, u32 r1, u32 r2, u32 r3, u32 k0, u32 k1) {
  x.a += x.b;
  x.b = rotate_left(x.b, r0) ^ x.a;
  x.a += x.b;
  x.b = rotate_left(x.b, r1) ^ x.a;
  x.a += x.b;
  x.b = rotate_left(x.b, r2) ^ x.a;
  x.a += x.b;
  x.b = rotate_left(x.b, r3) ^ x.a;
  return Pair{x.a + k0, x.b + k1};
}

OPERATION Pair threefry(u32 k0, u32 k1, u32 c0, u32 c1) {
  const u32 k2 = 0x1bd11bdau ^ k0 ^ k1;
  Pair x = Pair{c0 + k0, c1 + k1};
  x = threefry_four(x, 13u, 15u, 26u, 6u, k1, k2 + 1u);
  x = threefry_four(x, 17u, 29u, 16u, 24u, k2, k0 + 2u);
  x = threefry_four(x, 13u, 15u, 26u, 6u, k0, k1 + 3u);
  x = threefry_four(x, 17u, 29u, 16u, 24u, k1, k2 + 4u);
  return threefry_four(x, 13u, 15u, 26u, 6u, k2, k0 + 5u);
}

// ---- Indices ----

OPERATION bool inside_i32(i32 i, i32 extent) { return (u32)i < (u32)extent; }

OPERATION bool inside_i64(i64 i, i32 extent) { return (u64)i < (u64)extent; }

OPERATION i32 clamp_i32(i32 i, i32 extent) { return max(0, min(i, extent - 1)); }

OPERATION i32 clamp_i64(i64 i, i32 extent) { return (i32)max_i64(0, min_i64(i, extent - 1)); }

OPERATION i32 wrap_i32(i32 i, i32 extent) { return rem_floor_i32(i, extent); }

OPERATION i32 wrap_i64(i64 i, i32 extent) { return (i32)rem_floor_i64(i, extent); }

OPERATION i32 narrow_i32(i32 i) { return i; }

OPERATION i32 narrow_i64(i64 i) { return (i32)i; }

OPERATION i64 widen_i32(i32 i) { return (i64)i; }

// ---- Memory: an address is one of bytes ----

// What a launch tells a kernel: an argument by value, so that it lies where nobody writes, and no store makes anybody read it again. Whoever asks for a word knows its number
// when this is compiled: else all of them would be copied to where each thread keeps what does not fit into registers.
struct Given {
  u32 words[N_WORDS];
};

#ifndef GIVEN
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1107
#define GIVEN const Given
#else
#define GIVEN const __grid_constant__ Given
#endif
#endif

#ifndef N_SITES
#define N_SITES 0
#endif
#define MOST_HELD 4

struct Operations {
  Given given;

  // A number that only the device knows: its place was given instead of it, if the mark is set.
  OPERATION void fetch(u32 at, u32 bytes, u32 mark) {
    if (given.words[mark] == 0u) return;
    const Address from = address(at);
    const u32 low = bytes == 1u ? *(const u8*)from : bytes == 2u ? *(const u16*)from : *(const u32*)from;
    const u32 high = bytes == 8u ? ((const u32*)from)[1] : 0u;
    given.words[at] = low;
    given.words[at + 1] = high;
  }

  // The segmentation in which the block knows between which segments its points lie, which those are, and which points.
  u32 narrowed = 0u;
  i32 low_owner = 0, high_owner = 0, low_point = 0, high_point = 0;

  OPERATION void narrow(u32 at, i32 owner, i32 other_owner, i32 point, i32 other_point) {
    narrowed = at;
    low_owner = min(owner, other_owner);
    high_owner = max(owner, other_owner);
    low_point = min(point, other_point);
    high_point = max(point, other_point);
  }

  OPERATION Address address(u32 at) const { return (u64)given.words[at] | ((u64)given.words[at + 1] << 32); }

  OPERATION u32 word(u32 at) const { return given.words[at]; }

  // A word for each piece of scratch: zero when the launch begins.
  OPERATION u32* counter(u32 at) const { return words_at(2u) + at; }

  OPERATION u32* words_at(u32 at) const { return (u32*)address(at); }

  // A size whose exact value may have come from the device: [low, high, bound].
  OPERATION i32 extent(u32 at) const {
    const u32 low = given.words[at], high = given.words[at + 1], bound = given.words[at + 2];
    if (high == 0u) return (i32)min(low, bound);
    return high >= 0x80000000u ? 0 : (i32)bound;
  }

  // Segmentations: [kind, offsets (2), how many, size].
  OPERATION i32 seg_start(u32 at, i32 segment) const {
    if (given.words[at] == 0u) return segment * extent(at + 4);
    return ld_small(address(at + 1), max(0, min(segment, (i32)given.words[at + 3] - 1)));
  }

  OPERATION i32 seg_length(u32 at, i32 segment) const {
    if (given.words[at] == 0u) return extent(at + 4);
    return max(0, seg_start(at, segment + 1) - seg_start(at, segment));
  }

  OPERATION i32 seg_total(u32 at, i32 owners) const {
    return given.words[at] == 0u ? owners * extent(at + 4) : extent(at + 4);
  }

  // The last segment that begins there or before: those before it that begin there too are empty.
  OPERATION i32 seg_owner(u32 at, i32 element, i32 owners) const {
    if (given.words[at] == 0u) return div_i32(element, extent(at + 4));
    const Address offsets = address(at + 1);
    i32 low = 0, high = min(owners, (i32)given.words[at + 3]);
    if (narrowed == at && low_point <= element && element <= high_point) {
      low = low_owner;
      high = min(high, high_owner + 1);
    }
    while (high - low > 1) {
      const i32 middle = (low + high) / 2;
      if (ld_small(offsets, middle) <= element) low = middle;
      else high = middle;
    }
    return low;
  }

  // A place in an array of so many elements, wherever it was meant to be. Of an array without elements the first one may be read.
  OPERATION static i32 within(i32 place, u32 elements) { return (i32)min((u32)place, max(elements, 1u) - 1u); }

  OPERATION u32 ld_u32(Address from, i32 at) const { return ((const u32*)from)[at]; }

  OPERATION void st_u32(Address to, i32 at, u32 value) const { ((u32*)to)[at] = value; }

  OPERATION i32 ld_i32(Address from, i32 at) const { return ((const i32*)from)[at]; }

  OPERATION void st_i32(Address to, i32 at, i32 value) const { ((i32*)to)[at] = value; }

  OPERATION u32 ld_u8(Address from, i32 at) const { return ((const u8*)from)[at]; }

  OPERATION void st_u8(Address to, i32 at, u32 value) const { ((u8*)to)[at] = (u8)value; }

  OPERATION i32 ld_i8(Address from, i32 at) const { return ((const i8*)from)[at]; }

  OPERATION void st_i8(Address to, i32 at, i32 value) const { ((i8*)to)[at] = (i8)value; }

  OPERATION i32 ld_i16(Address from, i32 at) const { return ((const i16*)from)[at]; }

  OPERATION void st_i16(Address to, i32 at, i32 value) const { ((i16*)to)[at] = (i16)value; }

  OPERATION u32 ld_u16(Address from, i32 at) const { return ((const u16*)from)[at]; }

  OPERATION void st_u16(Address to, i32 at, u32 value) const { ((u16*)to)[at] = (u16)value; }

  OPERATION u32 ld_f16(Address from, i32 at) const { return ((const u16*)from)[at]; }

  OPERATION void st_f16(Address to, i32 at, u32 value) const { ((u16*)to)[at] = (u16)value; }

  OPERATION f32 ld_f32(Address from, i32 at) const { return ((const f32*)from)[at]; }

  OPERATION void st_f32(Address to, i32 at, f32 value) const { ((f32*)to)[at] = value; }

  OPERATION i64 ld_i64(Address from, i32 at) const { return ((const i64*)from)[at]; }

  OPERATION void st_i64(Address to, i32 at, i64 value) const { ((i64*)to)[at] = value; }

  OPERATION u64 ld_u64(Address from, i32 at) const { return ((const u64*)from)[at]; }

  OPERATION void st_u64(Address to, i32 at, u64 value) const { ((u64*)to)[at] = value; }

  OPERATION f64 ld_f64(Address from, i32 at) const { return ((const f64*)from)[at]; }

  OPERATION void st_f64(Address to, i32 at, f64 value) const { ((f64*)to)[at] = value; }

  OPERATION bool ld_bool(Address from, i32 at) const { return ((const u8*)from)[at] != 0; }

  OPERATION void st_bool(Address to, i32 at, bool value) const { ((u8*)to)[at] = value ? 1 : 0; }

  // In scratch a truth value takes a word.
  OPERATION bool ld_flag(Address from, i32 at) const { return ((const u32*)from)[at] != 0u; }

  OPERATION void st_flag(Address to, i32 at, bool value) const { ((u32*)to)[at] = value ? 1u : 0u; }

  // Which of four neighbours a thread computes, and what lies so far away from its place: told apart so that what is between the four is a constant.
  i32 neighbour = 0;

  OPERATION u32 near_u32(Address from, i64 by, i32 at) const { return ((const u32*)from + (by + (at - neighbour)))[neighbour]; }

  OPERATION i32 near_i32(Address from, i64 by, i32 at) const { return ((const i32*)from + (by + (at - neighbour)))[neighbour]; }

  OPERATION u32 near_u8(Address from, i64 by, i32 at) const { return ((const u8*)from + (by + (at - neighbour)))[neighbour]; }

  OPERATION i32 near_i8(Address from, i64 by, i32 at) const { return ((const i8*)from + (by + (at - neighbour)))[neighbour]; }

  OPERATION i32 near_i16(Address from, i64 by, i32 at) const { return ((const i16*)from + (by + (at - neighbour)))[neighbour]; }

  OPERATION u32 near_u16(Address from, i64 by, i32 at) const { return ((const u16*)from + (by + (at - neighbour)))[neighbour]; }

  OPERATION u32 near_f16(Address from, i64 by, i32 at) const { return ((const u16*)from + (by + (at - neighbour)))[neighbour]; }

  OPERATION f32 near_f32(Address from, i64 by, i32 at) const { return ((const f32*)from + (by + (at - neighbour)))[neighbour]; }

  OPERATION i64 near_i64(Address from, i64 by, i32 at) const { return ((const i64*)from + (by + (at - neighbour)))[neighbour]; }

  OPERATION u64 near_u64(Address from, i64 by, i32 at) const { return ((const u64*)from + (by + (at - neighbour)))[neighbour]; }

  OPERATION f64 near_f64(Address from, i64 by, i32 at) const { return ((const f64*)from + (by + (at - neighbour)))[neighbour]; }

  OPERATION bool near_bool(Address from, i64 by, i32 at) const { return ((const u8*)from + (by + (at - neighbour)))[neighbour] != 0; }

  OPERATION bool near_flag(Address from, i64 by, i32 at) const { return near_u32(from, by, at) != 0u; }

  OPERATION i32 ld_small(Address from, i32 at) const { return (i32)((const i64*)from)[at]; }

  OPERATION void st_small(Address to, i32 at, i32 value) const { ((i64*)to)[at] = value; }

  OPERATION u32 param_u32(u32 at) const { return given.words[at]; }

  OPERATION i32 param_i32(u32 at) const { return (i32)given.words[at]; }

  OPERATION u32 param_u8(u32 at) const { return given.words[at]; }

  OPERATION i32 param_i8(u32 at) const { return wrap_i8((i32)given.words[at]); }

  OPERATION i32 param_i16(u32 at) const { return wrap_i16((i32)given.words[at]); }

  OPERATION u32 param_u16(u32 at) const { return given.words[at]; }

  OPERATION u32 param_f16(u32 at) const { return given.words[at]; }

  OPERATION bool param_bool(u32 at) const { return given.words[at] != 0u; }

  OPERATION f32 param_f32(u32 at) const { return __uint_as_float(given.words[at]); }

  OPERATION i64 param_i64(u32 at) const { return (i64)address(at); }

  OPERATION u64 param_u64(u32 at) const { return (u64)address(at); }

  OPERATION f64 param_f64(u32 at) const { return __longlong_as_double((i64)address(at)); }

  OPERATION void atomic_min(Address to, i32 at, u32 value) const { atomicMin((u32*)to + at, value); }

  // The least element that faulted in this thread, by site, while there are few sites: registers, so that no load has to wait for the report of an earlier fault.
  u32 faulted[MOST_HELD] = {~0u, ~0u, ~0u, ~0u};

  OPERATION void fault(i32 slot, i32 element) {
    if (N_SITES > MOST_HELD) return atomic_min(address(0u), slot, (u32)element);
#pragma unroll
    for (i32 site = 0; site < MOST_HELD; site++) {
      if (site == slot) faulted[site] = min(faulted[site], (u32)element);
    }
  }

  // What each thread does last.
  OPERATION void report_faults() const {
    if (N_SITES > MOST_HELD) return;
#pragma unroll
    for (i32 site = 0; site < MOST_HELD; site++) {
      if (site < N_SITES && faulted[site] != ~0u) atomic_min(address(0u), site, faulted[site]);
    }
  }

  OPERATION void combine_add_u32(Address to, i32 at, u32 value) const { atomicAdd((u32*)to + at, value); }

  OPERATION void combine_and_u32(Address to, i32 at, u32 value) const { atomicAnd((u32*)to + at, value); }

  OPERATION void combine_or_u32(Address to, i32 at, u32 value) const { atomicOr((u32*)to + at, value); }

  OPERATION void combine_xor_u32(Address to, i32 at, u32 value) const { atomicXor((u32*)to + at, value); }

  OPERATION void combine_min_u32(Address to, i32 at, u32 value) const { atomicMin((u32*)to + at, value); }

  OPERATION void combine_max_u32(Address to, i32 at, u32 value) const { atomicMax((u32*)to + at, value); }

  OPERATION void combine_min_i32(Address to, i32 at, i32 value) const { atomicMin((i32*)to + at, value); }

  OPERATION void combine_max_i32(Address to, i32 at, i32 value) const { atomicMax((i32*)to + at, value); }

  OPERATION void combine_mul_u32(Address to, i32 at, u32 value) const {
    u32* place = (u32*)to + at;
    u32 held = *place;
    while (true) {
      const u32 before = atomicCAS(place, held, held * value);
      if (before == held) return;
      held = before;
    }
  }

  // The word that has a byte, and how many bits of it come before.
  OPERATION static u32* word_around(Address byte, u32& shift) {
    shift = 8u * (u32)(byte & 3ull);
    return (u32*)(byte & ~3ull);
  }

  OPERATION void combine_and_u8(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + (i64)at, shift);
    atomicAnd(place, value << shift | ~(0xffu << shift));
  }

  OPERATION void combine_or_u8(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + (i64)at, shift);
    atomicOr(place, value << shift);
  }

  OPERATION void combine_xor_u8(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + (i64)at, shift);
    atomicXor(place, value << shift);
  }

  OPERATION void combine_add_u8(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + (i64)at, shift);
    u32 held = *place;
    while (true) {
      const u32 old = held >> shift & 0xffu, wanted = held ^ (old ^ add_u8(old, value)) << shift;
      if (wanted == held) return;
      const u32 before = atomicCAS(place, held, wanted);
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_mul_u8(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + (i64)at, shift);
    u32 held = *place;
    while (true) {
      const u32 old = held >> shift & 0xffu, wanted = held ^ (old ^ mul_u8(old, value)) << shift;
      if (wanted == held) return;
      const u32 before = atomicCAS(place, held, wanted);
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_min_u8(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + (i64)at, shift);
    u32 held = *place;
    while (true) {
      const u32 old = held >> shift & 0xffu, wanted = held ^ (old ^ min(old, value)) << shift;
      if (wanted == held) return;
      const u32 before = atomicCAS(place, held, wanted);
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_max_u8(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + (i64)at, shift);
    u32 held = *place;
    while (true) {
      const u32 old = held >> shift & 0xffu, wanted = held ^ (old ^ max(old, value)) << shift;
      if (wanted == held) return;
      const u32 before = atomicCAS(place, held, wanted);
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_and_u16(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + 2 * (i64)at, shift);
    atomicAnd(place, value << shift | ~(0xffffu << shift));
  }

  OPERATION void combine_or_u16(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + 2 * (i64)at, shift);
    atomicOr(place, value << shift);
  }

  OPERATION void combine_xor_u16(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + 2 * (i64)at, shift);
    atomicXor(place, value << shift);
  }

  OPERATION void combine_add_u16(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + 2 * (i64)at, shift);
    u32 held = *place;
    while (true) {
      const u32 old = held >> shift & 0xffffu, wanted = held ^ (old ^ add_u16(old, value)) << shift;
      if (wanted == held) return;
      const u32 before = atomicCAS(place, held, wanted);
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_mul_u16(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + 2 * (i64)at, shift);
    u32 held = *place;
    while (true) {
      const u32 old = held >> shift & 0xffffu, wanted = held ^ (old ^ mul_u16(old, value)) << shift;
      if (wanted == held) return;
      const u32 before = atomicCAS(place, held, wanted);
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_min_u16(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + 2 * (i64)at, shift);
    u32 held = *place;
    while (true) {
      const u32 old = held >> shift & 0xffffu, wanted = held ^ (old ^ min(old, value)) << shift;
      if (wanted == held) return;
      const u32 before = atomicCAS(place, held, wanted);
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_max_u16(Address to, i32 at, u32 value) const {
    u32 shift, *place = word_around(to + 2 * (i64)at, shift);
    u32 held = *place;
    while (true) {
      const u32 old = held >> shift & 0xffffu, wanted = held ^ (old ^ max(old, value)) << shift;
      if (wanted == held) return;
      const u32 before = atomicCAS(place, held, wanted);
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_add_i8(Address to, i32 at, i32 value) const { combine_add_u8(to, at, (u32)value & 0xffu); }

  OPERATION void combine_mul_i8(Address to, i32 at, i32 value) const { combine_mul_u8(to, at, (u32)value & 0xffu); }

  OPERATION void combine_and_i8(Address to, i32 at, i32 value) const { combine_and_u8(to, at, (u32)value & 0xffu); }

  OPERATION void combine_or_i8(Address to, i32 at, i32 value) const { combine_or_u8(to, at, (u32)value & 0xffu); }

  OPERATION void combine_xor_i8(Address to, i32 at, i32 value) const { combine_xor_u8(to, at, (u32)value & 0xffu); }

  OPERATION void combine_min_i8(Address to, i32 at, i32 value) const {
    u32 shift, *place = word_around(to + (i64)at, shift);
    u32 held = *place;
    while (true) {
      const u32 old = held >> shift & 0xffu, wanted = held ^ (old ^ ((u32)min(wrap_i8((i32)old), value) & 0xffu)) << shift;
      if (wanted == held) return;
      const u32 before = atomicCAS(place, held, wanted);
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_max_i8(Address to, i32 at, i32 value) const {
    u32 shift, *place = word_around(to + (i64)at, shift);
    u32 held = *place;
    while (true) {
      const u32 old = held >> shift & 0xffu, wanted = held ^ (old ^ ((u32)max(wrap_i8((i32)old), value) & 0xffu)) << shift;
      if (wanted == held) return;
      const u32 before = atomicCAS(place, held, wanted);
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_add_i16(Address to, i32 at, i32 value) const { combine_add_u16(to, at, (u32)value & 0xffffu); }

  OPERATION void combine_mul_i16(Address to, i32 at, i32 value) const { combine_mul_u16(to, at, (u32)value & 0xffffu); }

  OPERATION void combine_and_i16(Address to, i32 at, i32 value) const { combine_and_u16(to, at, (u32)value & 0xffffu); }

  OPERATION void combine_or_i16(Address to, i32 at, i32 value) const { combine_or_u16(to, at, (u32)value & 0xffffu); }

  OPERATION void combine_xor_i16(Address to, i32 at, i32 value) const { combine_xor_u16(to, at, (u32)value & 0xffffu); }

  OPERATION void combine_min_i16(Address to, i32 at, i32 value) const {
    u32 shift, *place = word_around(to + 2 * (i64)at, shift);
    u32 held = *place;
    while (true) {
      const u32 old = held >> shift & 0xffffu, wanted = held ^ (old ^ ((u32)min(wrap_i16((i32)old), value) & 0xffffu)) << shift;
      if (wanted == held) return;
      const u32 before = atomicCAS(place, held, wanted);
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_max_i16(Address to, i32 at, i32 value) const {
    u32 shift, *place = word_around(to + 2 * (i64)at, shift);
    u32 held = *place;
    while (true) {
      const u32 old = held >> shift & 0xffffu, wanted = held ^ (old ^ ((u32)max(wrap_i16((i32)old), value) & 0xffffu)) << shift;
      if (wanted == held) return;
      const u32 before = atomicCAS(place, held, wanted);
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_min_f32(Address to, i32 at, f32 value) const {
    u32* place = (u32*)to + at;
    u32 held = *place;
    while (true) {
      const u32 before = atomicCAS(place, held, __float_as_uint(min_f32(__uint_as_float(held), value)));
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_max_f32(Address to, i32 at, f32 value) const {
    u32* place = (u32*)to + at;
    u32 held = *place;
    while (true) {
      const u32 before = atomicCAS(place, held, __float_as_uint(max_f32(__uint_as_float(held), value)));
      if (before == held) return;
      held = before;
    }
  }

  OPERATION void combine_add_f32(Address to, i32 at, f32 value) const { atomicAdd((f32*)to + at, value); }

  OPERATION void combine_add_f64(Address to, i32 at, f64 value) const { atomicAdd((f64*)to + at, value); }

  OPERATION void combine_add_i64(Address to, i32 at, i64 value) const { atomicAdd((u64*)to + at, (u64)value); }

  OPERATION void combine_and_i64(Address to, i32 at, i64 value) const { atomicAnd((u64*)to + at, (u64)value); }

  OPERATION void combine_or_i64(Address to, i32 at, i64 value) const { atomicOr((u64*)to + at, (u64)value); }

  OPERATION void combine_xor_i64(Address to, i32 at, i64 value) const { atomicXor((u64*)to + at, (u64)value); }

  OPERATION void combine_add_u64(Address to, i32 at, u64 value) const { atomicAdd((u64*)to + at, value); }

  OPERATION void combine_and_u64(Address to, i32 at, u64 value) const { atomicAnd((u64*)to + at, value); }

  OPERATION void combine_or_u64(Address to, i32 at, u64 value) const { atomicOr((u64*)to + at, value); }

  OPERATION void combine_xor_u64(Address to, i32 at, u64 value) const { atomicXor((u64*)to + at, value); }

};
