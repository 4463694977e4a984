//! Import of a whole program into one that is being built: its definitions come after those that are there, and its sites after theirs.
//!
//! The texts that its spans point into do not come along, so that its places are unknown from then on.

use super::program::ProgramBuilder;
use crate::host::{HostBlock, HostPartMut};
use crate::id::{FunctionId, KernelId, MonoidId, SiteId, ThunkId};
use crate::kernel::CombinatorPartMut;
use crate::monoid::MonoidPart;
use crate::name::Name;
use crate::program::Program;
use crate::span::Span;
use crate::thunk::{Block, ThunkPartMut};

/// Number of definitions of each kind that are there before, and of sites.
#[derive(Clone, Copy)]
struct Before {
    thunks: usize,
    monoids: usize,
    kernels: usize,
    functions: usize,
    sites: usize,
}

impl ProgramBuilder {
    /// Adds all definitions of a program. Its function `main`, which others can call from now on, gets another name; `None` if it has no such function.
    pub fn import(&mut self, other: &Program, name: &str) -> Option<FunctionId> {
        let main = other.find_function(Program::ENTRY)?;
        let own = self.program();
        let before = Before {
            thunks: own.thunks.len(),
            monoids: own.monoids.len(),
            kernels: own.kernels.len(),
            functions: own.functions.len(),
            sites: own.sites.len(),
        };
        let mut other = other.clone();
        other.functions[main.index()].name = Name::from(name);
        other.for_each_site_mut(&mut |site| *site = SiteId::from(before.sites + site.index()));
        before.in_thunks(&mut other);
        before.in_kernels(&mut other);
        before.in_functions(&mut other);
        let sites = vec![Span::NONE; other.sites.len()];
        self.extend(other, sites);
        Some(FunctionId::from(before.functions + main.index()))
    }
}

impl Before {
    fn in_thunks(self, other: &mut Program) {
        for def in &mut other.thunks {
            def.span = Span::NONE;
            self.in_code(&mut def.thunk.body);
        }
        for def in &mut other.monoids {
            def.span = Span::NONE;
            def.combine = ThunkId::from(self.thunks + def.combine.index());
        }
    }

    fn in_code(self, block: &mut Block) {
        for stmt in &mut block.stmts {
            stmt.span = Span::NONE;
            stmt.kind.for_each_part_mut(&mut |part| {
                if let ThunkPartMut::Thunk(thunk) = part {
                    *thunk = ThunkId::from(self.thunks + thunk.index());
                }
            });
            stmt.kind.blocks_mut().into_iter().for_each(|block| self.in_code(block));
        }
    }

    fn in_kernels(self, other: &mut Program) {
        for kernel in &mut other.kernels {
            kernel.span = Span::NONE;
            kernel.values.iter_mut().for_each(|value| value.span = Span::NONE);
            for step in &mut kernel.steps {
                step.span = Span::NONE;
                step.kind.for_each_part_mut(&mut |part| {
                    let CombinatorPartMut::Monoid(monoid) = part else { return };
                    for part in &mut monoid.parts {
                        if let MonoidPart::User(user) = part {
                            *user = MonoidId::from(self.monoids + user.index());
                        }
                    }
                });
                self.in_code(&mut step.body.body);
            }
        }
    }

    fn in_functions(self, other: &mut Program) {
        for function in &mut other.functions {
            function.span = Span::NONE;
            function.values.iter_mut().for_each(|value| value.span = Span::NONE);
            self.in_host_code(&mut function.body);
        }
    }

    fn in_host_code(self, block: &mut HostBlock) {
        for stmt in &mut block.stmts {
            stmt.span = Span::NONE;
            stmt.op.for_each_part_mut(&mut |part| match part {
                HostPartMut::Function(function) => {
                    *function = FunctionId::from(self.functions + function.index());
                }
                HostPartMut::Kernel(kernel) => *kernel = KernelId::from(self.kernels + kernel.index()),
                HostPartMut::Atom(_)
                | HostPartMut::Value(_)
                | HostPartMut::Axis(_)
                | HostPartMut::Block(_)
                | HostPartMut::Site(_) => {}
            });
            stmt.op.blocks_mut().into_iter().for_each(|block| self.in_host_code(block));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::HostOp;
    use crate::text;

    const TEXT: &str = "
thunk greater(a: f64, b: f64) -> f64 { max a b }
monoid greatest = unit (-inf.f64) combine greater
kernel most(xs: [n]f64) over n {
  m = reduce { i => greater(xs[i], 0.0) } greatest
  ret m
}
fn most_of<n>(xs: [n]f64) -> f64 {
  m = run most(xs)
  ret m
}
fn main<n>(xs: [n]f64) -> f64 {
  m = most_of(xs)
  ret m
}";

    #[test]
    fn definitions_refer_to_those_that_came_with_them() {
        let program = text::parse("example", TEXT).expect("a program");
        let mut all = ProgramBuilder::default();
        let [first, second] = ["first", "second"].map(|name| all.import(&program, name).expect("a main"));
        let all = all.finish().expect("a well-formed program");
        assert_eq!((&*all.function(first).name, &*all.function(second).name), ("first", "second"));
        let HostOp::Call { function, .. } = all.function(second).body.stmts[0].op else { panic!("a call") };
        assert_eq!(
            function.index(),
            program.functions.len() + program.find_function("most_of").unwrap().index()
        );
        let HostOp::Run { kernel, .. } = all.function(function).body.stmts[0].op else { panic!("a run") };
        assert_eq!(kernel.index(), program.kernels.len());
        let step = &all.kernel(kernel).steps[0];
        let monoid = step.kind.monoid().expect("a monoid");
        assert_eq!(monoid.parts, [MonoidPart::User(MonoidId::from(program.monoids.len()))]);
        assert_eq!(all.monoids[1].combine.index(), program.thunks.len());
        let least = all.least_site([step]).expect("its read may fault");
        assert_eq!(least.index(), program.sites.len());
        assert_eq!(all.sites.len(), 2 * program.sites.len());
    }
}
