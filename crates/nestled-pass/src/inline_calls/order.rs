//! Who calls whom, and in which order to look at functions.

use nestled_ir::{FunctionId, HostPart, Program};

/// The calls of a program.
pub struct Calls {
    /// For each function those that it calls, as often as it does.
    callees: Vec<Vec<usize>>,
    n_calls: Vec<usize>,
    order: Vec<usize>,
    recurs: Vec<bool>,
}

impl Calls {
    /// Looks at all functions.
    pub fn of(program: &Program) -> Calls {
        let mut callees = vec![Vec::new(); program.functions.len()];
        let mut n_calls = vec![0; program.functions.len()];
        for (caller, function) in program.functions.iter().enumerate() {
            function.body.walk(&mut |stmt| {
                stmt.op.for_each_part(&mut |part| {
                    if let HostPart::Function(function) = part {
                        callees[caller].push(function.index());
                        n_calls[function.index()] += 1;
                    }
                });
            });
        }
        let mut calls = Calls { callees, n_calls, order: Vec::new(), recurs: Vec::new() };
        calls.find_order();
        calls
    }

    /// Every function, those that it calls before it where none of them recurs.
    pub fn callees_first(&self) -> impl Iterator<Item = FunctionId> {
        self.order.iter().map(|&function| FunctionId::from(function))
    }

    /// How often the program's text calls a function.
    pub fn n_calls(&self, id: FunctionId) -> usize {
        self.n_calls[id.index()]
    }

    /// Whether a function calls itself, by any way; also said of those between two such.
    pub fn recurs(&self, id: FunctionId) -> bool {
        self.recurs[id.index()]
    }

    /// Takes away functions that call no other, as long as there are any, then those that no other calls; what is left lies on circles or
    /// between them.
    fn find_order(&mut self) {
        let n = self.callees.len();
        let mut callers = vec![Vec::new(); n];
        for (caller, callees) in self.callees.iter().enumerate() {
            callees.iter().for_each(|&callee| callers[callee].push(caller));
        }
        let mut taken = vec![false; n];
        let first = peel(&callers, self.callees.iter().map(Vec::len).collect(), &mut taken);
        let mut last = peel(&self.callees, callers.iter().map(Vec::len).collect(), &mut taken);
        last.reverse();
        self.recurs = taken.iter().map(|taken| !taken).collect();
        let circles = (0..n).filter(|&function| self.recurs[function]);
        self.order = first.into_iter().chain(circles).chain(last).collect();
    }
}

/// Takes away what has no neighbour on one side, again and again: the order. `next` are the neighbours on the other side.
fn peel(next: &[Vec<usize>], mut degrees: Vec<usize>, taken: &mut [bool]) -> Vec<usize> {
    let mut order: Vec<usize> =
        (0..next.len()).filter(|&function| !taken[function] && degrees[function] == 0).collect();
    let mut at = 0;
    while let Some(&function) = order.get(at) {
        at += 1;
        taken[function] = true;
        for &neighbour in &next[function] {
            if !taken[neighbour] {
                degrees[neighbour] -= 1;
                if degrees[neighbour] == 0 {
                    order.push(neighbour);
                }
            }
        }
    }
    order
}
