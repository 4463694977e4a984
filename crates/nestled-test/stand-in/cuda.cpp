// A stand-in for the driver of CUDA, for NVRTC and for cuBLAS, for tests on machines without a card: it exports those of their functions that nestled-cuda
// calls.
//
//   text ──"NVRTC"──► the same text ──"module"──► g++ with device.hpp ──► a shared object whose entry points run on the host
//
// It is made to find mistakes. Memory is full of rubbish when it is allocated, ends at a page that nobody may touch, and is gone when it is freed. Threads
// of a block are fibers that take turns in a random order, in which warps may fall far behind, several blocks at once, begun in an order that is not that of their numbers. A barrier that not
// all threads of a block come to, or that they come to at different places, ends the process with a message. What is queued on a stream runs as late as
// it may, and streams overtake each other wherever no event forbids it. STAND_IN_SEED is where all chance begins; STAND_IN_FLAGS are options for g++, such as
// those of its sanitizers that trap.
//
// Each who opens the card has a context of its own, which any thread may use that has made it its own before. Whoever waits runs what is queued: threads that wait at the same time
// run work of different streams side by side. A module that is unloaded while a launch of it is queued ends the process.

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

namespace stand_in {

struct Place {
  unsigned thread, block, threads, blocks;
};

struct Calls {
  const Place& (*place)();
  void* (*shared)(unsigned, unsigned long);
  void (*barrier)(unsigned);
  void (*pass)();
  unsigned long long (*exchange)(unsigned, unsigned long long, unsigned, unsigned*);
  void (*trap)();
};

// ---- Chance ----

struct Chance {
  uint64_t state;

  uint64_t next() {
    state += 0x9e3779b97f4a7c15ull;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }

  unsigned below(unsigned n) { return (unsigned)((next() >> 32) * n >> 32); }
};

static uint64_t seed() {
  const char* said = getenv("STAND_IN_SEED");
  return said ? strtoull(said, nullptr, 10) : 1;
}

static thread_local Chance chance{seed()};

static thread_local std::string trouble;

enum Status { SUCCESS = 0, OUT_OF_MEMORY = 2, NOT_READY = 600, BROKEN = 999 };

static int broken(const std::string& what) {
  trouble = what;
  return BROKEN;
}

// ---- Memory: pages of its own for each allocation, with one behind it that cannot be touched ----

static const uint64_t CANARY = 0x5ca1ab1edeadbea7ull;
static const size_t PAGE = 4096, ALIGN = 256, CARD = 1ull << 30;

struct Allocation {
  char* pages;
  size_t mapped, bytes, given;
};

static std::mutex memory_lock;
static std::map<uint64_t, Allocation> memory;
static size_t memory_used;

static void rubbish(void* at, size_t bytes) {
  const uint64_t kinds[4] = {0x0101010101010101ull, 0xffffffffffffffffull, 0xcdcdcdcdcdcdcdcdull, 0x7fc12345000000a5ull};
  const uint64_t kind = kinds[chance.below(4)];
  char* to = (char*)at;
  for (size_t k = 0; k < bytes; k += 8) memcpy(to + k, &kind, std::min<size_t>(8, bytes - k));
}

static int allocate(uint64_t* address, size_t bytes) {
  const size_t given = (std::max<size_t>(bytes, 1) + ALIGN - 1) / ALIGN * ALIGN;
  const size_t body = (given + PAGE - 1) / PAGE * PAGE, mapped = body + 2 * PAGE;
  std::lock_guard<std::mutex> guard(memory_lock);
  if (memory_used + given > CARD) return OUT_OF_MEMORY;
  char* pages = (char*)mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return OUT_OF_MEMORY;
  mprotect(pages, PAGE, PROT_NONE);
  mprotect(pages + PAGE + body, PAGE, PROT_NONE);
  char* start = pages + PAGE + body - given;
  rubbish(start, bytes);
  for (char* at = start + bytes; at < start + given; at++) *at = (char)CANARY;
  *address = (uint64_t)start;
  memory[*address] = Allocation{pages, mapped, bytes, given};
  memory_used += given;
  return SUCCESS;
}

static int deallocate(uint64_t address) {
  std::lock_guard<std::mutex> guard(memory_lock);
  auto found = memory.find(address);
  if (found == memory.end()) return broken("memory is freed that was not allocated");
  const Allocation& it = found->second;
  for (char* at = (char*)address + it.bytes; at < (char*)address + it.given; at++) {
    if (*at != (char)CANARY) {
      fprintf(stderr, "stand-in: something was written behind the end of %zu bytes\n", it.bytes);
      abort();
    }
  }
  munmap(it.pages, it.mapped);
  memory_used -= it.given;
  memory.erase(found);
  return SUCCESS;
}

static bool holds(uint64_t address, size_t bytes) {
  std::lock_guard<std::mutex> guard(memory_lock);
  auto found = memory.upper_bound(address);
  if (found == memory.begin()) return false;
  --found;
  return address >= found->first && address + bytes <= found->first + found->second.bytes;
}

// ---- Fibers ----

extern "C" void stand_in_switch(void** save, void* load);

#if !defined(__x86_64__)
#error "fibers are written for x86-64"
#endif
asm(R"(
  .text
  .type stand_in_switch, @function
stand_in_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size stand_in_switch, .-stand_in_switch
)");

typedef void (*Entry)(const uint32_t*);

static const size_t STACK = 256 << 10, SHARED = 48 << 10;

enum class State { Ready, Barrier, Warp, Done };

struct Block;

/// A stack; a thread has one from its beginning to its end.
struct Worker {
  void* sp = nullptr;
  char* stack = nullptr;
};

struct Fiber {
  Worker* worker = nullptr;
  State state = State::Ready;
  Place place{};
  Block* block = nullptr;
  unsigned barrier = 0;
  // What this lane brings to the others of its warp, and what it waits for.
  unsigned mask = 0;
  unsigned long long value = 0;
};

/// The last exchange of a warp: what each lane brought.
struct Warp {
  unsigned long long values[32];
};

struct Block {
  std::vector<Fiber> fibers;
  std::vector<unsigned> ready;
  std::vector<Warp> warps;
  std::unique_ptr<char[]> shared{new char[SHARED + 64]};
  unsigned waiting = 0, done = 0;
  // A warp that goes on only when few others can, for a while; or none.
  unsigned slow = 0;

