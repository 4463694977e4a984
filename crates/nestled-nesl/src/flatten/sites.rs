//! Fault sites in the order of the source: what is computed late may stand early.

use crate::fault::FaultCode;
use nestled_ir::{Block, Collision, CombinatorKind, HostBlock, HostOp, Program, Range, SiteId, StmtKind};

/// Numbers the sites anew, by their keys; gives their codes in the new order.
pub(super) fn in_order(program: &mut Program, codes: &[FaultCode], keys: &[usize]) -> Vec<FaultCode> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|site| keys[*site]);
    let mut new = vec![0; order.len()];
    for (place, &site) in order.iter().enumerate() {
        new[site] = place;
    }
    program.sites = order.iter().map(|site| program.sites[*site]).collect();
    let rename = |site: &mut SiteId| *site = SiteId::from(new[site.index()]);
    for kernel in &mut program.kernels {
        for step in &mut kernel.steps {
            match &mut step.kind {
                CombinatorKind::Permute { range, collision, .. } => {
                    if let Range::Fault(site) = range {
                        rename(site);
                    }
                    if let Collision::Fault(site) = collision {
                        rename(site);
                    }
                }
                CombinatorKind::Partition { site: Some(site), .. } => rename(site),
                _ => {}
            }
            in_thunk(&mut step.body.body, &rename);
        }
    }
    for function in &mut program.functions {
        in_host(&mut function.body, &rename);
    }
    order.into_iter().map(|site| codes[site]).collect()
}

fn in_thunk(block: &mut Block, rename: &dyn Fn(&mut SiteId)) {
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::Read { site: Some(site), .. }
            | StmtKind::PrivateGet { site: Some(site), .. }
            | StmtKind::PrivateSet { site: Some(site), .. }
            | StmtKind::Check { site, .. } => rename(site),
            _ => {}
        }
        for inner in stmt.kind.blocks_mut() {
            in_thunk(inner, rename);
        }
    }
}

fn in_host(block: &mut HostBlock, rename: &dyn Fn(&mut SiteId)) {
    for stmt in &mut block.stmts {
        match &mut stmt.op {
            HostOp::Dim { site, .. }
            | HostOp::Segments { site, .. }
            | HostOp::Same { site, .. }
            | HostOp::Reshape { site, .. }
            | HostOp::View { site, .. }
            | HostOp::Check { site, .. } => rename(site),
            _ => {}
        }
        for inner in stmt.op.blocks_mut() {
            in_host(inner, rename);
        }
    }
}
