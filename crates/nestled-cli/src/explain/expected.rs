//! Expected numbers (`explain --expect kernels=3`): counts kernels and launches after all passes, and compares them with what a test expects.

use super::names::Names;
use super::words::count;
use nestled_ir::{HostOp, KernelId, Program, Span};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The kinds of things that are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Different kernels.
    Kernels,
    /// Places in host code that launch a kernel.
    Launches,
}

/// A number that a program is expected to have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expected {
    pub counted: Counted,
    pub number: usize,
}

impl Expected {
    /// Reads `kernels=3`.
    pub fn parse(text: &str) -> Result<Expected, String> {
        let wanted = || "kernels=N or launches=N is wanted".to_owned();
        let (name, number) = text.split_once('=').ok_or_else(wanted)?;
        let counted = match name {
            "kernels" => Counted::Kernels,
            "launches" => Counted::Launches,
            _ => return Err(wanted()),
        };
        Ok(Expected { counted, number: number.parse().map_err(|_| wanted())? })
    }
}

/// The launches of all programs that were counted.
#[derive(Debug, Default)]
pub struct Census {
    kernels: usize,
    /// A line for each launch.
    launches: Vec<String>,
}

impl Census {
    /// Counts the launches of a program, or of one of its functions.
    pub fn add(&mut self, program: &Program, function: Option<&str>, names: Names<'_>) {
        let launches = launches(program, function);
        self.kernels += launches.iter().map(|(kernel, _)| *kernel).collect::<BTreeSet<KernelId>>().len();
        self.launches.extend(launches.into_iter().map(|(kernel, span)| {
            format!("{}{}", names.kernel(program.kernel(kernel), span), names.at(span))
        }));
    }

    /// The error for the numbers that are not as expected; `None` if all are.
    pub fn differences(&self, expected: &[Expected]) -> Option<String> {
        let mut text = String::new();
        for Expected { counted, number } in expected {
            let (found, what) = match counted {
                Counted::Kernels => (self.kernels, "kernel"),
                Counted::Launches => (self.launches.len(), "launch"),
            };
            if found != *number {
                let _ = writeln!(text, "error: {}, and {number} expected", count(found, what));
            }
        }
        if text.is_empty() {
            return None;
        }
        self.launches.iter().for_each(|launch| text.push_str(&format!("  {launch}\n")));
        text.push_str("without `--expect`, `nestled explain` says why there are not fewer\n");
        Some(text)
    }
}

/// The statements that launch kernels, in order of the text.
pub fn launches(program: &Program, function: Option<&str>) -> Vec<(KernelId, Span)> {
    let mut found = Vec::new();
    for own in program.functions.iter().filter(|own| function.is_none_or(|name| *own.name == *name)) {
        own.body.walk(&mut |stmt| {
            if let HostOp::Run { kernel, .. } = &stmt.op {
                found.push((*kernel, stmt.span));
            }
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_are_read() {
        let expected = |counted, number| Ok(Expected { counted, number });
        assert_eq!(Expected::parse("kernels=3"), expected(Counted::Kernels, 3));
        assert_eq!(Expected::parse("launches=0"), expected(Counted::Launches, 0));
        for wrong in ["kernels", "kernels=", "kernels=-1", "bytes=3", "=3"] {
            assert!(Expected::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn differences_are_told_with_the_launches() {
        let census = Census { kernels: 1, launches: vec!["f:1: k".to_owned(), "f:2: k".to_owned()] };
        let kernels = Expected { counted: Counted::Kernels, number: 1 };
        let launches = Expected { counted: Counted::Launches, number: 3 };
        assert_eq!(census.differences(&[kernels]), None);
        let text = census.differences(&[kernels, launches]).unwrap();
        assert!(text.starts_with("error: 2 launches, and 3 expected\n  f:1: k\n  f:2: k\n"), "{text}");
    }
}
