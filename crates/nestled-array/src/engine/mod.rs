//! What computes arrays: a device, the plans that were made for it, and the data that lies on it.

mod batch;
mod config;
mod cuda_memory;
mod errors;
mod evaluation;
mod explain;
mod garbage;
mod guard;
mod hint;
mod inputs;
mod join;
mod kept;
mod open_devices;
mod plans;
mod routines;
mod run;
mod scheduler;
mod state;
mod steps;
mod ticket;
mod track;
mod watch;

pub use config::EngineConfig;
pub use cuda_memory::CudaMemory;
pub use evaluation::Evaluation;
pub use explain::Explanation;
pub(crate) use garbage::Garbage;
pub(crate) use join::{copies_parts, cut_at_copies};
pub(crate) use kept::Kept;

pub use plans::Counts;
pub(crate) use routines::Given;
pub use steps::ExplainedStep;

use crate::error::{Error, Reason, Result};
use crate::node::{Data, NodeRef, State as NodeState};
use crate::plan::Graph;
use nestled_devices::Commons;
use nestled_ir::value::Buffer;
use plans::Tally;
use scheduler::Scheduler;
use state::State;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock, Weak};
use std::thread::ThreadId;
use std::time::Instant;
use ticket::Ticket;
use track::Track;

/// What computes arrays. Clones are the same engine. Most programs never name one: each thread has a [current](Engine::current) engine, which is one for the whole
/// process unless it is told otherwise.
///
/// ```
/// # use nestled_array::*;
/// let engine = Engine::new(EngineConfig::default());
/// assert_eq!(engine.run(|| Array::<i64>::range(5).sum().item())?, 10);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    /// When evaluations that are asked for by this clone end.
    deadline: Option<Instant>,
}

struct Shared {
    config: EngineConfig,
    /// Threads and memory, from when they are first wanted.
    commons: OnceLock<Commons>,
    tally: Arc<Tally>,
    scheduler: Scheduler,
}

/// Something that can be evaluated: arrays of any type, in one list.
///
/// ```
/// # use nestled_array::*;
/// let (x, y) = (Array::<i32>::range(3), Array::<f64>::ones(&[2]) * 2.0);
/// Engine::current().eval(&[&x, &y])?;
/// assert!(x.is_ready() && y.is_ready());
/// # Ok::<(), Error>(())
/// ```
pub trait Evaluate {
    #[doc(hidden)]
    fn nodes(&self, into: &mut Vec<Handle>);
}

/// An opaque reference to a node of the graph.
///
/// ```
/// # use nestled_array::*;
/// let mut handles: Vec<Handle> = Vec::new();
/// Array::<i32>::range(3).nodes(&mut handles);
/// assert_eq!(handles.len(), 1);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Handle(pub(crate) NodeRef);

fn nodes(wanted: &[&dyn Evaluate]) -> Vec<NodeRef> {
    let mut handles = Vec::with_capacity(wanted.len());
    wanted.iter().for_each(|one| one.nodes(&mut handles));
    handles.into_iter().map(|handle| handle.0).collect()
}

/// An engine that goes when nobody else wants it.
pub(crate) struct WeakEngine(Weak<Shared>);

impl WeakEngine {
    /// Whether it is this one.
    pub fn is(&self, engine: &Engine) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&engine.shared))
    }

    /// Whether it is gone.
    pub fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }

    /// If it is still there, its tracks give something up.
    pub fn give_up(&self, garbage: Garbage) {
        if let Some(shared) = self.0.upgrade() {
            shared.scheduler.give_up(garbage);
        }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Engine>> = const { RefCell::new(None) };
}

static GLOBAL: OnceLock<Engine> = OnceLock::new();

