// What CUB, Thrust, cuBLAS and plain kernels take for the benches of our catalog, on inputs of the same size and distribution. A line for each: who, bench,
// milliseconds of the kernels by events, milliseconds of the whole until the host knows that all is done, and what is reached by the whole; times are medians of
// eleven samples, each the least of five. Before it is timed a result is compared with what plain loops of the host find. `-DWITH_CUBLAS` and `-lcublas` for cuBLAS.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cub/cub.cuh>
#include <iterator>
#include <string>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>
#include <thrust/version.h>
#include <vector>
#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif

#if THRUST_VERSION >= 101600
#define UNAWAITED thrust::cuda::par_nosync
#else
#define UNAWAITED thrust::device // which waits
#endif

using Floats = thrust::device_vector<float>;
using Ints = thrust::device_vector<int>;
using HostFloats = std::vector<float>;
using HostInts = std::vector<int>;

template <typename T> T *raw(thrust::device_vector<T> &data) { return thrust::raw_pointer_cast(data.data()); }

template <typename T> std::vector<T> host(const thrust::device_vector<T> &data) {
  std::vector<T> copy(data.size());
  cudaMemcpy(copy.data(), thrust::raw_pointer_cast(data.data()), data.size() * sizeof(T), cudaMemcpyDeviceToHost);
  return copy;
}

int failures = 0;

// ---- Times

__global__ void spin(long long cycles) {
  for (long long start = clock64(); clock64() - start < cycles;) {}
}

template <typename Sample> double median(Sample sample) {
  std::vector<double> samples;
  for (int round = 0; round < 11; round++) {
    double least = sample();
    for (int again = 1; again < 5; again++) least = std::min(least, sample());
    samples.push_back(least);
  }
  std::sort(samples.begin(), samples.end());
  return samples[5];
}

template <typename Job> double kernel_ms(Job job) {
  static cudaEvent_t start = nullptr, stop = nullptr;
  if (!start) {
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
  }
  return median([&] {
    float time = 0;
    // While the card spins, the host launches what is timed; else it would be the host that is timed.
    spin<<<1, 1>>>(200000);
    cudaEventRecord(start);
    job();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&time, start, stop);
    return (double)time;
  });
}

template <typename Job> double whole_ms(Job job) {
  return median([&] {
    auto start = std::chrono::steady_clock::now();
    job();
    cudaDeviceSynchronize();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  });
}

// Runs a job once, and times it if `wrong` then says nothing; `amount` is asked after that.
template <typename Job, typename Wrong, typename Amount>
void measure(const char *who, const char *bench, const char *unit, Amount amount, Job job, Wrong wrong) {
  job();
  cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) error = cudaGetLastError();
  std::string message = error == cudaSuccess ? wrong() : std::string();
  if (error != cudaSuccess) std::printf("%-13s %-14s failed: %s\n", who, bench, cudaGetErrorString(error));
  else if (!message.empty()) std::printf("%-13s %-14s WRONG: %s\n", who, bench, message.c_str());
  else {
    double whole = whole_ms(job), kernels = kernel_ms(job);
    std::printf("%-13s %-14s %10.4f %10.4f %9.1f %s\n", who, bench, kernels, whole, amount() / whole * 1e-6, unit);
  }
  failures += error != cudaSuccess || !message.empty();
  std::fflush(stdout);
}

template <typename Job, typename Wrong> void measure(const char *who, const char *bench, double bytes, Job job, Wrong wrong) {
  measure(who, bench, "GB/s", [=] { return bytes; }, job, wrong);
}

// Calls one of CUB's functions twice: the first call says how much memory it wants.
template <typename Call> struct WithMemory {
  Call call;
  void *memory = nullptr;
  size_t bytes = 0;
  explicit WithMemory(Call call) : call(call) {
    this->call(nullptr, bytes);
    cudaMalloc(&memory, std::max(bytes, (size_t)1));
  }
  WithMemory(const WithMemory &) = delete;
  ~WithMemory() { cudaFree(memory); }
  void operator()() { call(memory, bytes); }
};

// ---- What was found against what was expected

