//! λcu text as a mould: parsed once, and copied for each instruction, with the places of that instruction and fault sites of its own.

use nestled_ir::{
    Block, Function, Kernel, KernelId, MonoidDef, MonoidId, Name, Program, SiteId, Span, ThunkId,
    ThunkPartMut, text,
};
use std::collections::HashMap;
use std::rc::Rc;

/// The moulds that have been used.
#[derive(Debug, Default)]
pub struct Templates {
    parsed: HashMap<String, Rc<Program>>,
}

impl Templates {
    /// The program of a text.
    ///
    /// # Panics
    /// If the text is not λcu: no program decides what it says but in names of its own and in numbers.
    pub fn get(&mut self, text: String) -> Rc<Program> {
        if let Some(program) = self.parsed.get(&text) {
            return Rc::clone(program);
        }
        let program = match text::parse("mould", &text) {
            Ok(program) => Rc::new(program),
            Err(failure) => panic!("a mould is not λcu: {failure}\n{text}"),
        };
        self.parsed.insert(text, Rc::clone(&program));
        program
    }
}

/// A new fault site.
pub fn fresh_site(out: &mut Program, span: Span) -> SiteId {
    out.sites.push(span);
    SiteId::from(out.sites.len() - 1)
}

/// Copies the kernel of a mould into the program.
pub fn add_kernel(out: &mut Program, mould: &Program, name: &Name, span: Span) -> KernelId {
    let thunks = add_thunks(out, mould, span);
    let mut kernel: Kernel = mould.kernels[0].clone();
    kernel.name = name.clone();
    kernel.span = span;
    kernel.values.iter_mut().for_each(|value| value.span = span);
    let monoids = add_monoids(out, mould, &thunks, span);
    // Sites keep their order.
    let first = out.sites.len();
    out.sites.extend(mould.sites.iter().map(|_| span));
    let site = |site: &mut SiteId| *site = SiteId::from(first + site.index());
    for step in &mut kernel.steps {
        step.span = span;
        step.kind.for_each_site_mut(&mut |at| site(at));
        if let Some(monoid) = step.kind.monoid_mut() {
            monoid.users_mut().for_each(|id| *id = monoids[id.index()]);
        }
        move_block(&mut step.body.body, span, &site, &thunks);
    }
    out.kernels.push(kernel);
    KernelId::from(out.kernels.len() - 1)
}

/// The function of a mould, with the places of an instruction and new sites.
pub fn copy_function(out: &mut Program, mould: &Program, span: Span) -> (Function, usize) {
    let first = out.sites.len();
    out.sites.extend(mould.sites.iter().map(|_| span));
    (mould.functions[0].clone(), first)
}

/// The named thunks of a mould, each once in the program.
fn add_thunks(out: &mut Program, mould: &Program, span: Span) -> Vec<ThunkId> {
    let mut ids = Vec::new();
    for def in &mould.thunks {
        ids.push(out.find_thunk(&def.name).unwrap_or_else(|| {
            let mut def = def.clone();
            def.span = span;
            move_block(&mut def.thunk.body, Span::NONE, &|_| {}, &[]);
            out.thunks.push(def);
            ThunkId::from(out.thunks.len() - 1)
        }));
    }
    ids
}

/// The monoids of a mould, each once in the program.
fn add_monoids(out: &mut Program, mould: &Program, thunks: &[ThunkId], span: Span) -> Vec<MonoidId> {
    let mut ids = Vec::new();
    for def in &mould.monoids {
        let found = out.monoids.iter().position(|other| other.name == def.name);
        ids.push(MonoidId::from(found.unwrap_or_else(|| {
            let combine = thunks[def.combine.index()];
            out.monoids.push(MonoidDef { combine, span, ..def.clone() });
            out.monoids.len() - 1
        })));
    }
    ids
}

fn move_block(block: &mut Block, span: Span, site: &dyn Fn(&mut SiteId), thunks: &[ThunkId]) {
    for stmt in &mut block.stmts {
        stmt.span = span;
        stmt.kind.for_each_part_mut(&mut |part| match part {
            ThunkPartMut::Site(at) => site(at),
            ThunkPartMut::Thunk(thunk) => *thunk = thunks.get(thunk.index()).copied().unwrap_or(*thunk),
            ThunkPartMut::Block(block) => move_block(block, span, site, thunks),
            ThunkPartMut::Dst(_)
            | ThunkPartMut::LoopLocal(_)
            | ThunkPartMut::Atom(_)
            | ThunkPartMut::Param(_)
            | ThunkPartMut::Earlier(_)
            | ThunkPartMut::NewPrivate(_)
            | ThunkPartMut::Private(_)
            | ThunkPartMut::Rule(_) => {}
        });
    }
}
