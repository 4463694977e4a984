//! Functions in NESL whose types are known at run time only.

use super::dynamic::NeslDatum;
use super::{Nesl, NeslRoutine, NeslType};
use crate::error::{Error, Reason, Result};

impl Nesl {
    /// A function of the text, for arguments of types that are known at run time. Unions are the datatypes that the function takes in their places, and
    /// [`arguments`](NeslRoutine::arguments) says which.
    ///
    /// ```
    /// use nestled_array::{Nesl, NeslDatum, NeslType};
    /// let next = Nesl::compile("function next(n) = n + 1;")?.routine("next", &[NeslType::Int])?;
    /// assert!(matches!(next.call(&[NeslDatum::Int(41)])?, NeslDatum::Int(42)));
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such function, it is for others, nothing tells which datatype a union is, or it may hold itself; or the function acts on the world.
    #[track_caller]
    pub fn routine(&self, name: &str, arguments: &[NeslType]) -> Result<NeslRoutine> {
        let routine = NeslRoutine::new(self, name, arguments)?;
        if let Some(ty) = routine.arguments().iter().chain([routine.result()]).find(|ty| ty.holds_itself()) {
            let message = format!(
                "`{ty}` may hold itself: its values are trees, which only functions with types in Rust take and give (`nesl!`)"
            );
            return Err(Error::new("nesl", message));
        }
        Ok(routine)
    }
}

impl NeslRoutine {
    /// Calls the function; at once or as a part of the graph, as [`NeslFunction::call`](super::NeslFunction::call).
    ///
    /// ```
    /// use nestled_array::{Nesl, NeslDatum, NeslType};
    /// let next = Nesl::compile("function next(n) = n + 1;")?.routine("next", &[NeslType::Int])?;
    /// assert!(next.call(&[NeslDatum::Float(0.5)]).is_err());
    /// # Ok::<(), nestled_array::Error>(())
    /// ```
    ///
    /// # Errors
    /// The arguments are of other types, or columns that belong together differ in length; faults of the program, and those of evaluation.
    #[track_caller]
    pub fn call(&self, arguments: &[NeslDatum]) -> Result<NeslDatum> {
        let given: Vec<NeslType> = arguments.iter().map(NeslDatum::value_type).collect();
        if given != self.arguments() {
            let listed = |types: &[NeslType]| {
                let texts: Vec<String> = types.iter().map(NeslType::to_string).collect();
                texts.join(", ")
            };
            let message =
                format!("arguments ({}) are wanted, not ({})", listed(self.arguments()), listed(&given));
            return Err(Error::new("nesl", message));
        }
        let mut pieces = Vec::new();
        arguments.iter().try_for_each(|argument| argument.give(&mut pieces))?;
        let mut results = self.call_pieces(pieces)?.into_iter();
        match NeslDatum::take(self.result(), &mut results) {
            Some(result) => Ok(result),
            None => Err(Error::of("nesl", Reason::Bug("a result is missing".to_owned()))),
        }
    }
}
