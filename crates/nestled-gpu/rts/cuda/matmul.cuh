// The product of two matrices. A block makes a tile of 64 by 64 places, a thread 4 by 4 of them; 16 columns of the left and as many rows of the right
// matrix at a time lie in memory of the block. Every place is summed from left to right.

#define TILE_SIDE 64
#define TILE_DEPTH 16

// Elements lie in memory as M, and are computed with as T.
template <class T, class M, class Add>
OPERATION void product(i32 n, i32 depth, i32 m, const M* left, const M* right, M* result, Add add) {
  __shared__ T lefts[TILE_DEPTH][TILE_SIDE + 4];
  __shared__ T rights[TILE_DEPTH][TILE_SIDE];
  const i32 columns = (m + TILE_SIDE - 1) / TILE_SIDE, rows = (n + TILE_SIDE - 1) / TILE_SIDE;
  const i32 tile = (i32)blockIdx.x, thread = (i32)threadIdx.x;
  if (columns == 0 || tile >= rows * columns) return;
  const i32 top = tile / columns * TILE_SIDE, start = tile % columns * TILE_SIDE;
  const i32 down = thread / 16 * 4, across = thread % 16 * 4;
  T sums[4][4] = {};
  for (i32 first = 0; first < depth; first += TILE_DEPTH) {
#pragma unroll
    for (i32 at = thread; at < TILE_SIDE * TILE_DEPTH; at += 256) {
      const i32 i = at / TILE_DEPTH, k = at % TILE_DEPTH;
      lefts[k][i] = top + i < n && first + k < depth ? T(left[(top + i) * depth + first + k]) : T(0);
    }
#pragma unroll
    for (i32 at = thread; at < TILE_SIDE * TILE_DEPTH; at += 256) {
      const i32 k = at / TILE_SIDE, j = at % TILE_SIDE;
      rights[k][j] = first + k < depth && start + j < m ? T(right[(first + k) * m + start + j]) : T(0);
    }
    __syncthreads();
    // What is beyond the end are zeros, whose products change no sum.
#pragma unroll
    for (i32 k = 0; k < TILE_DEPTH; k++) {
      T own[4], other[4];
#pragma unroll
      for (i32 i = 0; i < 4; i++) own[i] = lefts[k][down + i];
#pragma unroll
      for (i32 j = 0; j < 4; j++) other[j] = rights[k][across + j];
#pragma unroll
      for (i32 i = 0; i < 4; i++) {
#pragma unroll
        for (i32 j = 0; j < 4; j++) sums[i][j] = add(sums[i][j], own[i], other[j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (i32 i = 0; i < 4; i++) {
#pragma unroll
    for (i32 j = 0; j < 4; j++) {
      if (top + down + i < n && start + across + j < m) {
        result[(top + down + i) * m + start + across + j] = M(sums[i][j]);
      }
    }
  }
}
