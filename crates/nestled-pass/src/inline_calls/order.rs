//! Call graph of host functions: topological order (callees first) and recursion.

use nestled_ir::{FunctionId, HostPart, Program};

/// The call graph of a program.
pub struct Calls {
    /// For each function: its callees, one entry for each call.
    callees: Vec<Vec<usize>>,
    n_calls: Vec<usize>,
    order: Vec<usize>,
    recurs: Vec<bool>,
}

impl Calls {
    /// Builds the call graph of a program.
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

    /// All functions, callees before callers where neither recurs.
    pub fn callees_first(&self) -> impl Iterator<Item = FunctionId> {
        self.order.iter().map(|&function| FunctionId::from(function))
    }

    /// Number of calls of a function in the program's text.
    pub fn n_calls(&self, id: FunctionId) -> usize {
        self.n_calls[id.index()]
    }

    /// True if a function is on a cycle of the call graph, or on a path between two cycles.
    pub fn recurs(&self, id: FunctionId) -> bool {
        self.recurs[id.index()]
    }

    /// Topological sort: removes functions that call no remaining one, repeatedly, then those that no remaining one calls. The rest lies on cycles or between them.
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

/// Kahn's algorithm: removes nodes without a neighbour on one side, repeatedly, and returns their order. `next` are the neighbours on the other side.
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
