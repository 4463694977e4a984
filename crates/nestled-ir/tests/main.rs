//! Tests of the text form and the verifier, in one program.

mod error_codes;
mod text;
mod text_random;
mod verify_hand_broken;
mod verify_never_panics;
