// How the threads of a block, and the blocks of a grid, work together: sums of a tile, what comes before a tile, the last block of all. Every order in
// which values are joined is fixed, but for `look_back_count` and `look_back`: those are for values of which every order gives the same.

#define ALL_LANES 0xffffffffu

OPERATION i32 lane_id() { return (i32)(threadIdx.x % 32u); }

OPERATION i32 warp_id() { return (i32)(threadIdx.x / 32u); }

// ---- Values of any type, word by word ----

template <class T>
struct Words {
  static constexpr i32 N = (i32)((sizeof(T) + 3) / 4);
  u32 word[N];
};

template <class T>
OPERATION Words<T> to_words(const T& value) {
  Words<T> words = {};
  memcpy(&words, &value, sizeof(T));
  return words;
}

template <class T>
OPERATION T of_words(const Words<T>& words) {
  T value;
  memcpy(&value, &words, sizeof(T));
  return value;
}

// The value of the lane so many before; of the first ones their own.
template <class T>
OPERATION T shuffle_up(const T& value, i32 by) {
  Words<T> words = to_words(value);
#pragma unroll
  for (i32 k = 0; k < Words<T>::N; k++) words.word[k] = __shfl_up_sync(ALL_LANES, words.word[k], by);
  return of_words<T>(words);
}

template <class T>
OPERATION T shuffle(const T& value, i32 from) {
  Words<T> words = to_words(value);
#pragma unroll
  for (i32 k = 0; k < Words<T>::N; k++) words.word[k] = __shfl_sync(ALL_LANES, words.word[k], from);
  return of_words<T>(words);
}

// Memory that other blocks read and write meanwhile.
template <class T>
OPERATION void put_words(u32* to, i32 at, const T& value) {
  const Words<T> words = to_words(value);
#pragma unroll
  for (i32 k = 0; k < Words<T>::N; k++) ((volatile u32*)to)[at * Words<T>::N + k] = words.word[k];
}

template <class T>
OPERATION T get_words(const u32* from, i32 at) {
  Words<T> words;
#pragma unroll
  for (i32 k = 0; k < Words<T>::N; k++) words.word[k] = ((const volatile u32*)from)[at * Words<T>::N + k];
  return of_words<T>(words);
}

// ---- Within a block ----

// What the lanes of a warp come to, up to each.
template <class T, class Join>
OPERATION T scan_warp(T value, Join join) {
#pragma unroll
  for (i32 by = 1; by < 32; by *= 2) {
    const T before = shuffle_up(value, by);
    if (lane_id() >= by) value = join(before, value);
  }
  return value;
}

// The points of a tile lie warp after warp, in a warp row after row, in a row lane after lane. Each row becomes what its warp comes to up to there; the
// answer is what comes before the warp. `before` is asked by the first warp what comes before the tile, and told what the tile comes to.
template <i32 ROWS, i32 WARPS, class T, class Join, class Before>
OPERATION T scan_tile(T (&rows)[ROWS], T* sums, Join join, Before before) {
  T sum = T{};
#pragma unroll
  for (i32 k = 0; k < ROWS; k++) {
    rows[k] = join(sum, scan_warp(rows[k], join));
    sum = shuffle(rows[k], 31);
  }
  if (lane_id() == 31) sums[warp_id()] = sum;
  __syncthreads();
  if (warp_id() == 0) {
    T own = T{};
    if (lane_id() < WARPS) own = sums[lane_id()];
    const T upto = scan_warp(own, join);
    T prior = shuffle_up(upto, 1);
    if (lane_id() == 0) prior = T{};
    const T earlier = before(shuffle(upto, WARPS - 1));
    if (lane_id() < WARPS) sums[lane_id()] = join(earlier, prior);
  }
  __syncthreads();
  return sums[warp_id()];
}

// ---- Between blocks ----

// The number of a tile, in the order in which blocks begin: those before it have begun, so that it may wait for them.
OPERATION i32 next_tile(u32* counter) {
  __shared__ i32 ticket;
  if (threadIdx.x == 0u) ticket = (i32)atomicAdd(counter, 1u);
  __syncthreads();
  return ticket;
}

// Whether all of so many blocks but this one have come here. What they wrote before, this one then sees.
OPERATION bool is_last_block(u32* counter, u32 blocks) {
  __shared__ u32 came;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0u) came = atomicAdd(counter, 1u);
  __syncthreads();
  __threadfence();
  return came + 1u == blocks;
}

