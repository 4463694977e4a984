// Sums of a vector and of the rows and columns of a matrix.
#include "bench.h"

// The sum of n numbers: blocks of 64 K into a double, so that the error stays small.
static double sum_of(const float *x, i64 n) {
    const i64 step = LANES * WAYS, block = 512 * step;
    double sum = 0;
    for (i64 b = 0; b < n / step * step; b += block) {
        i64 end = b + block < n / step * step ? b + block : n / step * step;
        V s[WAYS] = {0};
        for (i64 i = b; i < end; i += step)
            for (int k = 0; k < WAYS; k++) s[k] += load(x + i + k * LANES);
        for (int k = 1; k < WAYS; k++) s[0] += s[k];
        sum += total(s[0]);
    }
    for (i64 i = n / step * step; i < n; i++) sum += x[i];
    return sum;
}

void bench_sum(In in, Out out, Sizes size) {
    const float *x = in[0];
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        i64 from, to;
        part(size[0], &from, &to);
        sum += sum_of(x + from, to - from);
    }
    *(float *)out[0] = (float)sum;
}

void bench_sum_abs(In in, Out out, Sizes size) {
    const float *x = in[0];
    const i64 step = LANES * WAYS, n = size[0] * size[1];
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (i64 block = 0; block < n; block += 512 * step) {
        i64 end = block + 512 * step < n ? block + 512 * step : n;
        float part = 0;
#pragma omp simd reduction(+ : part)
        for (i64 i = block; i < end; i++) part += x[i] < 0 ? -x[i] : x[i];
        sum += part;
    }
    *(float *)out[0] = (float)sum;
}

void bench_row_sums(In in, Out out, Sizes size) {
    const float *x = in[0];
    float *s = out[0];
    i64 m = size[1];
#pragma omp parallel for schedule(static)
    for (i64 i = 0; i < size[0]; i++) s[i] = (float)sum_of(x + i * m, m);
}

// Each thread adds eight rows at a time to sums that stay in its cache.
void bench_column_sums(In in, Out out, Sizes size) {
    const float *x = in[0];
    float *s = out[0];
    i64 n = size[0], m = size[1];
    memset(s, 0, (size_t)m * sizeof *s);
#pragma omp parallel
    {
        float *own = calloc((size_t)m + LANES, sizeof *own);
        i64 from, to;
        part(n, &from, &to);
        i64 i = from;
        for (; i + 8 <= to; i += 8) {
            const float *row = x + i * m;
            i64 j = 0;
            for (; j + LANES <= m; j += LANES) {
                V a = load(row + j) + load(row + m + j), b = load(row + 2 * m + j) + load(row + 3 * m + j);
                V c = load(row + 4 * m + j) + load(row + 5 * m + j), d = load(row + 6 * m + j) + load(row + 7 * m + j);
                store(own + j, load(own + j) + ((a + b) + (c + d)));
            }
            for (; j < m; j++)
                for (int k = 0; k < 8; k++) own[j] += row[k * m + j];
        }
        for (; i < to; i++)
            for (i64 j = 0; j < m; j++) own[j] += x[i * m + j];
#pragma omp critical
        for (i64 j = 0; j < m; j++) s[j] += own[j];
        free(own);
    }
}
