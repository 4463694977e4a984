//! Uses of a kernel's parameters by its combinators: all facts about a consumer that the fusion rules need.

use super::access::{Access, Coordinates};
use nestled_ir::{Atom, Block, Kernel, Level, StmtKind, ValueId};
use std::collections::HashMap;

/// The uses of a parameter by all combinators.
#[derive(Clone, Debug, Default)]
pub struct ParamUse {
    /// Its reads as an array: the level of the reader, and the access pattern.
    pub reads: Vec<(Level, Access)>,
    /// It is a base: the initial contents of a scatter's result, or of a `serial`.
    pub is_base: bool,
    /// It is the size of a private array.
    pub is_size: bool,
    /// The lengths or starts of its segments are read.
    pub is_asked: bool,
    /// It is an operand, as a scalar or as a number of points.
    pub is_operand: bool,
}

/// The uses of all parameters of a kernel, shape parameters included.
#[derive(Debug)]
pub struct Uses {
    params: HashMap<ValueId, ParamUse>,
    unused: ParamUse,
}

impl Uses {
    /// Collects the uses in a kernel.
    pub fn of(kernel: &Kernel) -> Uses {
        let mut uses = Uses { params: HashMap::new(), unused: ParamUse::default() };
        for step in &kernel.steps {
            let coordinates = Coordinates::of(&step.body);
            uses.block(&step.body.body, step.level(), &coordinates);
            step.kind.bases().iter().for_each(|&array| uses.of_mut(array).is_base = true);
        }
        uses
    }

    /// The uses of one parameter.
    pub fn param(&self, param: ValueId) -> &ParamUse {
        self.params.get(&param).unwrap_or(&self.unused)
    }

    fn of_mut(&mut self, param: ValueId) -> &mut ParamUse {
        self.params.entry(param).or_default()
    }

    fn block(&mut self, block: &Block, level: Level, coordinates: &Coordinates) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Read { array, index, .. } => {
                    let access = coordinates.access(index);
                    self.of_mut(*array).reads.push((level, access));
                }
                StmtKind::Len { seg, .. } | StmtKind::Start { seg, .. } => self.of_mut(*seg).is_asked = true,
                StmtKind::PrivateNew { size: Atom::Value(size), .. } => self.of_mut(*size).is_size = true,
                StmtKind::Op { .. }
                | StmtKind::Threefry { .. }
                | StmtKind::Own { .. }
                | StmtKind::Window { .. }
                | StmtKind::Call { .. }
                | StmtKind::If { .. }
                | StmtKind::For { .. }
                | StmtKind::While { .. }
                | StmtKind::PrivateNew { .. }
                | StmtKind::PrivateGet { .. }
                | StmtKind::PrivateSet { .. }
                | StmtKind::Check { .. } => {}
            }
            self.atoms(&stmt.kind.atoms());
            stmt.kind.blocks().into_iter().for_each(|inner| self.block(inner, level, coordinates));
        }
        self.atoms(&block.results);
    }

    fn atoms(&mut self, atoms: &[Atom]) {
        for atom in atoms {
            if let Atom::Value(value) = atom {
                self.of_mut(*value).is_operand = true;
            }
        }
    }
}
