//! Fault sites, and the origin of the code that is being written.
//!
//! Lazy code may stand elsewhere than in the source, so each site has the number of its statement, and the sites are put into that order at the end.

use crate::core::{Block, Statement};
use crate::fault::FaultCode;
use nestled_ir::{Program, SiteId, Span};

/// The statement of the core for which code is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// The place in the program.
    pub span: Span,
    /// The number of the statement, in the order in which statements were begun.
    pub order: usize,
}

impl Origin {
    /// Returns the place in the program of a statement that is written here. Statements of the library have none: they are where the program calls the library,
    /// however deep they were inlined.
    pub fn span_of(&self, statement: &Statement) -> Span {
        if statement.span.is_known() { statement.span } else { self.span }
    }

    /// Returns the origin of what is done with the value of a block: the place of its last statement that has one.
    pub fn end_of(self, block: &Block) -> Origin {
        let mut spans = block.statements.iter().rev().map(|statement| statement.span);
        Origin { span: spans.find(|span| span.is_known()).unwrap_or(self.span), ..self }
    }
}

/// The fault sites of a program, by their numbers: the code, and the number of the statement.
#[derive(Debug, Default)]
pub(super) struct Sites {
    sites: Vec<(FaultCode, usize)>,
}

impl Sites {
    /// Adds the next site of the program.
    pub fn add(&mut self, code: FaultCode, order: usize) {
        self.sites.push((code, order));
    }

    /// Renumbers the sites of the program in the order of the source; returns their codes in that order.
    pub fn in_order(self, program: &mut Program) -> Vec<FaultCode> {
        let mut order: Vec<usize> = (0..self.sites.len()).collect();
        order.sort_by_key(|site| self.sites[*site].1);
        let mut new = vec![0; order.len()];
        for (place, &site) in order.iter().enumerate() {
            new[site] = place;
        }
        program.sites = order.iter().map(|site| program.sites[*site]).collect();
        program.for_each_site_mut(&mut |site| *site = SiteId::from(new[site.index()]));
        order.into_iter().map(|site| self.sites[site].0).collect()
    }
}
