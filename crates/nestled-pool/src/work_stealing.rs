//! Work stealing: the protocol by which the caller and the workers claim the chunks of a job.
//!
//! `open` is the number of unclaimed chunks. The caller writes the job, then opens its chunks. A thread claims one by
//! taking 1 from `open`, and *then* reads the job: as long as a claimed chunk is not reported done, the caller stays and the job lies
//! still. So there is no stale job to guard against, and no epoch is needed: a compare-and-swap that succeeds late, when the next
//! job has the same number of open chunks, claims a chunk of that next job.
//!
//! The order decides *which* chunk a claim runs. With [`Order::Least`] it is the least that is left. With [`Order::Near`] each thread has a stretch of the
//! chunks, and takes from it first: it meets the same data from job to job, which are then still in its own caches; afterwards it steals from other
//! stretches. Every claim finds a chunk, for there are never more claims than chunks, and a stretch that is used up stays so.
//!
//! A worker reports all chunks that it has run at once, when nothing is open. The caller waits until all chunks that it has not run itself are reported.
//!
//! Waking a sleeper only matters for speed: the caller runs every chunk that no worker claims.
#![allow(unsafe_code)] // Calls of the job's closure, whose lifetime is known only here.

use super::job::{Job, Order, Slot};
use super::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, Ordering, fence, spin, thread_local};
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

type Payload = Box<dyn Any + Send>;

/// `open` when the pool ends.
const CLOSED: usize = usize::MAX;
/// In `done`: the caller sleeps. The bits above count chunks.
const WAITING: usize = 1;

thread_local! {
    // The model's `thread_local` knows no `const`.
    #[allow(clippy::missing_const_for_thread_local)]
    static INSIDE: Cell<bool> = Cell::new(false);
}

/// True if this thread is running a chunk.
pub(super) fn inside() -> bool {
    INSIDE.with(Cell::get)
}

/// A cache line of its own (two, as processors fetch pairs), so that a thread that spins does not slow its neighbours down.
#[derive(Debug)]
#[repr(align(128))]
struct Line<T>(T);

/// The state shared by the caller and the workers.
#[derive(Debug)]
pub(super) struct Shared {
    /// Chunks that nobody has claimed, or [`CLOSED`].
    open: Line<AtomicUsize>,
    /// Twice the number of chunks that workers have done, plus [`WAITING`].
    done: Line<AtomicUsize>,
    sleepers: Line<AtomicUsize>,
    /// Number of chunks taken from each thread's stretch; more than there are, if some threads came in vain.
    taken: Box<[Line<AtomicUsize>]>,
    job: Slot,
    bed: Mutex<()>,
    wake: Condvar,
    desk: Mutex<()>,
    finished: Condvar,
    panicked: AtomicBool,
    /// Of the chunks that panicked the least, and its panic.
    panic: Mutex<Option<(usize, Payload)>>,
}

impl Shared {
    /// For at most so many threads.
    pub(super) fn new(threads: usize) -> Shared {
        Shared {
            open: Line(AtomicUsize::new(0)),
            done: Line(AtomicUsize::new(0)),
            sleepers: Line(AtomicUsize::new(0)),
            taken: (0..threads).map(|_| Line(AtomicUsize::new(0))).collect(),
            job: Slot::new(),
            bed: Mutex::new(()),
            wake: Condvar::new(),
            desk: Mutex::new(()),
            finished: Condvar::new(),
            panicked: AtomicBool::new(false),
            panic: Mutex::new(None),
        }
    }

    // The caller's side. One caller at a time: `Pool::busy`.

    /// Runs `body` for so many chunks, to the end of the last; gives the panic of the least chunk that panicked. Does not unwind.
    ///
    /// # Safety
    /// No other thread is in this function.
    pub(super) unsafe fn run<F: Fn(usize) + Sync>(
        &self,
        body: &F,
        chunks: usize,
        order: Order,
    ) -> Option<Payload> {
        let job = Job::new(body, chunks, order);
        assert!(job.chunks < usize::MAX >> 1, "the chunks can be counted");
        self.done.0.store(0, Ordering::Relaxed);
        if job.order == Order::Near {
            self.taken.iter().for_each(|taken| taken.0.store(0, Ordering::Relaxed));
        }
        // SAFETY: no other caller is here. The last job's chunks are all reported done, and a worker without a claim does not look here.
        unsafe { self.job.write(job) };
        self.open.0.store(job.chunks, Ordering::Release);
        self.wake_one();
        INSIDE.with(|inside| inside.set(true));
        let own = self.work(0);
        INSIDE.with(|inside| inside.set(false));
        self.wait_for(job.chunks - own);
        self.take_panic()
    }

    /// Waits until the workers have reported `chunks`.
    fn wait_for(&self, chunks: usize) {
        let reported = || self.done.0.load(Ordering::Acquire) >> 1 == chunks;
        if chunks == 0 || spin(reported) {
            return;
        }
        self.done.0.fetch_or(WAITING, Ordering::Relaxed);
        let mut guard = self.desk.lock().expect("nothing panics at the desk");
        while !reported() {
            guard = self.finished.wait(guard).expect("nothing panics at the desk");
        }
    }

