//! Calls of λcu functions: one instance of a core function for each layout of its arguments.
//!
//! A call in a context is made on the context flattened to one axis. Arguments of an outer level are broadcast to that axis: scalars are read, sequences become
//! views. Arguments of level 0 stay uniform; if all are uniform, one call serves all points.

use super::form::{Sig, declare, is_shape};
use super::host::idx_array;
use super::sites::Origin;
use super::store;
use super::val::{At, Leaf, Place, Val};
use super::walk::Frame;
use super::{Emitter, Result};
use nestled_ir::build::FunctionBuilder;
use nestled_ir::{Axis, FunctionId, HostAtom, HostOp, ScalarType, Span, Type, ValueId};
use std::collections::HashMap;

/// The key of an instance of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key {
    pub function: usize,
    /// True if it is called in a context.
    pub lifted: bool,
    /// True if it is a round of a loop.
    pub rounds: bool,
    pub args: Vec<Sig>,
    /// For functions of the library, the place in the program that calls it: faults are reported there.
    called: Option<(u32, u32, u32)>,
}

/// The instances of a program.
#[derive(Default)]
pub(super) struct Instances {
    known: HashMap<Key, FunctionId>,
    /// Worklist of those that are called and not yet written.
    open: Vec<OpenInstance>,
}

/// A function that is called and not yet written.
struct OpenInstance {
    id: FunctionId,
    key: Key,
    /// The place of the key.
    called: Option<Span>,
    /// The declaration, with its parameters.
    written: FunctionBuilder,
    /// The parameters of each argument.
    given: Vec<Vec<ValueId>>,
}

impl<'a> Emitter<'a> {
    /// Calls a λcu function; in a context the call is skipped when there are no points.
    pub fn instance_call(&mut self, callee: usize, args: Vec<Val>) -> Result<Val> {
        self.settle_all();
        let facts = self.analysis.functions[callee].clone();
        let function = &self.source.core.functions[callee];
        let mut args = args;
        args.extend(facts.globals.iter().map(|id| self.scope.globals[id].clone()));
        if self.analysis.random {
            let random = self.scope.random.clone().expect("numbers are drawn");
            args.push(random);
        }
        if facts.pools {
            args.push(self.scope.pools.clone().expect("code that uses pools has them"));
        }
        let chain = self.scope.chain.clone();
        let uniform = args.iter().all(|arg| arg.level() == 0);
        if chain.is_empty() {
            let args: Vec<Val> = args.iter().map(|arg| self.settled(arg)).collect();
            let val = self.call_with(callee, false, args, &[])?;
            let val = self.take_pools(val, facts.keeps);
            return Ok(self.take_random(val));
        }
        // In a context a call is made only if there is anybody.
        let some = self.is_inhabited(&chain);
        let vals: Vec<&Val> = args.iter().collect();
        for level in 1..=chain.len() {
            self.resolve_all(&vals, level);
        }
        let outer = self.open();
        let val = if uniform && !facts.acts {
            let args: Vec<Val> = args.iter().map(|arg| self.settled(arg)).collect();
            self.in_context(Vec::new(), |this| this.call_with(callee, false, args, &[]))?
        } else if facts.keeps {
            let size = self.size(&chain);
            let args: Vec<Val> = args.iter().map(|arg| self.flat_argument(arg, &chain, size)).collect();
            let flat = [size];
            let both = self.in_context(flat.to_vec(), |this| this.call_with(callee, true, args, &flat))?;
            // The pools are not of the points.
            let val = self.reseat(both.part(0), &flat, &chain);
            Val::tuple(vec![val, both.part(1).clone()])
        } else {
            let size = self.size(&chain);
            let args: Vec<Val> = args.iter().map(|arg| self.flat_argument(arg, &chain, size)).collect();
            let flat = [size];
            let val = self.in_context(flat.to_vec(), |this| this.call_with(callee, true, args, &flat))?;
            self.reseat(&val, &flat, &chain)
        };
        let then = self.suspend(outer);
        let outer = self.open();
        let none = if uniform && !facts.acts {
            self.zeros(function.result, &[])
        } else {
            self.zeros(function.result, &chain)
        };
        let none = match self.analysis.random {
            true => {
                Val::tuple(vec![none, self.zero_random(if uniform && !facts.acts { &[] } else { &chain })])
            }
            false => none,
        };
        let none = self.with_pools(none, facts.keeps);
        let none = self.settled(&none);
        let otherwise = self.suspend(outer);
        let val = self.join_blocks(some, (then, &val), (otherwise, &none));
        let val = self.take_pools(val, facts.keeps);
        Ok(self.take_random(val))
    }