  char* memory() { return (char*)(((uintptr_t)shared.get() + 63) / 64 * 64); }
};

struct Running {
  void* scheduler = nullptr;
  Fiber* now = nullptr;
  Entry entry = nullptr;
  const uint32_t* params = nullptr;
  const char* name = "";
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<Worker*> idle;
  std::vector<std::unique_ptr<Block>> blocks;
  bool moved = false;
};

static thread_local Running running;

[[noreturn]] static void give_up(const char* what) {
  const Place place = running.now ? running.now->place : Place{};
  fprintf(stderr, "stand-in: %s: thread %u of block %u of %u: %s\n", running.name, place.thread, place.block, place.blocks, what);
  fflush(stderr);
  abort();
}

static void leave() {
  Fiber* fiber = running.now;
  stand_in_switch(&fiber->worker->sp, running.scheduler);
}

static void begin() {
  for (;;) {
    Fiber* fiber = running.now;
    running.entry(running.params);
    fiber->state = State::Done;
    running.moved = true;
    leave();
  }
}

static Worker* worker() {
  if (running.idle.empty()) {
    auto made = std::make_unique<Worker>();
    const size_t mapped = STACK + PAGE;
    made->stack = (char*)mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made->stack == MAP_FAILED) give_up("no memory for a stack");
    mprotect(made->stack, PAGE, PROT_NONE);
    // As a call would leave it: the address to return to lies where the stack is 8 past a multiple of 16.
    void** top = (void**)(made->stack + mapped) - 2;
    *top = (void*)begin;
    made->sp = top - 6;
    running.idle.push_back(made.get());
    running.workers.push_back(std::move(made));
  }
  Worker* worker = running.idle.back();
  running.idle.pop_back();
  return worker;
}

static const Place& place() { return running.now->place; }

/// Where each declaration of an entry point's shared memory lies: the same place in every block.
static thread_local std::map<unsigned, size_t>* shared_places;
static thread_local size_t shared_used;

static void* shared(unsigned number, unsigned long bytes) {
  auto found = shared_places->find(number);
  if (found == shared_places->end()) {
    const size_t at = (shared_used + 15) / 16 * 16;
    if (at + bytes > SHARED) give_up("more than 48 KiB of shared memory");
    shared_used = at + bytes;
    found = shared_places->emplace(number, at).first;
  }
  return running.now->block->memory() + found->second;
}

