use super::*;
use crate::host::HostBlock;
use crate::{HostAtom, HostOp, HostStmt, Span, text, verify};

const TEXT: &str = "
thunk join(f1: bool, x1: i32, f2: bool, x2: i32) -> (bool, i32) { or f1 f2, (select f2 x2 (add x1 x2)) }
monoid segmented exact = unit (false, 0i32) combine join
kernel sums(flags: [n]bool, xs: [n]i32, by: i32) over n {
  (f, y) = scan { i =>
    x = xs[i]
    y = if gt x 0i32 { x } else { by }
    flags[i], y
  } segmented inclusive forward
  ret y
}
fn main(flags: [n]bool, xs: [n]i32) -> [n]i32 {
  y = run sums(flags, xs, -7i32)
  ret y
}
";

#[test]
fn numbers_come_back_and_have_one_form() {
    for number in [0, 1, 127, 128, 300, 1 << 32, u64::MAX >> 1, u64::MAX] {
        let mut bytes = Vec::new();
        number.write(&mut bytes);
        (number as i64).write(&mut bytes);
        (number as i64).wrapping_neg().write(&mut bytes);
        let mut reader = Reader { rest: &bytes, depth: 0 };
        assert_eq!(u64::read(&mut reader), Some(number));
        assert_eq!(i64::read(&mut reader), Some(number as i64));
        assert_eq!(i64::read(&mut reader), Some((number as i64).wrapping_neg()));
        assert!(reader.rest.is_empty());
    }
    let too_long = [0xff; 9].iter().chain(&[0x02]).copied().collect::<Vec<u8>>();
    assert_eq!(u64::read(&mut Reader { rest: &too_long, depth: 0 }), None);
    assert_eq!(u64::read(&mut Reader { rest: &[0x80; 11], depth: 0 }), None);
}

#[test]
fn operations_come_back() {
    let typed =
        crate::ScalarType::ALL.iter().flat_map(|&ty| [crate::Op::Convert(ty), crate::Op::Bitcast(ty)]);
    for op in crate::Op::PLAIN.iter().copied().chain(typed) {
        let mut bytes = Vec::new();
        op.write(&mut bytes);
        assert_eq!(Part::read(&mut Reader { rest: &bytes, depth: 0 }), Some(op));
    }
}

/// No bytes cause a panic, in the reader or in the verifier.
#[test]
fn damaged_bytes_are_no_program_or_another_one() {
    let program = text::parse("a.lcu", TEXT).unwrap_or_else(|failure| panic!("{failure}"));
    let bytes = write(&program);
    for at in 0..bytes.len() {
        assert_eq!(read(&bytes[..at], SourceMap::default()), None, "{at}");
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            if let Some(other) = read(&damaged, program.sources.clone()) {
                let _ = verify::verify(&other);
            }
        }
    }
    let longer: Vec<u8> = bytes.iter().chain(&[0]).copied().collect();
    assert_eq!(read(&longer, SourceMap::default()), None);
}

#[test]
fn blocks_that_lie_too_deep_are_not_read() {
    let mut program = text::parse("a.lcu", "fn main() -> i64 { ret 1 }").unwrap();
    let deep = |levels: usize| {
        let mut block = HostBlock::default();
        for _ in 1..levels {
            let op = HostOp::If {
                cond: HostAtom::Const(crate::Scalar::Bool(true)),
                then: block,
                otherwise: HostBlock::default(),
            };
            block = HostBlock {
                stmts: vec![HostStmt { binds: Vec::new(), op, span: Span::NONE }],
                results: Vec::new(),
            };
        }
        block
    };
    program.functions[0].body = deep(MAX_NESTING);
    assert_eq!(read(&write(&program), SourceMap::default()).as_ref(), Some(&program));
    program.functions[0].body = deep(MAX_NESTING + 1);
    assert_eq!(read(&write(&program), SourceMap::default()), None);
}
