//! Faults: what goes wrong inside of an operation, with the way down to the field; the operation that was called makes an error of it.

use nestled_array::Error;
use std::panic::Location;

/// The inner error of an operation.
pub(crate) enum Fault {
    /// Arguments do not fit; with the fields that lead there, innermost first.
    Argument(Vec<String>, String),
    /// An evaluation failed.
    Engine(Error),
}

/// An inner result.
pub(crate) type Outcome<T> = std::result::Result<T, Fault>;

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Engine(error)
    }
}

/// Arguments that do not fit.
pub(crate) fn fault<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Fault::Argument(Vec::new(), message.into()))
}

/// Says in which field something went wrong.
pub(crate) trait InField<T> {
    fn in_field(self, name: &str) -> Outcome<T>;
}

impl<T> InField<T> for Outcome<T> {
    fn in_field(self, name: &str) -> Outcome<T> {
        self.map_err(|fault| match fault {
            Fault::Argument(mut path, message) => {
                path.push(name.to_owned());
                Fault::Argument(path, message)
            }
            Fault::Engine(error) => Fault::Engine(error),
        })
    }
}

/// The error that the caller of an operation sees.
#[track_caller]
pub(crate) fn told<T>(operation: &'static str, outcome: Outcome<T>) -> nestled_array::Result<T> {
    match outcome {
        Ok(value) => Ok(value),
        Err(Fault::Engine(error)) => Err(error),
        Err(Fault::Argument(mut path, message)) if !path.is_empty() => {
            path.reverse();
            Err(Error::argument(operation, format!("field `{}`: {message}", path.join("."))))
        }
        Err(Fault::Argument(_, message)) => Err(Error::argument(operation, message)),
    }
}

/// The value, or a panic at the caller's line.
#[track_caller]
pub(crate) fn expect<T>(result: nestled_array::Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error} (called at {})", Location::caller()),
    }
}
