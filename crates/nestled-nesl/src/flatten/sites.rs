//! Fault sites in the order of the source: lazy code may stand elsewhere than in the source.

use crate::fault::FaultCode;
use nestled_ir::{Program, SiteId};

/// Renumbers the sites by their keys; returns their codes in the new order.
pub(super) fn in_order(program: &mut Program, codes: &[FaultCode], keys: &[usize]) -> Vec<FaultCode> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|site| keys[*site]);
    let mut new = vec![0; order.len()];
    for (place, &site) in order.iter().enumerate() {
        new[site] = place;
    }
    program.sites = order.iter().map(|site| program.sites[*site]).collect();
    program.for_each_site_mut(&mut |site| *site = SiteId::from(new[site.index()]));
    order.into_iter().map(|site| codes[site]).collect()
}
