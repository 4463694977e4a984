//! Errors that end a run: faults, exceeded limits, violated proofs, bad arguments, interruption.

use crate::diagnostic::Diagnostic;
use crate::id::SiteId;
use crate::name::Name;
use crate::program::Program;
use crate::span::{SourceMap, Span};
use crate::value::Coordinates;
use std::fmt;

/// Why a run ends without results. Displayed it is the message alone; [`Error::render`] adds the place.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// The program faulted.
    Fault(Fault),
    /// The run would have taken more than it may.
    Limit {
        /// The exceeded limit.
        limit: Limit,
        /// The place in the source that exceeded it.
        span: Span,
    },
    /// The program breaks a promise of its producer: a *proved* rule is violated, or shapes that should be equal are not.
    Bug {
        /// The violated promise, in words.
        message: String,
        /// The place in the source where it was detected.
        span: Span,
    },
    /// The function does not exist, or its arguments have the wrong number, types or shapes.
    BadArgument(String),
    /// The run was [interrupted](super::Interrupt).
    Interrupted,
}

/// A fault: a run-time error of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The fault site.
    pub site: SiteId,
    /// At which point: the position among the points of the level. In host code, the number of the segment, or 0.
    pub element: u64,
    /// The coordinates of the point, where they are known.
    pub point: Coordinates,
    /// The kind of fault, with its details.
    pub kind: FaultKind,
    /// The source place of the site.
    pub span: Span,
}

/// The kind of a fault, with its details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An index is outside of an axis.
    OutOfRange {
        /// The index.
        index: i64,
        /// Number of entries along the axis.
        extent: u64,
        /// The name of the indexed array; may be empty.
        array: Name,
    },
    /// A `check` does not hold.
    Check {
        /// Its code.
        code: Name,
    },
    /// An extent or a length is negative.
    Negative {
        /// The value.
        value: i64,
    },
    /// Shapes that should be equal are not.
    Unequal {
        /// One, in words.
        left: String,
        /// The other one.
        right: String,
    },
    /// A point of a scatter's destination is written more than once.
    Collision {
        /// The position of the point.
        destination: u64,
    },
    /// The class of a point of a `partition` does not exist.
    Class {
        /// The class.
        class: i64,
        /// Number of classes.
        classes: u64,
    },
    /// A segment of a view is not inside its buffer.
    Segment {
        /// Position in the buffer at which it starts.
        start: i64,
        /// Its length, in elements.
        length: u64,
        /// Length of the buffer, in elements.
        extent: u64,
    },
}

/// A limit that a run exceeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// More steps than it may take.
    Steps {
        /// Number of steps it may take.
        limit: u64,
    },
    /// More memory than it may hold.
    Bytes {
        /// Bytes requested at once.
        wanted: u64,
        /// Bytes the run may hold in all.
        limit: u64,
    },
    /// More calls inside calls than there may be.
    Depth {
        /// The function that is called too deeply.
        function: Name,
        /// Greatest number of nested calls.
        limit: usize,
    },
    /// A shape has more than 2⁶³ − 1 points.
    Points,
    /// Blocks and calls of thunks nest too deeply.
    Nesting {
        /// Greatest nesting depth.
        limit: usize,
    },
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::OutOfRange { index, extent, array } => {
                write!(f, "index {index} is out of range")?;
                match (array.is_empty(), extent) {
                    (true, 1) => write!(f, ": there is 1 entry"),
                    (true, _) => write!(f, ": there are {extent} entries"),
                    (false, 1) => write!(f, ": `{array}` has 1 entry here"),
                    (false, _) => write!(f, ": `{array}` has {extent} entries here"),
                }
            }
            FaultKind::Check { code } => write!(f, "check \"{}\" failed", code.escape_debug()),
            FaultKind::Negative { value } => write!(f, "negative length {value}"),
            FaultKind::Unequal { left, right } => write!(f, "unequal shapes: {left} and {right}"),
            FaultKind::Collision { destination } => {
                write!(f, "collision: place {destination} of the result is written more than once")
            }
            FaultKind::Class { class, classes } => {
                write!(f, "class {class} is out of range: there are {classes} classes")
            }
            FaultKind::Segment { start, length, extent } => {
                write!(
                    f,
                    "segment out of range: it starts at {start} and has {length} elements, but the buffer has {extent}"
                )
            }
        }
    }
}

