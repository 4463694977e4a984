//! The least site of a kernel: what decides whether a launch may be skipped after a fault.

use nestled_ir::{Block, Kernel, Program, SiteId, StmtKind};

/// The lesser of two sites, of which either may be absent.
pub(super) fn least(a: Option<SiteId>, b: Option<SiteId>) -> Option<SiteId> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The least site of a kernel, with those of the thunks that it calls. (Monoids do not fault.)
pub(super) fn kernel_site(program: &Program, kernel: &Kernel) -> Option<SiteId> {
    let mut visited = vec![false; program.thunks.len()];
    let mut site = None;
    for step in &kernel.steps {
        let own = step.kind.sites().into_iter().min();
        site = least(site, least(own, block_site(program, &step.body.body, &mut visited)));
    }
    site
}

fn block_site(program: &Program, block: &Block, visited: &mut [bool]) -> Option<SiteId> {
    let mut site = None;
    block.walk(&mut |stmt| {
        site = least(site, stmt.kind.site());
        let StmtKind::Call { thunk, .. } = &stmt.kind else { return };
        if !std::mem::replace(&mut visited[thunk.index()], true) {
            let body = &program.thunk(*thunk).thunk.body;
            site = least(site, block_site(program, body, visited));
        }
    });
    site
}
