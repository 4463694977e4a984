//! A type-erased parallel `for`, as the workers see it: a closure whose type and lifetime are forgotten, and the slot that holds it.
#![allow(unsafe_code)] // A borrowed closure is lent to threads that outlive it.

/// A closure over chunks. The closure must stay alive until no thread will call [`Job::call`] any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    body: *const (),
    call: unsafe fn(*const (), usize),
    /// The number of chunks.
    pub(super) chunks: usize,
    /// The order in which threads take chunks.
    pub(super) order: Order,
}

/// The order in which threads take chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// The least chunk that no thread has taken.
    Least,
    /// A chunk of its own stretch, the same for each job of so many chunks; once it is used up, a chunk of another thread's (work stealing).
    Near,
}

// SAFETY: `new` takes only closures that are `Sync`, so a shared reference to them may go to other threads.
unsafe impl Send for Job {}

impl Job {
    pub(super) fn new<F: Fn(usize) + Sync>(body: &F, chunks: usize, order: Order) -> Job {
        Job { body: std::ptr::from_ref(body).cast(), call: call::<F>, chunks, order }
    }

    /// Runs one chunk.
    ///
    /// # Safety
    /// The closure that the job was made from is still alive.
    pub(super) unsafe fn call(&self, chunk: usize) {
        // SAFETY: `new` made `call` for the type that `body` points to; that it is alive is what our caller promises.
        unsafe { (self.call)(self.body, chunk) }
    }
}

/// # Safety
/// `body` points to an `F` that is alive.
unsafe fn call<F: Fn(usize) + Sync>(body: *const (), chunk: usize) {
    // SAFETY: our caller promises an `F` that is alive. It is `Sync`, so that this thread may call it while others do.
    let body = unsafe { &*body.cast::<F>() };
    body(chunk);
}

/// The place of the current job. Reading and writing must not overlap; the protocol in `work_stealing.rs` sees to it.
#[derive(Debug)]
pub(super) struct Slot(Cell);

#[cfg(not(all(test, loom)))]
type Cell = std::cell::UnsafeCell<Option<Job>>;
#[cfg(all(test, loom))]
type Cell = loom::cell::UnsafeCell<Option<Job>>;

// SAFETY: both methods leave it to their callers that no write overlaps with anything, and a `Job` may be sent.
unsafe impl Sync for Slot {}

impl Slot {
    pub(super) fn new() -> Slot {
        Slot(Cell::new(None))
    }

    /// # Safety
    /// No thread reads or writes at the same time.
    pub(super) unsafe fn write(&self, job: Job) {
        #[cfg(not(all(test, loom)))]
        // SAFETY: our caller promises that nobody reads or writes the place at the same time.
        unsafe {
            *self.0.get() = Some(job);
        }
        #[cfg(all(test, loom))]
        // SAFETY: our caller promises that nobody reads or writes the place at the same time; the checker fails the model where somebody does.
        self.0.with_mut(|place| unsafe { *place = Some(job) });
    }

    /// # Safety
    /// No thread writes at the same time, and something has been written.
    pub(super) unsafe fn read(&self) -> Job {
        #[cfg(not(all(test, loom)))]
        // SAFETY: our caller promises that nobody writes the place at the same time; a `Job` may be copied.
        let job = unsafe { *self.0.get() };
        #[cfg(all(test, loom))]
        // SAFETY: our caller promises that nobody writes the place at the same time; the checker fails the model where somebody does.
        let job = self.0.with(|place| unsafe { *place });
        job.expect("chunks are opened after the job is written")
    }
}
