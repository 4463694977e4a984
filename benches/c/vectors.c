// Vectors: elementwise, reduced, scanned, filtered, counted.
#include "bench.h"
#include <math.h>
#include <sched.h>

void bench_chain(In in, Out out, Sizes size) {
    const float *restrict x = in[0], *restrict y = in[1];
    float *restrict z = out[0];
#pragma omp parallel for simd schedule(static)
    for (i64 i = 0; i < size[0]; i++) {
        float t = 1.5f * x[i] + y[i];
        z[i] = sqrtf(fabsf(t * t - x[i])) * 0.7f + y[i];
    }
}

static float cdf(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float p = 1.781477937f + k * (-1.821255978f + k * 1.330274429f);
    float w = 0.39894228f * expf(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * p)));
    return d > 0 ? 1 - w : w;
}

void bench_black_scholes(In in, Out out, Sizes size) {
    const float *restrict s = in[0], *restrict k = in[1], *restrict t = in[2];
    float *restrict call = out[0], *restrict put = out[1];
    const float r = 0.02f, v = 0.3f;
#pragma omp parallel for simd schedule(static)
    for (i64 i = 0; i < size[0]; i++) {
        float spread = v * sqrtf(t[i]);
        float d = (logf(s[i] / k[i]) + (r + 0.5f * v * v) * t[i]) / spread;
        float strike = k[i] * expf(-r * t[i]);
        float price = s[i] * cdf(d) - strike * cdf(d - spread);
        call[i] = price;
        put[i] = price - s[i] + strike;
    }
}

// Sixteen points at a time, until all of them have escaped.
void bench_mandelbrot(In in, Out out, Sizes size) {
    (void)in;
    i32 *count = out[0];
    i64 n = size[0];
    float step = 2.5f / (float)n;
#pragma omp parallel for schedule(dynamic, 8)
    for (i64 i = 0; i < n; i++)
        for (i64 j = 0; j < n; j += LANES) {
            float cy = (float)i * step - 1.25f, cx[LANES], x[LANES] = {0}, y[LANES] = {0};
            i32 rounds[LANES] = {0}, live = LANES;
            for (int l = 0; l < LANES; l++) cx[l] = (float)(j + l) * step - 2.0f;
            for (int round = 0; round < 255 && live; round++) {
                live = 0;
#pragma omp simd reduction(+ : live)
                for (int l = 0; l < LANES; l++) {
                    float xx = x[l] * x[l], yy = y[l] * y[l];
                    i32 inside = xx + yy <= 4 && rounds[l] == round;
                    rounds[l] += inside;
                    live += inside;
                    y[l] = (x[l] + x[l]) * y[l] + cy;
                    x[l] = xx - yy + cx[l];
                }
            }
            for (int l = 0; l < LANES && j + l < n; l++) count[i * n + j + l] = rounds[l];
        }
}

void bench_dot(In in, Out out, Sizes size) {
    const float *x = in[0], *y = in[1];
    const i64 step = LANES * WAYS;
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (i64 block = 0; block < size[0]; block += 512 * step) {
        i64 end = block + 512 * step < size[0] ? block + 512 * step : size[0], i = block;
        V s[WAYS] = {0};
        for (; i + step <= end; i += step)
            for (int k = 0; k < WAYS; k++) s[k] += load(x + i + k * LANES) * load(y + i + k * LANES);
        for (int k = 1; k < WAYS; k++) s[0] += s[k];
        double rest = total(s[0]);
        for (; i < end; i++) rest += (double)x[i] * y[i];
        sum += rest;
    }
    *(float *)out[0] = (float)sum;
}

// Blocks of a quarter of a megabyte, taken in turns: what a thread counted of its block is still in its cache when it writes. `COUNT` makes
// a number of the block from..to, `WRITE` writes it, after `before`, the sum of all numbers of earlier blocks.
#define IN_BLOCKS(TYPE, N, COUNT, WRITE)                                            \
    enum { BLOCK = 1 << 16 };                                                       \
    i64 blocks = ((N) + BLOCK - 1) / BLOCK, next = 0;                               \
    struct { TYPE sum; i32 ready; } *known = calloc((size_t)blocks + 1, sizeof *known); \
    known[0].ready = 1;                                                             \
    _Pragma("omp parallel") for (i64 block; (block = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)) < blocks;) { \
        i64 from = block * BLOCK, to = from + BLOCK < (N) ? from + BLOCK : (N);     \
        TYPE own = 0;                                                               \
        COUNT;                                                                      \
        for (int turn = 0; !__atomic_load_n(&known[block].ready, __ATOMIC_ACQUIRE); turn++) \
            if (turn > 1000) sched_yield();                                         \
        TYPE before = known[block].sum;                                             \
        known[block + 1].sum = before + own;                                        \
        __atomic_store_n(&known[block + 1].ready, 1, __ATOMIC_RELEASE);             \
        WRITE;                                                                      \
    }                                                                               \
    TYPE all = known[blocks].sum;                                                   \
    (void)all;                                                                      \
    free(known);

#define SUM                                          \
    _Pragma("omp simd reduction(+ : own)") for (i64 i = from; i < to; i++) own += x[i]
#define PREFIX(TYPE)                                 \
    _Pragma("omp simd reduction(inscan, + : before)") for (i64 i = from; i < to; i++) { \
        before += x[i];                              \
        _Pragma("omp scan inclusive(before)")        \
        y[i] = before;                               \
    }

void bench_scan_f32(In in, Out out, Sizes size) {
    const float *restrict x = in[0];
    float *restrict y = out[0];
    IN_BLOCKS(float, size[0], SUM, PREFIX(float))
}

void bench_scan_i32(In in, Out out, Sizes size) {
    const i32 *restrict x = in[0];
    i32 *restrict y = out[0];
    IN_BLOCKS(i32, size[0], SUM, PREFIX(i32))
}

// Without a branch: each element is written, but only those that are kept move the place on.
void bench_filter(In in, Out out, Sizes size) {
    const float *restrict x = in[0];
    float *restrict y = out[1];
    IN_BLOCKS(i64, size[0],
        for (i64 i = from; i < to; i++) own += x[i] > 0,
        i64 end = before + own;
        for (i64 i = from; i < to && before < end; i++) {
            y[before] = x[i];
            before += x[i] > 0;
        })
    *(i64 *)out[0] = all;
}

// Eight tables for each thread, so that equal neighbours do not wait for each other.
void bench_histogram(In in, Out out, Sizes size) {
    const float *x = in[0];
    i32 *bins = out[0];
    memset(bins, 0, 256 * sizeof *bins);
#pragma omp parallel
    {
        i32 own[8][256] = {{0}}, at[LANES];
        i64 from, to;
        part(size[0], &from, &to);
        i64 i = from;
        for (; i + LANES <= to; i += LANES) {
            for (int l = 0; l < LANES; l++) at[l] = (i32)(x[i + l] * 256);
            for (int l = 0; l < LANES; l++) own[l % 8][at[l]]++;
        }
        for (; i < to; i++) own[0][(i32)(x[i] * 256)]++;
#pragma omp critical
        for (int bin = 0; bin < 256; bin++)
            for (int table = 0; table < 8; table++) bins[bin] += own[table][bin];
    }
}
