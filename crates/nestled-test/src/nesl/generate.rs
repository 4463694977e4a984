//! Generator of well-typed random programs in NESL.

pub mod datatypes;
mod updates;

use super::tree::{Node, Source, Ty};

/// Numbers from a seed.
pub struct Random(u64);

impl Random {
    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Infinities, NaNs of either sign, and zeros.
const EDGES: [&str; 6] = [
    "max_val([] float)",
    "min_val([] float)",
    "(max_val([] float) * 0.0)",
    "(max_val([] float) - max_val([] float))",
    "(0.0 - max_val([] float) * 0.0)",
    "(-1.0 * 0.0)",
];

struct Function {
    name: String,
    params: Vec<Ty>,
    result: Ty,
    /// Whether the function is recursive; then its first parameter counts down.
    recursive: bool,
}

struct Gen {
    random: Random,
    functions: Vec<Function>,
    names: Vec<(String, Ty)>,
    next: usize,
    /// The recursive function that is being written, with the names for its recursive call.
    own: Option<usize>,
    /// Whether the body of the last function is being written.
    writing: bool,
    draws: bool,
    /// Whether the program has datatypes with variants.
    data: bool,
}

/// The program of a seed.
pub fn generate(seed: u64) -> Source {
    program(seed, false)
}

/// The program of a seed, with datatypes.
pub fn generate_data(seed: u64) -> Source {
    program(seed, true)
}

fn program(seed: u64, data: bool) -> Source {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
    for _ in 0..4 {
        random.below(2);
    }
    let draws = random.chance(8);
    let mut this = Gen {
        random,
        functions: Vec::new(),
        names: Vec::new(),
        next: 0,
        own: None,
        writing: false,
        draws,
        data,
    };
    let mut functions = Vec::new();
    for _ in 0..this.random.below(4) {
        functions.push(this.function());
    }
    this.names.clear();
    let depth = 2 + this.random.below(4);
    let main = match this.functions.last() {
        // The last function, for each of some elements.
        Some(last) if this.random.chance(70) => {
            let result = last.result.clone();
            let ty = this.ty(2);
            let source = this.expr(&Ty::seq(ty.clone()), depth - 1);
            let name = this.fresh(&ty);
            let body = this.call_of(this.functions.len() - 1, depth);
            Node::new(&Ty::seq(result), format!("{{\0 : {name} in \0}}"), vec![body, source])
        }
        _ => {
            let ty = this.ty(2);
            this.expr(&ty, depth)
        }
    };
    Source { prelude: if data { datatypes::PRELUDE } else { "" }, functions, main }
}

impl Gen {
    fn ty(&mut self, depth: usize) -> Ty {
        if self.data && self.random.chance(35) {
            return Ty::Data(self.any_data());
        }
        match self.random.below(if depth == 0 { 20 } else { 32 }) {
            0..=14 => Ty::Int,
            15 | 16 => Ty::Float,
            17 | 18 => Ty::Bool,
            19 => Ty::Char,
            20..=28 => Ty::seq(self.ty(depth - 1)),
            _ => Ty::Pair(Box::new(self.ty(depth - 1)), Box::new(self.ty(depth - 1))),
        }
    }

    fn fresh(&mut self, ty: &Ty) -> String {
        self.next += 1;
        let name = format!("x{}", self.next);
        self.names.push((name.clone(), ty.clone()));
        name
    }

