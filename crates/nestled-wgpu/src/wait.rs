//! Waiting for futures that wgpu resolves at once.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// The result of a future that needs nobody else to make progress.
pub fn wait<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        std::thread::yield_now();
    }
}
