//! The operands of host code, in one place, so that no pass forgets one.

use nestled_ir::{Axis, Command, EachArg, HostAtom, HostBlock, HostOp, Library, PrintItem, Shape, ValueId};

/// An operand, to look at or to change.
#[derive(Debug)]
pub enum Operand<'a> {
    /// A scalar, or an argument of any type.
    Atom(&'a mut HostAtom),
    /// An array or segmentation.
    Value(&'a mut ValueId),
    /// An axis of a shape.
    Axis(&'a mut Axis),
}

/// Calls `visit` on each operand of a statement itself, in order of the text; those inside its blocks are left out.
pub fn visit(op: &mut HostOp, visit: &mut dyn FnMut(Operand<'_>)) {
    match op {
        HostOp::Scalar { op: _, args } => atoms(args, visit),
        HostOp::Literal { elem: _, extents: _, elements: _ } => {}
        HostOp::Dim { extent, site: _ } => visit(Operand::Atom(extent)),
        HostOp::Size { shape } => axes(shape, visit),
        HostOp::Segments { lengths, site: _ } => visit(Operand::Value(lengths)),
        HostOp::Regular { parent, length } => {
            axes(parent, visit);
            visit(Operand::Axis(length));
        }
        HostOp::Widen { seg } | HostOp::Lengths { seg } | HostOp::Starts { seg } => {
            visit(Operand::Value(seg))
        }
        HostOp::Same { left, right, site: _ } => {
            visit(Operand::Axis(left));
            visit(Operand::Axis(right));
        }
        HostOp::Reshape { array, shape, site: _ } => {
            visit(Operand::Value(array));
            axes(shape, visit);
        }
        HostOp::View { seg, starts, buffer, site: _ } => {
            visit(Operand::Value(seg));
            visit(Operand::Value(starts));
            visit(Operand::Value(buffer));
        }
        HostOp::Check { cond, code: _, site: _ } => visit(Operand::Atom(cond)),
        HostOp::If { cond, then: _, otherwise: _ } => visit(Operand::Atom(cond)),
        HostOp::Call { function: _, shapes, args } | HostOp::Run { kernel: _, shapes, args } => {
            shapes.iter_mut().for_each(|axis| visit(Operand::Axis(axis)));
            atoms(args, visit);
        }
        HostOp::Each { extent, function: _, shapes, args } => {
            visit(Operand::Axis(extent));
            shapes.iter_mut().flatten().for_each(|axis| visit(Operand::Axis(axis)));
            for arg in args {
                match arg {
                    EachArg::Uniform(atom) => visit(Operand::Atom(atom)),
                    EachArg::Element(value) => visit(Operand::Value(value)),
                }
            }
        }
        HostOp::Library(library) => visit_library(library, visit),
        HostOp::Command(command) => visit_command(command, visit),
    }
}

fn atoms(args: &mut [HostAtom], visit: &mut dyn FnMut(Operand<'_>)) {
    args.iter_mut().for_each(|arg| visit(Operand::Atom(arg)));
}

fn axes(shape: &mut Shape, visit: &mut dyn FnMut(Operand<'_>)) {
    shape.axes.iter_mut().for_each(|axis| visit(Operand::Axis(axis)));
}

fn visit_library(library: &mut Library, visit: &mut dyn FnMut(Operand<'_>)) {
    match library {
        Library::Sort { keys, payload, order: _ } => {
            visit(Operand::Value(keys));
            payload.iter_mut().for_each(|value| visit(Operand::Value(value)));
        }
        Library::Rank { keys, order: _ } => visit(Operand::Value(keys)),
        Library::MatMul { left, right } => {
            visit(Operand::Value(left));
            visit(Operand::Value(right));
        }
    }
}

fn visit_command(command: &mut Command, visit: &mut dyn FnMut(Operand<'_>)) {
    match command {
        Command::Print { items, to_error: _ } => {
            for item in items {
                match item {
                    PrintItem::Text(_) => {}
                    PrintItem::Value(atom) => visit(Operand::Atom(atom)),
                }
            }
        }
        Command::ReadFile { path } => visit(Operand::Value(path)),
        Command::WriteFile { path, bytes, append: _ } => {
            visit(Operand::Value(path));
            visit(Operand::Value(bytes));
        }
        Command::Clock { after } => after.iter_mut().for_each(|value| visit(Operand::Value(value))),
        Command::Entropy => {}
    }
}

/// Calls `visit` on each value that a statement itself reads; those inside its blocks are left out.
pub fn uses(op: &HostOp, visit_value: &mut dyn FnMut(ValueId)) {
    if let HostOp::If { cond, .. } = op {
        // Spares a copy of the blocks.
        if let HostAtom::Value(value) = *cond {
            visit_value(value);
        }
        return;
    }
    visit(&mut op.clone(), &mut |operand| match operand {
        Operand::Atom(&mut HostAtom::Value(value))
        | Operand::Value(&mut value)
        | Operand::Axis(&mut Axis::Sym(value)) => visit_value(value),
        Operand::Atom(HostAtom::Const(_)) | Operand::Axis(Axis::Const(_)) => {}
    });
}

/// Calls `visit` on each value that is a result of a block.
pub fn results(block: &HostBlock, visit_value: &mut dyn FnMut(ValueId)) {
    for &result in &block.results {
        if let HostAtom::Value(value) = result {
            visit_value(value);
        }
    }
}