    fn function(&mut self) -> (String, Node) {
        if self.random.chance(20) {
            return self.update();
        }
        let recursive = self.random.chance(60);
        let name = format!("g{}", self.functions.len());
        let mut params = Vec::new();
        if recursive {
            params.push(Ty::Int);
        }
        for _ in 0..1 + self.random.below(2) {
            params.push(self.ty(2));
        }
        let result = if self.random.chance(50) { params[params.len() - 1].clone() } else { self.ty(2) };
        self.names.clear();
        let names: Vec<String> = params.iter().map(|ty| self.fresh(ty)).collect();
        let head = format!("function {name}({}) : {} -> {result}", names.join(", "), joined(&params));
        self.functions.push(Function { name, params, result: result.clone(), recursive });
        self.writing = true;
        let depth = 1 + self.random.below(3);
        let body = if recursive {
            let base = self.expr(&result, depth);
            self.own = Some(self.functions.len() - 1);
            let step =
                if self.random.chance(25) { self.own_call(depth) } else { self.expr(&result, depth + 1) };
            self.own = None;
            let cond = match self.random.below(3) {
                0 => format!("{} <= 0 or {}", names[0], "\0"),
                _ => format!("{} <= 0", names[0]),
            };
            let mut parts = Vec::new();
            if cond.contains('\0') {
                parts.push(self.expr(&Ty::Bool, 1));
            }
            parts.extend([base, step]);
            Node::new(&result, format!("(if {cond} then \0 else \0)"), parts)
        } else {
            self.expr(&result, depth + 1)
        };
        self.writing = false;
        (head, body)
    }

    /// The function calls itself, with a smaller first argument.
    fn own_call(&mut self, depth: usize) -> Node {
        let own = self.own.expect("a recursive function is being written");
        let Function { name, params, result, .. } = &self.functions[own];
        let (name, params, result) = (name.clone(), params.clone(), result.clone());
        let first = &self.names[0].0;
        let first = match self.random.below(4) {
            0 => format!("min({first} / 2, {first} - 1)"),
            _ => format!("{first} - 1"),
        };
        let rest: Vec<Node> = params[1..].iter().map(|ty| self.expr(ty, depth.saturating_sub(1))).collect();
        let text = format!("{name}({first}{})", ", \0".repeat(rest.len()));
        Node::new(&result, text, rest)
    }

    fn call(&mut self, ty: &Ty, depth: usize) -> Option<Node> {
        // A function that is being written is called only by itself.
        let written = self.functions.len() - usize::from(self.writing);
        let fitting: Vec<usize> = (0..written).filter(|at| self.functions[*at].result == *ty).collect();
        if let Some(own) = self.own
            && self.functions[own].result == *ty
            && self.random.chance(60)
        {
            return Some(self.own_call(depth));
        }
        if fitting.is_empty() {
            return None;
        }
        let at = fitting[self.random.below(fitting.len())];
        Some(self.call_of(at, depth))
    }

    fn call_of(&mut self, at: usize, depth: usize) -> Node {
        let Function { name, params, result, recursive } = &self.functions[at];
        let (name, params, result, recursive) = (name.clone(), params.clone(), result.clone(), *recursive);
        let mut parts = Vec::new();
        for (position, param) in params.iter().enumerate() {
            if position == 0 && recursive {
                let small = self.expr(&Ty::Int, 1);
                parts.push(Node::new(&Ty::Int, "rem(\0, 4)", vec![small]));
            } else {
                parts.push(self.expr(param, depth - 1));
            }
        }
        let text = format!("{name}({})", vec!["\0"; parts.len()].join(", "));
        Node::new(&result, text, parts)
    }

    fn variable(&mut self, ty: &Ty) -> Option<Node> {
        let fitting: Vec<&(String, Ty)> = self.names.iter().filter(|(_, found)| found == ty).collect();
        if fitting.is_empty() {
            return None;
        }
        // The latest are met most.
        let at = fitting.len() - 1 - self.random.below(fitting.len()).min(self.random.below(fitting.len()));
        Some(Node::leaf(ty, fitting[at].0.clone()))
    }

