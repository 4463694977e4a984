// Segments of very different lengths: threads share the elements, not the segments.
#include "bench.h"

// The part of n segments that belongs to the calling thread, where each segment costs its length and two more.
static void share(const i32 *offsets, i64 n, i64 *from, i64 *to) {
    i64 work = offsets[n] + 2 * n, ends[2];
    for (int end = 0; end < 2; end++) {
        i64 low = 0, high = n, wanted = work * (omp_get_thread_num() + end) / omp_get_num_threads();
        while (low < high) {
            i64 middle = (low + high) / 2;
            if (offsets[middle] + 2 * middle < wanted) low = middle + 1;
            else high = middle;
        }
        ends[end] = low;
    }
    *from = ends[0];
    *to = omp_get_thread_num() + 1 == omp_get_num_threads() ? n : ends[1];
}

void bench_segmented_sum(In in, Out out, Sizes size) {
    const float *x = in[0];
    const i32 *offsets = in[1];
    float *sums = out[0];
#pragma omp parallel
    {
        i64 from, to;
        share(offsets, size[0], &from, &to);
        for (i64 s = from; s < to; s++) {
            float sum = 0;
            i32 i = offsets[s], end = offsets[s + 1];
            if (end - i >= LANES * 4) {
                V ways[4] = {0};
                for (; i + LANES * 4 <= end; i += LANES * 4)
                    for (int k = 0; k < 4; k++) ways[k] += load(x + i + k * LANES);
                sum = total((ways[0] + ways[1]) + (ways[2] + ways[3]));
            }
            for (; i < end; i++) sum += x[i];
            sums[s] = sum;
        }
    }
}

void bench_spmv(In in, Out out, Sizes size) {
    const i32 *offsets = in[0], *columns = in[1];
    const float *values = in[2], *x = in[3];
    float *y = out[0];
#pragma omp parallel
    {
        i64 from, to;
        share(offsets, size[0], &from, &to);
        for (i64 row = from; row < to; row++) {
            float sum = 0;
            for (i32 i = offsets[row]; i < offsets[row + 1]; i++) sum += values[i] * x[columns[i]];
            y[row] = sum;
        }
    }
}
