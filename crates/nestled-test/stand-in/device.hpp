// What a module of CUDA C++ finds when g++ compiles it for the stand-in: the words of the language, and the functions of the device that generated
// text calls. A thread of a block is a fiber; wherever real threads may meet or see each other, it may have to let others go on.
#pragma once

namespace stand_in {

/// A thread of a block, as its functions see it.
struct Place {
  unsigned thread, block, threads, blocks;
};

/// What the runtime does for modules.
struct Calls {
  const Place& (*place)();
  /// Memory of the block: declaration `number`, of so many bytes.
  void* (*shared)(unsigned number, unsigned long bytes);
  void (*barrier)(unsigned number);
  /// Lets others go on, perhaps.
  void (*pass)();
  /// Waits for the lanes of the mask; gives each what the lane `from` brought, and which lanes brought something that is not zero.
  unsigned long long (*exchange)(unsigned mask, unsigned long long value, unsigned from, unsigned* votes);
  void (*trap)();
};

extern "C" __attribute__((visibility("default"))) const Calls* stand_in_calls;
const Calls* stand_in_calls;

}  // namespace stand_in

#define __device__
#define __host__
#define __global__ __attribute__((visibility("default")))
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
// The argument of an entry point: by reference, so that whoever calls it need not know how long it is.
#define GIVEN const Given&
#define __align__(n) __attribute__((aligned(n)))

#define threadIdx (stand_in::Triple{stand_in::stand_in_calls->place().thread, 0, 0})
#define blockIdx (stand_in::Triple{stand_in::stand_in_calls->place().block, 0, 0})
#define blockDim (stand_in::Triple{stand_in::stand_in_calls->place().threads, 1, 1})
#define gridDim (stand_in::Triple{stand_in::stand_in_calls->place().blocks, 1, 1})

namespace stand_in {

struct Triple {
  unsigned x, y, z;
};

static inline unsigned lane() { return stand_in_calls->place().thread % 32u; }

template <class T>
static inline unsigned long long bits_of(T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
static inline T of_bits(unsigned long long bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace stand_in

// ---- Vectors ----

struct __attribute__((aligned(8))) uint2 { unsigned x, y; };
struct __attribute__((aligned(16))) uint4 { unsigned x, y, z, w; };
struct __attribute__((aligned(16))) ulonglong2 { unsigned long long x, y; };
static inline uint2 make_uint2(unsigned x, unsigned y) { return uint2{x, y}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }
static inline ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return ulonglong2{x, y}; }

#define memcpy __builtin_memcpy
#define __builtin_assume(condition) ((condition) ? (void)0 : stand_in::stand_in_calls->trap())

// ---- Arithmetic ----

static inline int min(int a, int b) { return a < b ? a : b; }
static inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
static inline long long min(long long a, long long b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
static inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
static inline long long max(long long a, long long b) { return a > b ? a : b; }

static inline int __popc(unsigned a) { return __builtin_popcount(a); }
static inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
static inline int __clz(int a) { return a ? __builtin_clz((unsigned)a) : 32; }
static inline int __clzll(long long a) { return a ? __builtin_clzll((unsigned long long)a) : 64; }
static inline int __ffs(int a) { return __builtin_ffs(a); }
static inline int __ffsll(long long a) { return __builtin_ffsll(a); }
static inline int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
static inline long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)(((unsigned __int128)a * b) >> 64); }

static inline float __uint_as_float(unsigned a) { return stand_in::of_bits<float>(a); }
static inline float __int_as_float(int a) { return stand_in::of_bits<float>((unsigned)a); }
static inline unsigned __float_as_uint(float a) { return (unsigned)stand_in::bits_of(a); }
static inline int __float_as_int(float a) { return (int)stand_in::bits_of(a); }
static inline double __longlong_as_double(long long a) { return stand_in::of_bits<double>((unsigned long long)a); }
static inline long long __double_as_longlong(double a) { return (long long)stand_in::bits_of(a); }

static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline double __dsqrt_rn(double a) { return __builtin_sqrt(a); }

#define floorf __builtin_floorf
#define ceilf __builtin_ceilf
#define truncf __builtin_truncf
#define rintf __builtin_rintf
#define roundf __builtin_roundf
#define floor __builtin_floor
#define ceil __builtin_ceil
#define trunc __builtin_trunc
#define rint __builtin_rint
#define round __builtin_round

static inline float __uint2float_rn(unsigned a) { return (float)a; }
static inline float __int2float_rn(int a) { return (float)a; }
static inline float __ll2float_rn(long long a) { return (float)a; }
static inline double __ll2double_rn(long long a) { return (double)a; }
static inline float __ull2float_rn(unsigned long long a) { return (float)a; }
static inline double __ull2double_rn(unsigned long long a) { return (double)a; }
static inline float __double2float_rn(double a) { return (float)a; }

// ---- Instructions that are written in assembly ----

static inline void ptx_cvt_f32_f16(float& to, unsigned short from) {
  const unsigned sign = (unsigned)(from >> 15) << 31, exponent = (from >> 10) & 31u, fraction = from & 1023u;
  if (exponent == 31u) to = __uint_as_float(sign | 0x7f800000u | (fraction << 13));
  else if (exponent == 0u) to = (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
  else to = __uint_as_float(sign | ((exponent + 112u) << 23) | (fraction << 13));
}

static inline void ptx_cvt_rn_f16_f64(unsigned short& to, double from) {
  const unsigned long long bits = (unsigned long long)__double_as_longlong(from);
  const unsigned short sign = (unsigned short)((bits >> 63) << 15);
  const double size = __builtin_fabs(from);
  if (size != size) to = 0x7fffu;
  else if (size >= 65520.0) to = sign | 0x7c00u;
  else if (size < 0x1p-14) to = sign | (unsigned short)__builtin_rint(size * 0x1p24);
  else {
    int exponent = (int)((bits >> 52) & 2047u) - 1023;
    double scale = 1.0;
    for (int k = exponent; k < 10; k++) scale *= 2.0;
    for (int k = exponent; k > 10; k--) scale *= 0.5;
    const unsigned fraction = (unsigned)__builtin_rint(size * scale);  // From 1024 up to 2048.
    to = sign | (unsigned short)(((unsigned)(exponent + 14) << 10) + fraction);
  }
}

static inline void ptx_cvt_rn_f16_f32(unsigned short& to, float from) { ptx_cvt_rn_f16_f64(to, (double)from); }

// ---- Threads that meet ----

// Each place where this is written has a number of its own.
#define __syncthreads() stand_in::stand_in_calls->barrier(__COUNTER__)
static inline void __threadfence() { stand_in::stand_in_calls->pass(); }
static inline void __threadfence_block() { stand_in::stand_in_calls->pass(); }
static inline void __nanosleep(unsigned) { stand_in::stand_in_calls->pass(); }
static inline void __trap() { stand_in::stand_in_calls->trap(); }

static inline void __syncwarp(unsigned mask = 0xffffffffu) { stand_in::stand_in_calls->exchange(mask, 0, stand_in::lane(), nullptr); }

template <class T>
static inline T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  const unsigned lane = stand_in::lane(), base = lane / (unsigned)width * (unsigned)width;
  return stand_in::of_bits<T>(stand_in::stand_in_calls->exchange(mask, stand_in::bits_of(value), base + (unsigned)from % (unsigned)width, nullptr));
}

template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const unsigned lane = stand_in::lane(), within = lane % (unsigned)width;
  return stand_in::of_bits<T>(stand_in::stand_in_calls->exchange(mask, stand_in::bits_of(value), within < by ? lane : lane - by, nullptr));
}