static void barrier(unsigned number) {
  Fiber* fiber = running.now;
  fiber->barrier = number;
  fiber->state = State::Barrier;
  running.moved = true;
  leave();
}

/// Passes without a step forward are what spinning is.
static void pass() {
  if (chance.below(4) == 0) leave();
}

static unsigned long long exchange(unsigned mask, unsigned long long value, unsigned from, unsigned* votes) {
  Fiber* fiber = running.now;
  const unsigned lane = fiber->place.thread % 32;
  if (!(mask >> lane & 1)) give_up("a lane is not in its own mask");
  fiber->mask = mask;
  fiber->value = value;
  fiber->state = State::Warp;
  running.moved = true;
  leave();
  Warp& warp = fiber->block->warps[fiber->place.thread / 32];
  if (!(mask >> from & 1)) give_up("a lane asks one that is not in the mask");
  if (votes) {
    *votes = 0;
    for (unsigned k = 0; k < 32; k++) {
      if ((mask >> k & 1) && warp.values[k]) *votes |= 1u << k;
    }
  }
  return warp.values[from];
}

static void trap() { give_up("trap"); }

static const Calls calls = {place, shared, barrier, pass, exchange, trap};

/// Lets the lanes of a warp go on if all of its mask have come; answers whether they have.
static bool meet(Block& block, Fiber& fiber) {
  const unsigned first = fiber.place.thread / 32 * 32;
  Warp& warp = block.warps[first / 32];
  for (unsigned k = 0; k < 32; k++) {
    if (!(fiber.mask >> k & 1)) continue;
    if (first + k >= block.fibers.size()) {
      running.now = &fiber;
      give_up("a mask has lanes that there are not");
    }
    const Fiber& other = block.fibers[first + k];
    if (other.state == State::Done) {
      running.now = &fiber;
      give_up("a mask has lanes that have ended");
    }
    if (other.state != State::Warp || other.mask != fiber.mask) return false;
  }
  for (unsigned k = 0; k < 32; k++) {
    if (!(fiber.mask >> k & 1)) continue;
    Fiber& other = block.fibers[first + k];
    warp.values[k] = other.value;
    other.state = State::Ready;
    block.ready.push_back(first + k);
  }
  return true;
}

/// Runs some thread of a block until it waits or lets others go on; answers whether the block has ended.
static bool step(Block& block) {
  if (chance.below(512) == 0) block.slow = chance.below(2 * (unsigned)block.warps.size());
  unsigned which = chance.below((unsigned)block.ready.size());
  for (int k = 0; k < 16 && block.ready[which] / 32 == block.slow; k++) which = chance.below((unsigned)block.ready.size());
  const unsigned at = block.ready[which];
  Fiber& fiber = block.fibers[at];
  if (!fiber.worker) fiber.worker = worker();
  running.now = &fiber;
  stand_in_switch(&running.scheduler, fiber.worker->sp);
  if (fiber.state == State::Ready) return false;
  block.ready[which] = block.ready.back();
  block.ready.pop_back();
  switch (fiber.state) {
    case State::Ready: break;
    case State::Warp:
      // A lane that runs on at once would not let us see who reads too late: all of a mask wait for the last.
      meet(block, fiber);
      break;
    case State::Barrier: block.waiting++; break;
    case State::Done:
      running.idle.push_back(fiber.worker);
      fiber.worker = nullptr;
      block.done++;
      break;
  }
  if (block.done == block.fibers.size()) return true;
  if (block.ready.empty()) {
    if (block.waiting != block.fibers.size()) give_up("some threads wait for others, which have ended or wait elsewhere");
    for (unsigned k = 0; k < block.fibers.size(); k++) {
      if (block.fibers[k].barrier != block.fibers[0].barrier) give_up("threads of a block are at different barriers");
      block.fibers[k].state = State::Ready;
      block.ready.push_back(k);
    }
    block.waiting = 0;
  }
  return false;
}

static void start(Block& block, unsigned number, unsigned blocks, unsigned threads) {
  block.fibers.assign(threads, Fiber{});
  block.warps.resize((threads + 31) / 32);
  block.ready.clear();
  block.waiting = block.done = 0;
  rubbish(block.memory(), SHARED);
  for (unsigned k = 0; k < threads; k++) {
    block.fibers[k].place = Place{k, number, threads, blocks};
    block.fibers[k].block = &block;
    block.ready.push_back(k);
  }
}

// ---- Modules ----

