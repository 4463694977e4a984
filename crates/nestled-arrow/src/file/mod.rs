//! Files of tables: one format each behind the trait [`Table`](table::Table), and what users read and write them with.

mod ahead;
#[cfg(feature = "parquet")]
mod bounds;
mod cells;
mod csv;
mod format;
#[cfg(feature = "parquet")]
mod headers;
#[cfg(feature = "ipc")]
mod ipc;
#[cfg(feature = "ipc")]
mod ipc_sizes;
#[cfg(feature = "ipc")]
mod ipc_zstd;
mod json;
mod json_text;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod positioned;
mod progress;
mod scan;
mod stream;
mod summary;
mod table;
mod times;
#[cfg(any(feature = "parquet", feature = "ipc"))]
mod unpack;
mod write;

pub use format::Format;
pub use progress::Progress;
pub use scan::{Mapped, Pieces, Scan, read, scan, scan_with_progress};
pub use write::{Writer, write};
