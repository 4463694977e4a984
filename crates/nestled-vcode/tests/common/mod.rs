//! What the tests share: λcu's answer to a program, and the direct interpreter's.
#![allow(dead_code, reason = "no test uses all of it")]

pub mod direct;
pub mod generate;

use nestled_ir::interp::{Error, FaultKind, Limits, TestWorld, run};
use nestled_vcode::{EXIT, ListingText, Options, compile, print};

/// How a program ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// With this final stack, as text.
    Stack(String),
    /// By `EXIT`.
    Exit,
    /// With a fault.
    Fault(String),
    /// It is refused, with these messages.
    Refused(String),
}

/// What λcu says.
pub fn through_lcu(text: &str, listing: Option<&str>, options: &Options) -> Outcome {
    let listing = listing.map(|text| ListingText { name: "listing", text });
    let compiled = match compile("test.vcode", text, listing, options) {
        Ok(compiled) => compiled,
        Err(refusal) => return Outcome::Refused(refusal.to_string()),
    };
    if let Err(wrong) = nestled_ir::verify::verify(&compiled.program) {
        let rendered = nestled_ir::render_all(&wrong, &compiled.program.sources);
        panic!("{text}\n{}\n{rendered}", nestled_ir::text::print(&compiled.program));
    }
    let mut world = TestWorld::default();
    let limits = Limits { steps: 50_000_000, bytes: 1 << 28, depth: 2_000 };
    match run(&compiled.program, "main", &[], &[], &limits, &mut world) {
        Ok(values) => Outcome::Stack(print::stack(&compiled.outputs, &values)),
        Err(Error::Fault(fault)) => match &fault.kind {
            FaultKind::Check { code } if &**code == EXIT => Outcome::Exit,
            kind => Outcome::Fault(kind.to_string()),
        },
        Err(error @ Error::Limit { .. }) => Outcome::Fault(error.to_string()),
        Err(error) => panic!("{text}\n{error}"),
    }
}
