// Sorting by digits of eleven bits, the least first; each thread counts and moves a part of its own.
#include "bench.h"

enum { BITS = 11, DIGITS = 1 << BITS };

// Order of unsigned numbers from that of signed ones.
static uint32_t digit(i32 x, int pass) { return ((uint32_t)x ^ 0x80000000u) >> (pass * BITS) & (DIGITS - 1); }

void bench_sort(In in, Out out, Sizes size) {
    const i32 *x = in[0];
    i32 *y = out[0], *other = out[1];
    i64 n = size[0];
    int threads = omp_get_max_threads();
    i64(*starts)[DIGITS] = malloc((size_t)threads * sizeof *starts);
    const i32 *from = x;
    for (int pass = 0; pass < 3; pass++) {
        i32 *to = pass == 1 ? other : y;
        memset(starts, 0, (size_t)threads * sizeof *starts);
#pragma omp parallel num_threads(threads)
        {
            i64 *own = starts[omp_get_thread_num()], first, last;
            part(n, &first, &last);
            for (i64 i = first; i < last; i++) own[digit(from[i], pass)]++;
#pragma omp barrier
#pragma omp single
            for (i64 d = 0, sum = 0; d < DIGITS; d++)
                for (int t = 0; t < threads; t++) {
                    i64 count = starts[t][d];
                    starts[t][d] = sum;
                    sum += count;
                }
            for (i64 i = first; i < last; i++) to[own[digit(from[i], pass)]++] = from[i];
        }
        from = to;
    }
    free(starts);
}
