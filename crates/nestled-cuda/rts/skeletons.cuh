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

// A warp exchanges rows for items through shared memory: row k of a lane is point 32 k + lane of the warp, item k of a lane is point ROWS * lane + k. A gap
// after each eight places keeps lanes on different banks.
template <i32 ROWS>
OPERATION i32 exchange_place(i32 point) {
  return warp_id() * (36 * ROWS) + point + point / 8;
}

// Each row becomes what its warp comes to up to there; the answer is what the warp comes to. A lane joins points that follow each other, so that one scan of
// the warp is enough. Values that take too much shared memory are scanned row by row.
template <i32 ROWS, i32 WARPS, class T, class Join>
OPERATION T scan_rows(T (&rows)[ROWS], Join join) {
  if constexpr (36 * ROWS * WARPS * sizeof(T) > 40960) {
    T sum = T{};
#pragma unroll
    for (i32 k = 0; k < ROWS; k++) {
      rows[k] = join(sum, scan_warp(rows[k], join));
      sum = shuffle(rows[k], 31);
    }
    return sum;
  } else {
    __shared__ T exchange[36 * ROWS * WARPS];
    T items[ROWS];
#pragma unroll
    for (i32 k = 0; k < ROWS; k++) exchange[exchange_place<ROWS>(32 * k + lane_id())] = rows[k];
    __syncwarp();
#pragma unroll
    for (i32 k = 0; k < ROWS; k++) items[k] = exchange[exchange_place<ROWS>(ROWS * lane_id() + k)];
#pragma unroll
    for (i32 k = 1; k < ROWS; k++) items[k] = join(items[k - 1], items[k]);
    const T upto = scan_warp(items[ROWS - 1], join);
    T prior = shuffle_up(upto, 1);
    if (lane_id() == 0) prior = T{};
#pragma unroll
    for (i32 k = 0; k < ROWS; k++) exchange[exchange_place<ROWS>(ROWS * lane_id() + k)] = join(prior, items[k]);
    __syncwarp();
#pragma unroll
    for (i32 k = 0; k < ROWS; k++) rows[k] = exchange[exchange_place<ROWS>(32 * k + lane_id())];
    return shuffle(upto, 31);
  }
}

