//! Parses kernels and their combinators.

use super::Parse;
use super::cursor::Parser;
use crate::diagnostic::Diagnostic;
use crate::kernel::{Direction, Inclusion};
use crate::span::Span;
use crate::text::ast::{BaseExpr, ClashExpr, Ident, KernelItem, RangeExpr, Step, StepKind};
use crate::text::suggest::closest;
use crate::text::token::TokenKind;

impl Parser<'_> {
    /// `kernel k<n>(xs: [n]f32) over n { … ret ys }`
    pub fn kernel(&mut self, start: Span) -> Parse<KernelItem> {
        let name = self.name("the name of a kernel")?;
        let shapes = self.shape_params()?;
        let params = self.params()?;
        let space = if self.eat_key("over") { self.commas(Parser::axis)? } else { Vec::new() };
        self.expect("{")?;
        let (mut steps, mut ret) = (Vec::new(), Vec::new());
        while !self.is("}") {
            if self.is_end() || self.at_definition() {
                return self.expected("`}`");
            }
            let line = self.position();
            if self.eat_key("ret") {
                match self.returned() {
                    Ok(names) => ret = names,
                    Err(_) => self.skip_line(line),
                }
                break;
            }
            match self.step() {
                Ok(step) => steps.push(step),
                Err(_) => self.skip_line(line),
            }
        }
        self.expect("}")?;
        Ok(KernelItem { name, shapes, params, space, steps, ret, span: self.since(start) })
    }

    fn returned(&mut self) -> Parse<Vec<Ident>> {
        if self.at_line_end() {
            return Ok(Vec::new());
        }
        let names = self.commas(|p| p.name("a result"))?;
        if self.is("}") { Ok(names) } else { self.expected("`}`, since `ret` is the last line") }
    }

    /// `y = map { i => … }`
    fn step(&mut self) -> Parse<Step> {
        let start = self.span();
        let binders = self.binders()?;
        let mut level = 0;
        let kind = if self.eat_key("map") || self.eat_key("once") {
            StepKind::Map
        } else if self.eat_key("reduce") {
            level = self.level()?;
            StepKind::Reduce { monoid: Vec::new() }
        } else if self.eat_key("scan") {
            level = self.level()?;
            let (inclusion, direction) = (Inclusion::Exclusive, Direction::Forward);
            StepKind::Scan { monoid: Vec::new(), inclusion, direction }
        } else if self.eat_key("filter") {
            level = self.level()?;
            StepKind::Filter
        } else if self.eat_key("partition") {
            let kind = self.partition()?;
            level = self.level()?;
            kind
        } else if self.eat_key("permute") {
            self.permute()?
        } else if self.eat_key("serial") {
            self.expect_soft("base")?;
            match self.base()? {
                BaseExpr::Arrays(bases) => StepKind::Serial { bases },
                BaseExpr::Fill(_) => return self.expected("the name of an array"),
            }
        } else {
            return self.no_combinator();
        };
        let guard = if self.eat_key("where") { Some(self.name("a guard")?) } else { None };
        let (params, body) = self.lambda()?;
        let kind = self.after_lambda(kind)?;
        if !self.at_line_end() {
            return self.expected("the end of the line");
        }
        Ok(Step { binders, kind, level, guard, params, body, span: self.since(start) })
    }

    fn no_combinator<T>(&mut self) -> Parse<T> {
        let names = ["map", "once", "reduce", "scan", "filter", "partition", "permute", "serial"];
        let message = format!("expected a combinator (`{}`), found {}", names.join(" "), self.kind());
        let diagnostic = Diagnostic::new("L0005", message, self.span());
        let meant = match self.kind() {
            TokenKind::Name { name, .. } => closest(name, names.into_iter().map(str::to_owned)),
            _ => None,
        };
        match meant {
            Some(name) => self.report(diagnostic.help(format!("did you mean `{name}`?"))),
            None => self.report(diagnostic),
        }
    }

    /// `@1`, if it follows.
    fn level(&mut self) -> Parse<usize> {
        if !self.eat("@") {
            return Ok(0);
        }
        self.count("a level").map(|level| usize::try_from(level).unwrap_or(usize::MAX))
    }

    fn partition(&mut self) -> Parse<StepKind> {
        let proved = self.eat_soft("proved");
        let classes = self.count("the number of classes")?;
        let site = self.site()?;
        Ok(StepKind::Partition { classes, site: (!proved).then_some(site) })
    }

    /// `to [m] base 0 range drop clash last`
    fn permute(&mut self) -> Parse<StepKind> {
        self.expect_soft("to")?;
        let dest = self.shape()?;
        self.expect_soft("base")?;
        let base = self.base()?;
        self.expect_soft("range")?;
        let range = if self.eat_soft("fault") {
            RangeExpr::Fault(self.site()?)
        } else if self.eat_soft("drop") {
            RangeExpr::Drop
        } else if self.eat_soft("proved") {
            RangeExpr::Proved
        } else {
            return self.expected("`fault`, `drop` or `proved`");
        };
        self.expect_soft("clash")?;
        let clash = if self.eat_soft("fault") {
            ClashExpr::Fault(self.site()?)
        } else if self.eat_soft("proved") {
            ClashExpr::Proved
        } else if self.eat_soft("first") {
            ClashExpr::First
        } else if self.eat_soft("last") {
            ClashExpr::Last
        } else {
            ClashExpr::Combine(self.monoid()?)
        };
        Ok(StepKind::Permute { dest, base, range, clash })
    }

    fn base(&mut self) -> Parse<BaseExpr> {
        if self.is_name() {
            return Ok(BaseExpr::Arrays(vec![self.name("an array")?]));
        }
        let tuple_of_names = self.is("(") && matches!(self.ahead(1).kind, TokenKind::Name { .. });
        if tuple_of_names {
            self.advance();
            return self.list(")", |p| p.name("an array")).map(BaseExpr::Arrays);
        }
        self.literals().map(BaseExpr::Fill)
    }

    /// Parses the parameters that follow the thunk of a combinator: its monoid, inclusion and direction, or site.
    fn after_lambda(&mut self, kind: StepKind) -> Parse<StepKind> {
        Ok(match kind {
            StepKind::Reduce { .. } => StepKind::Reduce { monoid: self.monoid()? },
            StepKind::Scan { .. } => {
                let monoid = self.monoid()?;
                let inclusion = if self.eat_soft("exclusive") {
                    Inclusion::Exclusive
                } else if self.eat_soft("inclusive") {
                    Inclusion::Inclusive
                } else {
                    return self.expected_on_line("`exclusive` or `inclusive`");
                };
                let backward = self.eat_soft("backward");
                if !backward {
                    self.eat_soft("forward");
                }
                let direction = if backward { Direction::Backward } else { Direction::Forward };
                StepKind::Scan { monoid, inclusion, direction }
            }
            StepKind::Partition { classes, site: Some(site) } if site.number.is_none() => {
                StepKind::Partition { classes, site: Some(self.site()?) }
            }
            other => other,
        })
    }
}
