//! Numbering of fault sites: explicit `!7` marks, and the next number where there is none.

use super::{Broken, Elab};
use crate::diagnostic::Diagnostic;
use crate::id::SiteId;
use crate::span::Span;
use crate::text::ast::SiteMark;

/// Greatest number of sites: bounds the memory that a number in the text can make us allocate.
const MAX_SITES: u32 = 1 << 22;

/// Allocates site numbers. A site without a number in the text follows the site before it.
pub(super) struct Sites {
    /// The number of sites that the header declares, and its place.
    declared: Option<(u32, Span)>,
    next: u32,
    spans: Vec<Option<Span>>,
    /// Numbers that are too large.
    too_large: Vec<(u32, Span)>,
}

impl Sites {
    pub fn new(declared: Option<(u32, Span)>) -> Sites {
        Sites { declared, next: 0, spans: Vec::new(), too_large: Vec::new() }
    }

    /// The number of a site.
    pub fn take(&mut self, mark: SiteMark, construct: Span) -> Elab<SiteId> {
        let number = mark.number.unwrap_or(self.next);
        let limit = self.declared.map_or(MAX_SITES, |(count, _)| count.min(MAX_SITES));
        if number >= limit {
            self.too_large.push((number, mark.span));
            return Err(Broken);
        }
        self.next = number + 1;
        if self.spans.len() <= number as usize {
            self.spans.resize(number as usize + 1, None);
        }
        self.spans[number as usize].get_or_insert(construct);
        Ok(SiteId(number))
    }

    /// Source place of each site.
    pub fn finish(mut self, diagnostics: &mut Vec<Diagnostic>) -> Vec<Span> {
        for (number, span) in self.too_large {
            let message = format!("there is no fault site {number}");
            let diagnostic = Diagnostic::new("L0111", message, span);
            diagnostics.push(match self.declared {
                Some((count, header)) => {
                    diagnostic.label(header, format!("they are numbered from 0 to below {count}"))
                }
                None => diagnostic.help(format!("numbers are less than {MAX_SITES}")),
            });
        }
        if let Some((count, header)) = self.declared {
            if count > MAX_SITES {
                diagnostics.push(Diagnostic::new(
                    "L0111",
                    format!("more than {MAX_SITES} fault sites"),
                    header,
                ));
            } else {
                self.spans.resize(count as usize, None);
            }
        }
        self.spans.into_iter().map(|span| span.unwrap_or(Span::NONE)).collect()
    }
}
