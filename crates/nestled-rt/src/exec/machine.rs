//! The virtual machine of lowered host code: a stack of windows, a stack of frames, and the work in flight.
//!
//! All that it knows is in it, so a run that stops at a wait is this machine and the instruction that waits. Instructions are tried without a wait first, by a plain loop; only those that
//! have to wait, or may have to at several places, run as futures.

use super::call::Call;
use super::datum::{CellData, Datum, NewOffsets};
use super::instances::EachState;
use super::pause::Pause;
use super::reading::Reading;
use super::wait::{Soon, Wait};
use crate::device::{Copied, Device};
use crate::error::Error;
use crate::executable::Executable;
use crate::lower::{Code, Instr, NO_SLOT, Operand, Slot};
use crate::trace::{Event, SharedTrace, When, awaited, watched};
use nestled_ir::interp::{Fault, World};
use nestled_ir::{Name, Scalar, SiteId, Span};
use std::future::{Future, ready};
use std::rc::{Rc, Weak};
use std::time::Instant;

/// The return state of a caller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub function: u32,
    pub pc: u32,
    pub base: usize,
}

/// Where a function has returned to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Returned {
    /// To its caller.
    Call,
    /// To an `each` of this function.
    Each(u32),
    /// To nobody: the run ends.
    Nowhere,
}

/// A `check` whose condition is still on the device.
pub(super) struct PendingCheck {
    pub region: u64,
    pub cond: Rc<CellData>,
    pub site: SiteId,
    pub code: Name,
}

/// Where the loop over instructions leaves off.
enum Step<'a> {
    /// The run is over.
    End,
    /// An instance of an `each` of this function has returned.
    Returned(u32),
    /// This instruction has to wait, for this.
    Waits(&'a Instr, Pause),
}

/// One run.
pub(crate) struct Machine<'a> {
    pub(super) exe: &'a Executable,
    pub(super) device: &'a Rc<dyn Device>,
    pub(super) world: &'a mut dyn World,
    pub(super) wait: Wait,
    pub(super) code: &'a Code,
    pub(super) function: u32,
    /// The next instruction.
    pub(super) pc: usize,
    /// The start of the window of the function that runs.
    pub(super) base: usize,
    pub(super) stack: Vec<Datum>,
    pub(super) frames: Vec<Frame>,
    pub(super) each: Vec<EachState>,
    /// Results on their way to the caller.
    pub(super) returned: Vec<Datum>,
    /// Lists of a launch, kept so that launching allocates none.
    pub(super) call: Call,
    /// The region that runs. Only regions that can fault are counted.
    pub(super) region: u64,
    /// Everything before this region has been looked at.
    pub(super) looked: u64,
    /// True if something that can fault has been queued since faults were last fetched.
    pub(super) faults_pending: bool,
    pub(super) pending: Vec<PendingCheck>,
    /// Scratch lists for fetching numbers and faults, kept to avoid allocation.
    pub(super) reading: Reading,
    /// The least fault that is known, and its region.
    pub(super) fault: Option<(u64, Fault)>,
    /// True if the current instruction uses a lost value: the result of a statement that faulted. It must have no effect then.
    pub(super) uses_poison: bool,
    /// Numbers queued on the device that host code may wait for later: they are fetched along with the next wait.
    pub(super) expected: Vec<Weak<CellData>>,
    /// Offsets to be kept for later runs.
    pub(super) new_offsets: Vec<NewOffsets>,
}

