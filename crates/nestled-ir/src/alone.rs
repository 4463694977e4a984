//! Extraction of one kernel from its program, in a form that depends on the kernel only: the input of code generation, and so the cache key of compiled kernels.

use crate::id::{KernelId, MonoidId, ThunkId};
use crate::kernel::Kernel;
use crate::monoid::MonoidDef;
use crate::name::Name;
use crate::program::Program;
use crate::span::Span;
use crate::thunk::{Block, Thunk, ThunkDef, ThunkPartMut};
use std::collections::HashMap;

/// Returns a program of this kernel and the thunks and monoids that it uses, in order of mention. Spans are erased, and so are names except those of values and
/// private arrays, which fault messages contain. Sites keep their numbers; the table of sites is empty. Programs that differ elsewhere only give the same result.
#[must_use]
pub fn alone(program: &Program, kernel: KernelId) -> Program {
    let mut mover =
        Mover { program, made: Program::default(), thunks: HashMap::new(), monoids: HashMap::new() };
    let mut kernel = program.kernel(kernel).clone();
    mover.kernel(&mut kernel);
    mover.made.kernels.push(kernel);
    mover.made
}

struct Mover<'a> {
    program: &'a Program,
    made: Program,
    thunks: HashMap<ThunkId, ThunkId>,
    monoids: HashMap<MonoidId, MonoidId>,
}

impl Mover<'_> {
    fn kernel(&mut self, kernel: &mut Kernel) {
        (kernel.name, kernel.span) = (Name::default(), Span::default());
        kernel.values.iter_mut().for_each(|value| value.span = Span::default());
        for step in &mut kernel.steps {
            step.span = Span::default();
            for user in step.kind.monoid_mut().into_iter().flat_map(|monoid| monoid.users_mut()) {
                *user = self.monoid(*user);
            }
            self.thunk(&mut step.body);
        }
    }

    fn thunk(&mut self, thunk: &mut Thunk) {
        thunk.locals.iter_mut().for_each(|local| local.name = Name::default());
        self.block(&mut thunk.body);
    }

    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            stmt.span = Span::default();
            stmt.kind.for_each_part_mut(&mut |part| match part {
                ThunkPartMut::Thunk(thunk) => *thunk = self.named(*thunk),
                ThunkPartMut::Block(block) => self.block(block),
                ThunkPartMut::Dst(_)
                | ThunkPartMut::LoopLocal(_)
                | ThunkPartMut::Atom(_)
                | ThunkPartMut::Param(_)
                | ThunkPartMut::Earlier(_)
                | ThunkPartMut::NewPrivate(_)
                | ThunkPartMut::Private(_)
                | ThunkPartMut::Rule(_)
                | ThunkPartMut::Site(_) => {}
            });
        }
    }

    /// Returns the new number of a named thunk. Thunks are not recursive, so callees come before callers.
    fn named(&mut self, old: ThunkId) -> ThunkId {
        if let Some(&known) = self.thunks.get(&old) {
            return known;
        }
        let ThunkDef { results, thunk, .. } = self.program.thunk(old);
        let mut thunk = thunk.clone();
        self.thunk(&mut thunk);
        let def = ThunkDef { name: Name::default(), results: results.clone(), thunk, span: Span::default() };
        self.made.thunks.push(def);
        let new = ThunkId::from(self.made.thunks.len() - 1);
        self.thunks.insert(old, new);
        new
    }

    fn monoid(&mut self, old: MonoidId) -> MonoidId {
        if let Some(&known) = self.monoids.get(&old) {
            return known;
        }
        let def = self.program.monoid(old);
        let combine = self.named(def.combine);
        self.made.monoids.push(MonoidDef {
            name: Name::default(),
            combine,
            span: Span::default(),
            ..def.clone()
        });
        let new = MonoidId::from(self.made.monoids.len() - 1);
        self.monoids.insert(old, new);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bytes, text, verify};

    const THUNKS: &str = "
        thunk twice(x: i64) -> i64 { mul x 2 }
        thunk join(x: i64, y: i64) -> i64 { add twice(x) y }
        monoid joined = unit (0) combine join
    ";

    const KERNEL: &str = "
        kernel sums<n>(xs: [n]i64) over n {
          at = map { i => and i 1 }
          s = reduce @0 { i => twice(xs[at[i]]) } joined
          ret s
        }
    ";

    const MORE: &str = "
        thunk unused(x: i64) -> i64 { add x 1 }
        kernel other<n>(xs: [n]i64) over n {
          ys = map { i => unused(2) }
          ret ys
        }
    ";

    fn alone_in(text: &str, kernel: &str) -> Program {
        let program = text::parse("test.lcu", text).unwrap_or_else(|error| panic!("{error:?}"));
        let alone = alone(&program, program.find_kernel(kernel).unwrap());
        verify::verify(&Program { sites: program.sites.clone(), ..alone.clone() }).unwrap();
        alone
    }

    fn bytes_in(text: &str, kernel: &str) -> Vec<u8> {
        bytes::write(&alone_in(text, kernel))
    }

    #[test]
    fn what_a_kernel_does_not_need_does_not_count() {
        let plain = bytes_in(&format!("{THUNKS}{KERNEL}"), "sums");
        assert_eq!(bytes_in(&format!("{MORE}{THUNKS}{KERNEL}"), "sums"), plain);
        assert_eq!(bytes_in(&format!("; a comment\n{THUNKS}{KERNEL}{MORE}"), "sums"), plain);
        assert_eq!(
            bytes_in(
                &format!("{THUNKS}{}", KERNEL.replace("i =>", "j =>"))
                    .replace("[i]", "[j]")
                    .replace("and i", "and j"),
                "sums"
            ),
            plain
        );
    }

    #[test]
    fn what_it_needs_counts() {
        let text = format!("{THUNKS}{KERNEL}");
        let plain = bytes_in(&text, "sums");
        for (from, to) in
            [("mul x 2", "mul x 3"), ("unit (0)", "unit (1)"), ("and i 1", "and i 3"), ("xs", "zs")]
        {
            assert_ne!(bytes_in(&text.replace(from, to), "sums"), plain, "{from}");
        }
    }
}