    fn take_panic(&self) -> Option<Payload> {
        // Relaxed: the chunk that set it has been reported done, or was our own.
        if !self.panicked.load(Ordering::Relaxed) {
            return None;
        }
        self.panicked.store(false, Ordering::Relaxed);
        let panic = self.panic.lock().expect("nothing panics while it holds a panic").take();
        panic.map(|(_, payload)| payload)
    }

    /// Ends the pool. No job is under way.
    pub(super) fn close(&self) {
        self.open.0.store(CLOSED, Ordering::Release);
        let guard = self.bed.lock().expect("nothing panics in bed");
        self.wake.notify_all();
        drop(guard);
    }

    // The workers' side.

    /// The loop of a worker. The caller is thread 0.
    pub(super) fn serve(&self, thread: usize) {
        INSIDE.with(|inside| inside.set(true));
        loop {
            if !spin(|| self.open.0.load(Ordering::Relaxed) != 0) {
                self.sleep();
            }
            if self.open.0.load(Ordering::Relaxed) == CLOSED {
                return;
            }
            let ran = self.work(thread);
            if ran > 0 {
                self.report(ran);
            }
        }
    }

    fn sleep(&self) {
        let mut guard = self.bed.lock().expect("nothing panics in bed");
        self.sleepers.0.fetch_add(1, Ordering::Relaxed);
        // With the fence in `wake_one`: either we see the chunks that the caller opened, or the caller sees us.
        fence(Ordering::SeqCst);
        while self.open.0.load(Ordering::Relaxed) == 0 {
            guard = self.wake.wait(guard).expect("nothing panics in bed");
        }
        self.sleepers.0.fetch_sub(1, Ordering::Relaxed);
        drop(guard);
        if self.open.0.load(Ordering::Relaxed) > 1 {
            self.wake_one();
        }
    }

    /// Wakes a sleeper, if there is one. If the bed is locked, a worker is about to lie down or to get up: rather than wait for it (it
    /// may itself wait for a core), we do without.
    fn wake_one(&self) {
        fence(Ordering::SeqCst);
        if self.sleepers.0.load(Ordering::Relaxed) > 0 && self.bed.try_lock().is_ok() {
            self.wake.notify_one();
        }
    }

    fn report(&self, ran: usize) {
        let before = self.done.0.fetch_add(ran << 1, Ordering::Release);
        if before & WAITING != 0 {
            drop(self.desk.lock().expect("nothing panics at the desk"));
            self.finished.notify_one();
        }
    }

    // Both.

    /// Runs chunks until none is open, and says how many.
    fn work(&self, thread: usize) -> usize {
        let mut ran = 0;
        while let Some(open) = self.claim() {
            // SAFETY: we hold a chunk that is not reported done, so the caller neither writes a job nor leaves. `claim` has read from
            // the caller's store to `open`, which comes after the writing of the job.
            let job = unsafe { self.job.read() };
            let chunk = match job.order {
                Order::Least => job.chunks - open,
                Order::Near => self.near(thread, job.chunks),
            };
            // SAFETY: our chunk is not reported done, so that its caller is still in `run`, which borrows the closure.
            let result = catch_unwind(AssertUnwindSafe(|| unsafe { job.call(chunk) }));
            if let Err(payload) = result {
                self.keep_panic(chunk, payload);
            }
            ran += 1;
        }
        ran
    }

    /// Claims a chunk: the number of chunks that were open.
    fn claim(&self) -> Option<usize> {
        let open = &self.open.0;
        let take = |open: usize| (open != 0 && open != CLOSED).then(|| open - 1);
        open.fetch_update(Ordering::Acquire, Ordering::Relaxed, take).ok()
    }

    /// Takes a chunk for a thread that has claimed one.
    fn near(&self, thread: usize, chunks: usize) -> usize {
        let threads = self.taken.len();
        let begin = |thread: usize| chunks / threads * thread + (chunks % threads).min(thread);
        for other in (thread..threads).chain(0..thread) {
            let (from, to) = (begin(other), begin(other + 1));
            let taken = &self.taken[other].0;
            if from + taken.load(Ordering::Relaxed) < to {
                let chunk = from + taken.fetch_add(1, Ordering::Relaxed);
                if chunk < to {
                    return chunk;
                }
            }
        }
        unreachable!("as many chunks as claims")
    }

    fn keep_panic(&self, chunk: usize, payload: Payload) {
        let mut least = self.panic.lock().expect("nothing panics while it holds a panic");
        if least.as_ref().is_none_or(|(kept, _)| chunk < *kept) {
            let dropped = least.replace((chunk, payload));
            drop(least);
            // A payload may do anything when dropped; forget it rather than unwind here.
            std::mem::forget(dropped);
        } else {
            std::mem::forget(payload);
        }
        self.panicked.store(true, Ordering::Relaxed);
    }
}
