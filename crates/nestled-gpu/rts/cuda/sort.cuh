// Sorting by digits of eight bits, from the last to the first. Every key is read once to count the digits of all places; then each place takes one
// launch, in which a block ranks the keys of a tile, waits for what the tiles before it have counted, and moves its keys to where they belong.
//
//   count_digits    a block to some keys: digits of all places; the last block makes of them where each digit begins, and what each pass has to do
//   sweep_tile      a block to a tile: once for each place
//
// Keys are held as codes, which are in order as unsigned numbers: the first pass makes them, and the last one makes keys of them. A pass in which all
// keys have the same digit does nothing, and those beside it know that. `sweep::…` are words of the parameters. The table is memory whose bits are all
// set before: the counts of digits, one less than they are; the roles of the passes; and for each pass, tile and digit what the tile has counted, as in
// `look_back_count`.

#define DIGITS 256
#define SWEEP_WARPS 8

// Places in the table.
#define ROLES (8 * DIGITS)
#define TILES (ROLES + 8)

// What a pass has to do: nothing, or something; whether it reads what is sorted and writes what comes of it, or which of the two buffers.
#define ROLE_SOME 1u
#define ROLE_FIRST 2u
#define ROLE_LAST 4u
#define ROLE_SECOND 8u

struct Nothing {};

// From bits to codes and back: a sign is turned around, and with it all bits of a negative float. Floats beyond infinity are no numbers: all bits of their
// codes are set, so that they come last in both orders.
template <class E>
struct Coding {
  E last, negative, top, infinity;

  OPERATION explicit Coding(const Operations& own)
      : last((E)own.address(sweep::LAST)), negative((E)own.address(sweep::NEGATIVE)), top((E)own.address(sweep::TOP)),
        infinity((E)own.address(sweep::ENDLESS)) {}

  OPERATION static E if_top(E bits, E flip) { return (E)((E)0 - (bits >> (8 * sizeof(E) - 1))) & flip; }

  OPERATION E code(E bits) const {
    if ((E)(bits & negative) > infinity) return (E)~(E)0;
    return bits ^ (if_top(bits, negative) | top) ^ last;
  }

  OPERATION E bits(E code) const {
    const E plain = code ^ last;
    return plain ^ (if_top(~plain, negative) | top);
  }
};

// The code of a key, and that of its row before it if there are rows.
template <class E, class C, bool ROWS>
OPERATION C code_at(const Operations& own, const Coding<E>& coding, i32 at) {
  const E code = coding.code(((const E*)own.address(sweep::KEYS))[at]);
  if constexpr (ROWS) return (C)((const u32*)own.address(sweep::ROWS))[at] << own.word(sweep::KEY_BITS) | (C)code;
  else return code;
}

template <class E, class C, bool ROWS>
OPERATION E key_of(const Operations& own, const Coding<E>& coding, C code) {
  if constexpr (ROWS) code &= ((C)1 << own.word(sweep::KEY_BITS)) - 1;
  return coding.bits((E)code);
}

template <class C>
OPERATION i32 digit_of(C code, i32 pass) { return (i32)((u32)(code >> (8 * pass)) & (DIGITS - 1)); }

// How many keys there are, which may be known here only.
OPERATION i32 sorted_points(const Operations& own) {
  const i64 points = (i64)own.extent(sweep::COUNT) * (i64)own.extent(sweep::LENGTH);
  return (i32)min(points, (i64)own.word(sweep::MOST));
}

// What comes before each thread's own number in the block; `sums` is of one for each warp.
OPERATION i32 before_in_block(i32 own, i32* sums) {
  const i32 upto = scan_warp(own, [](i32 a, i32 b) { return a + b; });
  if (lane_id() == 31) sums[warp_id()] = upto;
  __syncthreads();
  i32 before = upto - own;
#pragma unroll
  for (i32 warp = 0; warp < SWEEP_WARPS; warp++) before += warp < warp_id() ? sums[warp] : 0;
  __syncthreads();
  return before;
}

// ---- Counting ----

// What each pass does. If none has to do anything, the first one copies.
OPERATION void assign_roles(u32* roles, const u32* same, i32 passes) {
  i32 active = 0;
  for (i32 pass = 0; pass < passes; pass++) active += same[pass] == 0u ? 1 : 0;
  const bool copies = active == 0;
  if (copies) active = 1;
  for (i32 pass = 0, at = 0; pass < passes; pass++) {
    const bool some = copies ? pass == 0 : same[pass] == 0u;
    u32 role = 0u;
    if (some) {
      // The last one writes to the first buffer, if to any, and so every second one before.
      role = ROLE_SOME | (at == 0 ? ROLE_FIRST : 0u) | (at == active - 1 ? ROLE_LAST : 0u) | ((active - 1 - at) % 2 == 1 ? ROLE_SECOND : 0u);
      at++;
    }
    roles[pass] = role;
  }
}