impl FaultKind {
    /// The code of its message.
    pub fn code(&self) -> &'static str {
        match self {
            FaultKind::OutOfRange { .. } => "R0001",
            FaultKind::Check { .. } => "R0002",
            FaultKind::Negative { .. } => "R0003",
            FaultKind::Unequal { .. } => "R0004",
            FaultKind::Collision { .. } => "R0005",
            FaultKind::Class { .. } => "R0006",
            FaultKind::Segment { .. } => "R0007",
        }
    }
}

impl Fault {
    /// A fault of a site of a program.
    pub fn new(program: &Program, site: SiteId, element: u64, kind: FaultKind) -> Fault {
        let span = program.sites.get(site.index()).copied().unwrap_or(Span::NONE);
        Fault { site, element, point: Coordinates::default(), kind, span }
    }

    /// The message with its place and the point.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::new(self.kind.code(), self.kind.to_string(), self.span);
        if self.point.0.is_empty() { diagnostic } else { diagnostic.here(format!("at point {}", self.point)) }
    }

    /// True if this fault has precedence over the other: the lesser site, then the lesser point.
    pub fn comes_before(&self, other: &Fault) -> bool {
        (self.site, self.element) < (other.site, other.element)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Steps { limit } => write!(f, "the limit of {limit} steps is used up"),
            Limit::Bytes { wanted, limit } => {
                write!(f, "{wanted} bytes more would exceed the limit of {limit} bytes of memory")
            }
            Limit::Depth { function, limit } => {
                write!(f, "`{function}` is called inside more than {limit} other calls")
            }
            Limit::Points => write!(f, "a shape has too many points to count"),
            Limit::Nesting { limit } => write!(f, "thunks nest more than {limit} deep"),
        }
    }
}

impl Limit {
    /// The code of its message.
    pub fn code(&self) -> &'static str {
        match self {
            Limit::Steps { .. } => "R0101",
            Limit::Bytes { .. } => "R0102",
            Limit::Depth { .. } => "R0103",
            Limit::Points => "R0104",
            Limit::Nesting { .. } => "R0105",
        }
    }

    fn help(&self) -> Option<&'static str> {
        match self {
            Limit::Steps { .. } => Some("does a loop never end?"),
            Limit::Depth { .. } => Some("does a recursion never end? a call in tail position takes no room"),
            Limit::Bytes { .. } | Limit::Points | Limit::Nesting { .. } => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Fault(fault) => fault.kind.fmt(f),
            Error::Limit { limit, .. } => limit.fmt(f),
            Error::Bug { message, .. } => write!(f, "a bug in what made the program: {message}"),
            Error::BadArgument(message) => f.write_str(message),
            Error::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// The same error, at a place if it has none yet.
    pub(super) fn at(mut self, place: Span) -> Error {
        match &mut self {
            Error::Limit { span, .. } | Error::Bug { span, .. } if !span.is_known() => *span = place,
            Error::Limit { .. }
            | Error::Bug { .. }
            | Error::Fault(_)
            | Error::BadArgument(_)
            | Error::Interrupted => {}
        }
        self
    }

    /// The message with its place.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = self.to_string();
        match self {
            Error::Fault(fault) => fault.diagnostic(),
            Error::Limit { limit, span } => {
                let diagnostic = Diagnostic::new(limit.code(), message, *span);
                limit.help().into_iter().fold(diagnostic, Diagnostic::help)
            }
            Error::Bug { span, .. } => Diagnostic::new("R0301", message, *span),
            Error::BadArgument(_) => Diagnostic::new("R0201", message, Span::NONE),
            Error::Interrupted => Diagnostic::new("R0106", message, Span::NONE),
        }
    }

    /// The message with the line of the source that it is about.
    pub fn render(&self, sources: &SourceMap) -> String {
        self.diagnostic().render(sources)
    }
}