impl<'a> Machine<'a> {
    /// A machine about to run a function on its arguments: shape arguments first.
    pub fn new(
        exe: &'a Executable,
        function: u32,
        args: Vec<Datum>,
        world: &'a mut dyn World,
        wait: Wait,
    ) -> Machine<'a> {
        let code = &exe.lowered.functions[function as usize];
        let mut machine = Machine {
            exe,
            device: &exe.device,
            world,
            wait,
            code,
            function,
            pc: 0,
            base: 0,
            stack: args,
            frames: Vec::new(),
            each: Vec::new(),
            returned: Vec::new(),
            call: Call::default(),
            region: 0,
            looked: 0,
            faults_pending: false,
            pending: Vec::new(),
            reading: Reading::default(),
            fault: None,
            uses_poison: false,
            expected: Vec::new(),
            new_offsets: Vec::new(),
        };
        machine.enter(function);
        machine
    }

    /// Runs to the end; the results of the function.
    pub async fn run(mut self) -> Result<Vec<Datum>, Error> {
        let outcome = match self.instructions().await {
            Ok(()) => self.settle().await,
            error => error,
        };
        match outcome {
            Ok(()) => {
                self.keep_offsets();
                Ok(self.returned)
            }
            Err(error) => Err(self.first_error(error).await),
        }
    }

    async fn instructions(&mut self) -> Result<(), Error> {
        loop {
            match self.steps()? {
                Step::End => return Ok(()),
                Step::Returned(function) => self.wait.soon(self.next_each(function)).await?,
                Step::Waits(Instr::Each { extent, function, args, dsts: _ }, _) => {
                    self.wait.soon(self.start_each(*extent, *function, args)).await?;
                }
                Step::Waits(Instr::JumpUnless { cond, target, reserve: _, drop_then, drop_else }, _) => {
                    let taken = self.truth(*cond).await?;
                    self.jump(taken, *target, drop_then, drop_else);
                }
                Step::Waits(straight, pause) => {
                    let outcome = self.later(straight, pause).await;
                    if outcome.is_err() || self.uses_poison {
                        self.lose(straight, outcome)?;
                    }
                }
            }
        }
    }

    /// Runs instructions until one has to wait.
    fn steps(&mut self) -> Result<Step<'a>, Error> {
        loop {
            let instr = &self.code.instrs[self.pc];
            self.pc += 1;
            match instr {
                Instr::Call { function, args, dsts: _ } => {
                    self.look_for_interrupt()?;
                    self.call_function(*function, args)?;
                }
                Instr::TailCall { function, args } => {
                    self.look_for_interrupt()?;
                    self.tail_call(*function, args);
                }
                Instr::Return { results } => match self.leave(results) {
                    Returned::Call => {}
                    Returned::Each(function) => return Ok(Step::Returned(function)),
                    Returned::Nowhere => return Ok(Step::End),
                },
                Instr::Jump { target } => self.pc = *target as usize,
                Instr::JumpUnless { cond, target, reserve: _, drop_then, drop_else } => {
                    let Some(Scalar::Bool(taken)) = self.peek(*cond) else {
                        return Ok(Step::Waits(instr, Pause::Whole));
                    };
                    self.done_with(*cond);
                    self.jump(taken, *target, drop_then, drop_else);
                }
                Instr::Each { .. } => return Ok(Step::Waits(instr, Pause::Whole)),
                Instr::Scalar { op, args, dst } if self.scalar_op(*op, args, *dst) => {}
                straight => match self.straight(straight) {
                    Ok(()) if self.uses_poison => self.lose(straight, Ok(()))?,
                    Ok(()) => {}
                    Err(pause) => return Ok(Step::Waits(straight, pause)),
                },
            }
        }
    }

    #[inline]
    fn jump(&mut self, taken: bool, target: u32, drop_then: &[Slot], drop_else: &[Slot]) {
        if !taken {
            self.pc = target as usize;
        }
        self.drop_slots(if taken { drop_then } else { drop_else });
    }

    /// An error if an interruption was requested. Polled at calls, launches and waits: host code without them cannot run for long.
    #[inline]
    pub(super) fn look_for_interrupt(&self) -> Result<(), Error> {
        match &self.exe.interrupt {
            Some(interrupt) if interrupt.is_requested() => Err(Error::Interrupted),
            _ => Ok(()),
        }
    }

    /// Marks the results of an instruction with lost operands as lost; a failure to compute them is no error. After a fault it is no error
    /// either that operands do not fit each other: the cause is a `same` that does not hold.
    #[cold]
    fn lose(&mut self, instr: &Instr, outcome: Result<(), Error>) -> Result<(), Error> {
        match outcome {
            Ok(()) | Err(Error::Bug(_)) if std::mem::take(&mut self.uses_poison) || self.fault.is_some() => {
                instr.dsts_in_region().iter().for_each(|&dst| self.set(dst, Datum::Empty));
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// Instructions that the next one follows, as far as they do not wait. Not inlined: the quick ones should not pay for the room that the others take.
    #[inline(never)]
    fn straight(&mut self, instr: &'a Instr) -> Result<(), Pause> {
        match instr {
            Instr::Run { kernel, shapes, args, dsts } => self.run_kernel(*kernel, shapes, args, dsts),
            Instr::Move { from, dst } => {
                let datum = self.take(*from);
                self.set(*dst, datum);
                Ok(())
            }
            Instr::Literal { literal, dst } if self.literal_now(literal, *dst) => Ok(()),
            Instr::Dim { extent, site: _, dst } if self.dim_now(*extent, *dst) => Ok(()),
            Instr::Size { axes, dst } if self.size_now(axes, *dst) => Ok(()),
            Instr::Same { left, right, site: _ } if self.same_now(*left, *right) => Ok(()),
            Instr::Reshape { array, from, to, site: _, dst } if self.reshape_now(*array, from, to, *dst) => {
                Ok(())
            }
            Instr::Segments { lengths, parent, site, dst } => {
                match self.segments_now(*lengths, parent, *site, *dst)? {
                    true => Ok(()),
                    false => Err(Pause::Whole),
                }
            }
            Instr::RegionEnd if !self.must_look() => {
                self.next_region();
                Ok(())
            }
            Instr::Check { cond, .. } if self.peek(*cond) == Some(Scalar::Bool(true)) => {
                self.done_with(*cond);
                Ok(())
            }
            _ => Err(Pause::Whole),
        }
    }

    /// Does what [`straight`](Self::straight) left, with its waits. Each instruction is a future of its own size.
    fn later<'m>(&'m mut self, instr: &'a Instr, pause: Pause) -> Soon<'m, ()> {
        let wait = self.wait;
        let pause = match (instr, pause) {
            (Instr::Run { .. }, pause) => pause,
            (_, Pause::Error(error)) => return Soon::Now(ready(Err(error))),
            (_, pause) => pause,
        };
        match instr {
            Instr::Scalar { op, args, dst } => wait.soon(self.scalar_op_on_device(*op, args, *dst)),
            Instr::Literal { literal, dst } => wait.soon(self.literal(literal, *dst)),
            Instr::Dim { extent, site, dst } => wait.soon(self.dim(*extent, *site, *dst)),
            Instr::Size { axes, dst } => wait.soon(self.size(axes, *dst)),
            Instr::Segments { lengths, parent, site, dst } => {
                wait.soon(self.segments(*lengths, parent, *site, *dst))
            }
            Instr::Regular { parent, length, dst } => wait.soon(self.regular(parent, *length, *dst)),
            Instr::Widen { seg, dst } => wait.soon(self.widen(*seg, *dst)),
            Instr::Lengths { seg, dst } => wait.soon(self.lengths(*seg, *dst)),
            Instr::Starts { seg, dst } => wait.soon(self.starts(*seg, *dst)),
            Instr::Same { left, right, site } => wait.soon(self.same(*left, *right, *site)),
            Instr::Fits { pairs } => wait.soon(self.skip_unfit(pairs)),
            Instr::Reshape { array, from, to, site, dst } => {
                wait.soon(self.reshape(*array, from, to, *site, *dst))
            }
            Instr::View { seg, starts, buffer, extent, site, dst } => {
                wait.soon(self.view([*seg, *starts, *buffer, *extent], *site, *dst))
            }
            Instr::Check { cond, code, site } => wait.soon(self.check(*cond, code, *site)),
            Instr::RegionEnd => wait.soon(self.end_region()),
            Instr::Run { kernel, shapes, args: _, dsts } => {
                wait.soon(self.launch_later(*kernel, shapes.len(), dsts, pause))
            }
            Instr::Sort { keys, payload, axes, order, dsts } => {
                wait.soon(self.sort(*keys, payload, axes, *order, dsts))
            }
            Instr::Rank { keys, axes, order, dst } => wait.soon(self.rank(*keys, axes, *order, *dst)),
            Instr::MatMul { left, right, sizes, dst } => wait.soon(self.matmul(*left, *right, *sizes, *dst)),
            Instr::Print { items, to_error } => wait.soon(self.print(items, *to_error)),
            Instr::ReadFile { path, extent, dsts } => wait.soon(self.read_file(*path, *extent, dsts)),
            Instr::WriteFile { path, path_extent, bytes, extent, append, dst } => {
                wait.soon(self.write_file([*path, *path_extent, *bytes, *extent], *append, *dst))
            }
            Instr::Clock { dst } => wait.soon(self.clock(*dst)),
            Instr::Entropy { dst } => wait.soon(self.entropy(*dst)),
            Instr::Move { .. }
            | Instr::Call { .. }
            | Instr::TailCall { .. }
            | Instr::Return { .. }
            | Instr::Jump { .. }
            | Instr::JumpUnless { .. }
            | Instr::Each { .. } => unreachable!("it never waits, or is not straight"),
        }
    }

    /// The value of an operand, moved out of its slot at its last use.
    #[inline]
    pub(super) fn take(&mut self, operand: Operand) -> Datum {
        let datum = match operand {
            Operand::Slot { slot, last: true } => std::mem::take(&mut self.stack[self.base + slot as usize]),
            Operand::Slot { slot, last: false } => self.stack[self.base + slot as usize].clone(),
            Operand::Const(scalar) => return Datum::Scalar(scalar),
        };
        self.uses_poison |= matches!(datum, Datum::Empty);
        datum
    }

    /// The values of several operands.
    pub(super) fn take_all(&mut self, operands: &[Operand]) -> Vec<Datum> {
        operands.iter().map(|&operand| self.take(operand)).collect()
    }

    /// Writes a result.
    #[inline]
    pub(super) fn set(&mut self, dst: Slot, datum: Datum) {
        if dst != NO_SLOT {
            self.stack[self.base + dst as usize] = datum;
        }
    }

    pub(super) fn drop_slots(&mut self, slots: &[Slot]) {
        for &slot in slots {
            self.stack[self.base + slot as usize] = Datum::Empty;
        }
    }

    /// The place of the instruction that runs.
    pub(super) fn span(&self) -> Span {
        self.code.spans[self.pc - 1]
    }

    /// The least site of the current instruction and of those that follow in its region.
    pub(super) fn least_site(&self) -> Option<SiteId> {
        self.code.least[self.pc - 1]
    }

    /// Calls the device, and reports the event to the watcher, if there is one.
    #[inline]
    pub(super) fn watched<T>(&self, work: impl FnOnce(&dyn Device) -> T, event: Event<'_>) -> T {
        let Some(trace) = &self.exe.trace else { return work(&**self.device) };
        let before = self.device.copied();
        let result = watched(Some(trace), || work(&**self.device), |_| event);
        self.tell_copies(trace, before);
        result
    }

    /// The same for a wait.
    pub(super) async fn waited<T>(&self, work: impl Future<Output = T>, event: Event<'_>) -> T {
        let Some(trace) = &self.exe.trace else { return work.await };
        let before = self.device.copied();
        let result = awaited(Some(trace), work, |_| event).await;
        self.tell_copies(trace, before);
        result
    }

    /// Reports copies that the device made on its own account, with the time of the call that caused them.
    #[cold]
    fn tell_copies(&self, trace: &SharedTrace, before: Copied) {
        let Copied { to_device, to_host } = self.device.copied();
        let (span, when) = (self.span(), When::since(Instant::now()));
        let copies = [
            (to_host - before.to_host, Event::CopyOut { bytes: to_host - before.to_host, span }),
            (to_device - before.to_device, Event::CopyIn { bytes: to_device - before.to_device, span }),
        ];
        for (_, event) in copies.into_iter().filter(|(bytes, _)| *bytes > 0) {
            trace.borrow_mut().event(event, when);
        }
    }

    /// The number that an operand stands for, if the host knows it.
    #[inline]
    pub(super) fn peek(&self, operand: Operand) -> Option<Scalar> {
        match operand {
            Operand::Const(scalar) => Some(scalar),
            Operand::Slot { slot, .. } => match &self.stack[self.base + slot as usize] {
                Datum::Scalar(scalar) => Some(*scalar),
                other => other.known(),
            },
        }
    }

    /// The value of an operand that is no constant, left where it is.
    #[inline]
    pub(super) fn datum(&self, operand: Operand) -> Option<&Datum> {
        match operand {
            Operand::Const(_) => None,
            Operand::Slot { slot, .. } => self.stack.get(self.base + slot as usize),
        }
    }

    /// Empties the slot of an operand that was peeked at, if this was its last use.
    #[inline(always)]
    pub(super) fn done_with(&mut self, operand: Operand) {
        if let Operand::Slot { slot, last: true } = operand {
            self.stack[self.base + slot as usize] = Datum::Empty;
        }
    }

    /// Computes an operation on the host if all operands are known there; returns whether they are.
    #[inline]
    fn scalar_op(&mut self, op: nestled_ir::Op, args: &[Operand], dst: Slot) -> bool {
        let mut numbers = [Scalar::Bool(false); 3];
        for (number, &arg) in numbers.iter_mut().zip(args) {
            match self.peek(arg) {
                Some(known) => *number = known,
                None => return false,
            }
        }
        args.iter().for_each(|&arg| self.done_with(arg));
        let result = nestled_ir::interp::eval_op(op, &numbers[..args.len()]);
        self.set(dst, Datum::Scalar(result));
        true
    }

    /// Computes an operation on the host, after fetching all its operands at once.
    async fn scalar_op_on_device(
        &mut self,
        op: nestled_ir::Op,
        args: &[Operand],
        dst: Slot,
    ) -> Result<(), Error> {
        let data = self.take_all(args);
        self.fetch(&data).await?;
        let mut numbers = Vec::with_capacity(data.len());
        for datum in &data {
            numbers.push(self.number(datum).await?);
        }
        self.set(dst, Datum::Scalar(nestled_ir::interp::eval_op(op, &numbers)));
        Ok(())
    }
}