struct Module;

struct Function {
  Module* module;
  Entry entry;
  std::string name;
  // How many words its argument has.
  unsigned words;
  std::map<unsigned, size_t> shared_places;
  size_t shared_used = 0;
  // One launch of it runs at a time.
  std::unique_ptr<std::mutex> turn{new std::mutex};
};

struct Module {
  void* object;
  unsigned words;
  // Launches that are queued.
  std::atomic<long> queued{0};
  std::map<std::string, std::unique_ptr<Function>> functions;
};

static void run(Function& function, unsigned blocks, unsigned threads, const uint32_t* params) {
  running.entry = function.entry;
  running.params = params;
  running.name = function.name.c_str();
  shared_places = &function.shared_places;
  shared_used = function.shared_used;
  const unsigned at_once = 1 + chance.below(4);
  std::vector<Block*> active;
  std::vector<unsigned> next;
  unsigned begun = 0, idle = 0;
  while (begun < blocks || !next.empty() || !active.empty()) {
    while (begun < blocks && next.size() < 8) next.push_back(begun++);
    while (active.size() < at_once && !next.empty()) {
      const unsigned which = chance.below((unsigned)next.size()), number = next[which];
      next.erase(next.begin() + which);
      while (running.blocks.size() < at_once) running.blocks.push_back(std::make_unique<Block>());
      Block* free = nullptr;
      for (auto& block : running.blocks) {
        if (std::find(active.begin(), active.end(), block.get()) == active.end()) free = block.get();
      }
      start(*free, number, blocks, threads);
      active.push_back(free);
      if (begun < blocks) next.push_back(begun++);
    }
    const unsigned which = chance.below((unsigned)active.size());
    // Several steps at a time: what happens between two waits of one thread is not worth so much.
    for (unsigned k = chance.below(64) + 1; k > 0; k--) {
      running.moved = false;
      const bool ended = step(*active[which]);
      idle = running.moved ? 0 : idle + 1;
      if (idle > 1000000) give_up("nobody goes on");
      if (ended) {
        active.erase(active.begin() + which);
        break;
      }
    }
  }
  running.now = nullptr;
  function.shared_used = shared_used;
}

// ---- Streams ----

struct Context;

struct Event {
  bool has_times;
  Context* context = nullptr;
  uint64_t recorded = 0, reached = 0;
  // When the last was reached.
  std::chrono::steady_clock::time_point at{};
};

/// Something that is queued: it may run when `may` holds, which is asked under the lock, as `after` runs.
struct Work {
  std::function<bool()> may;
  std::function<void()> work, after;
};

struct Context;

struct Stream {
  Context* context;
  std::deque<Work> queue;
  // Somebody runs what came first.
  bool busy = false;
};

struct Context {
  std::vector<Stream*> streams;
  std::mutex lock;
  // Some work is over.
  std::condition_variable moved;
};

static thread_local Context* current;

/// Whether a thread may use a stream.
static int usable(void* stream) {
  return ((Stream*)stream)->context == current ? SUCCESS : broken("the context of a stream is not that of the thread");
}

/// Runs what is queued, anywhere, until something holds that is asked under the lock.
static int run_until(const std::function<bool()>& over) {
  Context* context = current;
  std::unique_lock<std::mutex> guard(context->lock);
  while (!over()) {
    std::vector<Stream*> can;
    bool busy = false;
    for (Stream* other : context->streams) {
      busy |= other->busy;
      if (!other->busy && !other->queue.empty() && other->queue.front().may()) can.push_back(other);
    }
    if (can.empty()) {
      if (!busy) return broken("streams wait for each other");
      context->moved.wait(guard);
      continue;
    }
    Stream* chosen = can[chance.below((unsigned)can.size())];
    Work work = std::move(chosen->queue.front());
    chosen->queue.pop_front();
    chosen->busy = true;
    guard.unlock();
    work.work();
    guard.lock();
    if (work.after) work.after();
    chosen->busy = false;
    context->moved.notify_all();
  }
  return SUCCESS;
}

/// Runs what is queued, anywhere, until a stream is empty.
static int drain(Stream* stream) {
  if (const int status = usable(stream)) return status;
  return run_until([stream] { return stream->queue.empty() && !stream->busy; });
}

static int queue(void* stream, Work work) {
  if (const int status = usable(stream)) return status;
  std::lock_guard<std::mutex> guard(current->lock);
  ((Stream*)stream)->queue.push_back(std::move(work));
  return SUCCESS;
}

