// What the machine can do at most: reading, copying, and adding two arrays into a third, with plain and non-temporal stores; and fused
// multiply-adds from registers. The arrays are aligned to 64 bytes; sizes are in elements.
#include "bench.h"

// The array that is summed, all in registers.
void limit_read(In in, Out out, Sizes size) {
    const float *x = in[0];
    float sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        i64 from, to;
        part(size[0] / (LANES * WAYS), &from, &to);
        V s[WAYS] = {0};
        for (i64 i = from; i < to; i++)
            for (int k = 0; k < WAYS; k++) s[k] += load(x + (i * WAYS + k) * LANES);
        for (int k = 0; k < WAYS; k++) sum += total(s[k]);
    }
    *(float *)out[0] = sum;
}

void limit_copy(In in, Out out, Sizes size) {
    const float *x = in[0];
    float *z = out[0];
#pragma omp parallel
    {
        i64 from, to;
        part(size[0] / LANES, &from, &to);
        for (i64 i = from; i < to; i++) store(z + i * LANES, load(x + i * LANES));
    }
}

void limit_triad(In in, Out out, Sizes size) {
    const float *x = in[0], *y = in[1];
    float *z = out[0];
#pragma omp parallel
    {
        i64 from, to;
        part(size[0] / LANES, &from, &to);
        for (i64 i = from; i < to; i++) store(z + i * LANES, load(x + i * LANES) + 3.0f * load(y + i * LANES));
    }
}

#ifdef __AVX512F__
#include <immintrin.h>

void limit_copy_nt(In in, Out out, Sizes size) {
    const float *x = in[0];
    float *z = out[0];
#pragma omp parallel
    {
        i64 from, to;
        part(size[0] / LANES, &from, &to);
        for (i64 i = from; i < to; i++) _mm512_stream_ps(z + i * LANES, _mm512_load_ps(x + i * LANES));
        _mm_sfence();
    }
}

void limit_triad_nt(In in, Out out, Sizes size) {
    const float *x = in[0], *y = in[1];
    float *z = out[0];
    const __m512 three = _mm512_set1_ps(3);
#pragma omp parallel
    {
        i64 from, to;
        part(size[0] / LANES, &from, &to);
        for (i64 i = from; i < to; i++)
            _mm512_stream_ps(z + i * LANES, _mm512_fmadd_ps(three, _mm512_load_ps(y + i * LANES), _mm512_load_ps(x + i * LANES)));
        _mm_sfence();
    }
}

// `size[0]` rounds of twelve fused multiply-adds of sixteen numbers in each thread. Twelve chains hide the latency of two units.
void limit_fma(In in, Out out, Sizes size) {
    (void)in;
    float sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        __m512 a[12], m = _mm512_set1_ps(0.999999f), c = _mm512_set1_ps(1e-7f);
        for (int k = 0; k < 12; k++) a[k] = _mm512_set1_ps((float)k);
        for (i64 i = 0; i < size[0]; i++)
            for (int k = 0; k < 12; k++) a[k] = _mm512_fmadd_ps(a[k], m, c);
        for (int k = 0; k < 12; k++) sum += _mm512_reduce_add_ps(a[k]);
    }
    *(float *)out[0] = sum;
}
#endif