    /// An expression of a type.
    fn expr(&mut self, ty: &Ty, depth: usize) -> Node {
        if self.random.chance(if depth == 0 { 85 } else { 25 })
            && let Some(found) = self.variable(ty)
        {
            return found;
        }
        if depth == 0 {
            return self.literal(ty);
        }
        match self.random.below(20) {
            0 | 1 => {
                let cond = self.expr(&Ty::Bool, depth - 1);
                let (yes, no) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
                return Node::new(ty, "(if \0 then \0 else \0)", vec![cond, yes, no]);
            }
            2 => {
                let bound = self.ty(2);
                let value = self.expr(&bound, depth - 1);
                let count = self.names.len();
                let name = self.fresh(&bound);
                let body = self.expr(ty, depth - 1);
                self.names.truncate(count);
                return Node::new(ty, format!("(let {name} = \0 in \0)"), vec![value, body]);
            }
            3..=5 => {
                if let Some(call) = self.call(ty, depth) {
                    return call;
                }
            }
            6 => {
                let seq = self.expr(&Ty::seq(ty.clone()), depth - 1);
                let at = self.expr(&Ty::Int, depth.min(2) - 1);
                return if self.random.chance(30) {
                    Node::new(ty, "\0[\0]", vec![bracketed(seq), at])
                } else {
                    let other = self.expr(ty, depth - 1);
                    Node::new(
                        ty,
                        "(let v = \0; i = \0 in if i >= 0 and i < #v then v[i] else \0)",
                        vec![seq, at, other],
                    )
                };
            }
            7 if self.data && self.random.chance(70) => return self.matching(ty, depth),
            7 => {
                let other = self.ty(1);
                let pair = Ty::Pair(Box::new(ty.clone()), Box::new(other));
                let value = self.expr(&pair, depth - 1);
                return Node::new(ty, "(let (a, b) = \0 in a)", vec![value]);
            }
            _ => {}
        }
        match ty {
            Ty::Int => self.int(depth),
            Ty::Float => self.float(depth),
            Ty::Bool => self.bool(depth),
            Ty::Char => {
                let code = self.expr(&Ty::Int, depth - 1);
                Node::new(ty, "code_char(97 + mod(\0, 5))", vec![code])
            }
            Ty::Pair(left, right) => {
                let (left, right) = (self.expr(left, depth - 1), self.expr(right, depth - 1));
                Node::new(ty, "(\0, \0)", vec![left, right])
            }
            Ty::Seq(element) => self.sequence(ty, element, depth),
            Ty::Data(of) => self.data(*of, depth),
        }
    }

    fn literal(&mut self, ty: &Ty) -> Node {
        let text = match ty {
            Ty::Int if self.random.chance(6) => ["max_int", "min_int"][self.random.below(2)].to_owned(),
            Ty::Int => ["0", "1", "2", "3", "7", "(-1)"][self.random.below(6)].to_owned(),
            Ty::Float if self.random.chance(25) => EDGES[self.random.below(EDGES.len())].to_owned(),
            Ty::Float => ["0.0", "0.5", "1.5", "3.25", "(-2.0)"][self.random.below(5)].to_owned(),
            Ty::Bool => ["t", "f"][self.random.below(2)].to_owned(),
            Ty::Char => ["`a", "`b", "`c"][self.random.below(3)].to_owned(),
            Ty::Data(of) => of.least().to_owned(),
            Ty::Pair(left, right) => {
                let (left, right) = (self.literal(left), self.literal(right));
                return Node::new(ty, "(\0, \0)", vec![left, right]);
            }
            Ty::Seq(element) => {
                let count = [0, 1, 1, 2, 3, 5][self.random.below(6)];
                if count == 0 {
                    return Node::leaf(ty, format!("([] {element})"));
                }
                let parts: Vec<Node> = (0..count).map(|_| self.literal(element)).collect();
                return Node::new(ty, format!("[{}]", vec!["\0"; count].join(", ")), parts);
            }
        };
        Node::leaf(ty, text)
    }

