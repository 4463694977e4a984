//! Arrays of another language, by Arrow's C interface: made up from bytes, mostly with something wrong, and given to `nestled-arrow`.
//!
//! The interface does not say how long memory is, so that a length that is too great cannot be found by anybody. All that can be wrong is: offsets that fall, are negative or lead out of the elements,
//! texts that are no UTF-8, places of no word, numbers of missing elements, children and buffers that are not there, formats, and lengths below zero. Each buffer ends where a page
//! ends that nobody may read, so that a look beyond ends the process.
#![allow(unsafe_code)] // It is another language.

mod arrays;
mod given;
mod memory;
mod wrong;

use crate::choices::Choices;
use nestled_arrow::ffi;

/// Makes an array of bytes, and takes it.
///
/// # Panics
/// What is taken cannot be read, or is another when it was given back and taken again.
pub fn read(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let mut made = arrays::any(&mut choices, 3);
    for _ in 0..choices.below(3) {
        wrong::somewhere(&mut choices, &mut made);
    }
    let (array, schema) = given::given(made);
    // SAFETY: all memory is as long as lengths and last offsets say, or these are below zero.
    let Ok(nested) = (unsafe { ffi::from_ffi(array, &schema) }) else { return };
    drop(schema);
    let first = nested.to_list().expect("what was taken is read").to_string();
    let (array, schema) = ffi::to_ffi(&nested).expect("what was taken is given");
    drop(nested);
    // SAFETY: both are ours.
    let again = unsafe { ffi::from_ffi(array, &schema) }.expect("what we give is taken");
    assert_eq!(again.to_list().expect("it is read").to_string(), first);
}

#[cfg(test)]
mod tests {
    use super::{Choices, arrays, given};
    use crate::random::Random;
    use nestled_arrow::ffi;

    #[test]
    fn arrays_with_nothing_wrong_are_taken() {
        let mut taken = 0;
        for seed in 0..300 {
            let mut random = Random::seeded(seed);
            let bytes: Vec<u8> = (0..200).map(|_| random.bits() as u8).collect();
            let made = arrays::any(&mut Choices::new(&bytes), 3);
            let length = made.length;
            let (array, schema) = given::given(made);
            // SAFETY: there is nothing wrong with it.
            match unsafe { ffi::from_ffi(array, &schema) } {
                Ok(nested) => {
                    assert_eq!(nested.len() as i64, length);
                    taken += 1;
                }
                // Types that nested data have not, and numbers that are no dates or too great for 64 bits.
                Err(error) => {
                    let known = ["nested data have not", "beyond 32 bits", "64 bits"];
                    assert!(known.iter().any(|known| error.to_string().contains(known)), "{error}");
                }
            }
        }
        assert!(taken > 200, "{taken}");
    }
}
