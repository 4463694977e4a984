// AVX-512 as the peers' C uses it, for processors that have AVX2: each vector is a pair, each mask a number of 16 bits.
//
// Included before their sources (`gcc -include avx2.h`). It has what they use and no more; names of the intrinsics become those of the functions here.
#pragma once
#include <immintrin.h>
#include <stdint.h>

typedef struct { __m256 a, b; } Floats;
typedef struct { __m256i a, b; } Ints;
typedef uint16_t Mask;
#define FN static inline __attribute__((always_inline))

// Masks as vectors: a lane is all ones or all zeros.
FN __m256i lanes(uint32_t m) {
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(m & 255), bits), bits);
}
#define LOW(m) lanes(m)
#define HIGH(m) lanes((uint32_t)(m) >> 8)
#define AS_F(v) _mm256_castsi256_ps(v)
#define AS_I(v) _mm256_castps_si256(v)

#define BINARY(NAME, OF) FN Floats NAME(Floats x, Floats y) { return (Floats){OF(x.a, y.a), OF(x.b, y.b)}; }
BINARY(f_add, _mm256_add_ps)
BINARY(f_sub, _mm256_sub_ps)
BINARY(f_mul, _mm256_mul_ps)
BINARY(f_min, _mm256_min_ps)
BINARY(f_max, _mm256_max_ps)
FN Floats f_fmadd(Floats x, Floats y, Floats z) { return (Floats){_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)}; }
FN Floats f_fmsub(Floats x, Floats y, Floats z) { return (Floats){_mm256_fmsub_ps(x.a, y.a, z.a), _mm256_fmsub_ps(x.b, y.b, z.b)}; }
FN Floats f_sqrt(Floats x) { return (Floats){_mm256_sqrt_ps(x.a), _mm256_sqrt_ps(x.b)}; }
// Of 12 bits instead of 14: a step of Newton's follows wherever it is used.
FN Floats f_rsqrt(Floats x) { return (Floats){_mm256_rsqrt_ps(x.a), _mm256_rsqrt_ps(x.b)}; }
FN Floats f_abs(Floats x) {
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return (Floats){_mm256_andnot_ps(sign, x.a), _mm256_andnot_ps(sign, x.b)};
}
FN Floats f_set1(float x) { return (Floats){_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
FN Floats f_zero(void) { return (Floats){_mm256_setzero_ps(), _mm256_setzero_ps()}; }
FN Floats f_load(const float *p) { return (Floats){_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
FN Floats f_load_some(Mask m, const float *p) { return (Floats){_mm256_maskload_ps(p, LOW(m)), _mm256_maskload_ps(p + 8, HIGH(m))}; }
FN void f_store(float *p, Floats x) { _mm256_storeu_ps(p, x.a), _mm256_storeu_ps(p + 8, x.b); }
FN void f_stream(float *p, Floats x) { _mm256_stream_ps(p, x.a), _mm256_stream_ps(p + 8, x.b); }
FN void f_store_some(float *p, Mask m, Floats x) {
    if (m == 0xffff) f_store(p, x);
    else _mm256_maskstore_ps(p, LOW(m), x.a), _mm256_maskstore_ps(p + 8, HIGH(m), x.b);
}
FN Floats f_pick(Floats x, Mask m, Floats y) { return (Floats){_mm256_blendv_ps(x.a, y.a, AS_F(LOW(m))), _mm256_blendv_ps(x.b, y.b, AS_F(HIGH(m)))}; }
FN Floats f_keep(Mask m, Floats x) { return (Floats){_mm256_and_ps(x.a, AS_F(LOW(m))), _mm256_and_ps(x.b, AS_F(HIGH(m)))}; }
FN float f_sum(Floats x) {
    __m256 s = _mm256_add_ps(x.a, x.b);
    __m128 q = _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    q = _mm_add_ps(q, _mm_movehl_ps(q, q));
    return _mm_cvtss_f32(_mm_add_ss(q, _mm_movehdup_ps(q)));
}
FN float f_first(Floats x) { return _mm256_cvtss_f32(x.a); }
#define f_cmp(X, Y, HOW)                                                                                   \
    ({                                                                                                     \
        Floats fx_ = (X), fy_ = (Y);                                                                         \
        (Mask)(_mm256_movemask_ps(_mm256_cmp_ps(fx_.a, fy_.a, HOW)) | _mm256_movemask_ps(_mm256_cmp_ps(fx_.b, fy_.b, HOW)) << 8); \
    })
#define f_cmp_some(M, X, Y, HOW) ((Mask)((M) & f_cmp(X, Y, HOW)))
FN Floats f_gather(Ints at, const float *p) { return (Floats){_mm256_i32gather_ps(p, at.a, 4), _mm256_i32gather_ps(p, at.b, 4)}; }
FN Floats f_gather_some(Floats x, Mask m, Ints at, const float *p) {
    return (Floats){_mm256_mask_i32gather_ps(x.a, p, at.a, AS_F(LOW(m)), 4), _mm256_mask_i32gather_ps(x.b, p, at.b, AS_F(HIGH(m)), 4)};
}

FN Ints i_add(Ints x, Ints y) { return (Ints){_mm256_add_epi32(x.a, y.a), _mm256_add_epi32(x.b, y.b)}; }
FN Ints i_add_some(Ints s, Mask m, Ints x, Ints y) {
    return (Ints){_mm256_blendv_epi8(s.a, _mm256_add_epi32(x.a, y.a), LOW(m)), _mm256_blendv_epi8(s.b, _mm256_add_epi32(x.b, y.b), HIGH(m))};
}
FN Ints i_set1(int x) { return (Ints){_mm256_set1_epi32(x), _mm256_set1_epi32(x)}; }
FN Ints i_zero(void) { return i_set1(0); }
#define i_setr(A, B, C, D, E, F, G, H, ...) ((Ints){_mm256_setr_epi32(A, B, C, D, E, F, G, H), _mm256_setr_epi32(__VA_ARGS__)})
FN Ints i_load(const void *p) { return (Ints){_mm256_loadu_si256(p), _mm256_loadu_si256((const void *)((const char *)p + 32))}; }
FN Ints i_load_some(Mask m, const int *p) { return (Ints){_mm256_maskload_epi32(p, LOW(m)), _mm256_maskload_epi32(p + 8, HIGH(m))}; }
FN void i_store(void *p, Ints x) { _mm256_storeu_si256(p, x.a), _mm256_storeu_si256((void *)((char *)p + 32), x.b); }
FN void i_store_some(int *p, Mask m, Ints x) {
    if (m == 0xffff) i_store(p, x);
    else _mm256_maskstore_epi32(p, LOW(m), x.a), _mm256_maskstore_epi32(p + 8, HIGH(m), x.b);
}
FN int i_first(Ints x) { return _mm256_cvtsi256_si32(x.a); }
FN Ints i_of_floats(Floats x) { return (Ints){_mm256_cvttps_epi32(x.a), _mm256_cvttps_epi32(x.b)}; }
FN Floats f_of_ints(Ints x) { return (Floats){_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)}; }
FN Ints bits_of_floats(Floats x) { return (Ints){AS_I(x.a), AS_I(x.b)}; }
FN Floats floats_of_bits(Ints x) { return (Floats){AS_F(x.a), AS_F(x.b)}; }

// Lanes move up by 16 - k = 1, 2, 4 or 8, and zeros come in.
#define i_align(V, ZERO, K)                                                                                \
    ({                                                                                                     \
        Ints iv_ = (V), im_ = {_mm256_permute2x128_si256(iv_.a, iv_.a, 0x08), _mm256_permute2x128_si256(iv_.a, iv_.b, 0x21)}; \
        (K) == 8    ? (Ints){_mm256_setzero_si256(), iv_.a}                                                 \
        : (K) == 12 ? im_                                                                                   \
                    : (Ints){_mm256_alignr_epi8(iv_.a, im_.a, (K) == 15 ? 12 : 8), _mm256_alignr_epi8(iv_.b, im_.b, (K) == 15 ? 12 : 8)}; \
    })
FN __m256i i_pick8(__m256i at, Ints x) {
    __m256 low = AS_F(_mm256_permutevar8x32_epi32(x.a, at)), high = AS_F(_mm256_permutevar8x32_epi32(x.b, at));
    return AS_I(_mm256_blendv_ps(low, high, AS_F(_mm256_slli_epi32(at, 28))));
}
FN Ints i_permute(Ints at, Ints x) { return (Ints){i_pick8(at.a, x), i_pick8(at.b, x)}; }
FN Floats f_permute(Ints at, Floats x) { return floats_of_bits(i_permute(at, bits_of_floats(x))); }

// Where the kept lanes of eight come from, for each mask.
static uint8_t kept[256][8];
__attribute__((constructor)) static void fill_kept(void) {
    for (int m = 0; m < 256; m++)
        for (int k = 0, n = 0; k < 8; k++)
            if (m >> k & 1) kept[m][n++] = k;
}
FN __m256i compress8(uint32_t m, __m256i x) {
    return _mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)kept[m & 255])));
}
FN __m256i first_lanes(int n) { return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)); }
FN Ints i_compress(Mask m, Ints x) {
    int n = __builtin_popcount(m & 255);
    const __m256i iota = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i low = compress8(m, x.a), high = compress8(m >> 8, x.b), from = first_lanes(n);
    __m256i turned = _mm256_permutevar8x32_epi32(high, _mm256_sub_epi32(iota, _mm256_set1_epi32(n)));
    // What is past the last kept lane holds anything: it is overwritten or not stored.
    return (Ints){_mm256_blendv_epi8(turned, low, from), turned};
}
FN Floats f_compress(Mask m, Floats x) { return floats_of_bits(i_compress(m, bits_of_floats(x))); }
FN void i_compress_store(int *p, Mask m, Ints x) {
    int n = __builtin_popcount(m & 255);
    _mm256_maskstore_epi32(p, first_lanes(n), compress8(m, x.a));
    _mm256_maskstore_epi32(p + n, first_lanes(__builtin_popcount(m >> 8)), compress8(m >> 8, x.b));
}
FN void f_compress_store(float *p, Mask m, Floats x) { i_compress_store((int *)p, m, bits_of_floats(x)); }