impl Engine {
    /// An engine of its own. Its device is opened when it is first wanted; if that fails, evaluation says so.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let engine = Engine::new(EngineConfig { math: Math::Strict, ..EngineConfig::default() });
    /// assert!(engine.config().math == Math::Strict);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(config: EngineConfig) -> Engine {
        let scheduler = Scheduler::new(config.outlives_forks());
        let shared = Shared { config, commons: OnceLock::new(), tally: Arc::default(), scheduler };
        Engine { shared: Arc::new(shared), deadline: None }
    }

    /// An engine of its own, whose device is open.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let nowhere = EngineConfig::on(DeviceChoice::Wgpu(Some(1000)));
    /// assert!(matches!(Engine::try_new(nowhere).unwrap_err().reason(), Reason::Device(_)));
    /// ```
    ///
    /// # Errors
    /// There is no such device, or it does not open.
    pub fn try_new(config: EngineConfig) -> Result<Engine> {
        let engine = Engine::new(config);
        engine.device_name()?;
        Ok(engine)
    }

    /// The name of the device that computes; of the best one where each program goes to the first that has its types.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let engine = Engine::new(EngineConfig::on(DeviceChoice::Reference));
    /// assert_eq!(engine.device_name()?, "reference");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such device, or it does not open.
    pub fn device_name(&self) -> Result<String> {
        self.with(State::device_name)
    }

    /// The engine that this thread uses.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let engine = Engine::new(EngineConfig::default());
    /// engine.run(|| assert_eq!(Engine::current().counts().evaluations, 0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn current() -> Engine {
        let own = CURRENT.with(|current| current.borrow().clone());
        own.unwrap_or_else(|| GLOBAL.get_or_init(|| Engine::new(EngineConfig::default())).clone())
    }

    /// Runs a closure with this engine as that of the thread.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let engine = Engine::new(EngineConfig::default());
    /// assert_eq!(engine.run(|| Array::<i64>::ones(&[7]).sum().item())?, 7);
    /// assert_eq!(engine.counts().evaluations, 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn run<R>(&self, action: impl FnOnce() -> R) -> R {
        struct Restore(Option<Engine>);
        impl Drop for Restore {
            fn drop(&mut self) {
                let before = self.0.take();
                CURRENT.with(|current| *current.borrow_mut() = before);
            }
        }
        let _restore = Restore(CURRENT.with(|current| current.borrow_mut().replace(self.clone())));
        action()
    }

    /// How it behaves.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert!(Engine::current().config().fuse);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn config(&self) -> &EngineConfig {
        &self.shared.config
    }

    /// What this engine has done.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let engine = Engine::new(EngineConfig::default());
    /// for x in [1.0, 2.0, 3.0] {
    ///     engine.run(|| (Array::from_vec(vec![x]) * 2.0).to_vec())?;
    /// }
    /// assert_eq!(engine.counts().evaluations, 3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn counts(&self) -> Counts {
        self.shared.tally.counts()
    }

    /// Computes arrays together: what they share is computed once.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::<f64>::range(5);
    /// let (sum, product) = ((&x + 1.0).sum(), (&x + 1.0).product());
    /// Engine::current().eval(&[&sum, &product])?;
    /// assert_eq!((sum.item()?, product.item()?), (15.0, 120.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Faults, and lack of memory; arrays that were computed stay valid.
    pub fn eval(&self, wanted: &[&dyn Evaluate]) -> Result<()> {
        self.eval_nodes(&nodes(wanted))
    }

    /// Ends all evaluations on this engine that are under way, in whatever thread: they give [`Reason::Cancelled`]. Those that begin later are not
    /// concerned, and arrays that could not be computed can be computed again.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let engine = Engine::current();
    /// engine.cancel();
    /// assert_eq!(Array::<i64>::range(5).sum().item()?, 10);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cancel(&self) {
        self.shared.scheduler.cancel();
    }

    /// Ends all evaluations on this engine that a thread has asked for, and all that it asks for from now on, until [`resume_thread`](Engine::resume_thread): they give
    /// [`Reason::Cancelled`]. Those of other threads go on.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let (engine, own) = (Engine::current(), std::thread::current().id());
    /// engine.stop_thread(own);
    /// assert_eq!(*Array::<i64>::range(5).sum().item().unwrap_err().reason(), Reason::Cancelled);
    /// engine.resume_thread(own);
    /// assert_eq!(Array::<i64>::range(5).sum().item()?, 10);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn stop_thread(&self, thread: ThreadId) {
        self.shared.scheduler.stop(thread);
    }

    /// Lets a thread go on that was stopped by [`stop_thread`](Engine::stop_thread).
    ///
    /// ```
    /// # use nestled_array::*;
    /// Engine::current().resume_thread(std::thread::current().id());
    /// ```
    pub fn resume_thread(&self, thread: ThreadId) {
        self.shared.scheduler.resume(thread);
    }

    /// The same engine, but evaluations that are asked for through this clone end at an instant, with [`Reason::Deadline`].
    ///
    /// ```
    /// # use nestled_array::*;
    /// use std::time::{Duration, Instant};
    /// let engine = Engine::current().with_deadline(Instant::now() + Duration::from_secs(60));
    /// assert_eq!(engine.run(|| Array::<i64>::range(5).sum().item())?, 10);
    /// let late = Engine::current().with_deadline(Instant::now());
    /// let error = late.run(|| Array::<i64>::range(5).sum().item()).unwrap_err();
    /// assert_eq!(*error.reason(), Reason::Deadline);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn with_deadline(&self, deadline: Instant) -> Engine {
        Engine { deadline: Some(deadline), ..self.clone() }
    }

    /// Gives memory back to the system that nothing lies in, and kernels on GPUs that no plan needs. Without that what was in use lately is kept, so that the next evaluation need not ask for it; it goes
    /// back some seconds after its last use.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::<f64>::range(100_000).sqrt();
    /// assert!(x.sum().item()? > 0.0);
    /// drop(x);
    /// Engine::current().trim();
    /// # Ok::<(), Error>(())
    /// ```
    pub fn trim(&self) {
        self.shared.scheduler.for_each_free(|track| track.state().release());
        if let Some(commons) = self.shared.commons.get() {
            commons.trim();
        }
    }

    /// Bytes of the machine's memory that arrays of this engine and its evaluations have taken from the system, what is kept for the next ones included. Memory
    /// of GPUs does not count.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Engine::new(EngineConfig::default()).memory_held(), 0);
    /// ```
    pub fn memory_held(&self) -> u64 {
        self.shared.commons.get().map_or(0, Commons::bytes_held)
    }

    /// Compiled kernels that GPUs hold for this engine: those of plans, and some that no plan needs any more, which [`trim`](Engine::trim) gives back.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Engine::new(EngineConfig::default()).kernels_held(), 0);
    /// ```
    pub fn kernels_held(&self) -> usize {
        self.shared.commons.get().map_or(0, Commons::modules_held)
    }

    /// Waits until the device has done all that it was given: GPUs go on by themselves, and only who asks for data, or measures, waits.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let start = std::time::Instant::now();
    /// let x = Array::<f32>::uniform(&[1000], 7);
    /// x.eval()?;
    /// Engine::current().wait()?;
    /// println!("{:?}", start.elapsed());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The device is lost.
    pub fn wait(&self) -> Result<()> {
        self.with(State::wait)
    }

    pub(crate) fn eval_nodes(&self, nodes: &[NodeRef]) -> Result<()> {
        self.eval_by(nodes, &self.ticket())
    }

    /// An evaluation that begins now.
    fn ticket(&self) -> Ticket {
        Ticket::new(self.deadline, self.shared.scheduler.cancels())
    }

    pub(crate) fn fetch_node(&self, node: &NodeRef) -> Result<Arc<Buffer>> {
        self.eval_nodes(std::slice::from_ref(node))?;
        match node.state() {
            NodeState::Ready(Data::Scalar(scalar)) => {
                Ok(Arc::new(Buffer::from_scalars(scalar.ty(), &[scalar])))
            }
            NodeState::Ready(Data::Host(buffer)) => Ok(buffer),
            NodeState::Ready(Data::Device(resident)) => kept::read(&resident),
            NodeState::Lazy(_) => {
                Err(Error::at("fetch", Reason::Bug("a node was not computed".to_owned()), Some(node.place)))
            }
        }
    }

    /// Packs the elements of arrays where a mask holds: their number is data, so they are computed at once.
    pub(crate) fn pack(&self, mut graph: Graph) -> Result<(usize, Kept)> {
        self.bring(&mut graph)?;
        self.with(|state| state.pack(&graph))
    }

    /// Uses the state of a track.
    pub(crate) fn with<R>(&self, action: impl FnOnce(&mut State) -> Result<R>) -> Result<R> {
        self.with_by(&self.ticket(), action)
    }

    fn with_by<R>(&self, ticket: &Ticket, action: impl FnOnce(&mut State) -> Result<R>) -> Result<R> {
        let Shared { config, commons, tally, scheduler } = &*self.shared;
        let commons = commons.get_or_init(|| config.commons());
        let make = |number| Track::new(number, |interrupt| State::new(config, commons, interrupt, tally));
        let mut taken = scheduler.take(ticket, make)?;
        let state = taken.track().state();
        let known = state.outlives_forks().is_some();
        let outcome = action(state);
        tally.interpreted(state.newly_interpreted());
        let learnt = !known && state.outlives_forks() == Some(true);
        drop(taken);
        if learnt {
            scheduler.outlive_forks();
        }
        outcome.map_err(|error| ticket.explained(error, scheduler.cancels()))
    }

    /// It, for those who do not keep it.
    pub(crate) fn downgrade(&self) -> WeakEngine {
        WeakEngine(Arc::downgrade(&self.shared))
    }
}

impl Default for Engine {
    /// That of the thread.
    fn default() -> Engine {
        Engine::current()
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("config", &self.shared.config).finish_non_exhaustive()
    }
}
