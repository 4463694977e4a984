// Memory as an expert allocates it, and the number of threads.
#include "bench.h"
#ifdef __linux__
#include <sys/mman.h>
#endif

// Memory at the start of a huge page where it is long enough for one; already touched, by the threads that will use it.
void *harness_allocate(i64 bytes) {
    const size_t huge = 2 << 20;
    size_t align = (size_t)bytes >= 2 * huge ? huge : 64;
    size_t size = ((size_t)bytes + 128 + align - 1) / align * align;
    char *p = aligned_alloc(align, size);
    if (!p) return p;
#ifdef MADV_HUGEPAGE
    if (align == huge) madvise(p, size, MADV_HUGEPAGE);
#endif
#pragma omp parallel for schedule(static)
    for (i64 at = 0; at < (i64)size; at += 4096) memset(p + at, 0, (i64)size - at < 4096 ? (size_t)((i64)size - at) : 4096);
    return p;
}

void harness_free(void *p) { free(p); }

void harness_threads(i64 n) { omp_set_num_threads((int)n); }