template <typename Expected> std::string near(const HostFloats &found, size_t n, double part, Expected expected, size_t first = 0, size_t step = 1) {
  double off = 0, greatest = 0;
  for (size_t at = first; at < n; at += step) {
    double wanted = expected(at), difference = std::fabs(found[at] - wanted);
    if (!(difference <= off)) off = difference; // A NaN is never near.
    if (std::isnan(difference)) return "not a number at " + std::to_string(at);
    greatest = std::max(greatest, std::fabs(wanted));
  }
  if (off <= part * greatest) return "";
  return "off by " + std::to_string(off) + " where " + std::to_string(part * greatest) + " is allowed";
}

template <typename T, typename Expected> std::string same(const std::vector<T> &found, size_t n, Expected expected, double part = 0, size_t step = 1) {
  size_t differ = 0;
  for (size_t at = 0; at < n; at += step) differ += found[at] != expected(at);
  return differ <= part * n / step ? "" : std::to_string(differ) + " differ";
}

std::string near_one(const Floats &found, double part, double expected) {
  return near(host(found), 1, part, [=](size_t) { return expected; });
}

// ---- Inputs: numbers of a stream, by SplitMix64.

struct Bits {
  unsigned long long stream;
  __host__ __device__ unsigned long long operator()(unsigned long long at) const {
    unsigned long long z = (stream << 40) + (at + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  // A number of [0, 1) that a float holds exactly.
  __host__ __device__ float unit(unsigned long long at) const { return ((*this)(at) >> 40) / 16777216.0f; }
};

struct Between {
  Bits bits;
  float low, high;
  __host__ __device__ float operator()(unsigned long long at) const { return low + (high - low) * bits.unit(at); }
};

struct AnyInteger {
  Bits bits;
  __host__ __device__ int operator()(unsigned long long at) const { return (int)(bits(at) >> 32); }
};

struct SmallInteger {
  Bits bits;
  __host__ __device__ int operator()(unsigned long long at) const { return (int)((bits(at) >> 32) % 201) - 100; }
};

struct Cell {
  Bits bits;
  __host__ __device__ float operator()(unsigned long long at) const { return bits.unit(at) < 0.35f ? 1.0f : 0.0f; }
};

// Large patches with noise.
struct Pixel {
  Bits bits;
  int n;
  __host__ __device__ float patch(int at) const { return sinf(at * (40.0f / n)); }
  __host__ __device__ float operator()(unsigned long long at) const {
    return 0.5f + 0.2f * patch((int)(at / n)) * patch((int)(at % n)) + 0.1f * (bits.unit(at) - 0.5f);
  }
};

template <typename T, typename Make> thrust::device_vector<T> made(size_t n, Make make) {
  thrust::device_vector<T> data(n);
  thrust::counting_iterator<unsigned long long> count(0);
  thrust::transform(count, count + n, data.begin(), make);
  return data;
}

Floats floats(unsigned long long stream, size_t n, float low, float high) { return made<float>(n, Between{{stream}, low, high}); }

// A number of at least 1 that exceeds x with probability x^(-shape).
double pareto(Bits bits, size_t at, double shape) { return std::pow(1.0 - bits.unit(at), -1.0 / shape); }

// ---- What is computed

struct Saxpy {
  __host__ __device__ float operator()(float x, float y) const { return 2.5f * x + y; }
};

struct Chain {
  __host__ __device__ float operator()(float x, float y) const {
    float t = 1.5f * x + y;
    return sqrtf(fabsf(t * t - x)) * 0.7f + y;
  }
};

template <typename T> __host__ __device__ T normal(T x) {
  T t = T(1) / (T(1) + T(0.2316419) * fabs(x));
  T tail = exp(T(-0.5) * x * x) * T(0.39894228040143267) *
           (t * (T(0.319381530) + t * (T(-0.356563782) + t * (T(1.781477937) + t * (T(-1.821255978) + t * T(1.330274429))))));
  return x > T(0) ? T(1) - tail : tail;
}

template <typename T> struct BlackScholes {
  __host__ __device__ static void prices(T s, T k, T t, T &call, T &put) {
    T spread = T(0.3) * sqrt(t);
    T d = (log(s / k) + (T(0.02) + T(0.5) * T(0.3) * T(0.3)) * t) / spread;
    T later = k * exp(T(-0.02) * t);
    call = s * normal(d) - later * normal(d - spread);
    put = call - s + later;
  }
  __host__ __device__ thrust::tuple<T, T> operator()(const thrust::tuple<T, T, T> &given) const {
    T call, put;
    prices(thrust::get<0>(given), thrust::get<1>(given), thrust::get<2>(given), call, put);
    return thrust::make_tuple(call, put);
  }
};

struct Rounds {
  int n;
  float step;
  __host__ __device__ int operator()(int at) const {
    float cx = (at % n) * step - 2.0f, cy = (at / n) * step - 1.25f, x = 0, y = 0;
    int rounds = 0;
    while (rounds < 255 && x * x + y * y <= 4.0f) {
      float next = x * x - y * y + cx;
      y = 2.0f * x * y + cy;
      x = next;
      rounds++;
    }
    return rounds;
  }
};

struct Absolute {
  __host__ __device__ float operator()(float x) const { return fabsf(x); }
};

struct Product {
  __host__ __device__ float operator()(const thrust::tuple<float, float> &pair) const { return thrust::get<0>(pair) * thrust::get<1>(pair); }
};

struct Positive {
  __host__ __device__ bool operator()(float x) const { return x > 0.0f; }
};

struct RowStart {
  int n;
  __host__ __device__ int operator()(int row) const { return row * n; }
};

// ---- Plain kernels

// A block adds 32 columns of some rows.
__global__ void column_sums(const float *x, float *sums, int n, int rows) {
  __shared__ float parts[8][33];
  int column = blockIdx.x * 32 + threadIdx.x, end = min(n, (int)(blockIdx.y + 1) * rows);
  float sum = 0;
  if (column < n)
    for (int row = blockIdx.y * rows + threadIdx.y; row < end; row += 8) sum += x[(size_t)row * n + column];
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && column < n) {
    for (int part = 1; part < 8; part++) sum += parts[part][threadIdx.x];
    atomicAdd(&sums[column], sum);
  }
}

// A warp to a row.
__global__ void spmv(const int *offsets, const int *columns, const float *values, const float *x, float *y, int n) {
  int row = (int)((blockIdx.x * (size_t)blockDim.x + threadIdx.x) / 32), lane = threadIdx.x % 32;
  if (row >= n) return;
  float sum = 0;
  for (int at = offsets[row] + lane; at < offsets[row + 1]; at += 32) sum += values[at] * x[columns[at]];
  for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffffu, sum, by);
  if (lane == 0) y[row] = sum;
}