template <class E, class C, bool ROWS>
OPERATION void count_digits(const Operations& own) {
  // Several counters for each digit, lest the lanes of a warp wait for each other where digits are alike.
  constexpr i32 PASSES = (i32)sizeof(C), PARTS = 16 / PASSES, TOGETHER = 8;
  __shared__ u32 counters[PASSES * DIGITS * PARTS];
  __shared__ i32 sums[SWEEP_WARPS];
  __shared__ u32 same[PASSES];
  const i32 thread = (i32)threadIdx.x, passes = (i32)own.word(sweep::PASSES), points = sorted_points(own);
  const Coding<E> coding(own);
  u32* table = own.words_at(sweep::TABLE);
  for (i32 at = thread; at < PASSES * DIGITS * PARTS; at += DIGITS) counters[at] = 0u;
  __syncthreads();
  for (i32 first = (i32)blockIdx.x * DIGITS * TOGETHER; first < points; first += (i32)gridDim.x * DIGITS * TOGETHER) {
    C codes[TOGETHER];
#pragma unroll
    for (i32 k = 0; k < TOGETHER; k++) {
      const i32 at = first + k * DIGITS + thread;
      codes[k] = at < points ? code_at<E, C, ROWS>(own, coding, at) : (C)0;
    }
#pragma unroll
    for (i32 k = 0; k < TOGETHER; k++) {
      if (first + k * DIGITS + thread >= points) continue;
      for (i32 pass = 0; pass < passes; pass++) {
        atomicAdd(counters + (pass * DIGITS + digit_of(codes[k], pass)) * PARTS + lane_id() % PARTS, 1u);
      }
    }
  }
  __syncthreads();
  for (i32 pass = 0; pass < passes; pass++) {
    u32 sum = 0u;
#pragma unroll
    for (i32 part = 0; part < PARTS; part++) sum += counters[(pass * DIGITS + thread) * PARTS + part];
    if (sum != 0u) atomicAdd(table + pass * DIGITS + thread, sum);
  }
  if (!is_last_block(own.counter(sweep::TABLE), gridDim.x)) return;
  if (thread < PASSES) same[thread] = 0u;
  for (i32 pass = 0; pass < passes; pass++) {
    volatile u32* count = table + pass * DIGITS + thread;
    const i32 counted = (i32)(*count + 1u), begin = before_in_block(counted, sums);
    if (counted == points) same[pass] = 1u;
    *count = (u32)begin;
  }
  __syncthreads();
  if (thread == 0) assign_roles(table + ROLES, same, passes);
}

// ---- Moving ----

// The lanes that have the same digit.
OPERATION u32 lanes_alike(i32 digit) {
  u32 alike = ALL_LANES;
#pragma unroll
  for (i32 bit = 0; bit < 8; bit++) {
    const bool set = (digit >> bit & 1) != 0;
    const u32 votes = __ballot_sync(ALL_LANES, set);
    alike &= set ? votes : ~votes;
  }
  return alike;
}

// How many keys of the tiles before have a digit, by one thread, which has said before how many there are in its own.
OPERATION i32 look_back_digit(volatile u32* own, i32 tile, i32 counted) {
  if (tile == 0) return 0;
  i32 before = 0;
  for (volatile u32* other = own - DIGITS;; other -= DIGITS) {
    u32 seen;
    while (((seen = *other) >> 30) == 3u) __nanosleep(16u);
    before += (i32)(seen & 0x3fffffffu);
    if ((seen >> 30) == 2u) break;
  }
  *own = 0x80000000u | (u32)(before + counted);
  return before;
}

