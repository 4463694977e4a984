// Words from places here and there, one after another, so that the host fetches all of them at once: a thread to a place.
//
//   0, 1   where they go
//   2      how many places
//   3      nothing
//   4 …    for each place where it is (2), how many words, and how many come before them

#define N_WORDS 1024

struct Given {
  unsigned int words[N_WORDS];
};

#ifndef GIVEN
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1107
#define GIVEN const Given
#else
#define GIVEN const __grid_constant__ Given
#endif
#endif

__device__ unsigned int* address_of(const unsigned int* words) {
  return (unsigned int*)(words[0] | (unsigned long long)words[1] << 32);
}

extern "C" __global__ void __launch_bounds__(256, 1) run_collect(GIVEN given) {
  if (threadIdx.x >= given.words[2]) return;
  const unsigned int* place = given.words + 4 + 4 * threadIdx.x;
  const unsigned int* from = address_of(place);
  unsigned int* to = address_of(given.words) + place[3];
  for (unsigned int k = 0; k < place[2]; k++) to[k] = from[k];
}