__global__ void life(const float *cells, float *next, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  int left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;
  const float *row = cells + (size_t)y * n, *up = cells + (size_t)(y == 0 ? n - 1 : y - 1) * n, *down = cells + (size_t)(y == n - 1 ? 0 : y + 1) * n;
  float around = up[left] + up[x] + up[right] + row[left] + row[right] + down[left] + down[x] + down[right];
  next[(size_t)y * n + x] = around == 3.0f || (around == 2.0f && row[x] == 1.0f) ? 1.0f : 0.0f;
}

struct Weights {
  float w[9];
};

// The block's tile of 32 by 32, blurred: columns first, then rows. `in` has as much more on each side as weights reach; a thread does four points, eight rows apart.
template <int REACH> __device__ void blurred(const float (*in)[32 + 2 * REACH], float (*columns)[32 + 2 * REACH], const Weights &weights, float *out) {
  for (int y = threadIdx.y; y < 32; y += 8)
    for (int x = threadIdx.x; x < 32 + 2 * REACH; x += 32) {
      float sum = 0;
#pragma unroll
      for (int by = 0; by <= 2 * REACH; by++) sum += weights.w[by] * in[y + by][x];
      columns[y][x] = sum;
    }
  __syncthreads();
  for (int k = 0; k < 4; k++) {
    float sum = 0;
#pragma unroll
    for (int by = 0; by <= 2 * REACH; by++) sum += weights.w[by] * columns[threadIdx.y + 8 * k][threadIdx.x + by];
    out[k] = sum;
  }
  __syncthreads();
}

__device__ int clamped(int at, int n) { return min(max(at, 0), n - 1); }

__global__ void gaussian(const float *image, float *out, int n, Weights w) {
  __shared__ float in[36][36], columns[32][36];
  int left = blockIdx.x * 32, top = blockIdx.y * 32;
  for (int y = threadIdx.y; y < 36; y += 8)
    for (int x = threadIdx.x; x < 36; x += 32) in[y][x] = image[(size_t)clamped(top + y - 2, n) * n + clamped(left + x - 2, n)];
  __syncthreads();
  float sums[4];
  blurred<2>(in, columns, w, sums);
  for (int k = 0; k < 4; k++) {
    int x = left + threadIdx.x, y = top + threadIdx.y + 8 * k;
    if (x < n && y < n) out[(size_t)y * n + x] = sums[k];
  }
}

