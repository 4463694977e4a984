//! Numbers the sites of a finished program.

use nestled_ir::{
    Block, Collision, CombinatorKind, HostBlock, HostOp, Program, Range, SiteId, Span, StmtKind,
};

/// Gives each site its number in the order of the text: thunks, then kernels, then functions. Monoids have none.
pub fn number_sites(program: &mut Program) {
    let mut n = 0;
    visit_sites(program, &mut |site| {
        *site = SiteId(n);
        n += 1;
    });
    program.sites = vec![Span::NONE; n as usize];
}

/// Calls `visit` on each site in the order of the text.
pub fn visit_sites(program: &mut Program, visit: &mut dyn FnMut(&mut SiteId)) {
    for def in &mut program.thunks {
        visit_block(&mut def.thunk.body, visit);
    }
    for kernel in &mut program.kernels {
        for step in &mut kernel.steps {
            combinator_sites(&mut step.kind, visit);
            visit_block(&mut step.body.body, visit);
        }
    }
    for function in &mut program.functions {
        visit_host(&mut function.body, visit);
    }
}

/// Calls `visit` on the sites of a combinator itself.
fn combinator_sites(kind: &mut CombinatorKind, visit: &mut dyn FnMut(&mut SiteId)) {
    match kind {
        CombinatorKind::Partition { site, .. } => site.iter_mut().for_each(visit),
        CombinatorKind::Permute { range, collision, .. } => {
            if let Range::Fault(site) = range {
                visit(site);
            }
            if let Collision::Fault(site) = collision {
                visit(site);
            }
        }
        CombinatorKind::Map
        | CombinatorKind::Reduce { .. }
        | CombinatorKind::Scan { .. }
        | CombinatorKind::Filter { .. }
        | CombinatorKind::Serial { .. } => {}
    }
}

fn visit_block(block: &mut Block, visit: &mut dyn FnMut(&mut SiteId)) {
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::Read { site, .. }
            | StmtKind::Window { site, .. }
            | StmtKind::PrivateGet { site, .. }
            | StmtKind::PrivateSet { site, .. } => site.iter_mut().for_each(&mut *visit),
            StmtKind::Check { site, .. } => visit(site),
            StmtKind::Op { .. }
            | StmtKind::Threefry { .. }
            | StmtKind::Own { .. }
            | StmtKind::Len { .. }
            | StmtKind::Start { .. }
            | StmtKind::Call { .. }
            | StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::PrivateNew { .. } => {}
        }
        for block in stmt.kind.blocks_mut() {
            visit_block(block, visit);
        }
    }
}

fn visit_host(block: &mut HostBlock, visit: &mut dyn FnMut(&mut SiteId)) {
    for stmt in &mut block.stmts {
        match &mut stmt.op {
            HostOp::Dim { site, .. }
            | HostOp::Segments { site, .. }
            | HostOp::Same { site, .. }
            | HostOp::Reshape { site, .. }
            | HostOp::View { site, .. }
            | HostOp::Check { site, .. } => visit(site),
            HostOp::Scalar { .. }
            | HostOp::Literal { .. }
            | HostOp::Size { .. }
            | HostOp::Regular { .. }
            | HostOp::Widen { .. }
            | HostOp::Lengths { .. }
            | HostOp::Starts { .. }
            | HostOp::If { .. }
            | HostOp::Call { .. }
            | HostOp::Run { .. }
            | HostOp::Each { .. }
            | HostOp::Library(_)
            | HostOp::Command(_) => {}
        }
        for block in stmt.op.blocks_mut() {
            visit_host(block, visit);
        }
    }
}
