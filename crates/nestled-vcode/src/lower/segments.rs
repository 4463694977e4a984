//! Lowering of segment descriptors: making them from lengths, and reading their lengths.

use super::slot::{Descr, Form, Origin, Vector};
use super::{Lower, Lowering};
use nestled_ir::{Axis, HostAtom, HostOp, Shape, Span, ValueId};

impl Lowering<'_> {
    /// Returns the number of elements of a descriptor.
    pub fn descr_total(&mut self, descr: Descr, span: Span) -> Lower<Axis> {
        match descr {
            Descr::Single(axis) => Ok(axis),
            Descr::Many { seg, .. } => self.total(seg, span),
        }
    }

    /// Makes two segmentations one symbol from here on, by `same`.
    pub fn same_segs(&mut self, left: ValueId, right: ValueId, span: Span) -> Lower<()> {
        use super::equal_extents::Extent::Total;
        let site = self.out.site(span);
        let op = HostOp::Same { left: Axis::Sym(left), right: Axis::Sym(right), site };
        self.emit(&[], op, span)?;
        self.frame.said.unite(Total(left), Total(right));
        self.frame.facts.unite(Total(left), Total(right));
        Ok(())
    }

    /// Writes `MAKE_SEGDES`.
    pub fn make_segdes(&mut self, lengths: &Vector, span: Span) -> Lower<Descr> {
        match (lengths.origin, lengths.form, lengths.atom) {
            (Origin::Extent(axis), ..) => return Ok(Descr::Single(axis)),
            (Origin::LengthsOf(descr), ..) => return Ok(descr),
            (_, Form::One, HostAtom::Const(scalar))
                if scalar.as_integer().is_some_and(|value| value >= 0) =>
            {
                let extent = scalar.as_integer().unwrap_or(0) as u64;
                return Ok(Descr::Single(Axis::Const(extent)));
            }
            (_, Form::One, atom) => {
                let extent = self.index(atom, span)?;
                let site = self.out.site(span);
                let axis = Axis::Sym(self.emit_one("n", HostOp::Dim { extent, site }, span)?);
                return Ok(Descr::Single(axis));
            }
            _ => {}
        }
        let parent = self.extent(lengths, span)?;
        let given = self.shaped(lengths, Form::Flat(parent), span)?;
        let given = self.conform(given, Form::Flat(parent), span)?;
        let lengths = self.as_value(given);
        let site = self.out.site(span);
        let seg = self.emit_one("s", HostOp::Segments { lengths, site }, span)?;
        Ok(Descr::Many { seg, parent: self.parent(seg) })
    }

    /// Writes `LENGTHS`.
    pub fn lengths(&mut self, descr: Descr, span: Span) -> Lower<Vector> {
        match descr {
            Descr::Single(axis) => self.extent_as_int(axis, span),
            Descr::Many { seg, parent } => {
                let lengths = self.emit_one("lengths", HostOp::Lengths { seg }, span)?;
                let mut ints = self.ints_of(HostAtom::Value(lengths), Form::Flat(parent), span)?;
                ints.origin = Origin::LengthsOf(descr);
                Ok(ints)
            }
        }
    }

    /// Returns the descriptor as a segmentation with its number of segments, even if it has one.
    pub fn many(&mut self, descr: Descr, span: Span) -> Lower<(ValueId, Axis)> {
        match descr {
            Descr::Many { seg, parent } => Ok((seg, parent)),
            Descr::Single(axis) => {
                let parent = Shape::new([Axis::Const(1)]);
                let regular = self.emit_one("s", HostOp::Regular { parent, length: axis }, span)?;
                let seg = self.emit_one("s", HostOp::Widen { seg: regular }, span)?;
                self.frame.facts.unite(
                    super::equal_extents::Extent::Axis(axis),
                    super::equal_extents::Extent::Total(seg),
                );
                Ok((seg, Axis::Const(1)))
            }
        }
    }
}