// Corners of an image that is smooth already.
__global__ void corners(const float *b, float *out, int n, Weights a) {
  __shared__ float in[40][40], columns[32][40];
  int left = blockIdx.x * 32, top = blockIdx.y * 32;
  float sums[3][4];
  for (int product = 0; product < 3; product++) {
    for (int y = threadIdx.y; y < 40; y += 8)
      for (int x = threadIdx.x; x < 40; x += 32) {
        int row = clamped(top + y - 4, n), column = clamped(left + x - 4, n);
        float gx = 0.5f * (b[(size_t)row * n + min(column + 1, n - 1)] - b[(size_t)row * n + max(column - 1, 0)]);
        float gy = 0.5f * (b[(size_t)min(row + 1, n - 1) * n + column] - b[(size_t)max(row - 1, 0) * n + column]);
        in[y][x] = product == 0 ? gx * gx : product == 1 ? gx * gy : gy * gy;
      }
    __syncthreads();
    blurred<4>(in, columns, a, sums[product]);
  }
  for (int k = 0; k < 4; k++) {
    int x = left + threadIdx.x, y = top + threadIdx.y + 8 * k;
    float xx = sums[0][k], xy = sums[1][k], yy = sums[2][k], half = 0.5f * (xx - yy);
    if (x < n && y < n) out[(size_t)y * n + x] = 0.75f * (xx + yy) - 0.5f * sqrtf(half * half + xy * xy);
  }
}

// ---- Plain loops for images

template <int REACH> Weights weights(double sigma) {
  Weights weights = {};
  double total = 0;
  for (int at = -REACH; at <= REACH; at++) total += std::exp(-at * at / (2 * sigma * sigma));
  for (int at = -REACH; at <= REACH; at++) weights.w[at + REACH] = (float)(std::exp(-at * at / (2 * sigma * sigma)) / total);
  return weights;
}

int inside(int at, int n) { return std::min(std::max(at, 0), n - 1); }

// A function of a point, blurred at one point.
template <int REACH, typename Point> double blurred_at(Point point, int n, const Weights &w, int y, int x) {
  double sum = 0;
  for (int down = -REACH; down <= REACH; down++)
    for (int across = -REACH; across <= REACH; across++)
      sum += (double)w.w[down + REACH] * w.w[across + REACH] * point(inside(y + down, n), inside(x + across, n));
  return sum;
}

double corner_at(const HostFloats &image, int n, const Weights &w, const Weights &a, int y, int x) {
  auto pixel = [&](int y, int x) { return (double)image[(size_t)y * n + x]; };
  // The smooth image around the point, once; two points of which may be the same at an edge.
  double smooth[11][11];
  for (int down = -5; down <= 5; down++)
    for (int across = -5; across <= 5; across++)
      smooth[down + 5][across + 5] = blurred_at<2>(pixel, n, w, inside(y + down, n), inside(x + across, n));
  auto b = [&](int row, int column) { return smooth[inside(row, n) - y + 5][inside(column, n) - x + 5]; };
  auto gx = [&](int row, int column) { return 0.5 * (b(row, column + 1) - b(row, column - 1)); };
  auto gy = [&](int row, int column) { return 0.5 * (b(row + 1, column) - b(row - 1, column)); };
  double xx = blurred_at<4>([&](int y, int x) { return gx(y, x) * gx(y, x); }, n, a, y, x);
  double xy = blurred_at<4>([&](int y, int x) { return gx(y, x) * gy(y, x); }, n, a, y, x);
  double yy = blurred_at<4>([&](int y, int x) { return gy(y, x) * gy(y, x); }, n, a, y, x);
  return 0.75 * (xx + yy) - 0.5 * std::hypot(0.5 * (xx - yy), xy);
}

