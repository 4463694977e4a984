// What every file here shares. A benchmark `NAME` in C is one function
//     void bench_NAME(In in, Out out, Sizes size)
// that reads arrays, writes arrays, and takes its sizes from a list; who calls it has allocated everything.
#pragma once
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t i32;
typedef int64_t i64;
typedef const void *const *In;
typedef void *const *Out;
typedef const i64 *Sizes;

// Sixteen numbers: one register with AVX-512, several elsewhere. `Loose` is the same in memory, at any address.
typedef float V __attribute__((vector_size(64)));
typedef float Loose __attribute__((vector_size(64), aligned(4), may_alias));
enum { LANES = 16, WAYS = 8 };

static inline V load(const float *p) { return *(const Loose *)p; }
static inline void store(float *p, V v) { *(Loose *)p = v; }
static inline float total(V v) {
    float s = 0;
    for (int l = 0; l < LANES; l++) s += v[l];
    return s;
}

// The part of [0, n) that belongs to the calling thread.
static inline void part(i64 n, i64 *from, i64 *to) {
    i64 t = omp_get_thread_num(), p = omp_get_num_threads();
    *from = n * t / p;
    *to = n * (t + 1) / p;
}
