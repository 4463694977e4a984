//! Errors: the operation, the reason, and the caller's line.

use crate::shape::Shape;
use std::fmt;
use std::panic::Location;

/// An error of making or computing an array. It names the operation, the reason, and the line of the caller.
///
/// ```text
/// + at src/main.rs:12:15: the shapes [2, 3] and [2, 4] do not go together
/// ```
///
/// `{:?}` reads like `{}`, as that is what a `main` that returns an error prints.
#[derive(Clone, PartialEq)]
pub struct Error {
    parts: Box<Parts>,
}

#[derive(Clone, PartialEq)]
struct Parts {
    operation: &'static str,
    reason: Reason,
    place: Option<&'static Location<'static>>,
}

/// The kinds of errors.
///
/// ```
/// # use nestled_array::*;
/// let error = Array::<i32>::ones(&[2]).try_add(&Array::ones(&[3])).unwrap_err();
/// assert!(matches!(error.reason(), Reason::Shapes(..)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// Two shapes do not go together.
    Shapes(Shape, Shape),
    /// Arguments make no sense.
    Argument(String),
    /// Values were computed that must not be, such as an index out of range where the caller asked for a fault.
    Fault(String),
    /// The device has not enough memory. Arrays that were computed stay valid.
    OutOfMemory(String),
    /// The evaluation was [cancelled](crate::Engine::cancel). Arrays that were computed stay valid, and others can be computed again.
    Cancelled,
    /// The [deadline](crate::Engine::with_deadline) has passed; the same holds.
    Deadline,
    /// A file cannot be read or written.
    File(String),
    /// The device cannot do it, or is lost.
    Device(String),
    /// A bug in Nestled.
    Bug(String),
}

impl Error {
    /// An error of arguments.
    #[track_caller]
    pub(crate) fn new(operation: &'static str, message: impl Into<String>) -> Error {
        Error::of(operation, Reason::Argument(message.into()))
    }

    /// An error of arguments at the caller's place, for a crate that builds its operations on these.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert_eq!(Error::argument("pad", "no list here").operation(), "pad");
    /// ```
    #[track_caller]
    pub fn argument(operation: &'static str, message: impl Into<String>) -> Error {
        Error::new(operation, message)
    }

    /// An error of a file at the caller's place, for a crate that reads and writes files of its own.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert!(matches!(Error::file("read", "a.csv: no such file").reason(), Reason::File(_)));
    /// ```
    #[track_caller]
    pub fn file(operation: &'static str, message: impl Into<String>) -> Error {
        Error::of(operation, Reason::File(message.into()))
    }

    /// An error at the caller's place.
    #[track_caller]
    pub(crate) fn of(operation: &'static str, reason: Reason) -> Error {
        Error::at(operation, reason, Some(Location::caller()))
    }

    /// An error at a place that may be known.
    pub(crate) fn at(
        operation: &'static str,
        reason: Reason,
        place: Option<&'static Location<'static>>,
    ) -> Error {
        Error { parts: Box::new(Parts { operation, reason, place }) }
    }

    /// Sets the place to the caller's if none is known.
    #[track_caller]
    pub(crate) fn by_caller(mut self) -> Error {
        self.parts.place.get_or_insert(Location::caller());
        self
    }

    /// The reason: what is wrong.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let error = Array::try_new(vec![1, 2], &[3]).unwrap_err();
    /// assert!(!matches!(error.reason(), Reason::Bug(_)));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn reason(&self) -> &Reason {
        &self.parts.reason
    }

    /// The operation.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let error = Array::<i32>::ones(&[2]).try_add(&Array::ones(&[3])).unwrap_err();
    /// assert!(!error.operation().is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn operation(&self) -> &'static str {
        self.parts.operation
    }

    /// The line of the caller, where it is known.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let error = Array::<i32>::ones(&[2]).try_reshape(&[3]).unwrap_err();
    /// assert!(error.place().is_some());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn place(&self) -> Option<&'static Location<'static>> {
        self.parts.place
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.parts.operation)?;
        if let Some(place) = self.parts.place {
            write!(f, " at {place}")?;
        }
        match &self.parts.reason {
            Reason::Shapes(left, right) => write!(f, ": the shapes {left} and {right} do not go together"),
            Reason::Argument(message)
            | Reason::Fault(message)
            | Reason::OutOfMemory(message)
            | Reason::File(message)
            | Reason::Device(message) => write!(f, ": {message}"),
            Reason::Cancelled => f.write_str(": cancelled"),
            Reason::Deadline => f.write_str(": the deadline has passed"),
            Reason::Bug(message) => write!(f, ": a bug in Nestled: {message}"),
        }
    }
}

/// As [`Display`](fmt::Display).
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// A result of this crate.
///
/// ```
/// # use nestled_array::*;
/// fn total() -> Result<i64> {
///     Array::<i64>::range(4).sum().item()
/// }
/// assert_eq!(total()?, 6);
/// # Ok::<(), Error>(())
/// ```
pub type Result<T> = std::result::Result<T, Error>;

/// Returns the value, or panics with the error at the caller's line.
#[track_caller]
pub(crate) fn expect<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// Returns the value, or panics under the name of the operation that was called.
#[track_caller]
pub(crate) fn expect_of<T>(operation: &'static str, result: Result<T>) -> T {
    expect(result.map_err(|mut error| {
        error.parts.operation = operation;
        error
    }))
}
