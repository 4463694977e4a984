//! Liveness: marks last uses. One backward walk suffices: every jump leads forward, so the live values at its target are known already.

use super::instr::{Code, Instr, NO_SLOT, Operand, Slot};
use std::collections::BTreeMap;

/// A set of values.
#[derive(Clone)]
struct Live(Vec<u64>);

impl Live {
    fn new(n_values: usize) -> Live {
        Live(vec![0; n_values.div_ceil(64)])
    }

    fn contains(&self, value: Slot) -> bool {
        self.0[value as usize / 64] >> (value % 64) & 1 != 0
    }

    fn insert(&mut self, value: Slot) {
        self.0[value as usize / 64] |= 1 << (value % 64);
    }

    fn remove(&mut self, value: Slot) {
        self.0[value as usize / 64] &= !(1 << (value % 64));
    }

    fn union(&mut self, other: &Live) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// The set difference: values in `self` and not in `other`.
    fn without(&self, other: &Live) -> Vec<Slot> {
        let n = self.0.len() as u32 * 64;
        (0..n).filter(|&value| self.contains(value) && !other.contains(value)).collect()
    }
}

/// Marks the last use of each value, drops values at a branch that does not need them, and redirects unused results to [`NO_SLOT`].
pub(super) fn mark_last_uses(code: &mut Code, n_values: usize) {
    let mut live = Live::new(n_values);
    let mut at_target: BTreeMap<u32, Live> = BTreeMap::new();
    let mut moved = Live::new(n_values);
    // Targets are looked up on the way to the front, so all are noted first.
    for instr in &code.instrs {
        if let Instr::Jump { target } | Instr::JumpUnless { target, .. } = instr {
            at_target.insert(*target, Live::new(n_values));
        }
    }
    for (position, instr) in code.instrs.iter_mut().enumerate().rev() {
        step(instr, &mut live, &at_target, &mut moved);
        if let Some(known) = at_target.get_mut(&(position as u32)) {
            known.clone_from(&live);
        }
    }
    code.unused = code.params.iter().copied().filter(|&param| !live.contains(param)).collect();
}

/// Updates `live` from the values live after the instruction to those live before it. `moved` are the used results of branches.
fn step(instr: &mut Instr, live: &mut Live, at_target: &BTreeMap<u32, Live>, moved: &mut Live) {
    match instr {
        Instr::Move { dst, .. } if live.contains(*dst) => moved.insert(*dst),
        Instr::Jump { target } => live.clone_from(&at_target[target]),
        Instr::JumpUnless { target, reserve, drop_then, drop_else, .. } => {
            reserve.retain(|&bind| moved.contains(bind));
            let otherwise = &at_target[target];
            *drop_then = otherwise.without(live);
            *drop_else = live.without(otherwise);
            live.union(otherwise);
        }
        Instr::Return { .. } | Instr::TailCall { .. } => live.0.fill(0),
        _ => {}
    }
    for dst in instr.dsts_mut() {
        if live.contains(*dst) {
            live.remove(*dst);
        } else {
            *dst = NO_SLOT;
        }
    }
    let mut operands = Vec::new();
    instr.operands(&mut |operand| operands.push(*operand));
    // Of several uses in one instruction the last one taken is the last.
    for operand in operands.iter_mut().rev() {
        if let Operand::Slot { slot, last } = operand {
            *last = !live.contains(*slot);
            live.insert(*slot);
        }
    }
    let mut marked = operands.into_iter();
    instr.operands(&mut |operand| {
        if let Some(operand_marked) = marked.next() {
            *operand = operand_marked;
        }
    });
}
