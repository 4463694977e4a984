//! The verifier answers for any program whatever: programs of the corpus with a few random changes, most of them absurd.

use nestled_ir::verify::{kernel_shape, verify};
use nestled_ir::*;

/// How often each program is changed.
const ROUNDS: u64 = 60;

#[test]
fn changed_programs_are_judged() {
    let mut refused = 0;
    let mut accepted = 0;
    for (name, program) in corpus() {
        for round in 0..ROUNDS {
            let mut random = Random(round * 0x9e37_79b9 + name.len() as u64 + 1);
            let mut changed = program.clone();
            for _ in 0..=random.below(3) {
                change(&mut changed, &mut random);
            }
            match verify(&changed) {
                Ok(()) => {
                    accepted += 1;
                    changed.kernels.iter().for_each(|kernel| drop(kernel_shape(&changed, kernel)));
                }
                Err(diagnostics) => {
                    refused += 1;
                    assert!(!diagnostics.is_empty());
                    render_all(&diagnostics, &changed.sources);
                }
            }
        }
    }
    assert!(
        refused > 1000 && accepted > 100,
        "{refused} refused, {accepted} accepted: the changes test little"
    );
}

/// The programs of `tests/programs`, and the elementary functions.
fn corpus() -> Vec<(String, Program)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut folders = vec![root];
    let mut programs = Vec::new();
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(&folder)
            .expect("the corpus is there")
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "lcu") {
                let name = path.display().to_string();
                let text = std::fs::read_to_string(&path).unwrap();
                programs.extend(text::parse(&name, &text).map(|program| (name, program)));
            }
        }
    }
    assert!(programs.len() > 50, "the corpus has {} programs", programs.len());
    programs
}

/// A linear congruential generator: the same changes on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }

    fn of<'a, T>(&mut self, items: &'a mut [T]) -> Option<&'a mut T> {
        let index = self.below(items.len());
        items.get_mut(index)
    }

    fn id(&mut self) -> u32 {
        match self.below(8) {
            0 => u32::MAX,
            1 => 1000,
            _ => self.below(12) as u32,
        }
    }

    fn scalar_type(&mut self) -> ScalarType {
        ScalarType::ALL[self.below(ScalarType::ALL.len())]
    }

    fn scalar(&mut self) -> Scalar {
        let bits = self.below(3) as u64;
        Scalar::from_bits(self.scalar_type(), bits)
    }

    fn axis(&mut self) -> Axis {
        match self.below(4) {
            0 => Axis::Const([0, 3, u64::MAX][self.below(3)]),
            _ => Axis::Sym(ValueId(self.id())),
        }
    }

    fn shape(&mut self) -> Shape {
        let rank = [0, 1, 1, 2, 3, 9][self.below(6)];
        Shape::new((0..rank).map(|_| self.axis()).collect::<Vec<_>>())
    }

    fn ty(&mut self) -> Type {
        match self.below(5) {
            0 => Type::Dim,
            1 => Type::seg(self.shape(), if self.below(2) == 0 { Form::Regular } else { Form::Offsets }),
            2 => Type::Array(ArrayType {
                elem: self.scalar_type(),
                shape: self.shape(),
                placement: Placement::View,
            }),
            _ => Type::dense(self.scalar_type(), self.shape()),
        }
    }

    fn atom(&mut self) -> Atom {
        match self.below(4) {
            0 => Atom::Const(self.scalar()),
            1 => Atom::Value(ValueId(self.id())),
            _ => Atom::Local(LocalId(self.id())),
        }
    }

    fn host_atom(&mut self) -> HostAtom {
        match self.below(3) {
            0 => HostAtom::Const(self.scalar()),
            _ => HostAtom::Value(ValueId(self.id())),
        }
    }

    fn rule(&mut self) -> Rule {
        [Rule::Fault, Rule::Clamp, Rule::Wrap, Rule::Else, Rule::Proved][self.below(5)]
    }

    fn level(&mut self) -> Level {
        Level([0, 1, 2, 3, usize::MAX][self.below(5)])
    }
}

/// Makes one change somewhere.
fn change(program: &mut Program, random: &mut Random) {
    match random.below(6) {
        0 => program.sites.truncate(random.below(3)),
        1 => {
            if let Some(def) = random.of(&mut program.thunks) {
                match random.below(3) {
                    0 => def.results.push(random.scalar_type()),
                    _ => change_thunk(&mut def.thunk, random),
                }
            }
        }
        2 => {
            if let Some(def) = random.of(&mut program.monoids) {
                match random.below(3) {
                    0 => def.unit.clear(),
                    1 => def.combine = ThunkId(random.id()),
                    _ => def.unit.push(random.scalar()),
                }
            }
        }
        3 | 4 => {
            if let Some(kernel) = random.of(&mut program.kernels) {
                change_kernel(kernel, random);
            }
        }
        _ => {
            if let Some(function) = random.of(&mut program.functions) {
                change_function(function, random);
            }
        }
    }
}