static int queue(void* stream, std::function<void()> work) {
  return queue(stream, Work{[] { return true; }, std::move(work), nullptr});
}

// ---- From CUDA C++ to what g++ takes ----

static std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// `__shared__ T a[8];` is a reference to memory of the block.
static std::string shared_declaration(const std::string& what, unsigned number) {
  const size_t bracket = std::min(what.find('['), what.size());
  const std::string before = trimmed(what.substr(0, bracket)), dims = what.substr(bracket);
  const size_t name_at = before.find_last_of(" \t*&") + 1;
  const std::string name = before.substr(name_at), type = before.substr(0, name_at), n = std::to_string(number);
  return "typedef " + type + " shared_type_" + n + dims + "; shared_type_" + n + "& " + name + " = *(shared_type_" + n +
         "*)stand_in::stand_in_calls->shared(" + n + ", sizeof(shared_type_" + n + "));";
}

/// `asm("{ cvt.f32.f16 %0, %1; }" : "=f"(r) : "h"(a));` is a call of a function with that name.
static std::string instruction(const std::string& what) {
  const size_t quote = what.find('"'), end = what.find('"', quote + 1);
  std::string name = trimmed(what.substr(quote + 1, end - quote - 1));
  if (!name.empty() && name[0] == '{') name = trimmed(name.substr(1));
  name = name.substr(0, name.find_first_of(" \t"));
  for (char& c : name) c = c == '.' || c == ':' ? '_' : c;
  std::string args;
  size_t at = end + 1;
  while ((at = what.find('"', at)) != std::string::npos) {
    const size_t open = what.find('(', what.find('"', at + 1));
    size_t close = open;
    for (int depth = 0; close < what.size(); close++) {
      depth += what[close] == '(' ? 1 : what[close] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    args += (args.empty() ? "" : ", ") + what.substr(open, close - open + 1);
    at = close + 1;
  }
  return "ptx_" + name + "(" + args + ");";
}

static std::string rewritten(const std::string& text) {
  std::string out;
  unsigned number = 0;
  size_t at = 0;
  for (;;) {
    const size_t shared_at = text.find("__shared__ ", at), asm_at = std::min(text.find("asm(", at), text.find("asm volatile(", at));
    const size_t next = std::min(shared_at, asm_at);
    if (next == std::string::npos) break;
    const size_t end = next == shared_at ? text.find(';', next) : text.find(");", next) + 1;
    out += text.substr(at, next - at);
    out += next == shared_at ? shared_declaration(text.substr(next + 11, end - next - 11), number++)
                             : instruction(text.substr(next, end - next));
    at = end + 1;
  }
  return out + text.substr(at);
}

static uint64_t hash(const std::string& text) {
  uint64_t value = 0xcbf29ce484222325ull;
  for (unsigned char c : text) value = (value ^ c) * 0x100000001b3ull;
  return value;
}

static std::string folder() {
  Dl_info info;
  dladdr((void*)&hash, &info);
  const std::string path = info.dli_fname;
  return path.substr(0, path.find_last_of('/'));
}

static bool exists(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

static std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}

/// So many modules stay on disk for the next run.
static const unsigned KEPT = 4000;
static unsigned made;

static int load(Module* module, const std::string& text) {
  const char* said = getenv("STAND_IN_FLAGS");
  const std::string flags = said ? said : "-O1";
  char name[32];
  snprintf(name, sizeof name, "%016llx", (unsigned long long)hash(flags + "\n" + text));
  const std::string at = folder() + "/", object = at + "modules/" + name + ".so";
  bool keep = true;
  std::string path = object;
  if (!exists(object)) {
    char unique[64];
    snprintf(unique, sizeof unique, ".%d.%llx", (int)getpid(), (unsigned long long)(uintptr_t)module);
    const std::string stem = at + "modules/" + name + unique, source = stem + ".cpp", log = stem + ".log";
    std::ofstream(source) << rewritten(text);
    const std::string command = "g++ -std=c++17 -w -pipe -shared -fPIC -fvisibility=hidden -ffp-contract=off -fno-strict-aliasing -fno-exceptions " +
                                std::string("-ftrivial-auto-var-init=pattern ") + flags + " -include " + at + "device.hpp -o " + stem + ".so " + source +
                                " -lm 2> " + log;
    const int status = system(command.c_str());
    const std::string said = contents(log);
    unlink(log.c_str());
    if (status != 0) return broken("g++ refuses " + source + ":\n" + said.substr(0, 4000));
    unlink(source.c_str());
    path = stem + ".so";
    static std::mutex lock;
    std::lock_guard<std::mutex> guard(lock);
    keep = ++made <= KEPT;
    if (keep) {
      rename(path.c_str(), object.c_str());
      path = object;
    }
  }
  module->object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module->object) return broken(dlerror());
  if (!keep) unlink(path.c_str());
  const size_t said_words = text.find("#define N_WORDS ");
  if (said_words == std::string::npos) return broken("a module that does not say how long its argument is");
  module->words = (unsigned)strtoul(text.c_str() + said_words + 16, nullptr, 10);
  const Calls** bound = (const Calls**)dlsym(module->object, "stand_in_calls");
  if (!bound) return broken("a module without the stand-in's prologue");
  *bound = &calls;
  return SUCCESS;
}

