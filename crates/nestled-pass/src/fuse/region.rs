//! Regions: maximal stretches of a block of host code without calls, `if`, `each` and commands. Fusion never crosses their ends.

use nestled_ir::HostStmt;
use std::ops::Range;

/// Returns the regions of a block, as ranges of its statements; those with fewer than two runs are left out.
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

/// True if a statement runs a kernel.
pub fn is_run(stmt: &HostStmt) -> bool {
    matches!(stmt.op, nestled_ir::HostOp::Run { .. })
}
