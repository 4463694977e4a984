//! Watching an executor: what it tells, and those who listen.
//!
//! An executor without a watcher does nothing but look whether there is one. With one, each call of the device is timed and told once it
//! is over. On a synchronous device the time of a launch is the time of the kernel; an asynchronous one only queues it, and the time that
//! the kernel takes shows up where the host next waits.

mod chrome;
mod counters;
mod event;
mod places;
mod profile;
mod table;

pub use chrome::ChromeTrace;
pub use counters::Counters;
pub(crate) use event::watched;
pub use event::{Event, SharedTrace, Trace, Watchers, When, Work};
pub use profile::Profile;