    /// Broadcasts an argument to the context flattened to one axis; uniform arguments stay uniform.
    fn flat_argument(&mut self, arg: &Val, chain: &[Axis], size: Axis) -> Val {
        match arg {
            Val::Tuple(parts) => {
                Val::tuple(parts.iter().map(|part| self.flat_argument(part, chain, size)).collect())
            }
            _ if arg.level() == 0 => self.settled(arg),
            _ => {
                let arg = match arg.level() == chain.len() {
                    true => arg.clone(),
                    false => self.raise(arg, chain),
                };
                if chain.len() == 1 { arg } else { self.reseat(&arg, chain, &[size]) }
            }
        }
    }

    fn call_with(&mut self, callee: usize, lifted: bool, args: Vec<Val>, chain: &[Axis]) -> Result<Val> {
        if lifted && self.plan.is_loop_in_context(callee) {
            return self.rounds(callee, &args, chain[0]);
        }
        let (sigs, parts) = self.arguments(&args, chain);
        let key = self.key(callee, lifted, sigs);
        let result = self.result_sig(&key);
        let function = self.instance(key)?;
        let binds = self.emit_call(function, chain.to_vec(), parts);
        Ok(self.unpack(&result, chain, &mut binds.into_iter()))
    }

    /// Returns the layouts of arguments, and their parts.
    pub fn arguments(&mut self, args: &[Val], chain: &[Axis]) -> (Vec<Sig>, Vec<HostAtom>) {
        // Inside of sequences views of views would be without end.
        let args: Vec<Val> = args.iter().map(|arg| self.plain(arg)).collect();
        let sigs: Vec<Sig> = args.iter().map(|arg| self.sig(arg)).collect();
        let mut parts = Vec::new();
        for (arg, sig) in args.iter().zip(&sigs) {
            let arg = self.convert(arg, sig, chain);
            self.pack_under(&arg, sig, chain, &mut parts);
        }
        (sigs, parts)
    }

    /// Writes a call with these parts; shapes are passed apart from the others.
    pub fn emit_call(
        &mut self,
        function: FunctionId,
        mut shapes: Vec<Axis>,
        parts: Vec<HostAtom>,
    ) -> Vec<ValueId> {
        let mut given = Vec::new();
        for part in parts {
            match part {
                HostAtom::Value(value) if is_shape(&self.f, value) => shapes.push(Axis::Sym(value)),
                atom => given.push(atom),
            }
        }
        let count = self.out.program.program().function(function).results.len();
        self.emit("", HostOp::Call { function, shapes, args: given }, count)
    }

    /// Turns dense sequences into views of one flat sequence, so that functions share the elements instead of packing them again and again.
    fn plain(&mut self, arg: &Val) -> Val {
        match arg {
            Val::Tuple(parts) => Val::tuple(parts.iter().map(|part| self.plain(part)).collect()),
            Val::Seq(seq) if seq.level > 0 => match &seq.place {
                // Shared data: whoever is called packs it again and again.
                Place::Dense(elems) if elems.level() == seq.level + 1 => {
                    let base = self.flat_base(seq);
                    let Axis::Sym(seg) = seq.shape else { unreachable!("a segmentation") };
                    let starts = HostAtom::Value(self.emit_one("starts", HostOp::Starts { seg }));
                    let starts = Leaf { level: seq.level, ty: ScalarType::Idx, at: At::Host(starts) };
                    Val::seq(seq.level, seq.shape, Place::View { starts, base })
                }
                _ => arg.clone(),
            },
            _ => arg.clone(),
        }
    }

    /// Returns the layout of the result of an instance.
    pub fn result_sig(&self, key: &Key) -> Sig {
        let level = usize::from(key.lifted);
        let result = self.sig_of_type(self.source.core.functions[key.function].result, level);
        let word = || Sig::Scalar { level, ty: ScalarType::U32 };
        let result = match self.analysis.random {
            true => Sig::Tuple(vec![result, Sig::Tuple(vec![word(), word(), word()])]),
            false => result,
        };
        match self.analysis.functions[key.function].keeps {
            true => Sig::Tuple(vec![result, self.sig_of_pools()]),
            false => result,
        }
    }

    /// Returns the key of an instance that is called here.
    fn key(&self, function: usize, lifted: bool, args: Vec<Sig>) -> Key {
        let span = self.origin.span;
        let is_library = self.source.core.functions[function].library;
        let called = is_library.then_some((span.source, span.start, span.end));
        Key { function, lifted, rounds: false, args, called }
    }

