//! Regions: stretches of a block of host code without calls, `if`, `each` and commands. Only inside of one are runs put together.

use nestled_ir::HostStmt;
use std::ops::Range;

/// The regions of a block, as positions of its statements; those that run fewer than two kernels are of no interest and left out.
pub fn regions(stmts: &[HostStmt]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for end in 0..=stmts.len() {
        if stmts.get(end).is_none_or(|stmt| stmt.op.ends_region()) {
            let runs = stmts[start..end].iter().filter(|stmt| is_run(stmt)).count();
            if runs > 1 {
                found.push(start..end);
            }
            start = end + 1;
        }
    }
    found
}

/// Whether a statement runs a kernel.
pub fn is_run(stmt: &HostStmt) -> bool {
    matches!(stmt.op, nestled_ir::HostOp::Run { .. })
}