// Compares an image at its corners, along its edges, and at points that are spread over it.
template <typename At> std::string near_image(const HostFloats &found, int n, double part, At at) {
  double off = 0, greatest = 0;
  bool is_number = true;
  auto look = [&](int y, int x) {
    double wanted = at(y, x), difference = std::fabs(found[(size_t)y * n + x] - wanted);
    is_number = is_number && !std::isnan(difference);
    off = std::max(off, difference);
    greatest = std::max(greatest, std::fabs(wanted));
  };
  for (int k = 0; k < n; k += 7)
    for (int edge = 0; edge < 6; edge++) {
      look(edge, k);
      look(k, edge);
      look(n - 1 - edge, k);
      look(k, n - 1 - edge);
    }
  for (size_t k = 0; k < (size_t)n * n; k += 4999) look((int)(k / n), (int)(k % n));
  for (int y : {0, n - 1})
    for (int x : {0, n - 1}) look(y, x);
  if (is_number && off <= part * greatest) return "";
  return is_number ? "off by " + std::to_string(off) + " where " + std::to_string(part * greatest) + " is allowed" : "not a number";
}

// ---- The benches

const int VECTOR = 10000000, SIDE = 8000, KLT = 4000, ROWS = 1000000, MANDELBROT = 2000;

void elementwise() {
  {
    Floats m = floats(1, (size_t)SIDE * SIDE, -1, 1), z(m.size());
    measure("cuda", "copy", 8.0 * m.size(), [&] { cudaMemcpyAsync(raw(z), raw(m), 4 * m.size(), cudaMemcpyDeviceToDevice); }, [&] {
      HostFloats given = host(m);
      return same(host(z), given.size(), [&](size_t at) { return given[at]; });
    });
  }
  Floats x = floats(2, VECTOR, 0, 1), y = floats(3, VECTOR, 0, 1), z(VECTOR);
  HostFloats hx = host(x), hy = host(y);
  measure("thrust", "saxpy", 12.0 * VECTOR, [&] { thrust::transform(UNAWAITED, x.begin(), x.end(), y.begin(), z.begin(), Saxpy()); },
          [&] { return near(host(z), VECTOR, 1e-6, [&](size_t at) { return 2.5 * hx[at] + hy[at]; }); });
  measure("thrust", "chain", 12.0 * VECTOR, [&] { thrust::transform(UNAWAITED, x.begin(), x.end(), y.begin(), z.begin(), Chain()); }, [&] {
    return near(host(z), VECTOR, 2e-4, [&](size_t at) {
      double t = 1.5 * hx[at] + hy[at];
      return std::sqrt(std::fabs(t * t - hx[at])) * 0.7 + hy[at];
    });
  });

  Floats s = floats(4, VECTOR, 5, 30), k = floats(5, VECTOR, 1, 100), t = floats(6, VECTOR, 0.25f, 10), call(VECTOR), put(VECTOR);
  auto given = thrust::make_zip_iterator(thrust::make_tuple(s.begin(), k.begin(), t.begin()));
  auto prices = thrust::make_zip_iterator(thrust::make_tuple(call.begin(), put.begin()));
  measure("thrust", "black-scholes", "GFLOP/s", [] { return 60.0 * VECTOR; },
          [&] { thrust::transform(UNAWAITED, given, given + VECTOR, prices, BlackScholes<float>()); }, [&] {
            HostFloats hs = host(s), hk = host(k), ht = host(t);
            auto price = [&](size_t at, bool is_put) {
              double call, put;
              BlackScholes<double>::prices(hs[at], hk[at], ht[at], call, put);
              return is_put ? put : call;
            };
            std::string wrong = near(host(call), VECTOR, 2e-5, [&](size_t at) { return price(at, false); }, 0, 10);
            return wrong.empty() ? near(host(put), VECTOR, 2e-5, [&](size_t at) { return price(at, true); }, 0, 10) : wrong;
          });

  Ints rounds((size_t)MANDELBROT * MANDELBROT);
  Rounds of{MANDELBROT, 2.5f / MANDELBROT};
  thrust::counting_iterator<int> count(0);
  auto operations = [&] {
    double sum = 0;
    for (int rounds : host(rounds)) sum += rounds;
    return 8 * sum;
  };
  measure("thrust", "mandelbrot", "GFLOP/s", operations,
          [&] { thrust::transform(UNAWAITED, count, count + (int)rounds.size(), rounds.begin(), of); },
          [&] { return same(host(rounds), rounds.size(), [&](size_t at) { return of((int)at); }, 0.01, 13); });
}

