//! Rules of the verifier that the text form cannot break, or that the parser sees to first: each is broken by hand, in a program
//! that was well-formed.

mod base;
mod ids;
mod stages;
mod types;

#[test]
fn the_base_is_well_formed() {
    assert_eq!(base::codes(|_| {}), [] as [&str; 0]);
}
