//! Slot allocation: values with disjoint live ranges share a slot, so that stack windows stay small: recursion may be a million deep.

use super::instr::{Code, Instr, NO_SLOT, Operand, Slot};
use std::collections::BTreeMap;

/// The assignment of values to slots at one place of the code.
#[derive(Clone, Default)]
struct Assignment {
    slots: BTreeMap<Slot, Slot>,
    /// Slots given back, to be used again last in first out.
    free: Vec<Slot>,
    n_slots: u32,
}

impl Assignment {
    fn of(&mut self, value: Slot) -> Slot {
        if let Some(&slot) = self.slots.get(&value) {
            return slot;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.n_slots += 1;
            self.n_slots - 1
        });
        self.slots.insert(value, slot);
        slot
    }

    fn release(&mut self, value: Slot) {
        if let Some(slot) = self.slots.remove(&value) {
            self.free.push(slot);
        }
    }
}

/// Replaces values by slots.
pub(super) fn assign(code: &mut Code) {
    let mut now = Assignment::default();
    let mut most = 0;
    code.params.iter_mut().for_each(|param| *param = now.of(*param));
    release_all(&mut now, &mut code.unused);
    let mut at_target: BTreeMap<u32, Assignment> = BTreeMap::new();
    for (position, instr) in code.instrs.iter_mut().enumerate() {
        // Where a jump leads, the slots are as they were at the jump; two jumps to one place agree.
        if let Some(known) = at_target.remove(&(position as u32)) {
            now = known;
        }
        step(instr, &mut now, &mut at_target);
        most = most.max(now.n_slots);
    }
    code.n_slots = most;
}

fn step(instr: &mut Instr, now: &mut Assignment, at_target: &mut BTreeMap<u32, Assignment>) {
    // Results get slots before operands give theirs back: no instruction writes over what it reads.
    instr.dsts_mut().iter_mut().filter(|dst| **dst != NO_SLOT).for_each(|dst| *dst = now.of(*dst));
    let mut dying = Vec::new();
    instr.operands(&mut |operand| {
        if let Operand::Slot { slot, last } = operand {
            if *last {
                dying.push(*slot);
            }
            *slot = now.of(*slot);
        }
    });
    dying.into_iter().for_each(|value| now.release(value));
    match instr {
        Instr::JumpUnless { target, reserve, drop_then, drop_else, .. } => {
            reserve.iter_mut().for_each(|bind| *bind = now.of(*bind));
            let mut otherwise = now.clone();
            release_all(&mut otherwise, drop_else);
            release_all(now, drop_then);
            at_target.insert(*target, otherwise);
        }
        Instr::Jump { target } => {
            at_target.insert(*target, now.clone());
        }
        _ => {}
    }
}

/// Gives the slots of values back, and turns the list into one of slots.
fn release_all(now: &mut Assignment, values: &mut [Slot]) {
    for value in values {
        let slot = now.of(*value);
        now.release(*value);
        *value = slot;
    }
}
