//! Inputs in a folder, as the peers lay them out, and results read from the file that is written.

use nestled::{Array, Element};
use nestled_peers::workloads::{Folder, Outcome, find};
use std::path::PathBuf;

/// A folder of its own, gone when the test ends.
pub struct Given(pub PathBuf);

impl Given {
    pub fn new(name: &str) -> Given {
        let path = std::env::temp_dir().join(format!("nestled-peers-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for temporary files");
        Given(path)
    }

    /// One input more.
    pub fn with<T: Element>(self, name: &str, elements: &[T], shape: &[usize]) -> Given {
        let array = Array::new(elements.to_vec(), shape);
        array.save(&self.0.join(format!("in_{name}.npy"))).expect("a file");
        self
    }

    /// Parameters.
    pub fn meta(self, text: &str) -> Given {
        std::fs::write(self.0.join("meta.json"), text).expect("a file");
        self
    }

    /// The result of a workload, in the file that is written; and its shape.
    pub fn result<T: Element>(&self, id: &str) -> (Vec<T>, Vec<usize>) {
        let workload = find(id).expect("a workload");
        let call = (workload.prepare)(&Folder::new(&self.0)).expect("inputs");
        // Twice: what is compiled is used again.
        call.run().expect("a result");
        let file = self.0.join(format!("{id}.npy"));
        call.run().expect("a result").save(&file).expect("a file");
        let array = Array::<T>::read_npy(&file).expect("the file");
        (array.to_vec().expect("elements"), array.shape().to_vec())
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Numbers from 0 to 1 that look random.
pub fn noise(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    (0..n).map(next).collect()
}

/// The same from −1 to 1.
pub fn signed(n: usize, seed: u64) -> Vec<f32> {
    noise(n, seed).into_iter().map(|x| 2.0 * x - 1.0).collect()
}

/// As the peers judge: the greatest error is a small part of the greatest number.
pub fn close(found: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    let scale = expected.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let pairs = found.iter().zip(expected);
    let error = pairs.fold(0.0f64, |most, (a, b)| most.max((f64::from(*a) - b).abs()));
    assert!(error <= tolerance * scale, "{error} of {scale}");
}