    /// Returns the key of a round of a loop.
    pub fn round_key(&self, function: usize, args: Vec<Sig>) -> Key {
        Key { rounds: true, ..self.key(function, true, args) }
    }

    /// Returns the function for a layout of arguments; declares it at its first use.
    pub fn instance(&mut self, key: Key) -> Result<FunctionId> {
        if let Some(&id) = self.instances.known.get(&key) {
            return Ok(id);
        }
        if self.instances.known.len() >= MAX_INSTANCES {
            return Err(self.too_large("its functions are called in too many ways"));
        }
        let core = &self.source.core.functions[key.function];
        let mut written = FunctionBuilder::new(&core.name, self.origin.span);
        let result = self.result_sig(&key);
        if key.rounds {
            written.param("n", Type::Dim);
        }
        if key.lifted {
            written.param("n", Type::Dim);
        }
        let chain: Vec<Axis> = written.shapes().last().map(|symbol| Axis::Sym(*symbol)).into_iter().collect();
        let mut given: Vec<Vec<ValueId>> = Vec::new();
        if key.rounds {
            let all = Axis::Sym(written.shapes()[0]);
            given.push(vec![written.value("places", idx_array(&chain))]);
            let mut parts = Vec::new();
            store::declare(&mut written, &result, all, &mut parts);
            given.push(parts);
        }
        for sig in &key.args {
            let mut parts = Vec::new();
            declare(&mut written, sig, &chain, &mut parts);
            given.push(parts);
        }
        given.iter().flatten().for_each(|&part| written.take(part));
        let mut results = Vec::new();
        match key.rounds {
            true => {
                let all = Axis::Sym(written.shapes()[0]);
                store::declare(&mut written, &result, all, &mut results);
            }
            false => declare(&mut written, &result, &chain, &mut results),
        }
        results.into_iter().for_each(|result| written.give(result));
        let id = self.out.program.declare(&written);
        self.instances.known.insert(key.clone(), id);
        let called = key.called.map(|_| self.origin.span);
        self.instances.open.push(OpenInstance { id, key, called, written, given });
        Ok(id)
    }

    /// Writes the bodies of all functions on the worklist.
    pub fn write_instances(&mut self) -> Result<()> {
        while let Some(instance) = self.instances.open.pop() {
            // Statements of the library are where it was called.
            let (span, order) = (instance.called.unwrap_or(Span::NONE), self.out.statements);
            self.at_origin(Origin { span, order }, |this| this.write_instance(instance))?;
        }
        Ok(())
    }

    fn write_instance(&mut self, instance: OpenInstance) -> Result<()> {
        let OpenInstance { id, key, written, mut given, .. } = instance;
        self.begin(written);
        let own = self.f.shapes()[usize::from(key.rounds)..].first().copied();
        let chain: Vec<Axis> = own.filter(|_| key.lifted).map(Axis::Sym).into_iter().collect();
        self.scope.chain = chain.clone();
        let of_arguments = given.split_off(if key.rounds { 2 } else { 0 });
        let mut vals: Vec<Val> = Vec::new();
        for (sig, parts) in key.args.iter().zip(of_arguments) {
            vals.push(self.unpack(sig, &chain, &mut parts.into_iter()));
        }
        let facts = &self.analysis.functions[key.function];
        self.scope.pools = if facts.pools { vals.pop() } else { None };
        self.scope.random = if self.analysis.random { vals.pop() } else { None };
        let body = match key.lifted {
            true => self.plan.body_in_context(key.function),
            false => self.plan.body(key.function),
        };
        let core = body.function;
        let globals = vals.split_off(core.parameters.len());
        self.scope.globals = facts.globals.iter().copied().zip(globals).collect();
        let env: HashMap<_, _> = core.parameters.iter().copied().zip(vals).collect();
        let mut frame = Frame { body, env };
        let result = self.result_sig(&key);
        let results = if key.rounds {
            let all = Axis::Sym(self.f.shapes()[0]);
            self.round(&mut frame, &key, &result, all, &given)?
        } else {
            let val = self.block(&mut frame, &core.body)?;
            let val = self.with_random(val);
            let val = self.with_pools(val, facts.keeps);
            let end = self.origin.end_of(&core.body);
            let val = self.at_origin(end, |this| this.convert(&val, &result, &chain));
            let mut results = Vec::new();
            self.pack_under(&val, &result, &chain, &mut results);
            results
        };
        self.define(id, results);
        Ok(())
    }
}

/// Largest number of instances of a program.
const MAX_INSTANCES: usize = 5_000;
