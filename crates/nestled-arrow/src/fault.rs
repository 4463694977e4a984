//! Faults: what goes wrong in a column, with the way down to it; the operation that was called makes an error of it.

use arrow_schema::ArrowError;
use nestled_array::Error;

/// The inner error of an operation.
pub(crate) enum Fault {
    /// Something outside is wrong; with the columns that lead there, innermost first.
    Outside(Vec<String>, String),
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

impl From<ArrowError> for Fault {
    fn from(error: ArrowError) -> Fault {
        Fault::Outside(Vec::new(), error.to_string())
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Fault {
        Fault::Outside(Vec::new(), error.to_string())
    }
}

/// Something outside is wrong.
pub(crate) fn fault<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Fault::Outside(Vec::new(), message.into()))
}

/// Says in which column something went wrong.
pub(crate) trait InColumn<T> {
    fn in_column(self, name: &str) -> Outcome<T>;
}

impl<T> InColumn<T> for Outcome<T> {
    fn in_column(self, name: &str) -> Outcome<T> {
        self.map_err(|fault| match fault {
            Fault::Outside(mut path, message) => {
                path.push(name.to_owned());
                Fault::Outside(path, message)
            }
            Fault::Engine(error) => Fault::Engine(error),
        })
    }
}

impl Fault {
    /// The message, with the column that it is about.
    fn message(path: &mut [String], message: &str) -> String {
        path.reverse();
        match path {
            [] => message.to_owned(),
            path => format!("column `{}`: {message}", path.join(".")),
        }
    }
}

/// The error that the caller of an operation sees.
#[track_caller]
pub(crate) fn told<T>(operation: &'static str, outcome: Outcome<T>) -> nestled_array::Result<T> {
    match outcome {
        Ok(value) => Ok(value),
        Err(Fault::Engine(error)) => Err(error),
        Err(Fault::Outside(mut path, message)) => {
            Err(Error::argument(operation, Fault::message(&mut path, &message)))
        }
    }
}

/// As [`told`], of a file.
#[track_caller]
pub(crate) fn told_of<T>(
    operation: &'static str,
    path: &std::path::Path,
    outcome: Outcome<T>,
) -> nestled_array::Result<T> {
    match outcome {
        Ok(value) => Ok(value),
        Err(Fault::Engine(error)) => Err(error),
        Err(Fault::Outside(mut columns, message)) => {
            let message = Fault::message(&mut columns, &message);
            Err(Error::file(operation, format!("{}: {message}", path.display())))
        }
    }
}

/// Runs code of others on bytes of others: where it panics, that is an error of the bytes.
pub(crate) fn guarded<T>(action: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(action)) {
        Ok(outcome) => outcome,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a reader gave up");
            fault(format!("it is malformed: {text}"))
        }
    }
}
