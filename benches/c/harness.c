// Memory as an expert allocates it, the number of threads, and processors of their own for them.
#define _GNU_SOURCE
#include "bench.h"
#ifdef __linux__
#include <sched.h>
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

// Keeps a thread of this process (0: the caller) on the processor that comes at place `at` among those that the process may use. On a busy
// machine a scheduler may wake two threads that work together on one processor, and leave them there for longer than they work.
void harness_pin(i64 thread, i64 at) {
#ifdef __linux__
    static cpu_set_t allowed;
    if (!CPU_COUNT(&allowed)) sched_getaffinity(0, sizeof allowed, &allowed);
    for (int cpu = 0, left = (int)(at % CPU_COUNT(&allowed)); cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && left-- == 0) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity((pid_t)thread, sizeof one, &one);
        }
#else
    (void)thread, (void)at;
#endif
}

// The same for the threads of OpenMP; the caller's is the first.
void harness_pin_all(void) {
#pragma omp parallel
    harness_pin(0, omp_get_thread_num());
}
