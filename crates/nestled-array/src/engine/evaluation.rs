//! Evaluation as a future, for any executor: it needs no runtime.

use super::ticket::Ticket;
use super::{Engine, Evaluate};
use crate::error::{Error, Reason, Result};
use nestled_fork as fork;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// An evaluation under way in a thread of its own; see [`Engine::eval_async`]. Dropped before its end, it is cancelled.
///
/// ```
/// # use nestled_array::*;
/// let x = Array::<i64>::range(100).sum();
/// let evaluation: Evaluation = Engine::current().eval_async(&[&x]);
/// assert!(evaluation.wait().is_ok() && x.is_ready());
/// ```
#[must_use = "an evaluation that is dropped is cancelled"]
pub struct Evaluation {
    engine: Engine,
    ticket: Arc<Ticket>,
    progress: Arc<Progress>,
    forks: usize,
}

#[derive(Default)]
struct Progress {
    inner: Mutex<Inner>,
    ended: std::sync::Condvar,
}

#[derive(Default)]
struct Inner {
    outcome: Option<Result<()>>,
    waker: Option<Waker>,
}

impl Progress {
    fn end(&self, outcome: Result<()>) {
        let mut inner = fork::lock(&self.inner);
        inner.outcome = Some(outcome);
        let waker = inner.waker.take();
        drop(inner);
        self.ended.notify_all();
        waker.into_iter().for_each(Waker::wake);
    }
}

impl Engine {
    /// Begins to compute arrays, in another thread, and gives a future that is ready when they are. Any executor can wait for it. Arrays that are not wanted any
    /// more need not be computed: when the future is dropped, the evaluation ends.
    ///
    /// ```
    /// # use nestled_array::*;
    /// # use std::{future::Future, task::{Context, Waker}};
    /// let x = Array::<i64>::range(100).sum();
    /// let mut evaluation = std::pin::pin!(Engine::current().eval_async(&[&x]));
    /// let mut context = Context::from_waker(Waker::noop());
    /// while evaluation.as_mut().poll(&mut context).is_pending() {
    ///     std::thread::yield_now();
    /// }
    /// assert_eq!(x.item()?, 4950);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn eval_async(&self, wanted: &[&dyn Evaluate]) -> Evaluation {
        let nodes = super::nodes(wanted);
        let (engine, ticket, progress) = (self.clone(), Arc::new(self.ticket()), Arc::<Progress>::default());
        let evaluation = Evaluation {
            engine: engine.clone(),
            ticket: Arc::clone(&ticket),
            progress: Arc::clone(&progress),
            forks: fork::count(),
        };
        let end = Arc::clone(&progress);
        let body = move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| engine.eval_by(&nodes, &ticket)));
            // What the evaluation held goes before anybody is told.
            drop((nodes, engine));
            let bug = || Err(Error::at("eval", Reason::Bug("an evaluation panicked".to_owned()), None));
            end.end(outcome.unwrap_or_else(|_| bug()));
        };
        if let Err(why) = std::thread::Builder::new().name("nestled-eval".to_owned()).spawn(body) {
            progress.end(Err(Error::at(
                "eval",
                Reason::Device(format!("no thread can be started: {why}")),
                None,
            )));
        }
        evaluation
    }
}

impl Evaluation {
    /// Waits for its end.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::<i64>::range(100).sum();
    /// Engine::current().eval_async(&[&x]).wait()?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Engine::eval`].
    pub fn wait(self) -> Result<()> {
        self.alive()?;
        let mut inner = fork::lock(&self.progress.inner);
        loop {
            if let Some(outcome) = &inner.outcome {
                return outcome.clone();
            }
            inner = self.progress.ended.wait(inner).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    /// An error in a child of the process whose thread computes.
    fn alive(&self) -> Result<()> {
        if self.forks == fork::count() {
            return Ok(());
        }
        let why = "the evaluation goes on in the process that this one was forked from";
        Err(Error::at("eval", Reason::Device(why.to_owned()), None))
    }
}

impl Future for Evaluation {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Evaluation>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        if let Err(error) = self.alive() {
            return Poll::Ready(Err(error));
        }
        let mut inner = fork::lock(&self.progress.inner);
        match &inner.outcome {
            Some(outcome) => Poll::Ready(outcome.clone()),
            None => {
                inner.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Evaluation {
    fn drop(&mut self) {
        if self.alive().is_ok() && fork::lock(&self.progress.inner).outcome.is_none() {
            self.engine.shared.scheduler.cancel_one(&self.ticket);
        }
    }
}

impl std::fmt::Debug for Evaluation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluation").finish_non_exhaustive()
    }
}