void reduced() {
  Floats x = floats(7, VECTOR, 0, 1), y = floats(8, VECTOR, 0, 1), one(1);
  HostFloats hx = host(x), hy = host(y);
  float *px = raw(x), *pone = raw(one);
  double sum = 0, product = 0;
  for (int at = 0; at < VECTOR; at++) {
    sum += hx[at];
    product += (double)hx[at] * hy[at];
  }
  WithMemory reduce([&](void *memory, size_t &bytes) { cub::DeviceReduce::Sum(memory, bytes, px, pone, VECTOR); });
  measure("cub", "sum", 4.0 * VECTOR, [&] { reduce(); }, [&] { return near_one(one, 1e-5, sum); });
  auto products = thrust::make_transform_iterator(thrust::make_zip_iterator(thrust::make_tuple((const float *)px, (const float *)raw(y))), Product());
  WithMemory dot([&](void *memory, size_t &bytes) { cub::DeviceReduce::Sum(memory, bytes, products, pone, VECTOR); });
  measure("cub", "dot", 8.0 * VECTOR, [&] { dot(); }, [&] { return near_one(one, 1e-5, product); });

  const size_t all = (size_t)SIDE * SIDE;
  Floats m = floats(9, all, -1, 1), sums(SIDE);
  HostFloats hm = host(m);
  std::vector<double> rows(SIDE), columns(SIDE);
  double absolute = 0;
  for (size_t at = 0; at < all; at++) {
    absolute += std::fabs(hm[at]);
    rows[at / SIDE] += hm[at];
    columns[at % SIDE] += hm[at];
  }
  float *pm = raw(m), *psums = raw(sums);
  auto absolutes = thrust::make_transform_iterator((const float *)pm, Absolute());
  WithMemory sum_abs([&](void *memory, size_t &bytes) { cub::DeviceReduce::Sum(memory, bytes, absolutes, pone, (int)all); });
  measure("cub", "sum-abs", 4.0 * (all + 1), [&] { sum_abs(); }, [&] { return near_one(one, 1e-5, absolute); });
  auto starts = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), RowStart{SIDE});
  WithMemory row_sums([&](void *memory, size_t &bytes) { cub::DeviceSegmentedReduce::Sum(memory, bytes, pm, psums, SIDE, starts, starts + 1); });
  measure("cub", "row-sums", 4.0 * (all + SIDE), [&] { row_sums(); }, [&] { return near(host(sums), SIDE, 1e-5, [&](size_t at) { return rows[at]; }); });
  const int high = 250;
  measure("cuda", "column-sums", 4.0 * (all + SIDE), [&] {
    cudaMemsetAsync(psums, 0, 4 * SIDE);
    column_sums<<<dim3((SIDE + 31) / 32, (SIDE + high - 1) / high), dim3(32, 8)>>>(pm, psums, SIDE, high);
  }, [&] { return near(host(sums), SIDE, 1e-5, [&](size_t at) { return columns[at]; }); });
}

