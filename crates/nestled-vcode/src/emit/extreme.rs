//! The greatest and the least of floats, as NESL has them: NaN if there is one, an infinity of nothing, +0 greater than −0. The instructions of VCODE have other
//! answers there.
//!
//! Sorting knows all of this: ranks put −0 before +0, and NaN last in either direction. A reduction sorts only if its instruction's answer is in doubt; scans do
//! always.

use super::code::{Block, Function, Type, Var, bools, floats, ints};
use super::writer::Writer;
use crate::syntax::ast::Constant;
use crate::syntax::instr::{Elem, Fold, Instr, Move, Point};

/// Writes the function of that name; see [`super::instances::Key::Extreme`].
pub fn function(name: String, (least, scan, bounded): (bool, bool, bool)) -> Function {
    let mut out = Writer::default();
    let params = vec![out.fresh(Type::Vector(Elem::Float)), out.fresh(Type::Segdes)];
    let (vector, seg) = (params[0], params[1]);
    out.is_under(vector, seg);
    let made =
        if scan { sorted(&mut out, vector, seg, least, true) } else { reduced(&mut out, vector, seg, least) };
    let made = if bounded { within(&mut out, made, least) } else { made };
    let body = out.close(vec![made]);
    Function { name, params, body, types: out.types }
}

/// Reduces by the instruction, and sorts where its answer may not be NESL's: where it is no element, or zero, or there are NaNs.
fn reduced(out: &mut Writer, vector: Var, seg: Var, least: bool) -> Var {
    let fold = if least { Fold::Min } else { Fold::Max };
    let quick = out.op(Instr::Reduce(fold, Elem::Float), &[vector, seg]);
    let all = out.op(Instr::Dist(Elem::Float), &[quick, seg]);
    let equal = out.op(floats(Point::Eq), &[vector, all]);
    let is_element = out.op(Instr::Reduce(Fold::Or, Elem::Bool), &[equal, seg]);
    let zero = out.fill(Constant::Floats(vec![0.0]), quick);
    let nonzero = out.op(floats(Point::Ne), &[quick, zero]);
    let sure = out.op(bools(Point::And), &[is_element, nonzero]);
    let sure = everywhere(out, sure);
    let number = out.op(floats(Point::Eq), &[vector, vector]);
    let numbers = everywhere(out, number);
    let sure = out.op(bools(Point::And), &[sure, numbers]);
    out.open();
    let then = out.close(vec![quick]);
    out.open();
    let exact = sorted(out, vector, seg, least, false);
    let otherwise: Block = out.close(vec![exact]);
    let made = out.branch(sure, then, otherwise, &[Type::Vector(Elem::Float)])[0];
    out.is_like(made, seg);
    made
}

fn everywhere(out: &mut Writer, flags: Var) -> Var {
    let extent = out.extent(flags);
    out.op(Instr::Reduce(Fold::And, Elem::Bool), &[flags, extent])
}

/// Finds the greatest rank, of all or of those before, and what has it.
fn sorted(out: &mut Writer, vector: Var, seg: Var, least: bool, scan: bool) -> Var {
    let ranks = out.op(Instr::Rank { down: least, elem: Elem::Float }, &[vector, seg]);
    let in_order = out.op(Instr::Move(Move::Permute, Elem::Float), &[vector, ranks, seg]);
    let instr = match scan {
        true => Instr::Scan(Fold::Max, Elem::Int),
        false => Instr::Reduce(Fold::Max, Elem::Int),
    };
    let most = out.op(instr, &[ranks, seg]);
    let zero = out.fill(Constant::Ints(vec![0]), most);
    let some = out.op(ints(Point::Ge), &[most, zero]);
    // One place for each segment, or for each element.
    let to = match scan {
        true => seg,
        false => {
            let one = out.fill(Constant::Ints(vec![1]), most);
            out.op(Instr::MakeSegdes, &[one])
        }
    };
    let found = out.op(Instr::Move(Move::Bfpermute, Elem::Float), &[in_order, most, some, seg, to]);
    let unit = out.fill(Constant::Floats(vec![if least { f64::INFINITY } else { f64::NEG_INFINITY }]), most);
    out.op(floats(Point::Select), &[some, found, unit])
}

/// Takes the original's limits for what is beyond them.
fn within(out: &mut Writer, value: Var, least: bool) -> Var {
    let limit = f64::from(1.0e36_f32);
    let unit = out.fill(Constant::Floats(vec![if least { limit } else { -limit }]), value);
    let beyond = out.op(floats(if least { Point::Gt } else { Point::Lt }), &[value, unit]);
    out.op(floats(Point::Select), &[beyond, unit, value])
}
