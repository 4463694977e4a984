//! Background compilation: a thread compiles kernels while the interpreter runs them.
//!
//! Whoever wants the code of a kernel before the thread has begun with it takes the job back, and compiles it beside others; a job that has begun is waited for.
//! There is one thread for the process. It begins with the first job, and sleeps while there are none. It also writes the code to the cache on disk, since the process may end
//! before anybody fetches it.
//!
//! LLVM's exit handlers take down what a compilation uses. Therefore a thread that has queued jobs takes back those that have not begun when it ends, and waits for the one in
//! progress. A thread ends, in this sense, when it calls `exit` or returns from `main`, too: destructors of its variables run before all exit handlers. (An exit handler
//! of ours would not do: LLVM registers some during compilations, and the last one registered runs first.)

use super::compile::compiled;
use super::kept::{Coded, Kept};
use crate::codegen;
use nestled_cache::Source;
use nestled_fork as fork;
use nestled_ir::Program;
use nestled_kernel::Plan;
use nestled_llvm::{CompileError, CompileOptions, Llvm};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// The result of a compilation; `None` without LLVM, if code generation does not support the kernel, or if the process ends.
pub(super) type Outcome = Result<Option<Coded>, CompileError>;

/// The longest time for which a thread that ends waits for a compilation.
const PATIENCE: Duration = Duration::from_secs(10);

/// A kernel to compile.
#[derive(Debug)]
pub(super) struct Task {
    pub program: Arc<Program>,
    pub plan: Arc<Plan>,
    pub options: CompileOptions,
    /// The cache key of its code.
    pub source: Source,
    /// The cache to which its code goes.
    pub kept: Arc<Kept>,
}

impl Task {
    fn run(&self) -> Outcome {
        let Ok(llvm) = Llvm::load() else { return Ok(None) };
        let Ok(generated) = codegen::write(&self.program, &self.plan) else { return Ok(None) };
        let Some(bytes) = compiled(&llvm, &generated.text, &self.options)? else { return Ok(None) };
        let code = Coded { tables: generated.tables, bytes };
        self.kept.put(&self.source, &code);
        Ok(Some(code))
    }
}

/// A task on its way.
#[derive(Debug)]
pub(super) struct Job {
    task: Task,
    /// The thread that queued it.
    thread: ThreadId,
    /// Number of forks when it was queued: a child has no thread that works on it.
    forks: usize,
    state: Mutex<State>,
    ended: Condvar,
    has_ended: AtomicBool,
}

#[derive(Debug)]
enum State {
    Queued,
    TakenBack,
    Begun,
    Ended(std::thread::Result<Outcome>),
}

impl Job {
    /// True if its result is there.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// Takes the job back; false if it has begun, and its result will come.
    pub(super) fn take_back(&self) -> bool {
        let mut state = fork::lock(&self.state);
        match *state {
            State::Queued => *state = State::TakenBack,
            State::TakenBack => {}
            State::Begun => return self.forks != fork::count(),
            State::Ended(_) => return false,
        }
        true
    }

    /// Waits for the result of a job that was not taken back; `None` if it was fetched before.
    pub(super) fn wait(&self) -> Option<Outcome> {
        let mut state = fork::lock(&self.state);
        while matches!(*state, State::Begun) {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match std::mem::replace(&mut *state, State::TakenBack) {
            State::Ended(outcome) => Some(outcome.unwrap_or_else(|panic| resume_unwind(panic))),
            State::Queued | State::TakenBack | State::Begun => None,
        }
    }

    /// True if the thread compiles it now, so that its code will come.
    pub(super) fn is_in_progress(&self) -> bool {
        matches!(*fork::lock(&self.state), State::Begun) && self.forks == fork::count()
    }

    fn begin(&self) -> bool {
        let mut state = fork::lock(&self.state);
        let is_queued = matches!(*state, State::Queued);
        if is_queued {
            *state = State::Begun;
        }
        is_queued
    }

    fn run(&self) {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.task.run()));
        *fork::lock(&self.state) = State::Ended(outcome);
        self.has_ended.store(true, Ordering::Release);
        self.ended.notify_all();
    }
}

/// The jobs that have not begun. Those that nobody wants any more are gone.
#[derive(Debug)]
struct Queue {
    jobs: VecDeque<Weak<Job>>,
    /// Number of forks when the thread was started, if it was.
    thread: Option<usize>,
    is_busy: bool,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue { jobs: VecDeque::new(), thread: None, is_busy: false });
/// Wakes the thread.
static MORE: Condvar = Condvar::new();
/// Wakes whoever waits for the end of the job in progress.
static IDLE: Condvar = Condvar::new();

/// Queues a task.
pub(super) fn submit(task: Task) -> Arc<Job> {
    let thread = ENDING.with(|ending| ending.0);
    fork::watch();
    let forks = fork::count();
    let job = Arc::new(Job {
        task,
        thread,
        forks,
        state: Mutex::new(State::Queued),
        ended: Condvar::new(),
        has_ended: AtomicBool::new(false),
    });
    let mut queue = fork::lock(&QUEUE);
    if queue.thread != Some(forks) {
        queue.jobs.clear();
        queue.is_busy = false;
        // Without a thread its kernels are compiled when they are wanted.
        let started = std::thread::Builder::new().name("nestled compiler".to_owned()).spawn(work);
        queue.thread = started.is_ok().then_some(forks);
    }
    queue.jobs.push_back(Arc::downgrade(&job));
    drop(queue);
    MORE.notify_one();
    job
}

