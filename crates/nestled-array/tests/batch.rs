//! Batches of results that are evaluated together: what is evaluated together is compiled together, and a GPU without a card compiles each kernel for long.

use nestled_array::*;
use std::fmt::Debug;

/// Results, and what they have to be.
#[derive(Default)]
pub struct Batch {
    arrays: Vec<Box<dyn Evaluate>>,
    checks: Vec<Box<dyn FnOnce()>>,
}

impl Batch {
    /// Adds a result, and its elements.
    pub fn expect<T: Element + PartialEq + Debug>(&mut self, name: &str, found: Array<T>, expected: Vec<T>) {
        let name = format!("{name}, of {}", std::any::type_name::<T>());
        self.arrays.push(Box::new(found.clone()));
        self.checks.push(Box::new(move || assert_eq!(found.to_vec().unwrap(), expected, "{name}")));
    }

    /// Evaluates everything, and compares.
    pub fn check(self) {
        let arrays: Vec<&dyn Evaluate> = self.arrays.iter().map(|array| &**array).collect();
        Engine::current().eval(&arrays).unwrap();
        self.checks.into_iter().for_each(|check| check());
    }
}
