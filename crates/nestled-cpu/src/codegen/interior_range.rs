//! The interior of a row: computes, before the loop, the range of coordinates in which all assumptions of the interior loop hold.

use super::function::Function;
use super::loops::MAX_STRIDE;
use super::point::{Assumed, Constraint};
use super::text::Name;
use super::value::Depth;

impl Function<'_, '_> {
    /// Computes, before the loops, the part of the row that the interior loop takes: whole vectors for which all assumptions hold.
    pub fn interior_range(
        &mut self,
        interior: &(Name, Name),
        from: &str,
        to: &str,
        down: bool,
        origin: &Option<Name>,
        assumed: &Assumed,
    ) {
        let lanes = self.emit.lanes as i64;
        let (mut low, mut high): (Name, Name) = (from.into(), to.into());
        let mut holds: Name = "true".into();
        for (_, fact) in &assumed.row {
            holds = self.emit.define_at(Depth::Row, format_args!("and i1 {holds}, {fact}"));
        }
        // Hoisted as far out as possible, each depth after the one before.
        let mut range: Option<(Name, Name)> = None;
        for depth in [Depth::Entry, Depth::Group, Depth::Row] {
            for constraint in assumed.along.iter().filter(|constraint| constraint.depth == depth) {
                if constraint.stride.unsigned_abs() > MAX_STRIDE {
                    holds = "false".into();
                    continue;
                }
                let (first, end) = self.constrained(constraint);
                range = Some(match range {
                    None => (first, end),
                    Some((low, high)) => {
                        (self.min_max(depth, "max", &low, &first), self.min_max(depth, "min", &high, &end))
                    }
                });
            }
        }
        if let Some((first, end)) = range {
            low = self.min_max(Depth::Row, "max", &low, &first);
            high = self.min_max(Depth::Row, "min", &high, &end);
        }
        if let (Some(origin), true) = (origin, down) {
            let number = self.emit.define_at(Depth::Row, format_args!("add i64 {origin}, {high}"));
            let off = self.emit.define_at(Depth::Row, format_args!("and i64 {number}, {}", lanes - 1));
            high = self.emit.define_at(Depth::Row, format_args!("sub i64 {high}, {off}"));
        } else if let Some(origin) = origin {
            let number = self.emit.define_at(Depth::Row, format_args!("add i64 {origin}, {low}"));
            let minus = self.emit.define_at(Depth::Row, format_args!("sub i64 0, {number}"));
            let up = self.emit.define_at(Depth::Row, format_args!("and i64 {minus}, {}", lanes - 1));
            low = self.emit.define_at(Depth::Row, format_args!("add i64 {low}, {up}"));
        }
        if assumed.aligned > 1 {
            let rest = assumed.aligned - 1;
            match origin {
                Some(origin) => {
                    let off = self.emit.define_at(Depth::Row, format_args!("and i64 {origin}, {rest}"));
                    let begins = self.emit.define_at(Depth::Row, format_args!("icmp eq i64 {off}, 0"));
                    holds = self.emit.define_at(Depth::Row, format_args!("and i1 {holds}, {begins}"));
                }
                None if down => {
                    high = self.emit.define_at(Depth::Row, format_args!("and i64 {high}, {}", !rest as i64));
                }
                None => {
                    let up = self.emit.define_at(Depth::Row, format_args!("add i64 {low}, {rest}"));
                    low = self.emit.define_at(Depth::Row, format_args!("and i64 {up}, {}", !rest as i64));
                }
            }
        }
        let length = self.emit.define_at(Depth::Row, format_args!("sub i64 {high}, {low}"));
        let whole = self.emit.define_at(Depth::Row, format_args!("and i64 {length}, {}", -lanes));
        let some = self.emit.define_at(Depth::Row, format_args!("icmp sgt i64 {length}, 0"));
        let any = self.emit.define_at(Depth::Row, format_args!("icmp sgt i64 {whole}, 0"));
        let some = self.emit.define_at(Depth::Row, format_args!("and i1 {some}, {any}"));
        let runs = self.emit.define_at(Depth::Row, format_args!("and i1 {some}, {holds}"));
        let (first, last) = match down {
            false => (low.clone(), self.emit.define_at(Depth::Row, format_args!("add i64 {low}, {whole}"))),
            true => (self.emit.define_at(Depth::Row, format_args!("sub i64 {high}, {whole}")), high.clone()),
        };
        let idle = if down { to } else { from };
        let first =
            self.emit.define_at(Depth::Row, format_args!("select i1 {runs}, i64 {first}, i64 {idle}"));
        let last = self.emit.define_at(Depth::Row, format_args!("select i1 {runs}, i64 {last}, i64 {idle}"));
        let place = self.emit.row;
        self.emit.text.line(place, format_args!("store i64 {first}, ptr {}", interior.0));
        self.emit.text.line(place, format_args!("store i64 {last}, ptr {}", interior.1));
    }

    /// Returns the range of coordinates in which a constraint holds.
    fn constrained(&mut self, constraint: &Constraint) -> (Name, Name) {
        let depth = constraint.depth;
        // Clamped away from the limits of `i64`, so that nothing below overflows.
        let base = self.min_max(depth, "max", &constraint.base, &(-(1i64 << 61)).to_string());
        let base = self.min_max(depth, "min", &base, &(1i64 << 61).to_string());
        if constraint.stride > 0 {
            let past = self.emit.define_at(depth, format_args!("sub i64 {}, {base}", constraint.extent));
            let before = self.emit.define_at(depth, format_args!("sub i64 0, {base}"));
            return (
                self.ceiling(depth, &before, constraint.stride),
                self.ceiling(depth, &past, constraint.stride),
            );
        }
        let stride = -constraint.stride;
        let last = self.floor(depth, &base, stride);
        let below = self.emit.define_at(depth, format_args!("sub i64 {base}, {}", constraint.extent));
        let below = self.floor(depth, &below, stride);
        let first = self.emit.define_at(depth, format_args!("add i64 {below}, 1"));
        (first, self.emit.define_at(depth, format_args!("add i64 {last}, 1")))
    }

    /// ⌈a / b⌉ for b > 0.
    fn ceiling(&mut self, depth: Depth, a: &str, b: i64) -> Name {
        if b == 1 {
            return a.into();
        }
        let minus = self.emit.define_at(depth, format_args!("sub i64 0, {a}"));
        let floor = self.floor(depth, &minus, b);
        self.emit.define_at(depth, format_args!("sub i64 0, {floor}"))
    }

    /// ⌊a / b⌋ for b > 0.
    fn floor(&mut self, depth: Depth, a: &str, b: i64) -> Name {
        if b == 1 {
            return a.into();
        }
        let quotient = self.emit.define_at(depth, format_args!("sdiv i64 {a}, {b}"));
        let rest = self.emit.define_at(depth, format_args!("srem i64 {a}, {b}"));
        let under = self.emit.define_at(depth, format_args!("ashr i64 {rest}, 63"));
        self.emit.define_at(depth, format_args!("add i64 {quotient}, {under}"))
    }
}