/// True if the thread compiles now, so that a process that exits would wait.
pub fn compiles_in_background() -> bool {
    let queue = fork::lock(&QUEUE);
    queue.is_busy && queue.thread == Some(fork::count())
}

fn work() {
    let mut queue = fork::lock(&QUEUE);
    loop {
        queue.is_busy = false;
        IDLE.notify_all();
        let job = next(&mut queue);
        let Some(job) = job else {
            queue = wait(&MORE, queue);
            continue;
        };
        queue.is_busy = true;
        drop(queue);
        job.run();
        drop(job);
        queue = fork::lock(&QUEUE);
    }
}

fn next(queue: &mut Queue) -> Option<Arc<Job>> {
    loop {
        let job = queue.jobs.pop_front()?.upgrade();
        if let Some(job) = job.filter(|job| job.begin()) {
            return Some(job);
        }
    }
}

fn wait<'a>(condition: &Condvar, queue: MutexGuard<'a, Queue>) -> MutexGuard<'a, Queue> {
    condition.wait(queue).unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    static ENDING: Ending = Ending(std::thread::current().id());
}

/// Lives as long as a thread that has queued jobs.
struct Ending(ThreadId);

impl Drop for Ending {
    fn drop(&mut self) {
        let mut queue = fork::lock(&QUEUE);
        let jobs = queue.jobs.iter().filter_map(Weak::upgrade);
        jobs.filter(|job| job.thread == self.0).for_each(|job| _ = job.take_back());
        let start = Instant::now();
        while queue.is_busy && queue.thread == Some(fork::count()) && start.elapsed() < PATIENCE {
            let waited = IDLE.wait_timeout(queue, Duration::from_millis(100));
            (queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::config::CacheChoice;
    use crate::device::objects::Objects;
    use nestled_ir::KernelId;
    use nestled_kernel::Sizes;
    use std::process::Command;
    use std::thread::sleep;

    fn task() -> Task {
        task_kept_at(CacheChoice::Off)
    }

    fn task_kept_at(choice: CacheChoice) -> Task {
        let text =
            "kernel k<n>(xs: [n]f64) over n {\n  s = reduce { i => exp (sin xs[i]) } add\n  ret s\n}\n";
        let program = Arc::new(nestled_ir::text::parse("k.lcu", text).unwrap());
        let target = codegen::host(None);
        let plan = nestled_kernel::plan(&program, &program.kernels[0], &target, Sizes::default());
        let mut objects = Objects::new(choice, super::super::compile_options(&target));
        let source = objects.source(&program, KernelId::from(0), &target, Sizes::default());
        let options = objects.options().clone();
        Task { program, plan: Arc::new(plan), options, source, kept: objects.kept() }
    }

    /// A job's result is what compiling at once gives, and comes once.
    #[test]
    fn a_job_is_compiled_or_taken_back() {
        let now = task().run().unwrap();
        let job = submit(task());
        match job.take_back() {
            true => assert!(!job.begin(), "it is compiled in the background, too"),
            false => assert_eq!(job.wait().unwrap().unwrap(), now),
        }
        assert!(job.wait().is_none());
        let job = submit(task());
        while !job.has_ended() {
            sleep(Duration::from_millis(1));
        }
        assert!(!job.take_back());
        assert_eq!(job.wait().unwrap().unwrap(), now);
    }

    /// Another process finds code that was compiled and never fetched.
    #[test]
    fn code_that_nobody_fetches_is_kept() {
        let directory = std::env::temp_dir().join(format!("nestled-background-{}", std::process::id()));
        let task = task_kept_at(CacheChoice::At(directory.clone()));
        let (source, options) = (task.source.clone(), task.options.clone());
        let job = submit(task);
        let start = Instant::now();
        let mut is_found = false;
        while !is_found && start.elapsed() < PATIENCE {
            sleep(Duration::from_millis(1));
            is_found = Objects::new(CacheChoice::At(directory.clone()), options.clone()).knows(&source);
        }
        drop(job);
        std::fs::remove_dir_all(&directory).unwrap();
        assert!(is_found);
    }

    /// If set, the test below runs as the second process, which exits after so many milliseconds.
    const CHILD: &str = "NESTLED_TEST_BACKGROUND_CHILD";

    /// A process exits in good order in whatever state its compilations are.
    #[test]
    fn an_exit_waits_for_the_compilation_in_progress() {
        if let Some(after) = std::env::var_os(CHILD) {
            let jobs: Vec<Arc<Job>> = (0..20).map(|_| submit(task())).collect();
            sleep(Duration::from_millis(after.to_str().unwrap().parse().unwrap()));
            std::mem::forget(jobs);
            std::process::exit(7);
        }
        for after in ["0", "3", "10", "30", "60", "61", "62", "100", "150"] {
            let mut command = Command::new(std::env::current_exe().unwrap());
            let name = "device::background::tests::an_exit_waits_for_the_compilation_in_progress";
            let output = command.args(["--exact", name]).env(CHILD, after).output().unwrap();
            assert_eq!(
                output.status.code(),
                Some(7),
                "{after} ms: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}