    fn int(&mut self, depth: usize) -> Node {
        let (int, ints) = (Ty::Int, Ty::seq(Ty::Int));
        let deeper = depth - 1;
        let two = |this: &mut Gen| vec![this.expr(&Ty::Int, deeper), this.expr(&Ty::Int, deeper)];
        if self.data && self.random.chance(30) {
            return self.folded(depth);
        }
        match self.random.below(14) {
            0..=3 => {
                let text = ["(\0 + \0)", "(\0 - \0)", "(\0 * \0)", "max(\0, \0)"][self.random.below(4)];
                Node::new(&int, text, two(self))
            }
            4 => Node::new(&int, ["(\0 / \0)", "rem(\0, \0)"][self.random.below(2)], two(self)),
            5 => Node::new(&int, "gcd(mod(\0, 30), mod(\0, 30))", two(self)),
            6 | 7 => {
                let ty = self.ty(1);
                let seq = self.expr(&Ty::seq(ty), deeper);
                Node::new(&int, "#\0", vec![bracketed(seq)])
            }
            8..=10 => {
                let seq = self.expr(&ints, deeper);
                let text = ["sum(\0)", "max_val(\0)", "min_val(\0)"][self.random.below(3)];
                if self.random.chance(70) {
                    return Node::new(&int, text, vec![seq]);
                }
                let floats = self.expr(&Ty::seq(Ty::Float), deeper);
                let safe = ["max_index([1.0] ++ \0)", "min_index([1.0] ++ \0)"][self.random.below(2)];
                Node::new(&int, safe, vec![floats])
            }
            11 => {
                let seq = self.expr(&Ty::seq(Ty::Bool), deeper);
                Node::new(&int, "count(\0)", vec![seq])
            }
            12 if self.draws => {
                let bound = self.expr(&int, deeper);
                Node::new(&int, "rand(1 + mod(\0, 9))", vec![bound])
            }
            12 => {
                let value = self.expr(&Ty::Float, deeper);
                Node::new(&int, "floor(\0)", vec![value])
            }
            _ => {
                let value = self.expr(&Ty::Bool, deeper);
                Node::new(&int, "btoi(\0)", vec![value])
            }
        }
    }

    fn float(&mut self, depth: usize) -> Node {
        let float = Ty::Float;
        match self.random.below(6) {
            0 | 1 => {
                let text = ["(\0 + \0)", "(\0 - \0)", "(\0 * \0)", "(\0 / \0)"][self.random.below(4)];
                let parts = vec![self.expr(&float, depth - 1), self.expr(&float, depth - 1)];
                Node::new(&float, text, parts)
            }
            2 => {
                let value = self.expr(&float, depth - 1);
                Node::new(
                    &float,
                    ["sqrt(\0)", "sqrt(abs(\0))", "negate(\0)"][self.random.below(3)],
                    vec![value],
                )
            }
            3 => {
                let value = self.expr(&Ty::Int, depth - 1);
                Node::new(&float, "float(\0)", vec![value])
            }
            _ => {
                let seq = self.expr(&Ty::seq(float.clone()), depth - 1);
                let text = ["sum(\0)", "max_val(\0)", "median([0.5] ++ \0)"][self.random.below(3)];
                Node::new(&float, text, vec![seq])
            }
        }
    }

    fn bool(&mut self, depth: usize) -> Node {
        let bool = Ty::Bool;
        match self.random.below(8) {
            0..=3 => {
                let ty =
                    [Ty::Int, Ty::Int, Ty::Float, Ty::Char, Ty::seq(Ty::Char)][self.random.below(5)].clone();
                let text = ["(\0 < \0)", "(\0 == \0)", "(\0 >= \0)", "(\0 /= \0)"][self.random.below(4)];
                let parts = vec![self.expr(&ty, depth - 1), self.expr(&ty, depth - 1)];
                Node::new(&bool, text, parts)
            }
            4 => {
                let text = ["(\0 and \0)", "(\0 or \0)", "(\0 xor \0)"][self.random.below(3)];
                let parts = vec![self.expr(&bool, depth - 1), self.expr(&bool, depth - 1)];
                Node::new(&bool, text, parts)
            }
            5 => {
                let value = self.expr(&bool, depth - 1);
                Node::new(&bool, "not(\0)", vec![value])
            }
            6 => {
                let ty = self.ty(2);
                let parts = vec![self.expr(&ty, depth - 1), self.expr(&ty, depth - 1)];
                Node::new(&bool, "eql(\0, \0)", parts)
            }
            _ => {
                let seq = self.expr(&Ty::seq(bool.clone()), depth - 1);
                Node::new(&bool, ["any(\0)", "all(\0)"][self.random.below(2)], vec![seq])
            }
        }
    }