// The points of a tile lie warp after warp, in a warp row after row, in a row lane after lane. Each row becomes what its warp comes to up to there; the
// answer is what comes before the warp. `before` is asked by the first warp what comes before the tile, and told what the tile comes to.
template <i32 ROWS, i32 WARPS, class T, class Join, class Before>
OPERATION T scan_tile(T (&rows)[ROWS], T* sums, Join join, Before before) {
  const T sum = scan_rows<ROWS, WARPS>(rows, join);
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

// Replaces each of so many values by what came before it, joined from the first to the last by a single thread; the answer is what all come to. Several loads
// are in flight at the same time.
template <class T, class Load, class Store, class Join>
OPERATION T exclusive_fold(i32 many, Load load, Store store, Join join) {
  T running = T{};
  i32 k = 0;
  for (; k + 16 <= many; k += 16) {
    T ahead[16];
#pragma unroll
    for (i32 j = 0; j < 16; j++) ahead[j] = load(k + j);
#pragma unroll
    for (i32 j = 0; j < 16; j++) {
      store(k + j, running);
      running = join(running, ahead[j]);
    }
  }
  for (; k < many; k++) {
    const T next = load(k);
    store(k, running);
    running = join(running, next);
  }
  return running;
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

// Tiles that a lane looks at together.
#define EACH 4

// Counts of tiles before one, by one of its warps. The two upper bits of a word say what the others are: 3 nothing yet, 1 the tile's own count, 2 that of
// all tiles up to it.
OPERATION i32 look_back_count(u32* tiles, i32 tile, i32 stride, i32 own) {
  volatile u32* words = (volatile u32*)tiles;
  const i32 lane = lane_id();
  if (lane == 0) words[tile * stride] = (tile == 0 ? 0x80000000u : 0x40000000u) | (u32)own;
  if (tile == 0) return 0;
  // What this lane has seen; windows of 32 tiles are loaded several at once, since nearly all of the time is the wait for memory.
  i32 sum = 0;
  bool is_over = false;
  for (i32 last = tile - 1; !is_over; last -= 32 * EACH) {
    u32 ahead[EACH];
#pragma unroll
    for (i32 k = 0; k < EACH; k++) {
      const i32 at = last - 32 * k - lane;
      ahead[k] = at >= 0 ? words[at * stride] : 0x40000000u;
    }
#pragma unroll
    for (i32 k = 0; k < EACH; k++) {
      const i32 at = last - 32 * k - lane;
      u32 seen = ahead[k];
      while (!is_over && __any_sync(ALL_LANES, (seen >> 30) == 3u)) {
        __nanosleep(16u);
        seen = at >= 0 ? words[at * stride] : 0x40000000u;
      }
      const u32 whole = __ballot_sync(ALL_LANES, (seen >> 30) == 2u);
      const i32 end = whole != 0u ? __ffs((i32)whole) - 1 : 31;
      if (!is_over && lane <= end) sum += (i32)(seen & 0x3fffffffu);
      is_over = is_over || whole != 0u;
    }
  }
#pragma unroll
  for (i32 by = 16; by > 0; by /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, by);
  const i32 before = sum;
  if (lane == 0) words[tile * stride] = 0x80000000u | (u32)(before + own);
  return before;
}

// A value of at most eight bytes with a status, which are read and written at once: 3 or more is nothing yet, 1 the tile's own value, 2 that of all tiles up to
// it. The status has the upper word, or, in a value of two words whose first byte is a truth value, the two bits beside that.
template <class T>
OPERATION u64 pack_status(const T& value, u32 status) {
  const Words<T> words = to_words(value);
  if constexpr (Words<T>::N == 1) return (u64)words.word[0] | (u64)status << 32;
  return (u64)((words.word[0] & ~6u) | (status << 1)) | (u64)words.word[Words<T>::N - 1] << 32;
}

template <class T>
OPERATION u32 status_of(u64 packed) {
  return Words<T>::N == 1 ? (u32)(packed >> 32) : (u32)packed >> 1 & 3u;
}

template <class T>
OPERATION T unpack_status(u64 packed) {
  Words<T> words;
  words.word[Words<T>::N - 1] = (u32)(packed >> 32);
  words.word[0] = Words<T>::N == 1 ? (u32)packed : (u32)packed & ~6u;
  return of_words<T>(words);
}

template <class T, class Join>
OPERATION T look_back_packed(u32* tiles, i32 tile, const T& own, Join join) {
  volatile u64* words = (volatile u64*)tiles;
  const i32 lane = lane_id();
  if (lane == 0) words[tile] = pack_status(own, tile == 0 ? 2u : 1u);
  if (tile == 0) return T{};
  T before = T{};
  bool is_over = false;
  for (i32 last = tile - 1; !is_over; last -= 32 * EACH) {
    u64 ahead[EACH];
#pragma unroll
    for (i32 k = 0; k < EACH; k++) {
      const i32 at = last - 32 * k - 31 + lane;
      ahead[k] = at >= 0 ? words[at] : pack_status(T{}, 1u);
    }
#pragma unroll
    for (i32 k = 0; k < EACH; k++) {
      if (is_over) break;
      const i32 at = last - 32 * k - 31 + lane;
      u64 seen = ahead[k];
      while (__any_sync(ALL_LANES, status_of<T>(seen) > 2u)) {
        __nanosleep(16u);
        seen = at >= 0 ? words[at] : pack_status(T{}, 1u);
      }
      const u32 whole = __ballot_sync(ALL_LANES, status_of<T>(seen) == 2u);
      const i32 begin = whole != 0u ? 31 - __clz((i32)whole) : 0;
      T value = T{};
      if (lane >= begin && at >= 0) value = unpack_status<T>(seen);
      before = join(shuffle(scan_warp(value, join), 31), before);
      is_over = whole != 0u;
    }
  }
  if (lane == 0) words[tile] = pack_status(join(before, own), 2u);
  return before;
}

// The same for values of any type; `FLAGGED` if their first byte is a truth value. A tile has two words of flags; if a value needs more, it has two in memory:
// its own, and that of all tiles up to it. Flags are then all ones, then 1, then 2.
template <bool FLAGGED, class T, class Join>
OPERATION T look_back(u32* flags, u32* values, i32 tile, const T& own, Join join) {
  if constexpr (Words<T>::N == 1 || (FLAGGED && Words<T>::N == 2)) return look_back_packed(flags, tile, own, join);
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

// What comes before a tile, joined tile by tile from the first on, so that the order is always the same: from the nearest tile that has published what all up
// to it come to, forward over what each of the others comes to.
template <class T, class Join>
OPERATION T look_back_in_order(u32* flags, u32* values, i32 tile, const T& own, Join join) {
  volatile u32* words = (volatile u32*)flags;
  const i32 lane = lane_id();
  if (lane == 0) {
    put_words(values, tile == 0 ? 1 : 2 * tile, own);
    __threadfence();
    words[tile] = tile == 0 ? 2u : 1u;
  }
  if (tile == 0) return T{};
  // The nearest tile that has, or the first one, which will.
  i32 first = 0;
  for (i32 last = tile - 1; last > 0 && first == 0; last -= 32 * EACH) {
    u32 seen[EACH];
#pragma unroll
    for (i32 k = 0; k < EACH; k++) seen[k] = words[max(last - 32 * k - lane, 0)];
#pragma unroll
    for (i32 k = EACH - 1; k >= 0; k--) {
      const u32 whole = __ballot_sync(ALL_LANES, last - 32 * k - lane > 0 && seen[k] == 2u);
      if (whole != 0u) first = last - 32 * k - (__ffs((i32)whole) - 1);
    }
  }
  while (__any_sync(ALL_LANES, words[first] != 2u)) __nanosleep(16u);
  __threadfence();
  T before = get_words<T>(values, 2 * first + 1);
  for (i32 next = first + 1; next < tile;) {
    u32 seen[EACH];
#pragma unroll
    for (i32 k = 0; k < EACH; k++) seen[k] = words[min(next + 32 * k + lane, tile)];
    __threadfence();
    i32 nearest = -1, many = 32 * EACH;
#pragma unroll
    for (i32 k = EACH - 1; k >= 0; k--) {
      const bool is_earlier = next + 32 * k + lane < tile;
      const u32 whole = __ballot_sync(ALL_LANES, is_earlier && seen[k] == 2u);
      const u32 missing = __ballot_sync(ALL_LANES, !is_earlier || seen[k] > 2u);
      if (whole != 0u) nearest = max(nearest, 32 * k + 31 - __clz((i32)whole));
      if (missing != 0u) many = 32 * k + __ffs((i32)missing) - 1;
    }
    if (nearest >= 0) {
      before = get_words<T>(values, 2 * (next + nearest) + 1);
      next += nearest + 1;
      continue;
    }
    T value[EACH];
#pragma unroll
    for (i32 k = 0; k < EACH; k++) {
      value[k] = T{};
      if (32 * k + lane < many) value[k] = get_words<T>(values, 2 * (next + 32 * k + lane));
    }
#pragma unroll
    for (i32 k = 0; k < EACH; k++) {
      for (i32 j = 0; j < min(many - 32 * k, 32); j += 8) {
        T ahead[8];
#pragma unroll
        for (i32 i = 0; i < 8; i++) ahead[i] = shuffle(value[k], j + i);
#pragma unroll
        for (i32 i = 0; i < 8; i++) {
          if (32 * k + j + i < many) before = join(before, ahead[i]);
        }
      }
    }
    next += many;
    if (many == 0) __nanosleep(16u);
  }
  if (lane == 0) {
    put_words(values, 2 * tile + 1, join(before, own));
    __threadfence();
    words[tile] = 2u;
  }
  return before;
}