#undef _mm512_setr_epi32
#undef _mm512_cmp_ps_mask
#undef _mm512_mask_cmp_ps_mask
#undef _mm512_i32gather_ps
#undef _mm512_mask_i32gather_ps
#undef _mm512_alignr_epi32
#define __m512 Floats
#define __m512i Ints
#define _mm512_abs_ps f_abs
#define _mm512_add_epi32 i_add
#define _mm512_add_ps f_add
#define _mm512_alignr_epi32 i_align
#define _mm512_castps_si512 bits_of_floats
#define _mm512_castsi512_ps floats_of_bits
#define _mm512_cmp_ps_mask f_cmp
#define _mm512_cvtepi32_ps f_of_ints
#define _mm512_cvtsi512_si32 i_first
#define _mm512_cvtss_f32 f_first
#define _mm512_cvttps_epi32 i_of_floats
#define _mm512_fmadd_ps f_fmadd
#define _mm512_fmsub_ps f_fmsub
#define _mm512_i32gather_ps(AT, P, SCALE) f_gather(AT, P)
#define _mm512_load_ps f_load
#define _mm512_load_si512 i_load
#define _mm512_loadu_ps f_load
#define _mm512_loadu_si512 i_load
#define _mm512_mask_add_epi32 i_add_some
#define _mm512_mask_cmp_ps_mask f_cmp_some
#define _mm512_mask_compressstoreu_epi32 i_compress_store
#define _mm512_mask_compressstoreu_ps f_compress_store
#define _mm512_mask_i32gather_ps(X, M, AT, P, SCALE) f_gather_some(X, M, AT, P)
#define _mm512_mask_mov_ps f_pick
#define _mm512_mask_store_epi32 i_store_some
#define _mm512_mask_storeu_epi32 i_store_some
#define _mm512_mask_storeu_ps f_store_some
#define _mm512_maskz_compress_ps f_compress
#define _mm512_maskz_loadu_epi32 i_load_some
#define _mm512_maskz_loadu_ps f_load_some
#define _mm512_maskz_mov_ps f_keep
#define _mm512_max_ps f_max
#define _mm512_min_ps f_min
#define _mm512_mul_ps f_mul
#define _mm512_permutexvar_epi32 i_permute
#define _mm512_permutexvar_ps f_permute
#define _mm512_reduce_add_ps f_sum
#define _mm512_rsqrt14_ps f_rsqrt
#define _mm512_set1_epi32 i_set1
#define _mm512_set1_ps f_set1
#define _mm512_setr_epi32 i_setr
#define _mm512_setzero_ps f_zero
#define _mm512_setzero_si512 i_zero
#define _mm512_sqrt_ps f_sqrt
#define _mm512_store_ps f_store
#define _mm512_store_si512 i_store
#define _mm512_storeu_ps f_store
#define _mm512_storeu_si512 i_store
#define _mm512_stream_ps f_stream
#define _mm512_sub_ps f_sub
