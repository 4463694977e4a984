//! Tracing: the events of an executor, and the watchers that receive them.
//!
//! Without a watcher an executor only checks that there is none. With one, each call of the device is timed and reported once it is over. On
//! a synchronous device the time of a launch is the time of the kernel. An asynchronous device only queues it, and the kernel's time shows
//! up where the host next waits.

mod chrome;
mod counters;
mod event;
mod places;
mod profile;
mod table;

pub use chrome::ChromeTrace;
pub use counters::Counters;
pub use event::{Event, SharedTrace, Trace, Watchers, When, Work};
pub(crate) use event::{awaited, watched};
pub use profile::Profile;
