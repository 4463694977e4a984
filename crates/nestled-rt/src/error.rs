//! Errors that end a run, or that prevent a program from being made ready for a device.

use crate::device::DeviceError;
use nestled_ir::interp::Fault;
use nestled_ir::{Diagnostic, Span};
use std::fmt;

/// Why a run ends without results. After any of these the executable may be run again, but for [`Error::Lost`].
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// The program faulted.
    Fault(Fault),
    /// The device has not enough memory. Nothing is lost: arguments and earlier results stay valid.
    OutOfMemory {
        /// Bytes requested.
        wanted: u64,
        /// Bytes free, where the device knows.
        free: Option<u64>,
        /// The value that they were wanted for.
        value: String,
        /// This program's values that hold most of the memory, the largest first.
        live: Vec<Live>,
        /// The statement that wanted them.
        span: Span,
    },
    /// A shape has more points than an extent can count.
    Points {
        /// The statement that makes or counts it, where known.
        span: Span,
    },
    /// Calls inside calls are too deep.
    Depth {
        /// Greatest number of nested calls.
        limit: usize,
        /// The function whose call exceeded the limit.
        function: String,
        /// The call that was one too many.
        span: Span,
    },
    /// The device cannot run this program.
    Unsupported {
        /// The unsupported feature.
        what: String,
        /// Advice to the user.
        help: String,
        /// The place in the program that needs it.
        span: Span,
    },
    /// The function does not exist, or its arguments have the wrong number, types or shapes; or another run is stopped in the middle of its work on the device.
    BadArgument(String),
    /// The run was [interrupted](nestled_ir::interp::Interrupt).
    Interrupted,
    /// The device does not answer any more.
    Lost(String),
    /// Something is wrong in Nestled.
    Bug(String),
}

/// Values of one name that lie on a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Live {
    /// The name, or a description in words.
    pub name: String,
    /// Number of values.
    pub count: usize,
    /// Their bytes together.
    pub bytes: u64,
}

/// `held at that moment: `xs` 800 bytes, 3 times `ys` 2400 bytes`
fn in_words(live: &[Live]) -> String {
    let one = |live: &Live| match live.count {
        1 => format!("`{}` {} bytes", live.name, live.bytes),
        count => format!("{count} times `{}` {} bytes", live.name, live.bytes),
    };
    format!("held at that moment: {}", live.iter().map(one).collect::<Vec<_>>().join(", "))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Fault(fault) => fault.kind.fmt(f),
            Error::OutOfMemory { wanted, free, value, .. } => {
                write!(f, "out of memory: ")?;
                match value.as_str() {
                    "" => write!(f, "an intermediate result takes {wanted} bytes")?,
                    value => write!(f, "`{value}` takes {wanted} bytes")?,
                }
                free.map_or(Ok(()), |free| write!(f, ", but {free} are free"))
            }
            Error::Points { .. } => write!(f, "a shape has too many points to count"),
            Error::Depth { limit, function, .. } => {
                write!(f, "`{function}` is called inside more than {limit} other calls")
            }
            Error::Unsupported { what, .. } => f.write_str(what),
            Error::BadArgument(message) => f.write_str(message),
            Error::Interrupted => f.write_str("interrupted"),
            Error::Lost(why) => write!(f, "the device is lost: {why}"),
            Error::Bug(what) => write!(f, "a bug in Nestled: {what}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<DeviceError> for Error {
    fn from(error: DeviceError) -> Error {
        match error {
            DeviceError::OutOfMemory { wanted, free } => {
                Error::OutOfMemory { wanted, free, value: String::new(), live: Vec::new(), span: Span::NONE }
            }
            DeviceError::Points => Error::Points { span: Span::NONE },
            DeviceError::Unsupported { what, help } => Error::Unsupported { what, help, span: Span::NONE },
            DeviceError::Interrupted => Error::Interrupted,
            DeviceError::Lost(why) => Error::Lost(why),
            DeviceError::Bug(what) => Error::Bug(what),
        }
    }
}

impl Error {
    /// The message with its place and help.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = self.to_string();
        match self {
            Error::Fault(fault) => fault.diagnostic(),
            Error::OutOfMemory { live, span, .. } => {
                let diagnostic = Diagnostic::new("R0102", message, *span);
                if live.is_empty() { diagnostic } else { diagnostic.label(Span::NONE, in_words(live)) }
            }
            Error::Points { span } => Diagnostic::new("R0104", message, *span),
            Error::Depth { span, .. } => Diagnostic::new("R0103", message, *span)
                .help("does a recursion never end? a call in tail position takes no room"),
            Error::Unsupported { help, span, .. } => {
                Diagnostic::new("R0202", message, *span).help(help.as_str())
            }
            Error::BadArgument(_) => Diagnostic::new("R0201", message, Span::NONE),
            Error::Interrupted => Diagnostic::new("R0106", message, Span::NONE),
            Error::Lost(_) => Diagnostic::new("R0203", message, Span::NONE),
            Error::Bug(_) => Diagnostic::new("R0301", message, Span::NONE),
        }
    }
}