fn change_values(values: &mut Vec<Value>, random: &mut Random) {
    let ty = random.ty();
    match random.below(6) {
        0 => drop(values.pop()),
        _ => {
            if let Some(value) = random.of(values) {
                value.ty = ty;
            }
        }
    }
}

fn change_ids(ids: &mut Vec<ValueId>, random: &mut Random) {
    let id = ValueId(random.id());
    match random.below(3) {
        0 => ids.push(id),
        1 => drop(ids.pop()),
        _ => {
            if let Some(old) = random.of(ids) {
                *old = id;
            }
        }
    }
}

fn change_kernel(kernel: &mut Kernel, random: &mut Random) {
    match random.below(8) {
        0 => change_values(&mut kernel.values, random),
        1 => change_ids(&mut kernel.shapes, random),
        2 => change_ids(&mut kernel.params, random),
        3 => change_ids(&mut kernel.ret, random),
        4 => kernel.space = random.shape().axes,
        5 => {
            let places = random.below(kernel.steps.len());
            kernel.steps.rotate_left(places);
        }
        _ => {
            if let Some(step) = random.of(&mut kernel.steps) {
                change_step(step, random);
            }
        }
    }
}

fn change_step(step: &mut Combinator, random: &mut Random) {
    match random.below(6) {
        0 => change_ids(&mut step.binds, random),
        1 => step.guard = Some(ValueId(random.id())),
        2 => step.guard = None,
        3 => change_kind(&mut step.kind, random),
        _ => change_thunk(&mut step.body, random),
    }
}

fn change_kind(kind: &mut CombinatorKind, random: &mut Random) {
    let parts = [
        MonoidPart::Op(MonoidOp::ALL[random.below(7)]),
        MonoidPart::ArgMax,
        MonoidPart::User(MonoidId(random.id())),
    ];
    let monoid = Monoid { parts: parts[..random.below(4)].to_vec() };
    *kind = match random.below(6) {
        0 => CombinatorKind::Map,
        1 => CombinatorKind::Reduce { to: random.level(), monoid },
        2 => CombinatorKind::Scan {
            within: random.level(),
            monoid,
            inclusion: Inclusion::Exclusive,
            direction: Direction::Backward,
        },
        3 => CombinatorKind::Filter { within: random.level() },
        4 => CombinatorKind::Partition {
            within: random.level(),
            classes: [0, 3, u64::MAX][random.below(3)],
            site: Some(SiteId(random.id())),
        },
        _ => CombinatorKind::Permute {
            dest: random.shape(),
            base: match random.below(2) {
                0 => Base::Fill(vec![random.scalar()]),
                _ => Base::Arrays(vec![ValueId(random.id())]),
            },
            range: Range::Fault(SiteId(random.id())),
            collision: Collision::Combine(monoid),
        },
    };
}

fn change_thunk(thunk: &mut Thunk, random: &mut Random) {
    match random.below(6) {
        0 => thunk.n_params = [0, 1, 2, 5, usize::MAX][random.below(5)],
        1 => drop(thunk.locals.pop()),
        2 => thunk.privates.clear(),
        3 => {
            let ty = random.scalar_type();
            if let Some(local) = random.of(&mut thunk.locals) {
                local.ty = ty;
            }
        }
        _ => change_block(&mut thunk.body, random),
    }
}

fn change_block(block: &mut Block, random: &mut Random) {
    let atom = random.atom();
    match random.below(5) {
        0 => block.results.push(atom),
        1 => drop(block.results.pop()),
        2 if !block.stmts.is_empty() => {
            let at = random.below(block.stmts.len());
            let stmt = block.stmts.remove(at);
            let to = random.below(block.stmts.len() + 1);
            block.stmts.insert(to, stmt);
        }
        _ => {
            if let Some(stmt) = random.of(&mut block.stmts) {
                change_stmt(&mut stmt.kind, random);
            }
        }
    }
}