    fn sequence(&mut self, ty: &Ty, element: &Ty, depth: usize) -> Node {
        let deeper = depth - 1;
        match self.random.below(26) {
            0 => self.literal(ty),
            1 => {
                let count = 1 + self.random.below(3);
                let parts: Vec<Node> = (0..count).map(|_| self.expr(element, deeper)).collect();
                Node::new(ty, format!("[{}]", vec!["\0"; count].join(", ")), parts)
            }
            2..=9 => self.each(ty, element, depth),
            10 | 11 => {
                let parts = vec![self.expr(ty, deeper), self.expr(ty, deeper)];
                Node::new(ty, "(\0 ++ \0)", parts)
            }
            12 => {
                let parts = vec![self.expr(ty, deeper), self.expr(&Ty::Int, 1)];
                let text = ["take(\0, \0)", "drop(\0, \0)"][self.random.below(2)];
                let safe = "(let v = \0; n = \0 in take(v, mod(n, #v + 1)))";
                Node::new(ty, if self.random.chance(25) { text } else { safe }, parts)
            }
            13 => {
                let seq = self.expr(ty, deeper);
                Node::new(
                    ty,
                    ["reverse(\0)", "odd_elts(\0)", "rotate(\0, 1)"][self.random.below(3)],
                    vec![seq],
                )
            }
            14 => {
                let seq = self.expr(ty, deeper);
                let at = self.expr(&Ty::seq(Ty::Int), deeper);
                let safe = "(let v = \0; k = \0 in v -> {i in k | i >= 0 and i < #v})";
                Node::new(ty, if self.random.chance(25) { "(\0 -> \0)" } else { safe }, vec![seq, at])
            }
            15 => {
                let pairs = Ty::seq(Ty::Pair(Box::new(Ty::Int), Box::new(element.clone())));
                let parts = vec![self.expr(ty, deeper), self.expr(&pairs, deeper)];
                let safe = "(let v = \0; p = \0 in v <- {(i, y) : (i, y) in p | i >= 0 and i < #v})";
                Node::new(ty, if self.random.chance(20) { "(\0 <- \0)" } else { safe }, parts)
            }
            16 | 17 => {
                let nested = self.expr(&Ty::seq(ty.clone()), deeper);
                Node::new(ty, "flatten(\0)", vec![nested])
            }
            18 => {
                let parts = vec![self.expr(element, deeper), self.expr(&Ty::Int, 1)];
                Node::new(ty, "dist(\0, mod(\0, 6))", parts)
            }
            19 | 20 => match element {
                Ty::Int if self.random.chance(20) => {
                    let of = if self.data || self.random.chance(50) { Ty::Float } else { self.ty(2) };
                    let values = self.expr(&Ty::seq(of), deeper);
                    Node::new(ty, ["rank(\0)", "rank_down(\0)"][self.random.below(2)], vec![values])
                }
                // In the order of any values.
                _ if !element.has_data() && self.random.chance(15) => {
                    let seq = self.expr(ty, deeper);
                    Node::new(ty, "sort(\0)", vec![seq])
                }
                Ty::Int => {
                    let seq = self.expr(ty, deeper);
                    let text =
                        ["sort(\0)", "plus_scan(\0)", "max_scan(\0)", "rank(\0)", "remove_duplicates(\0)"];
                    Node::new(ty, text[self.random.below(5)], vec![seq])
                }
                Ty::Float => {
                    let seq = self.expr(ty, deeper);
                    Node::new(ty, ["sort(\0)", "min_scan(\0)"][self.random.below(2)], vec![seq])
                }
                Ty::Bool => {
                    let seq = self.expr(ty, deeper);
                    Node::new(ty, ["or_scan(\0)", "and_scan(\0)"][self.random.below(2)], vec![seq])
                }
                Ty::Char if self.random.chance(35) => {
                    let texts = self.expr(&Ty::seq(ty.clone()), deeper);
                    let text = ["max_val(\0)", "min_val(\0)", "min_val([[`b]] ++ \0)"][self.random.below(3)];
                    Node::new(ty, text, vec![texts])
                }
                Ty::Char if self.random.chance(35) => {
                    let parts = vec![self.expr(ty, deeper), self.expr(ty, deeper)];
                    Node::new(ty, ["max(\0, \0)", "min(\0, \0)"][self.random.below(2)], parts)
                }
                Ty::Seq(of) if **of == Ty::Char && self.random.chance(50) => {
                    let seq = self.expr(ty, deeper);
                    Node::new(ty, ["max_scan(\0)", "min_scan(\0)"][self.random.below(2)], vec![seq])
                }
                Ty::Seq(_) => {
                    let seq = self.expr(element, deeper);
                    let text = ["bottop(\0)", "group_by(\0, 2)", "partition(\0, [1, 1])"];
                    Node::new(ty, text[self.random.below(5).min(2)], vec![seq])
                }
                Ty::Data(_) => {
                    let seq = self.expr(ty, deeper);
                    Node::new(ty, "remove_duplicates(\0)", vec![seq])
                }
                Ty::Char => {
                    let value = self.ty(2);
                    let value = self.expr(&value, deeper);
                    Node::new(ty, "@\0", vec![bracketed(value)])
                }
                Ty::Pair(left, right) if **right == Ty::seq(Ty::Int) && **left == Ty::Int => {
                    let pairs = Ty::seq(Ty::Pair(Box::new(Ty::Int), Box::new(Ty::Int)));
                    let pairs = self.expr(&pairs, deeper);
                    Node::new(ty, "int_collect(\0)", vec![pairs])
                }
                Ty::Pair(left, right) => {
                    let left = self.expr(&Ty::Seq(left.clone()), deeper);
                    let right = self.expr(&Ty::Seq(right.clone()), deeper);
                    let safe = "(let a = \0; b = \0; n = min(#a, #b) in zip(take(a, n), take(b, n)))";
                    Node::new(
                        ty,
                        if self.random.chance(15) { "zip(\0, \0)" } else { safe },
                        vec![left, right],
                    )
                }
            },
            21 if *element == Ty::Int => {
                let bound = self.expr(&Ty::Int, 1);
                Node::new(ty, "[0:mod(\0, 8)]", vec![bound])
            }
            _ => self.each(ty, element, depth),
        }
    }

