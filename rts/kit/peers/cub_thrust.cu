// What CUB and Thrust take for our benches: name, milliseconds by events (the least of eleven), GB/s.
#include <cstdio>
#include <cub/cub.cuh>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>
#include <vector>

using Floats = thrust::device_vector<float>;
using Ints = thrust::device_vector<int>;

// Runs a job a few times, and prints the least time.
template <typename Job> void measure(const char *name, double bytes, Job job) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  float best = 1e30f;
  for (int run = 0; run < 13; run++) {
    cudaEventRecord(start);
    job();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float time = 0;
    cudaEventElapsedTime(&time, start, stop);
    if (run >= 2 && time < best) best = time;
  }
  std::printf("cub    %-14s %9.3f ms %8.1f GB/s\n", name, best, bytes / best / 1e6);
}

// Calls one of CUB's functions twice: the first call says how much memory it wants.
template <typename Call> struct WithMemory {
  Call call;
  void *memory = nullptr;
  size_t bytes = 0;
  explicit WithMemory(Call call) : call(call) {
    this->call(nullptr, bytes);
    cudaMalloc(&memory, bytes);
  }
  ~WithMemory() { cudaFree(memory); }
  void operator()() { call(memory, bytes); }
};

struct Number {
  __host__ __device__ float operator()(unsigned at) const { return (at * 2654435761u >> 8) / 16777216.0f; }
};

struct Integer {
  __host__ __device__ int operator()(unsigned at) const { return (int)(at * 2654435761u); }
};

struct Chain {
  __host__ __device__ float operator()(float x, float y) const {
    float t = 1.5f * x + y;
    return sqrtf(fabsf(t * t - x)) * 0.7f + y;
  }
};

struct Positive {
  __host__ __device__ bool operator()(float x) const { return x > 0.5f; }
};

int main() {
  const int n = 10000000;
  Floats x(n), y(n), z(n);
  Ints i(n), j(n);
  thrust::counting_iterator<unsigned> count(0);
  thrust::transform(count, count + n, x.begin(), Number());
  thrust::transform(count + n, count + 2 * n, y.begin(), Number());
  thrust::transform(count, count + n, i.begin(), Integer());
  thrust::device_vector<float> sum(1);
  thrust::device_vector<int> kept(1);
  float *px = thrust::raw_pointer_cast(x.data()), *pz = thrust::raw_pointer_cast(z.data());
  int *pi = thrust::raw_pointer_cast(i.data()), *pj = thrust::raw_pointer_cast(j.data());
  float *psum = thrust::raw_pointer_cast(sum.data());
  int *pkept = thrust::raw_pointer_cast(kept.data());

  measure("copy", 8.0 * n, [&] { cudaMemcpyAsync(pz, px, 4 * (size_t)n, cudaMemcpyDeviceToDevice); });
  measure("chain", 12.0 * n, [&] { thrust::transform(thrust::device, x.begin(), x.end(), y.begin(), z.begin(), Chain()); });
  measure("dot", 8.0 * n, [&] { thrust::inner_product(x.begin(), x.end(), y.begin(), 0.0f); });
  WithMemory reduce([&](void *memory, size_t &bytes) { cub::DeviceReduce::Sum(memory, bytes, px, psum, n); });
  measure("sum", 4.0 * n, [&] { reduce(); });
  WithMemory scan_f([&](void *memory, size_t &bytes) { cub::DeviceScan::InclusiveSum(memory, bytes, px, pz, n); });
  measure("scan-f32", 8.0 * n, [&] { scan_f(); });
  WithMemory scan_i([&](void *memory, size_t &bytes) { cub::DeviceScan::InclusiveSum(memory, bytes, pi, pj, n); });
  measure("scan-i32", 8.0 * n, [&] { scan_i(); });
  WithMemory select([&](void *memory, size_t &bytes) { cub::DeviceSelect::If(memory, bytes, px, pz, pkept, n, Positive()); });
  measure("filter", 6.0 * n, [&] { select(); });
  WithMemory sort([&](void *memory, size_t &bytes) { cub::DeviceRadixSort::SortKeys(memory, bytes, pi, pj, n); });
  measure("sort", 8.0 * n, [&] { sort(); });

  // Segments whose lengths are skewed: the k-th has about n / k² elements, then many of ten.
  std::vector<int> offsets{0};
  for (int k = 1; k <= 1000 && offsets.back() < n; k++) offsets.push_back(std::min(n, offsets.back() + n / (2 * k * k) + 1));
  while (offsets.back() < n) offsets.push_back(std::min(n, offsets.back() + 10));
  int segments = (int)offsets.size() - 1;
  Ints starts(offsets.begin(), offsets.end());
  Floats sums(segments);
  int *pstarts = thrust::raw_pointer_cast(starts.data());
  float *psums = thrust::raw_pointer_cast(sums.data());
  WithMemory segmented([&](void *memory, size_t &bytes) {
    cub::DeviceSegmentedReduce::Sum(memory, bytes, px, psums, segments, pstarts, pstarts + 1);
  });
  measure("segmented-sum", 4.0 * n, [&] { segmented(); });
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::printf("cub    failed: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
