//! Numbering of the sites of a finished program.

use nestled_ir::{Program, SiteId, Span};

/// Gives each site its number in the order of the text: thunks, then kernels, then functions. Monoids have none.
pub fn number_sites(program: &mut Program) {
    let mut n = 0;
    program.for_each_site_mut(&mut |site| {
        *site = SiteId(n);
        n += 1;
    });
    program.sites = vec![Span::NONE; n as usize];
}
