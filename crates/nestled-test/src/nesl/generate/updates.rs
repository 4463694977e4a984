//! Loops that put elements into sequences and read them: `if n <= 0 then v else g(n - 1, rep(v, v[i] + 1, i))`.

use super::{Function, Gen, Node, Ty, joined};

/// Names in such a loop.
struct Loop {
    elem: Ty,
    count: String,
    /// The sequences that it carries.
    held: Vec<String>,
}

impl Gen {
    /// A loop of this kind, of sequences of one type of scalars.
    pub(super) fn update(&mut self) -> (String, Node) {
        let elem = match self.random.below(8) {
            0 => Ty::Float,
            1 => Ty::Bool,
            2 => Ty::Char,
            _ => Ty::Int,
        };
        let seq = Ty::seq(elem.clone());
        let name = format!("g{}", self.functions.len());
        let mut params = vec![Ty::Int];
        params.resize(2 + usize::from(self.random.chance(40)), seq.clone());
        self.names.clear();
        let names: Vec<String> = params.iter().map(|ty| self.fresh(ty)).collect();
        let result = if self.random.chance(70) { seq.clone() } else { Ty::Int };
        let head = format!("function {name}({}) : {} -> {result}", names.join(", "), joined(&params));
        let this = Loop { elem, count: names[0].clone(), held: names[1..].to_vec() };
        let mut parts = vec![match result {
            Ty::Int => Node::leaf(&Ty::Int, format!("#{}", names[1])),
            _ => Node::leaf(&seq, names[1 + self.random.below(this.held.len())].clone()),
        }];
        let mut order: Vec<usize> = (0..this.held.len()).collect();
        if self.random.chance(15) {
            order.reverse();
        }
        parts.extend(order.into_iter().map(|at| self.changed(&this, at, 3)));
        let text = format!(
            "(if {0} <= 0 then \0 else {name}({0} - 1{1}))",
            names[0],
            ", \0".repeat(this.held.len())
        );
        let body = Node::new(&result, text, parts);
        self.functions.push(Function { name, params, result, recursive: true });
        (head, body)
    }

    /// A sequence, perhaps with other elements.
    fn changed(&mut self, this: &Loop, at: usize, depth: usize) -> Node {
        let seq = Ty::seq(this.elem.clone());
        if depth == 0 || self.random.chance(15) {
            return Node::leaf(&seq, this.held[at].clone());
        }
        match self.random.below(8) {
            0 => {
                let parts = vec![
                    self.condition(this),
                    self.changed(this, at, depth - 1),
                    self.changed(this, at, depth - 1),
                ];
                Node::new(&seq, "(if \0 then \0 else \0)", parts)
            }
            1 => match self.helper(&seq) {
                Some(name) => {
                    let text = format!("{name}(rem({}, 3), \0)", this.count);
                    Node::new(&seq, text, vec![self.changed(this, at, depth - 1)])
                }
                None => self.changed(this, at, depth - 1),
            },
            _ => {
                let parts = vec![
                    self.changed(this, at, depth - 1),
                    self.element(this, depth - 1),
                    self.position(this),
                ];
                Node::new(&seq, "rep(\0, \0, \0)", parts)
            }
        }
    }

    /// An earlier loop over a sequence of this type.
    fn helper(&mut self, seq: &Ty) -> Option<String> {
        let params = [Ty::Int, seq.clone()];
        let fits = |one: &&Function| one.recursive && one.params == params && one.result == *seq;
        self.functions.iter().find(fits).map(|one| one.name.clone())
    }

    fn element(&mut self, this: &Loop, depth: usize) -> Node {
        let held = this.held[self.random.below(this.held.len())].clone();
        let read = Node::new(&this.elem, format!("{held}[\0]"), vec![self.position(this)]);
        if depth == 0 {
            return if self.random.chance(50) { read } else { self.literal(&this.elem) };
        }
        match (&this.elem, self.random.below(4)) {
            (Ty::Int | Ty::Float, 0 | 1) => {
                let sign = ["+", "-", "*"][self.random.below(3)];
                let parts = vec![read, self.element(this, depth - 1)];
                Node::new(&this.elem, format!("(\0 {sign} \0)"), parts)
            }
            (_, 2) => {
                let parts =
                    vec![self.condition(this), self.element(this, depth - 1), self.element(this, depth - 1)];
                Node::new(&this.elem, "(if \0 then \0 else \0)", parts)
            }
            _ => read,
        }
    }

    fn condition(&mut self, this: &Loop) -> Node {
        let [a, b] = [this.elem.clone(), this.elem.clone()].map(|_| self.element(this, 0));
        let sign = ["==", "<", ">="][self.random.below(3)];
        match this.elem {
            Ty::Bool => a,
            _ => Node::new(&Ty::Bool, format!("(\0 {sign} \0)"), vec![a, b]),
        }
    }

    /// An index of an element, mostly inside.
    fn position(&mut self, this: &Loop) -> Node {
        let (count, held) = (&this.count, &this.held[self.random.below(this.held.len())]);
        let text = match self.random.below(12) {
            0 => format!("({count} - 1)"),
            1 => format!("(#{held} - {count})"),
            2 => format!("(#{held} - 1)"),
            3..=5 => "0".to_owned(),
            _ => format!("rem({count}, max(#{held}, 1))"),
        };
        Node::leaf(&Ty::Int, text)
    }
}
