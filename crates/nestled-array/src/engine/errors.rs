//! What the runtime says is wrong, as errors of arrays.

use crate::error::{Error, Reason};

/// An error that no operation is to blame for.
pub fn plain(error: &nestled_rt::Error) -> Error {
    Error::at("eval", reason(error), None)
}

/// Why, in the words of arrays.
pub fn reason(error: &nestled_rt::Error) -> Reason {
    use nestled_rt::Error as Rt;
    let text = error.to_string();
    match error {
        Rt::Fault(_) => Reason::Fault(text),
        Rt::OutOfMemory { live, .. } => {
            let held: Vec<String> = live.iter().map(|live| format!("{} bytes", live.bytes)).collect();
            let held = if held.is_empty() { String::new() } else { format!("; held: {}", held.join(", ")) };
            Reason::OutOfMemory(format!("{text}{held}"))
        }
        Rt::Points { .. } => Reason::OutOfMemory(text),
        Rt::Interrupted => Reason::Cancelled,
        Rt::Depth { .. } | Rt::Unsupported { .. } | Rt::Lost(_) => Reason::Device(text),
        Rt::BadArgument(_) | Rt::Bug(_) => Reason::Bug(text),
    }
}