    fn each(&mut self, ty: &Ty, element: &Ty, depth: usize) -> Node {
        let deeper = depth - 1;
        let count = self.names.len();
        let first = self.ty(2);
        let mut parts = vec![self.expr(&Ty::seq(first.clone()), deeper)];
        let mut sources = String::new();
        if self.random.chance(25) {
            let second = self.expr(&Ty::seq(Ty::Int), deeper);
            let name = self.fresh(&first);
            let other = self.fresh(&Ty::Int);
            if self.random.chance(15) {
                sources = format!("{name} in \0; {other} in \0");
                parts.push(second);
            } else {
                self.next += 1;
                let seq = format!("s{}", self.next);
                let body = self.expr(element, deeper);
                self.names.truncate(count);
                let text = format!("(let {seq} = \0 in {{\0 : {name} in {seq}; {other} in index(#{seq})}})");
                parts.push(body);
                return Node::new(ty, text, parts);
            }
        } else {
            let name = self.fresh(&first);
            sources.push_str(&format!("{name} in \0"));
        }
        let body = self.expr(element, deeper);
        if self.random.chance(25) {
            let filter = self.expr(&Ty::Bool, deeper.min(2));
            self.names.truncate(count);
            let mut all = vec![body];
            all.append(&mut parts);
            all.push(filter);
            return Node::new(ty, format!("{{\0 : {sources} | \0}}"), all);
        }
        self.names.truncate(count);
        let mut all = vec![body];
        all.append(&mut parts);
        Node::new(ty, format!("{{\0 : {sources}}}"), all)
    }
}

fn bracketed(node: Node) -> Node {
    let ty = node.ty.clone();
    Node::new(&ty, "(\0)", vec![node])
}

fn joined(params: &[Ty]) -> String {
    match params {
        [only] => only.to_string(),
        _ => format!("({})", params.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}
