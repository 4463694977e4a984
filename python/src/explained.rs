//! What runs when something is computed, for those who draw it.

use nestled_array::Explanation;

/// A kernel or an operation of the device: its name, its combinators, the steps that it waits for, the bytes of what it takes and gives, and its nanoseconds as far as they are predicted.
type Step = (String, Vec<&'static str>, Vec<usize>, f64, Option<f64>);

/// The explanation in words, and the steps.
pub type Explained = (String, Vec<Step>);

/// An explanation, for Python.
pub fn explained(explanation: &Explanation) -> Explained {
    let steps = explanation.steps().iter().cloned();
    let steps = steps.map(|step| (step.name, step.does, step.after, step.bytes, step.nanoseconds));
    (explanation.to_string(), steps.collect())
}