template <class E, class C, bool ROWS, class V, bool NUMBERS, i32 ITEMS>
OPERATION void sweep_tile(const Operations& own) {
  constexpr i32 TILE = DIGITS * ITEMS, WIDTH = (i32)(sizeof(C) > sizeof(V) ? sizeof(C) : sizeof(V));
  constexpr bool MOVES = sizeof(V) > 1;
  // Counts are done with when keys are staged, and keys when values are.
  __shared__ u64 staged[TILE * WIDTH / 8];
  __shared__ i32 offsets[DIGITS];
  __shared__ i32 sums[SWEEP_WARPS];
  const i32 thread = (i32)threadIdx.x, lane = lane_id(), points = sorted_points(own), tiles = (i32)gridDim.x;
  const i32 ticket = next_tile(own.counter(sweep::CODES)), pass = ticket / tiles, tile = ticket % tiles;
  u32* table = own.words_at(sweep::TABLE);
  const u32 role = table[ROLES + pass];
  if (role == 0u || tile * TILE >= points) return;
  const bool is_first = (role & ROLE_FIRST) != 0u, is_last = (role & ROLE_LAST) != 0u, second = (role & ROLE_SECOND) != 0u;
  const Coding<E> coding(own);
  const i32 first = tile * TILE + warp_id() * 32 * ITEMS + lane;

  // What is beyond the end comes last in the last tile.
  C codes[ITEMS];
  const C* from = (const C*)(second ? own.address(sweep::CODES) : own.address(sweep::OTHER_CODES));
#pragma unroll
  for (i32 k = 0; k < ITEMS; k++) codes[k] = ~(C)0;
  if (is_first) {
#pragma unroll
    for (i32 k = 0; k < ITEMS; k++) {
      if (first + 32 * k < points) codes[k] = code_at<E, C, ROWS>(own, coding, first + 32 * k);
    }
  } else {
#pragma unroll
    for (i32 k = 0; k < ITEMS; k++) {
      if (first + 32 * k < points) codes[k] = from[first + 32 * k];
    }
  }

  // How many keys of the warp before each have its digit, and then of the tile.
  i32* counts = (i32*)staged;
  i32* mine = counts + warp_id() * DIGITS;
#pragma unroll
  for (i32 k = 0; k < DIGITS / 32; k++) mine[k * 32 + lane] = 0;
  __syncwarp();
  const u32 earlier = (1u << lane) - 1u;
  i32 places[ITEMS];
#pragma unroll
  for (i32 k = 0; k < ITEMS; k++) {
    const i32 digit = digit_of(codes[k], pass);
    const u32 alike = lanes_alike(digit);
    const i32 before = mine[digit];
    __syncwarp();
    places[k] = before + __popc(alike & earlier);
    if ((alike & earlier) == 0u) mine[digit] = before + __popc(alike);
    __syncwarp();
  }
  __syncthreads();

  // From here on a thread looks after a digit, too.
  i32 counted = 0;
#pragma unroll
  for (i32 warp = 0; warp < SWEEP_WARPS; warp++) {
    const i32 here = counts[warp * DIGITS + thread];
    counts[warp * DIGITS + thread] = counted;
    counted += here;
  }
  volatile u32* status = table + TILES + ((i64)pass * tiles + tile) * DIGITS + thread;
  *status = (tile == 0 ? 0x80000000u : 0x40000000u) | (u32)counted;
  const i32 begin = before_in_block(counted, sums);
#pragma unroll
  for (i32 warp = 0; warp < SWEEP_WARPS; warp++) counts[warp * DIGITS + thread] += begin;
  __syncthreads();
#pragma unroll
  for (i32 k = 0; k < ITEMS; k++) places[k] += mine[digit_of(codes[k], pass)];
  __syncthreads();
  C* codes_staged = (C*)staged;
#pragma unroll
  for (i32 k = 0; k < ITEMS; k++) codes_staged[places[k]] = codes[k];
  offsets[thread] = (i32)table[pass * DIGITS + thread] + look_back_digit(status, tile, counted) - begin;
  __syncthreads();

  const i32 here = min(TILE, points - tile * TILE);
  i32 targets[ITEMS];
  C* to = (C*)(second ? own.address(sweep::OTHER_CODES) : own.address(sweep::CODES));
  E* sorted = (E*)own.address(sweep::SORTED);
#pragma unroll
  for (i32 k = 0; k < ITEMS; k++) {
    const i32 at = k * DIGITS + thread;
    const C code = codes_staged[at];
    targets[k] = offsets[digit_of(code, pass)] + at;
    if (at >= here) continue;
    if (!is_last) to[targets[k]] = code;
    else if (sorted != nullptr) sorted[targets[k]] = key_of<E, C, ROWS>(own, coding, code);
  }
  if constexpr (MOVES) {
    const V* values = (const V*)(is_first ? own.address(sweep::VALUES) : second ? own.address(sweep::MOVED) : own.address(sweep::OTHER_VALUES));
    V* moved = (V*)(second ? own.address(sweep::OTHER_VALUES) : own.address(sweep::MOVED));
    V* values_staged = (V*)staged;
    V held[ITEMS];
#pragma unroll
    for (i32 k = 0; k < ITEMS; k++) {
      held[k] = (V)(first + 32 * k);
      if (!(NUMBERS && is_first) && first + 32 * k < points) held[k] = values[first + 32 * k];
    }
    __syncthreads();
#pragma unroll
    for (i32 k = 0; k < ITEMS; k++) values_staged[places[k]] = held[k];
    __syncthreads();
#pragma unroll
    for (i32 k = 0; k < ITEMS; k++) {
      if (k * DIGITS + thread < here) moved[targets[k]] = values_staged[k * DIGITS + thread];
    }
  }
}