void scanned() {
  Floats x = floats(10, VECTOR, -1, 1), z(VECTOR);
  Ints i = made<int>(VECTOR, SmallInteger{{11}}), j(VECTOR), kept(1);
  HostFloats hx = host(x);
  float *px = raw(x), *pz = raw(z);
  int *pi = raw(i), *pj = raw(j), *pkept = raw(kept);
  WithMemory scan_f([&](void *memory, size_t &bytes) { cub::DeviceScan::InclusiveSum(memory, bytes, px, pz, VECTOR); });
  measure("cub", "scan-f32", 8.0 * VECTOR, [&] { scan_f(); }, [&] {
    double sum = 0;
    return near(host(z), VECTOR, 5e-4, [&](size_t at) { return sum += hx[at]; });
  });
  WithMemory scan_i([&](void *memory, size_t &bytes) { cub::DeviceScan::InclusiveSum(memory, bytes, pi, pj, VECTOR); });
  measure("cub", "scan-i32", 8.0 * VECTOR, [&] { scan_i(); }, [&] {
    HostInts hi = host(i);
    int sum = 0;
    return same(host(j), VECTOR, [&](size_t at) { return sum += hi[at]; });
  });
  HostFloats positive;
  std::copy_if(hx.begin(), hx.end(), std::back_inserter(positive), Positive());
  WithMemory select([&](void *memory, size_t &bytes) { cub::DeviceSelect::If(memory, bytes, px, pz, pkept, VECTOR, Positive()); });
  measure("cub", "filter", 4.0 * (VECTOR + positive.size()), [&] { select(); }, [&]() -> std::string {
    if (host(kept)[0] != (int)positive.size()) return "kept " + std::to_string(host(kept)[0]) + ", not " + std::to_string(positive.size());
    return same(host(z), positive.size(), [&](size_t at) { return positive[at]; });
  });

  Floats u = floats(12, VECTOR, 0, 1);
  float *pu = raw(u);
  Ints bins(256);
  int *pbins = raw(bins);
  WithMemory histogram([&](void *memory, size_t &bytes) { cub::DeviceHistogram::HistogramEven(memory, bytes, pu, pbins, 257, 0.0f, 1.0f, VECTOR); });
  measure("cub", "histogram", 4.0 * VECTOR, [&] { histogram(); }, [&] {
    HostInts expected(256);
    for (float u : host(u)) expected[(int)(u * 256.0f)]++;
    return same(host(bins), 256, [&](size_t at) { return expected[at]; });
  });

  Ints keys = made<int>(VECTOR, AnyInteger{{13}});
  int *pkeys = raw(keys);
  WithMemory sort([&](void *memory, size_t &bytes) { cub::DeviceRadixSort::SortKeys(memory, bytes, pkeys, pj, VECTOR); });
  measure("cub", "sort", 8.0 * VECTOR, [&] { sort(); }, [&] {
    HostInts sorted = host(keys);
    std::sort(sorted.begin(), sorted.end());
    return same(host(j), VECTOR, [&](size_t at) { return sorted[at]; });
  });
}

// The sum of each segment of something.
template <typename Element> std::vector<double> segment_sums(const HostInts &offsets, Element element) {
  std::vector<double> sums;
  for (size_t segment = 0; segment + 1 < offsets.size(); segment++) {
    double sum = 0;
    for (int at = offsets[segment]; at < offsets[segment + 1]; at++) sum += element(at);
    sums.push_back(sum);
  }
  return sums;
}

void irregular() {
  {
    HostInts offsets{0};
    for (size_t at = 0; offsets.back() < VECTOR; at++) {
      double length = std::min(pareto(Bits{14}, at, 1.1), VECTOR / 20.0);
      offsets.push_back(Bits{15}.unit(at) < 0.05f ? offsets.back() : std::min(VECTOR, offsets.back() + (int)length));
    }
    int segments = (int)offsets.size() - 1;
    Floats x = floats(16, VECTOR, -1, 1), sums(segments);
    Ints starts(offsets.begin(), offsets.end());
    float *px = raw(x), *psums = raw(sums);
    int *pstarts = raw(starts);
    WithMemory segmented([&](void *memory, size_t &bytes) { cub::DeviceSegmentedReduce::Sum(memory, bytes, px, psums, segments, pstarts, pstarts + 1); });
    measure("cub", "segmented-sum", 4.0 * (VECTOR + 2.0 * segments), [&] { segmented(); }, [&] {
      HostFloats hx = host(x);
      std::vector<double> expected = segment_sums(offsets, [&](int at) { return (double)hx[at]; });
      return near(host(sums), segments, 1e-4, [&](size_t at) { return expected[at]; });
    });
  }
  HostInts offsets{0}, columns;
  for (int row = 0; row < ROWS; row++) {
    int length = Bits{18}.unit(row) < 0.03f ? 0 : (int)std::min(3.5 * pareto(Bits{17}, row, 1.5), 5000.0);
    for (int k = 0; k < length; k++) columns.push_back((int)(Bits{19}(columns.size()) % ROWS));
    std::sort(columns.begin() + offsets.back(), columns.end());
    offsets.push_back((int)columns.size());
  }
  Floats values = floats(20, columns.size(), -1, 1), x = floats(21, ROWS, -1, 1), sums(ROWS);
  Ints starts(offsets.begin(), offsets.end()), places(columns.begin(), columns.end());
  measure("cuda", "spmv", 8.0 * columns.size() + 12.0 * ROWS, [&] { spmv<<<(ROWS + 7) / 8, 256>>>(raw(starts), raw(places), raw(values), raw(x), raw(sums), ROWS); }, [&] {
    HostFloats hv = host(values), hx = host(x);
    std::vector<double> expected = segment_sums(offsets, [&](int at) { return (double)hv[at] * hx[columns[at]]; });
    return near(host(sums), ROWS, 1e-5, [&](size_t at) { return expected[at]; });
  });
}

