// Images: each thread goes down its rows, and keeps what it needs of the rows before in its cache.
#include "bench.h"
#include <math.h>

static i64 clamp(i64 at, i64 n) { return at < 0 ? 0 : at < n ? at : n - 1; }

// A row with room on both sides.
enum { MARGIN = 16 };
static float *new_rows(i64 count, i64 m) { return (float *)aligned_alloc(64, (size_t)(count * (m + 3 * MARGIN) + MARGIN) / 16 * 64) + MARGIN; }
static i64 pitch(i64 m) { return (m + 2 * MARGIN) / MARGIN * MARGIN; }

// Repeats the first and last number of a row on both sides.
static void repeat_ends(float *row, i64 m, int reach) {
    for (int by = 1; by <= reach; by++) row[-by] = row[0], row[m - 1 + by] = row[m - 1];
}

void bench_life(In in, Out out, Sizes size) {
    const float *g = in[0];
    float *o = out[0];
    i64 n = size[0], m = size[1];
#pragma omp parallel
    {
        float *sums = new_rows(1, m);
        i64 from, to;
        part(n, &from, &to);
        for (i64 y = from; y < to; y++) {
            const float *up = g + (y + n - 1) % n * m, *row = g + y * m, *down = g + (y + 1) % n * m;
            float *to_row = o + y * m;
#pragma omp simd
            for (i64 x = 0; x < m; x++) sums[x] = up[x] + row[x] + down[x];
            sums[-1] = sums[m - 1], sums[m] = sums[0];
#pragma omp simd
            for (i64 x = 0; x < m; x++) {
                float s = sums[x - 1] + sums[x] + sums[x + 1];
                to_row[x] = (s == 3) | ((s == 4) & (row[x] == 1)) ? 1.0f : 0.0f;
            }
        }
        free(sums - MARGIN);
    }
}

// Five rows added into one.
static void down5(const float *p, i64 n, i64 m, i64 y, const float *w, float *restrict o) {
    const float *r[5];
    for (int k = 0; k < 5; k++) r[k] = p + clamp(y + k - 2, n) * m;
    const float *a = r[0], *b = r[1], *c = r[2], *d = r[3], *e = r[4];
    float w0 = w[2], w1 = w[1], w2 = w[0];
#pragma omp simd
    for (i64 x = 0; x < m; x++) o[x] = w0 * c[x] + w1 * (b[x] + d[x]) + w2 * (a[x] + e[x]);
    repeat_ends(o, m, 2);
}

// Five neighbours in a row added into one.
static void along5(const float *v, i64 m, const float *w, float *restrict o) {
    float w0 = w[2], w1 = w[1], w2 = w[0];
#pragma omp simd
    for (i64 x = 0; x < m; x++) o[x] = w0 * v[x] + w1 * (v[x - 1] + v[x + 1]) + w2 * (v[x - 2] + v[x + 2]);
}

void bench_gaussian(In in, Out out, Sizes size) {
    i64 n = size[0], m = size[1];
#pragma omp parallel
    {
        float *row = new_rows(1, m);
        i64 from, to;
        part(n, &from, &to);
        for (i64 y = from; y < to; y++) {
            down5(in[0], n, m, y, in[1], row);
            along5(row, m, in[1], (float *)out[0] + y * m);
        }
        free(row - MARGIN);
    }
}

// The last three smooth rows and the last nine rows of products are kept, each in the place of its number.
void bench_klt(In in, Out out, Sizes size) {
    const float *p = in[0], *w = in[1], *a = in[2];
    float *o = out[0];
    i64 n = size[0], m = size[1], step = pitch(m);
#pragma omp parallel
    {
        float *rows = new_rows(1 + 3 + 27 + 3, m), *v = rows, *smooth = v + step, *products = smooth + 3 * step;
        float *sums = products + 27 * step;
        i64 from, to;
        part(n, &from, &to);
        i64 next = clamp(from - 4, n), next_smooth = clamp(next - 1, n);
        for (i64 y = from; y < to; y++) {
            for (; next <= clamp(y + 4, n); next++) {
                for (; next_smooth <= clamp(next + 1, n); next_smooth++) {
                    float *row = smooth + next_smooth % 3 * step;
                    down5(p, n, m, next_smooth, w, v);
                    along5(v, m, w, row);
                    repeat_ends(row, m, 1);
                }
                const float *up = smooth + clamp(next - 1, n) % 3 * step, *row = smooth + next % 3 * step;
                const float *down = smooth + clamp(next + 1, n) % 3 * step;
                float *xx = products + next % 9 * 3 * step, *xy = xx + step, *yy = xy + step;
#pragma omp simd
                for (i64 x = 0; x < m; x++) {
                    float gx = (row[x + 1] - row[x - 1]) * 0.5f, gy = (down[x] - up[x]) * 0.5f;
                    xx[x] = gx * gx, xy[x] = gx * gy, yy[x] = gy * gy;
                }
            }
            for (int c = 0; c < 3; c++) {
                const float *r[9];
                for (int k = 0; k < 9; k++) r[k] = products + (clamp(y + k - 4, n) % 9 * 3 + c) * step;
                float *sum = sums + c * step;
#pragma omp simd
                for (i64 x = 0; x < m; x++)
                    sum[x] = a[4] * r[4][x] + a[3] * (r[3][x] + r[5][x]) + a[2] * (r[2][x] + r[6][x]) +
                             a[1] * (r[1][x] + r[7][x]) + a[0] * (r[0][x] + r[8][x]);
                repeat_ends(sum, m, 4);
            }
            float s[3], *to_row = o + y * m;
#pragma omp simd private(s)
            for (i64 x = 0; x < m; x++) {
                for (int c = 0; c < 3; c++) {
                    const float *t = sums + c * step + x;
                    s[c] = a[4] * t[0] + a[3] * (t[-1] + t[1]) + a[2] * (t[-2] + t[2]) + a[1] * (t[-3] + t[3]) + a[0] * (t[-4] + t[4]);
                }
                float mean = (s[0] + s[2]) * 0.5f, half = (s[0] - s[2]) * 0.5f;
                to_row[x] = 1.5f * mean - 0.5f * sqrtf(half * half + s[1] * s[1]);
            }
        }
        free(rows - MARGIN);
    }
}