static void crashed(int signal, siginfo_t* info, void*) {
  if (running.now) {
    char text[256];
    const Place place = running.now->place;
    const int length = snprintf(text, sizeof text, "stand-in: %s: thread %u of block %u of %u touches %p, which is no memory of the card\n",
                                running.name, place.thread, place.block, place.blocks, info->si_addr);
    if (write(2, text, (size_t)length) < 0) {}
  }
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
}

}  // namespace stand_in

using namespace stand_in;
typedef int CUresult;

// ---- The driver ----

API CUresult cuInit(unsigned) {
  struct sigaction action {};
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  return SUCCESS;
}

API CUresult cuDeviceGetCount(int* count) { return *count = 1, SUCCESS; }

API CUresult cuDeviceGet(int* device, int at) { return *device = at, at == 0 ? SUCCESS : broken("there is one card only"); }

API CUresult cuDeviceGetName(char* name, int length, int) { return snprintf(name, (size_t)length, "stand-in"), SUCCESS; }

API CUresult cuDeviceGetAttribute(int* value, int attribute, int) {
  // A capability that no card has, so that nobody mistakes what is cached for something else; 115 are pools of memory, 16 multiprocessors.
  *value = attribute == 75 ? 1 : attribute == 76 ? 0 : attribute == 115 ? 1 : attribute == 16 ? 4 : 0;
  return SUCCESS;
}

API CUresult cuDeviceTotalMem_v2(size_t* bytes, int) { return *bytes = CARD, SUCCESS; }

API CUresult cuDevicePrimaryCtxRetain(void** context, int) { return *context = new Context, SUCCESS; }

API CUresult cuDevicePrimaryCtxRelease_v2(int) { return SUCCESS; }

API CUresult cuCtxSetCurrent(void* context) { return current = (Context*)context, SUCCESS; }

API CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  std::lock_guard<std::mutex> guard(memory_lock);
  *total = CARD;
  *free = CARD - memory_used;
  return SUCCESS;
}

API CUresult cuDeviceGetDefaultMemPool(void** pool, int) { return *pool = (void*)&memory, SUCCESS; }

API CUresult cuMemPoolSetAttribute(void*, int, void*) { return SUCCESS; }

API CUresult cuMemPoolTrimTo(void*, size_t) { return SUCCESS; }

API CUresult cuStreamCreate(void** stream, unsigned) {
  if (!current) return broken("the thread has no context");
  std::lock_guard<std::mutex> guard(current->lock);
  current->streams.push_back(new Stream{current, {}});
  *stream = current->streams.back();
  return SUCCESS;
}

API CUresult cuStreamSynchronize(void* stream) { return drain((Stream*)stream); }

API CUresult cuStreamDestroy_v2(void* stream) {
  const int status = drain((Stream*)stream);
  if (status != SUCCESS) return status;
  std::lock_guard<std::mutex> guard(current->lock);
  auto& streams = current->streams;
  streams.erase(std::remove(streams.begin(), streams.end(), (Stream*)stream), streams.end());
  delete (Stream*)stream;
  return status;
}

API CUresult cuEventCreate(void** event, unsigned flags) { return *event = new Event{!(flags & 2)}, SUCCESS; }

API CUresult cuEventDestroy_v2(void*) { return SUCCESS; }  // Somebody may still wait for it.

