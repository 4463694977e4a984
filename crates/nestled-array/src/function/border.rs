//! Borders of functions: which of the pieces that go in and out are extents, lengths and elements, and of which shape.
//!
//! Pieces are listed from the outside to the inside: of `[[float]]` the extent, the lengths, the number of all elements, and the elements. A program that takes
//! segmentations has one shape parameter for each sequence of the type, and no lengths.

use nestled_nesl::Plain as NeslType;

/// The border of a function.
#[derive(Clone, Debug)]
pub(crate) struct Border {
    /// The arguments that are no extents, in order.
    pub args: Vec<Arg>,
    /// The shapes, each with an extent among the arguments, in order.
    pub shapes: Vec<ShapeArg>,
    /// The parts of the result, in order.
    pub results: Vec<Given>,
}

/// An argument that is no extent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arg {
    Scalar,
    /// One for each point of a shape.
    Elements(usize),
    /// The lengths of a shape: one for each point of its parent.
    Lengths(usize),
}

/// A shape of the arguments: an extent, or a segmentation.
#[derive(Clone, Debug)]
pub(crate) struct ShapeArg {
    /// The shape whose points it cuts into segments; none for an extent.
    pub parent: Option<usize>,
    /// The argument with its lengths; none for an extent.
    pub lengths: Option<usize>,
    /// An argument with one element for each of its points.
    pub elements: usize,
}

/// A part of the result; `bind` is the place among the results of the program that has segmentations, `extent` that among the parts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given {
    Extent { bind: usize },
    Scalar { bind: usize },
    Lengths { bind: usize, extent: usize },
    Elements { bind: usize, extent: usize, segments: Option<usize> },
}

impl Given {
    pub fn bind(self) -> usize {
        match self {
            Given::Extent { bind }
            | Given::Scalar { bind }
            | Given::Lengths { bind, .. }
            | Given::Elements { bind, .. } => bind,
        }
    }
}

/// The sequences around a part of a result.
#[derive(Clone, Copy)]
struct Around {
    extent: usize,
    segments: Option<usize>,
}

impl Border {
    /// That of a function with arguments and a result of these types, which have no datatypes.
    pub fn of(arguments: &[NeslType], result: &NeslType) -> Border {
        let mut border = Border { args: Vec::new(), shapes: Vec::new(), results: Vec::new() };
        arguments.iter().for_each(|ty| border.argument(ty, None));
        border.result(result, &mut 0, None);
        border
    }

    fn argument(&mut self, ty: &NeslType, within: Option<usize>) {
        match ty {
            NeslType::Seq(element) => {
                let own = self.shapes.len();
                // Lengths are elements of the parent, and come first.
                let lengths = within.map(|_| self.args.len());
                self.args.extend(lengths.map(|_| Arg::Lengths(own)));
                self.shapes.push(ShapeArg { parent: within, lengths, elements: self.args.len() });
                self.argument(element, Some(own));
            }
            NeslType::Pair(left, right) => {
                self.argument(left, within);
                self.argument(right, within);
            }
            NeslType::Data(_) | NeslType::Outer(_) => unreachable!("other types represent datatypes"),
            NeslType::Int | NeslType::Float | NeslType::Char | NeslType::Bool => {
                self.args.push(within.map_or(Arg::Scalar, Arg::Elements));
            }
        }
    }

    fn result(&mut self, ty: &NeslType, bind: &mut usize, around: Option<Around>) {
        let mut next = || std::mem::replace(bind, *bind + 1);
        match ty {
            NeslType::Seq(element) => {
                let own = next();
                self.results.extend(around.map(|around| Given::Lengths { bind: own, extent: around.extent }));
                let extent = self.results.len();
                self.results.push(Given::Extent { bind: own });
                let segments = around.map(|_| own);
                self.result(element, bind, Some(Around { extent, segments }));
            }
            NeslType::Pair(left, right) => {
                self.result(left, bind, around);
                self.result(right, bind, around);
            }
            NeslType::Data(_) | NeslType::Outer(_) => unreachable!("other types represent datatypes"),
            NeslType::Int | NeslType::Float | NeslType::Char | NeslType::Bool => {
                let bind = next();
                self.results.push(match around {
                    None => Given::Scalar { bind },
                    Some(Around { extent, segments }) => Given::Elements { bind, extent, segments },
                });
            }
        }
    }

    /// Number of results of the program with segmentations.
    pub fn n_given(&self) -> usize {
        self.results.iter().map(|part| part.bind() + 1).max().unwrap_or(0)
    }

    /// The arguments that are parameters of the program with segmentations.
    pub fn params(&self) -> impl Iterator<Item = usize> {
        (0..self.args.len()).filter(|&arg| !matches!(self.args[arg], Arg::Lengths(_)))
    }

    /// The shape of whose points an argument has one element each.
    pub fn shape_of(&self, arg: usize) -> Option<usize> {
        match self.args[arg] {
            Arg::Scalar => None,
            Arg::Elements(shape) => Some(shape),
            Arg::Lengths(shape) => self.shapes[shape].parent,
        }
    }

    /// For each shape the first that is equal to it: extents by their value, segmentations if their lengths are the same array, which `is_same` says of two arguments.
    pub fn pattern(&self, extents: &[u64], is_same: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let mut pattern: Vec<usize> = Vec::with_capacity(self.shapes.len());
        for (at, own) in self.shapes.iter().enumerate() {
            let is_equal = |&known: &usize| {
                let other = &self.shapes[known];
                match (own.parent, other.parent, own.lengths, other.lengths) {
                    (None, None, ..) => extents[known] == extents[at],
                    (Some(parent), Some(of), Some(lengths), Some(others)) => {
                        pattern[parent] == pattern[of] && is_same(lengths, others)
                    }
                    _ => false,
                }
            };
            pattern.push((0..at).find(is_equal).unwrap_or(at));
        }
        pattern
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seq(element: NeslType) -> NeslType {
        NeslType::Seq(Box::new(element))
    }

    #[test]
    fn pieces_are_listed_from_the_outside_to_the_inside() {
        let pair = NeslType::Pair(Box::new(NeslType::Int), Box::new(seq(NeslType::Char)));
        let border = Border::of(&[NeslType::Float, seq(seq(pair.clone()))], &seq(pair));
        assert_eq!(
            border.args,
            [Arg::Scalar, Arg::Lengths(1), Arg::Elements(1), Arg::Lengths(2), Arg::Elements(2)]
        );
        let shapes: Vec<_> =
            border.shapes.iter().map(|shape| (shape.parent, shape.lengths, shape.elements)).collect();
        assert_eq!(shapes, [(None, None, 1), (Some(0), Some(1), 2), (Some(1), Some(3), 4)]);
        assert_eq!(border.params().collect::<Vec<_>>(), [0, 2, 4]);
        assert_eq!(
            (0..5).map(|arg| border.shape_of(arg)).collect::<Vec<_>>(),
            [None, Some(0), Some(1), Some(1), Some(2)]
        );
        let binds: Vec<usize> = border.results.iter().map(|part| part.bind()).collect();
        assert_eq!(binds, [0, 1, 2, 2, 3]);
    }
}