void images() {
  const Weights w = weights<2>(1.0), a = weights<4>(2.0);
  const dim3 threads(32, 8);
  auto tiles = [](int n) { return dim3((n + 31) / 32, (n + 31) / 32); };
  const double all = (double)SIDE * SIDE;
  Floats next((size_t)SIDE * SIDE);
  {
    Floats cells = made<float>(next.size(), Cell{{22}});
    measure("cuda", "life", 8 * all, [&] { life<<<dim3((SIDE + 31) / 32, (SIDE + 7) / 8), threads>>>(raw(cells), raw(next), SIDE); }, [&] {
      HostFloats given = host(cells);
      return same(host(next), next.size(), [&](size_t at) {
        int y = (int)(at / SIDE), x = (int)(at % SIDE), around = 0;
        for (int down : {SIDE - 1, 0, 1})
          for (int across : {SIDE - 1, 0, 1}) around += (int)given[(size_t)((y + down) % SIDE) * SIDE + (x + across) % SIDE];
        around -= (int)given[at];
        return around == 3 || (around == 2 && given[at] == 1.0f) ? 1.0f : 0.0f;
      }, 0, 17);
    });
  }
  {
    Floats image = made<float>(next.size(), Pixel{{23}, SIDE});
    measure("cuda", "gaussian", 8 * all, [&] { gaussian<<<tiles(SIDE), threads>>>(raw(image), raw(next), SIDE, w); }, [&] {
      HostFloats given = host(image);
      auto pixel = [&](int y, int x) { return (double)given[(size_t)y * SIDE + x]; };
      return near_image(host(next), SIDE, 1e-5, [&](int y, int x) { return blurred_at<2>(pixel, SIDE, w, y, x); });
    });
  }
  Floats image = made<float>((size_t)KLT * KLT, Pixel{{24}, KLT}), smooth(image.size());
  measure("cuda", "klt", 8.0 * KLT * KLT, [&] {
    gaussian<<<tiles(KLT), threads>>>(raw(image), raw(smooth), KLT, w);
    corners<<<tiles(KLT), threads>>>(raw(smooth), raw(next), KLT, a);
  }, [&] {
    HostFloats given = host(image);
    return near_image(host(next), KLT, 1e-4, [&](int y, int x) { return corner_at(given, KLT, w, a, y, x); });
  });
}

void multiplied() {
#ifdef WITH_CUBLAS
  const int n = 2048;
  Floats a = floats(25, (size_t)n * n, -1, 1), b = floats(26, (size_t)n * n, -1, 1), c((size_t)n * n);
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
    std::printf("%-13s %-14s failed: cuBLAS cannot be opened\n", "cublas", "matmul");
    failures++;
    return;
  }
  const float one = 1, zero = 0;
  // Columns for cuBLAS are rows for us, so the factors change places.
  auto product = [&] { cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, raw(b), n, raw(a), n, &zero, raw(c), n); };
  measure("cublas", "matmul", "GFLOP/s", [] { return 2.0 * n * n * n; }, product, [&] {
    HostFloats ha = host(a), hb = host(b);
    auto sum = [&](size_t at) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += (double)ha[at / n * n + k] * hb[(size_t)k * n + at % n];
      return sum;
    };
    return near(host(c), (size_t)n * n, 1e-5, sum, 0, 4099);
  });
  cublasDestroy(handle);
#else
  std::printf("%-13s %-14s not done: cuBLAS cannot be linked\n", "cublas", "matmul");
#endif
}

int main() {
  int cards = 0;
  cudaError_t error = cudaGetDeviceCount(&cards);
  if (error != cudaSuccess || cards == 0) {
    std::printf("CUB and Thrust are left out: %s\n", error != cudaSuccess ? cudaGetErrorString(error) : "no card");
    return 0;
  }
  std::printf("%-13s %-14s %10s %10s %9s\n", "peer", "bench", "kernels ms", "whole ms", "rate");
  elementwise();
  reduced();
  scanned();
  irregular();
  images();
  multiplied();
  return failures != 0;
}
