//! What a statement uses.

use crate::host::{Command, EachArg, HostAtom, HostOp, Library, PrintItem};
use crate::id::ValueId;
use crate::types::{Axis, Shape};

/// The values that a statement uses, those in shapes included; what its blocks use is left out.
pub(super) fn uses(op: &HostOp) -> Vec<ValueId> {
    let mut used = Vec::new();
    match op {
        HostOp::Scalar { args, .. } => atoms(&mut used, args),
        HostOp::Literal { .. } => {}
        HostOp::Dim { extent, .. } => atoms(&mut used, &[*extent]),
        HostOp::Size { shape } => axes(&mut used, shape),
        HostOp::Segments { lengths, .. } => used.push(*lengths),
        HostOp::Regular { parent, length } => {
            axes(&mut used, parent);
            axis(&mut used, *length);
        }
        HostOp::Widen { seg } | HostOp::Lengths { seg } | HostOp::Starts { seg } => used.push(*seg),
        HostOp::Same { left, right, .. } => {
            axis(&mut used, *left);
            axis(&mut used, *right);
        }
        HostOp::Reshape { array, shape, .. } => {
            used.push(*array);
            axes(&mut used, shape);
        }
        HostOp::View { seg, starts, buffer, .. } => used.extend([*seg, *starts, *buffer]),
        HostOp::Check { cond, .. } | HostOp::If { cond, .. } => atoms(&mut used, &[*cond]),
        HostOp::Call { shapes, args, .. } | HostOp::Run { shapes, args, .. } => {
            shapes.iter().for_each(|&shape| axis(&mut used, shape));
            atoms(&mut used, args);
        }
        HostOp::Each { extent, shapes, args, .. } => {
            shapes.iter().flatten().chain([extent]).for_each(|&shape| axis(&mut used, shape));
            for arg in args {
                match arg {
                    EachArg::Uniform(atom) => atoms(&mut used, &[*atom]),
                    EachArg::Element(value) => used.push(*value),
                }
            }
        }
        HostOp::Library(Library::Sort { keys, payload, .. }) => {
            used.push(*keys);
            used.extend(payload);
        }
        HostOp::Library(Library::Rank { keys, .. }) => used.push(*keys),
        HostOp::Library(Library::MatMul { left, right }) => used.extend([*left, *right]),
        HostOp::Command(Command::Print { items, .. }) => {
            for item in items {
                if let PrintItem::Value(atom) = item {
                    atoms(&mut used, &[*atom]);
                }
            }
        }
        HostOp::Command(Command::ReadFile { path }) => used.push(*path),
        HostOp::Command(Command::WriteFile { path, bytes, .. }) => used.extend([*path, *bytes]),
        HostOp::Command(Command::Clock { after }) => used.extend(after),
        HostOp::Command(Command::Entropy) => {}
    }
    used
}

fn atoms(used: &mut Vec<ValueId>, atoms: &[HostAtom]) {
    for atom in atoms {
        if let HostAtom::Value(value) = atom {
            used.push(*value);
        }
    }
}

fn axes(used: &mut Vec<ValueId>, shape: &Shape) {
    shape.axes.iter().for_each(|&one| axis(used, one));
}

fn axis(used: &mut Vec<ValueId>, axis: Axis) {
    if let Axis::Sym(value) = axis {
        used.push(value);
    }
}
