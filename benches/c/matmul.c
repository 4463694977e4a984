// The product of two matrices: blocks that stay in the caches, copied so that the innermost loop reads them in order; and, for
// comparison, the same through a BLAS.
#include "bench.h"
#include <dlfcn.h>

enum { ROWS = 12, COLUMNS = 2 * LANES, DEPTH = 384, HEIGHT = 16 * ROWS };

static i64 least(i64 a, i64 b) { return a < b ? a : b; }

// Twelve rows of a times two vectors of columns of b, added to c; both copies are padded with zeros.
static void tile(const float *a, const float *b, i64 depth, float *c, i64 stride, i64 rows, i64 columns) {
    V sum[ROWS][2] = {0};
    for (i64 k = 0; k < depth; k++, a += ROWS, b += COLUMNS) {
        V left = load(b), right = load(b + LANES);
#pragma GCC unroll 12
        for (int i = 0; i < ROWS; i++) {
            sum[i][0] += a[i] * left;
            sum[i][1] += a[i] * right;
        }
    }
    if (rows == ROWS && columns == COLUMNS) {
#pragma GCC unroll 12
        for (int i = 0; i < ROWS; i++) {
            store(c + i * stride, load(c + i * stride) + sum[i][0]);
            store(c + i * stride + LANES, load(c + i * stride + LANES) + sum[i][1]);
        }
    } else {
        for (i64 i = 0; i < rows; i++)
            for (i64 j = 0; j < columns; j++) c[i * stride + j] += sum[i][j / LANES][j % LANES];
    }
}

void bench_matmul(In in, Out out, Sizes size) {
    const float *a = in[0], *b = in[1];
    float *c = out[0];
    i64 n = size[0], m = size[1], p = size[2], panels = (m + COLUMNS - 1) / COLUMNS;
    float *copy_b = aligned_alloc(64, (size_t)(panels * COLUMNS * DEPTH) * sizeof *copy_b);
#pragma omp parallel
    {
        float *copy_a = aligned_alloc(64, (size_t)HEIGHT * DEPTH * sizeof *copy_a);
#pragma omp for schedule(static)
        for (i64 i = 0; i < n; i++) memset(c + i * m, 0, (size_t)m * sizeof *c);
        for (i64 k0 = 0; k0 < p; k0 += DEPTH) {
            i64 depth = least(DEPTH, p - k0);
#pragma omp for schedule(static)
            for (i64 panel = 0; panel < panels; panel++)
                for (i64 k = 0; k < depth; k++) {
                    const float *from = b + (k0 + k) * m + panel * COLUMNS;
                    float *to = copy_b + (panel * depth + k) * COLUMNS;
                    i64 columns = least(COLUMNS, m - panel * COLUMNS);
                    for (i64 j = 0; j < COLUMNS; j++) to[j] = j < columns ? from[j] : 0;
                }
#pragma omp for schedule(dynamic, 1)
            for (i64 i0 = 0; i0 < n; i0 += HEIGHT) {
                i64 height = least(HEIGHT, n - i0);
                for (i64 i = 0; i < height; i += ROWS)
                    for (i64 r = 0; r < ROWS; r++)
                        for (i64 k = 0; k < depth; k++)
                            copy_a[i * depth + k * ROWS + r] = i + r < height ? a[(i0 + i + r) * p + k0 + k] : 0;
                for (i64 panel = 0; panel < panels; panel++)
                    for (i64 i = 0; i < height; i += ROWS)
                        tile(copy_a + i * depth, copy_b + panel * depth * COLUMNS, depth, c + (i0 + i) * m + panel * COLUMNS, m,
                             least(ROWS, height - i), least(COLUMNS, m - panel * COLUMNS));
            }
        }
        free(copy_a);
    }
    free(copy_b);
}

// The interface of BLAS in C: with `int`, or with 64-bit integers where the name says so.
typedef void Narrow(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void Wide(int, int, int, i64, i64, i64, float, const float *, i64, const float *, i64, float, float *, i64);
static Narrow *narrow;
static Wide *wide;

// Opens a BLAS; answers whether it has what is needed.
int harness_blas(const char *file) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    narrow = (Narrow *)dlsym(library, "cblas_sgemm");
    wide = (Wide *)dlsym(library, "scipy_cblas_sgemm64_");
    if (!wide) wide = (Wide *)dlsym(library, "cblas_sgemm64_");
    return narrow || wide;
}

void blas_matmul(In in, Out out, Sizes size) {
    enum { ROW_MAJOR = 101, AS_IS = 111 };
    i64 n = size[0], m = size[1], p = size[2];
    if (wide) wide(ROW_MAJOR, AS_IS, AS_IS, n, m, p, 1, in[0], p, in[1], m, 0, out[0], m);
    else narrow(ROW_MAJOR, AS_IS, AS_IS, (int)n, (int)m, (int)p, 1, in[0], (int)p, in[1], (int)m, 0, out[0], (int)m);
}