// Counts of tiles before one, by one of its warps. The two upper bits of a word say what the others are: 3 nothing yet, 1 the tile's own count, 2 that of
// all tiles up to it.
OPERATION i32 look_back_count(u32* tiles, i32 tile, i32 stride, i32 own) {
  volatile u32* words = (volatile u32*)tiles;
  const i32 lane = lane_id();
  if (lane == 0) words[tile * stride] = (tile == 0 ? 0x80000000u : 0x40000000u) | (u32)own;
  if (tile == 0) return 0;
  i32 before = 0;
  for (i32 last = tile - 1;; last -= 32) {
    const i32 at = last - lane;
    u32 seen;
    for (;;) {
      seen = at >= 0 ? words[at * stride] : 0x40000000u;
      if (!__any_sync(ALL_LANES, (seen >> 30) == 3u)) break;
      __nanosleep(16u);
    }
    const u32 whole = __ballot_sync(ALL_LANES, (seen >> 30) == 2u);
    const i32 end = whole != 0u ? __ffs((i32)whole) - 1 : 31;
    i32 sum = lane <= end ? (i32)(seen & 0x3fffffffu) : 0;
#pragma unroll
    for (i32 by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, by);
    before += sum;
    if (whole != 0u) break;
  }
  if (lane == 0) words[tile * stride] = 0x80000000u | (u32)(before + own);
  return before;
}

// The same for values of any type, of which each tile has two in memory: its own, and that of all tiles up to it. Flags are all ones, then 1, then 2.
template <class T, class Join>
OPERATION T look_back(u32* flags, u32* values, i32 tile, const T& own, Join join) {
  volatile u32* words = (volatile u32*)flags;
  const i32 lane = lane_id();
  if (lane == 0) {
    put_words(values, tile == 0 ? 1 : 2 * tile, own);
    __threadfence();
    words[tile] = tile == 0 ? 2u : 1u;
  }
  if (tile == 0) return T{};
  T before = T{};
  for (i32 last = tile - 1;; last -= 32) {
    const i32 at = last - 31 + lane;
    u32 seen;
    for (;;) {
      seen = at >= 0 ? words[at] : 1u;
      if (!__any_sync(ALL_LANES, seen > 2u)) break;
      __nanosleep(16u);
    }
    __threadfence();
    const u32 whole = __ballot_sync(ALL_LANES, seen == 2u);
    const i32 begin = whole != 0u ? 31 - __clz((i32)whole) : 0;
    T value = T{};
    if (lane >= begin && at >= 0) value = get_words<T>(values, seen == 2u ? 2 * at + 1 : 2 * at);
    before = join(shuffle(scan_warp(value, join), 31), before);
    if (whole != 0u) break;
  }
  if (lane == 0) {
    put_words(values, 2 * tile + 1, join(before, own));
    __threadfence();
    words[tile] = 2u;
  }
  return before;
}

// So many tiles make a window; each lane looks after a few that follow each other.
#define WINDOW 256
#define WINDOW_EACH (WINDOW / 32)

// The same in an order that is always the same: what comes before the window of the tile, which the last tile of the window before says, and then what the tiles
// of the window before this one come to, for each of which everybody waits.
template <class T, class Join>
OPERATION T look_back_in_order(u32* flags, u32* values, i32 tile, const T& own, Join join) {
  volatile u32* words = (volatile u32*)flags;
  const i32 lane = lane_id(), window = tile / WINDOW * WINDOW, first = window + lane * WINDOW_EACH;
  if (lane == 0) {
    put_words(values, 2 * tile, own);
    __threadfence();
    words[tile] = 1u;
  }
  for (;;) {
    bool missing = false;
#pragma unroll
    for (i32 k = 0; k < WINDOW_EACH; k++) missing |= first + k < tile && words[first + k] > 2u;
    if (!__any_sync(ALL_LANES, missing)) break;
    __nanosleep(16u);
  }
  __threadfence();
  T sum = T{};
#pragma unroll
  for (i32 k = 0; k < WINDOW_EACH; k++) {
    if (first + k < tile) sum = join(sum, get_words<T>(values, 2 * (first + k)));
  }
  T before = shuffle(scan_warp(sum, join), 31);
  if (window > 0) {
    while (__any_sync(ALL_LANES, words[window - 1] != 2u)) __nanosleep(16u);
    __threadfence();
    before = join(get_words<T>(values, 2 * window - 1), before);
  }
  if (lane == 0 && tile == window + WINDOW - 1) {
    put_words(values, 2 * tile + 1, join(before, own));
    __threadfence();
    words[tile] = 2u;
  }
  return before;
}