API CUresult cuEventRecord(void* event, void* stream) {
  Event* it = (Event*)event;
  it->context = current;
  const uint64_t turn = ++it->recorded;
  return queue(stream, Work{[] { return true; }, [] {}, [it, turn] {
    it->reached = std::max(it->reached, turn);
    if (it->has_times) it->at = std::chrono::steady_clock::now();
  }});
}

API CUresult cuEventSynchronize(void* event) {
  Event* it = (Event*)event;
  if (it->context != current) return broken("the context of an event is not that of the thread");
  return run_until([it] { return it->reached >= it->recorded; });
}

// Whoever asks sees the card at work: one piece of it for each time.
API CUresult cuEventQuery(void* event) {
  Event* it = (Event*)event;
  if (it->context != current) return broken("the context of an event is not that of the thread");
  unsigned left = 1;
  const int status = run_until([it, &left] { return it->reached >= it->recorded || left-- == 0; });
  if (status != SUCCESS) return status;
  std::lock_guard<std::mutex> guard(current->lock);
  return it->reached >= it->recorded ? SUCCESS : NOT_READY;
}

API CUresult cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  const Event &from = *(Event*)start, &to = *(Event*)end;
  if (!from.has_times || !to.has_times) return broken("the time of an event that has none");
  if (!from.recorded || !to.recorded) return broken("the time of an event that was not recorded");
  if (from.reached < from.recorded || to.reached < to.recorded) return NOT_READY;
  *milliseconds = std::chrono::duration<float, std::milli>(to.at - from.at).count();
  return SUCCESS;
}

API CUresult cuStreamWaitEvent(void* stream, void* event, unsigned) {
  if (const int status = usable(stream)) return status;
  Event* it = (Event*)event;
  const uint64_t turn = it->recorded;
  return queue(stream, Work{[it, turn] { return it->reached >= turn; }, [] {}, nullptr});
}

API CUresult cuMemAllocAsync(uint64_t* address, size_t bytes, void* stream) {
  const int status = usable(stream);
  return status == SUCCESS ? allocate(address, bytes) : status;
}

API CUresult cuMemFreeAsync(uint64_t address, void* stream) {
  return queue(stream, [address] {
    if (deallocate(address) != SUCCESS) give_up("memory is freed twice");
  });
}

API CUresult cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream) {
  if (!holds(to, bytes)) return broken("a copy to what is no memory of the card");
  return queue(stream, [=] { memcpy((void*)to, from, bytes); });
}

API CUresult cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
  if (!holds(from, bytes)) return broken("a copy from what is no memory of the card");
  return queue(stream, [=] { memcpy(to, (void*)from, bytes); });
}

API CUresult cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* stream) {
  if (!holds(from, bytes) || !holds(to, bytes)) return broken("a copy between what is no memory of the card");
  return queue(stream, [=] { memcpy((void*)to, (void*)from, bytes); });
}

API CUresult cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void* stream) {
  if (!holds(to, count * 4)) return broken("memory is filled that the card does not have");
  return queue(stream, [=] { std::fill_n((unsigned*)to, count, value); });
}

API CUresult cuModuleLoadData(void** module, const void* image) {
  if (!current) return broken("the thread has no context");
  auto made = std::make_unique<Module>();
  const int status = load(made.get(), (const char*)image);
  *module = status == SUCCESS ? made.release() : nullptr;
  return status;
}

API CUresult cuModuleUnload(void* module) {
  if (!current) return broken("the thread has no context");
  Module* it = (Module*)module;
  if (it->queued > 0) give_up("a module is unloaded while a launch of it is queued");
  dlclose(it->object);
  delete it;
  return SUCCESS;
}

API CUresult cuModuleGetFunction(void** function, void* module, const char* name) {
  Module* it = (Module*)module;
  auto& made = it->functions[name];
  if (!made) made = std::make_unique<Function>(Function{it, (Entry)dlsym(it->object, name), name, it->words, {}});
  *function = made.get();
  return made->entry ? SUCCESS : broken(std::string("a module has no ") + name);
}

API CUresult cuLaunchKernel(void* function, unsigned blocks, unsigned y, unsigned z, unsigned threads, unsigned ty, unsigned tz, unsigned,
                            void* stream, void** params, void**) {
  if (y != 1 || z != 1 || ty != 1 || tz != 1) return broken("grids have one dimension here");
  if (blocks == 0 || threads == 0 || threads > 1024) return broken("a grid without threads, or a block with too many");
  Function* it = (Function*)function;
  const uint32_t* words = (const uint32_t*)params[0];
  std::vector<uint32_t> given(words, words + it->words);
  it->module->queued++;
  return queue(stream, [=] {
    std::lock_guard<std::mutex> guard(*it->turn);
    run(*it, blocks, threads, given.data());
    it->module->queued--;
  });
}