fn change_stmt(kind: &mut StmtKind, random: &mut Random) {
    let inner = kind.blocks().len();
    if inner > 0 && random.below(2) == 0 {
        let which = random.below(inner);
        return change_block(kind.blocks_mut().swap_remove(which), random);
    }
    let (id, value, site) = (LocalId(random.id()), ValueId(random.id()), SiteId(random.id()));
    match (random.below(3), &mut *kind) {
        (0, StmtKind::Call { thunk, .. }) => *thunk = ThunkId(random.id()),
        (0, StmtKind::Read { array, .. }) => *array = value,
        (1, StmtKind::Read { index, .. }) => {
            index.push(Index { at: Atom::Local(id), rule: random.rule() });
        }
        (0, StmtKind::Own { bind, .. } | StmtKind::Window { bind, .. }) => *bind = value,
        (0, StmtKind::Len { seg, .. } | StmtKind::Start { seg, .. }) => *seg = value,
        (0, StmtKind::Op { dst, .. }) => *dst = id,
        (1, StmtKind::Op { args, .. }) => drop(args.pop()),
        (0, StmtKind::For { carried, .. } | StmtKind::While { carried, .. }) => drop(carried.pop()),
        (1, _) => {
            let (offset, atom) = (Offset { by: i64::MIN, rule: random.rule() }, random.atom());
            *kind = match random.below(4) {
                0 => StmtKind::Window {
                    dst: id,
                    bind: value,
                    offsets: vec![offset],
                    default: None,
                    site: None,
                },
                1 => StmtKind::Own { dst: id, bind: value },
                2 => StmtKind::PrivateGet {
                    dst: id,
                    array: PrivateId(random.id()),
                    at: atom,
                    site: Some(site),
                },
                _ => StmtKind::Len { dst: id, seg: value, at: vec![atom] },
            };
        }
        (_, kind) => {
            let atom = random.atom();
            let mut which = random.below(3) as isize;
            kind.for_each_atom(&mut |old| {
                if which == 0 {
                    *old = atom;
                }
                which -= 1;
            });
        }
    }
}

fn change_function(function: &mut Function, random: &mut Random) {
    match random.below(7) {
        0 => change_values(&mut function.values, random),
        1 => change_ids(&mut function.shapes, random),
        2 => change_ids(&mut function.params, random),
        3 => change_ids(&mut function.results, random),
        _ => change_host_block(&mut function.body, random),
    }
}

fn change_host_block(block: &mut HostBlock, random: &mut Random) {
    let atom = random.host_atom();
    match random.below(5) {
        0 => block.results.push(atom),
        1 => drop(block.results.pop()),
        _ => {
            let Some(stmt) = random.of(&mut block.stmts) else { return };
            let inner = stmt.op.blocks().len();
            if inner > 0 && random.below(2) == 0 {
                let which = random.below(inner);
                change_host_block(stmt.op.blocks_mut().swap_remove(which), random);
            } else if random.below(3) == 0 {
                change_ids(&mut stmt.binds, random);
            } else {
                stmt.op = host_op(random);
            }
        }
    }
}

fn host_op(random: &mut Random) -> HostOp {
    let (a, b, c) = (ValueId(random.id()), ValueId(random.id()), ValueId(random.id()));
    let site = SiteId(random.id());
    let shapes = random.shape().axes;
    let args: Vec<HostAtom> = (0..random.below(3)).map(|_| random.host_atom()).collect();
    match random.below(15) {
        0 => HostOp::Scalar { op: Op::PLAIN[random.below(Op::PLAIN.len())], args },
        1 => HostOp::Literal {
            elem: random.scalar_type(),
            extents: vec![u64::MAX, [0, 2, u64::MAX][random.below(3)]],
            elements: vec![random.scalar()],
        },
        2 => HostOp::Size { shape: random.shape() },
        3 => HostOp::Segments { lengths: a, site },
        4 => HostOp::Regular { parent: random.shape(), length: random.axis() },
        5 => HostOp::Widen { seg: a },
        6 => HostOp::Same { left: random.axis(), right: random.axis(), site },
        7 => HostOp::Reshape { array: a, shape: random.shape(), site },
        8 => HostOp::View { seg: a, starts: b, buffer: c, site },
        9 => HostOp::Call { function: FunctionId(random.id()), shapes, args },
        10 => HostOp::Run { kernel: KernelId(random.id()), shapes, args },
        11 => HostOp::Each {
            extent: random.axis(),
            function: FunctionId(random.id()),
            shapes: shapes.into_iter().map(|axis| Some(axis).filter(|_| random.below(2) == 0)).collect(),
            args: vec![EachArg::Element(a), EachArg::Uniform(HostAtom::Value(b))],
        },
        12 => HostOp::Library(Library::MatMul { left: a, right: b }),
        13 => HostOp::Library(Library::Sort { keys: a, payload: vec![b, c], order: Order::Ascending }),
        _ => HostOp::Command(Command::ReadFile { path: a }),
    }
}