template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const unsigned lane = stand_in::lane(), within = lane % (unsigned)width;
  const unsigned from = within + by < (unsigned)width ? lane + by : lane;
  return stand_in::of_bits<T>(stand_in::stand_in_calls->exchange(mask, stand_in::bits_of(value), from, nullptr));
}

template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int with, int = 32) {
  return stand_in::of_bits<T>(stand_in::stand_in_calls->exchange(mask, stand_in::bits_of(value), stand_in::lane() ^ (unsigned)with, nullptr));
}

static inline unsigned __ballot_sync(unsigned mask, int condition) {
  unsigned votes = 0;
  stand_in::stand_in_calls->exchange(mask, condition != 0, stand_in::lane(), &votes);
  return votes;
}

static inline int __any_sync(unsigned mask, int condition) { return __ballot_sync(mask, condition) != 0; }
static inline int __all_sync(unsigned mask, int condition) { return __ballot_sync(mask, !condition) == 0; }

// ---- Atomic operations: whoever does one may be overtaken before and after ----

#define STAND_IN_ATOMIC(name, type, what)                \
  static inline type name(type* at, type value) {        \
    stand_in::stand_in_calls->pass();                    \
    const type old = *at;                                \
    *at = what;                                          \
    stand_in::stand_in_calls->pass();                    \
    return old;                                          \
  }

STAND_IN_ATOMIC(atomicAdd, unsigned, old + value)
STAND_IN_ATOMIC(atomicAdd, unsigned long long, old + value)
STAND_IN_ATOMIC(atomicAdd, float, old + value)
STAND_IN_ATOMIC(atomicAdd, double, old + value)
STAND_IN_ATOMIC(atomicMin, unsigned, old < value ? old : value)
STAND_IN_ATOMIC(atomicMax, unsigned, old > value ? old : value)
STAND_IN_ATOMIC(atomicMin, int, old < value ? old : value)
STAND_IN_ATOMIC(atomicMax, int, old > value ? old : value)
STAND_IN_ATOMIC(atomicMin, long long, old < value ? old : value)
STAND_IN_ATOMIC(atomicMax, long long, old > value ? old : value)
STAND_IN_ATOMIC(atomicAnd, unsigned, old & value)
STAND_IN_ATOMIC(atomicOr, unsigned, old | value)
STAND_IN_ATOMIC(atomicXor, unsigned, old ^ value)
STAND_IN_ATOMIC(atomicAnd, unsigned long long, old & value)
STAND_IN_ATOMIC(atomicOr, unsigned long long, old | value)
STAND_IN_ATOMIC(atomicXor, unsigned long long, old ^ value)
STAND_IN_ATOMIC(atomicExch, unsigned, value)
STAND_IN_ATOMIC(atomicExch, unsigned long long, value)

template <class T>
static inline T atomicCAS(T* at, T expected, T value) {
  stand_in::stand_in_calls->pass();
  const T old = *at;
  if (old == expected) *at = value;
  stand_in::stand_in_calls->pass();
  return old;
}