API CUresult cuGetErrorString(int status, const char** text) {
  *text = status == OUT_OF_MEMORY ? "out of memory" : trouble.c_str();
  return SUCCESS;
}

// ---- cuBLAS: matrices lie column after column, and sums go from the last product to the first ----

struct Cublas {
  void* stream = nullptr;
  uint64_t workspace = 0;
  int math = 0;
};

API int cublasCreate_v2(void** handle) { return *handle = new Cublas, 0; }

API int cublasDestroy_v2(void* handle) { return delete (Cublas*)handle, 0; }

API int cublasGetProperty(int what, int* value) { return *value = what == 0 ? 12 : 9, 0; }

API int cublasSetStream_v2(void* handle, void* stream) { return ((Cublas*)handle)->stream = stream, 0; }

API int cublasSetWorkspace_v2(void* handle, void* at, size_t bytes) {
  if (!holds((uint64_t)at, bytes)) return 7;
  return ((Cublas*)handle)->workspace = (uint64_t)at, 0;
}

API int cublasSetMathMode(void* handle, int mode) { return ((Cublas*)handle)->math = mode, 0; }

template <class T>
static int gemm(Cublas* it, int turn_a, int turn_b, int m, int n, int k, const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
  // Only what is asked of it: nothing turned over, all digits counted, and memory of its own.
  if (!it->stream || !it->workspace || it->math != 2 || turn_a || turn_b) return 15;
  if (m < 1 || n < 1 || k < 1 || lda < m || ldb < k || ldc < m) return 7;
  const auto bytes = [](long rows, long columns) { return (size_t)(rows * columns) * sizeof(T); };
  if (!holds((uint64_t)a, bytes(lda, k)) || !holds((uint64_t)b, bytes(ldb, n)) || !holds((uint64_t)c, bytes(ldc, n))) return 7;
  const T scale = *alpha, old = *beta;
  return queue(it->stream, [=] {
    for (long i = 0; i < m; i++) {
      for (long j = 0; j < n; j++) {
        T sum = 0;
        for (long l = k - 1; l >= 0; l--) sum += a[i + l * lda] * b[l + j * ldb];
        c[i + j * ldc] = scale * sum + (old == 0 ? 0 : old * c[i + j * ldc]);
      }
    }
  });
}

API int cublasSgemm_v2(void* handle, int turn_a, int turn_b, int m, int n, int k, const float* alpha, const float* a, int lda, const float* b, int ldb,
                       const float* beta, float* c, int ldc) {
  return gemm((Cublas*)handle, turn_a, turn_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

API int cublasDgemm_v2(void* handle, int turn_a, int turn_b, int m, int n, int k, const double* alpha, const double* a, int lda, const double* b, int ldb,
                       const double* beta, double* c, int ldc) {
  return gemm((Cublas*)handle, turn_a, turn_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// ---- NVRTC ----

API int nvrtcVersion(int* major, int* minor) { return *major = 12, *minor = 9, 0; }

API int nvrtcCreateProgram(void** program, const char* text, const char*, int, const char* const*, const char* const*) {
  *program = new std::string(text);
  return 0;
}

API int nvrtcCompileProgram(void*, int, const char* const*) { return 0; }

API int nvrtcDestroyProgram(void** program) { return delete (std::string*)*program, *program = nullptr, 0; }

API int nvrtcGetProgramLogSize(void*, size_t* size) { return *size = 1, 0; }

API int nvrtcGetProgramLog(void*, char* log) { return *log = 0, 0; }

API int nvrtcGetPTXSize(void*, size_t* size) { return *size = 1, 0; }

API int nvrtcGetPTX(void*, char* ptx) { return *ptx = 0, 0; }

API int nvrtcGetCUBINSize(void* program, size_t* size) { return *size = ((std::string*)program)->size() + 1, 0; }

API int nvrtcGetCUBIN(void* program, char* cubin) { return memcpy(cubin, ((std::string*)program)->c_str(), ((std::string*)program)->size() + 1), 0; }

API const char* nvrtcGetErrorString(int) { return "the stand-in refuses nothing"; }
