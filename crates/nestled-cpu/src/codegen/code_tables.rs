//! The tables that the code of a kernel refers to by position: slots, fault templates, private arrays. Code generation lays them out; the cache keeps them beside the
//! machine code, so that a cached kernel needs no text.

use super::fault::FaultTemplate;
use super::launch_table::Slot;
use nestled_ir::bytes::{Part, Reader};
use nestled_ir::{Atom, ScalarType};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tables of a kernel.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CodeTables {
    /// The layout of the slots.
    pub slots: Vec<Slot>,
    /// The fault templates, with the level of their points.
    pub faults: Vec<(FaultTemplate, usize)>,
    /// The private arrays of each function that has some.
    pub privates: BTreeMap<Arc<str>, Vec<PrivateSize>>,
}

/// The size of a private array.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PrivateSize {
    /// Number of elements of each lane: an `idx` literal or a scalar of the kernel.
    pub size: Atom,
    /// The type of an element.
    pub elem: ScalarType,
    /// Lanes; 1 where all have one array.
    pub lanes: usize,
}

impl CodeTables {
    /// Serialises the tables, followed by the machine code.
    pub fn with_code(&self, code: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(code.len() + 512);
        let CodeTables { slots, faults, privates } = self;
        slots.write(&mut out);
        let (templates, levels): (Vec<FaultTemplate>, Vec<usize>) = faults.iter().cloned().unzip();
        templates.write(&mut out);
        levels.write(&mut out);
        let (names, sizes): (Vec<Arc<str>>, Vec<Vec<PrivateSize>>) = privates.clone().into_iter().unzip();
        names.write(&mut out);
        sizes.write(&mut out);
        out.extend_from_slice(code);
        out
    }

    /// Deserialises the output of [`CodeTables::with_code`]. `None` for other bytes.
    pub fn read_with_code(bytes: &[u8]) -> Option<(CodeTables, &[u8])> {
        let mut from = Reader::new(bytes);
        let slots = Part::read(&mut from)?;
        let templates = Vec::<FaultTemplate>::read(&mut from)?;
        let levels = Vec::<usize>::read(&mut from)?;
        let names = Vec::<Arc<str>>::read(&mut from)?;
        let sizes = Vec::<Vec<PrivateSize>>::read(&mut from)?;
        if templates.len() != levels.len() || names.len() != sizes.len() {
            return None;
        }
        let faults = templates.into_iter().zip(levels).collect();
        let privates = names.into_iter().zip(sizes).collect();
        Some((CodeTables { slots, faults, privates }, from.rest()))
    }
}

impl Part for PrivateSize {
    fn write(&self, out: &mut Vec<u8>) {
        let PrivateSize { size, elem, lanes } = self;
        size.write(out);
        elem.write(out);
        lanes.write(out);
    }

    fn read(from: &mut Reader<'_>) -> Option<PrivateSize> {
        Some(PrivateSize { size: Part::read(from)?, elem: Part::read(from)?, lanes: Part::read(from)? })
    }
}

impl Part for FaultTemplate {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            FaultTemplate::OutOfRange { array } => {
                out.push(0);
                array.write(out);
            }
            FaultTemplate::Check { code } => {
                out.push(1);
                code.write(out);
            }
            FaultTemplate::Class { classes } => {
                out.push(2);
                classes.write(out);
            }
            FaultTemplate::Collision => out.push(3),
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<FaultTemplate> {
        Some(match from.byte()? {
            0 => FaultTemplate::OutOfRange { array: Part::read(from)? },
            1 => FaultTemplate::Check { code: Part::read(from)? },
            2 => FaultTemplate::Class { classes: Part::read(from)? },
            3 => FaultTemplate::Collision,
            _ => return None,
        })
    }
}

/// Serialises a slot as the number of its variant and its index.
macro_rules! slots {
    ($($number:literal $plain:ident;)* ; $($with:literal $variant:ident;)*) => {
        impl Part for Slot {
            fn write(&self, out: &mut Vec<u8>) {
                match self {
                    $(Slot::$plain => out.push($number),)*
                    $(Slot::$variant(of) => {
                        out.push($with);
                        of.write(out);
                    })*
                }
            }

            fn read(from: &mut Reader<'_>) -> Option<Slot> {
                Some(match from.byte()? {
                    $($number => Slot::$plain,)*
                    $($with => Slot::$variant(Part::read(from)?),)*
                    _ => return None,
                })
            }
        }
    };
}

slots! {
    0 Interrupt; 1 Width; 2 Left; 3 Right; ;
    4 Extent; 5 Length; 6 Offsets; 7 Scalar; 8 Data; 9 Starts; 10 Result; 11 Stored; 12 Turn; 13 Rows; 14 Points; 15 Elements;
}

#[cfg(test)]
mod tests {
    use super::*;
    use nestled_ir::{Scalar, ValueId};

    #[test]
    fn what_was_written_is_read_again() {
        let slots = vec![
            Slot::Interrupt,
            Slot::Extent(1),
            Slot::Length(2),
            Slot::Offsets(300),
            Slot::Scalar(4),
            Slot::Data(5),
            Slot::Starts(6),
            Slot::Result(7),
            Slot::Stored(8),
            Slot::Turn(9),
            Slot::Rows(10),
            Slot::Width,
            Slot::Left,
            Slot::Right,
            Slot::Points(11),
            Slot::Elements(12),
        ];
        let faults = vec![
            (FaultTemplate::OutOfRange { array: "xs".into() }, 1),
            (FaultTemplate::Check { code: "below".into() }, 0),
            (FaultTemplate::Class { classes: 3 }, 2),
            (FaultTemplate::Collision, 1),
        ];
        let size = |size| PrivateSize { size, elem: ScalarType::F32, lanes: 16 };
        let sizes = vec![size(Atom::Const(Scalar::Idx(9))), size(Atom::Value(ValueId(3)))];
        let privates = BTreeMap::from([("n0.main".into(), sizes), ("n1.join".into(), Vec::new())]);
        let tables = CodeTables { slots, faults, privates };
        let bytes = tables.with_code(b"code");
        assert_eq!(CodeTables::read_with_code(&bytes), Some((tables, &b"code"[..])));
        for len in 0..bytes.len() - b"code".len() {
            assert_eq!(CodeTables::read_with_code(&bytes[..len]), None, "{len}");
        }
    }
}
