//! Programs written naively, one operation or so to a kernel, end up with as many kernels and runs as those fused by hand, which move as many
//! bytes.

use nestled_ir::{Axis, Function, HostAtom, HostOp, Program, Type, ValueId, text, verify};
use nestled_pass::{DEFAULT, PassContext, run};
use std::path::Path;

fn optimised(path: &Path) -> (Program, Program) {
    let source = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let name = path.display().to_string();
    let program = text::parse(&name, &source).unwrap_or_else(|failure| panic!("{failure}"));
    verify::verify(&program).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    let after = run(&program, DEFAULT, &mut PassContext::default()).unwrap_or_else(|bug| panic!("{bug}"));
    (program, after)
}

/// The kernels, their steps, and the runs of a program.
fn counts(program: &Program) -> (usize, usize, usize) {
    let mut runs = 0;
    for function in &program.functions {
        function.body.walk(&mut |stmt| runs += usize::from(matches!(stmt.op, HostOp::Run { .. })));
    }
    let steps = program.kernels.iter().map(|kernel| kernel.steps.len()).sum();
    (program.kernels.len(), steps, runs)
}

/// The bytes of all arrays that runs read and write, where an extent is a thousand and a segment ten.
fn moved(program: &Program) -> u64 {
    let mut bytes = 0;
    for function in &program.functions {
        function.body.walk(&mut |stmt| {
            if let HostOp::Run { args, .. } = &stmt.op {
                let args = args.iter().filter_map(|arg| match arg {
                    HostAtom::Value(value) => Some(*value),
                    HostAtom::Const(_) => None,
                });
                bytes +=
                    args.chain(stmt.binds.iter().copied()).map(|value| size(function, value)).sum::<u64>();
            }
        });
    }
    bytes
}

fn size(function: &Function, value: ValueId) -> u64 {
    let points = |axes: &[Axis]| -> u64 { axes.iter().map(|axis| extent(function, *axis)).product() };
    match &function.values[value.index()].ty {
        Type::Array(array) if !array.shape.is_scalar() => {
            points(&array.shape.axes) * array.elem.size() as u64
        }
        Type::Array(_) | Type::Dim | Type::Seg(_) => 0,
    }
}

fn extent(function: &Function, axis: Axis) -> u64 {
    match axis {
        Axis::Const(extent) => extent,
        Axis::Sym(symbol) => match &function.values[symbol.index()].ty {
            Type::Seg(seg) => {
                seg.parent.axes.iter().map(|axis| extent(function, *axis)).product::<u64>() * 10
            }
            Type::Array(_) | Type::Dim => 1000,
        },
    }
}

#[test]
fn unfused_benches_end_up_as_the_fused_ones() {
    let benches = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches");
    let folder = std::fs::read_dir(benches.join("unfused")).unwrap();
    let mut paths: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut wrong = Vec::new();
    for path in &paths {
        let name = path.file_name().unwrap();
        let (_, by_hand) = optimised(&benches.join(name));
        let (naive, after) = optimised(path);
        let bytes = (moved(&after), moved(&by_hand));
        if bytes.0 != bytes.1 {
            wrong.push(format!("{name:?}: {} bytes, by hand {}", bytes.0, bytes.1));
        }
        let (by_hand, naive, after) = (counts(&by_hand), counts(&naive), counts(&after));
        println!(
            "{name:?}: kernels, steps and runs {naive:?} → {after:?}, by hand {by_hand:?}; {} bytes",
            bytes.0
        );
        assert!(naive.2 > by_hand.2, "{name:?} is not unfused");
        if (after.0, after.2) != (by_hand.0, by_hand.2) {
            wrong.push(format!("{name:?}: {after:?}, by hand {by_hand:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
