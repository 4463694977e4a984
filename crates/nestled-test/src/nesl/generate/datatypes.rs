//! Random values of datatypes with variants: their constructors, `match`, folds, maps and builders of bounded depth.

use super::{Gen, Node, Ty};

/// The datatypes of all programs of this kind, and functions on them that end.
pub const PRELUDE: &str = "\
datatype some = some_a | some_b(int) | some_c(float, [int]);
datatype bush = bush_a(int) | bush_b(bush, bush) | bush_c([bush]) | bush_d;
datatype rose(int, [rose]);
datatype row = row_a | row_b(a, row(a)) :: (a in any);
function of_some(d) : some -> int = match d with some_a => 0 | some_b(n) => n | some_c(w, v) => #v + floor(w);
function of_bush(d) : bush -> int =
  match d with bush_a(n) => n | bush_b(l, r) => of_bush(l) - of_bush(r) | bush_c(v) => sum({of_bush(k) : k in v}) + 1 | _ => 3;
function of_rose(rose(n, v)) : rose -> int = n + sum({of_rose(k) : k in v});
function of_row(d) : row(int) -> int = match d with row_a => 0 | row_b(n, rest) => n + 2 * of_row(rest);
function to_some(n) : int -> some = if n <= 0 then some_a else if oddp(n) then some_b(n) else some_c(float(n), index(n));
function to_bush(n) : int -> bush =
  if n <= 0 then bush_d else if n == 1 then bush_a(n) else if oddp(n) then bush_b(to_bush(n - 1), to_bush(n - 3))
  else bush_c({to_bush(n - 2 - i) : i in [0:2]});
function to_rose(n) : int -> rose = rose(n, {to_rose(i) : i in index(max(n, 0))});
function to_row(n) : int -> row(int) = if n <= 0 then row_a else row_b(n, to_row(n - 1));
function map_bush(d, n) : (bush, int) -> bush =
  match d with bush_a(m) => bush_b(bush_a(m + n), d) | bush_b(l, r) => bush_b(map_bush(r, n), l)
  | bush_c(v) => bush_c({map_bush(k, n + 1) : k in v}) | _ => d;
function turned(d, e) : (row(int), row(int)) -> row(int) =
  match d with row_a => e | row_b(n, rest) => turned(rest, row_b(n, e));
";

/// A datatype of the prelude.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Data {
    /// It does not hold itself.
    Some,
    /// It holds itself, in pairs and in sequences.
    Bush,
    /// It has one variant.
    Rose,
    /// A list, of any type; here of integers.
    Row,
}

impl Data {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Data::Some => "some",
            Data::Bush => "bush",
            Data::Rose => "rose",
            Data::Row => "row(int)",
        }
    }

    /// The shortest value.
    pub fn least(self) -> &'static str {
        match self {
            Data::Some => "some_a",
            Data::Bush => "bush_d",
            Data::Rose => "rose(1, [] rose)",
            // Nothing tells what an empty list could hold.
            Data::Row => "to_row(0)",
        }
    }

    /// The beginning of the names of its functions.
    fn stem(self) -> &'static str {
        match self {
            Data::Some => "some",
            Data::Bush => "bush",
            Data::Rose => "rose",
            Data::Row => "row",
        }
    }

    /// Its variants, and the types of what they hold.
    fn variants(self) -> Vec<(&'static str, Vec<Ty>)> {
        let own = || Ty::Data(self);
        match self {
            Data::Some => vec![
                ("some_a", Vec::new()),
                ("some_b", vec![Ty::Int]),
                ("some_c", vec![Ty::Float, Ty::seq(Ty::Int)]),
            ],
            Data::Bush => vec![
                ("bush_a", vec![Ty::Int]),
                ("bush_b", vec![own(), own()]),
                ("bush_c", vec![Ty::seq(own())]),
                ("bush_d", Vec::new()),
            ],
            Data::Rose => vec![("rose", vec![Ty::Int, Ty::seq(own())])],
            Data::Row => vec![("row_a", Vec::new()), ("row_b", vec![Ty::Int, own()])],
        }
    }
}

impl Gen {
    /// One of the datatypes.
    pub(super) fn any_data(&mut self) -> Data {
        [Data::Some, Data::Bush, Data::Bush, Data::Rose, Data::Row][self.random.below(5)]
    }

    /// A value of a datatype.
    pub(super) fn data(&mut self, of: Data, depth: usize) -> Node {
        let (ty, deeper) = (Ty::Data(of), depth - 1);
        match self.random.below(8) {
            0 => {
                let size = self.expr(&Ty::Int, deeper.min(2));
                Node::new(&ty, format!("to_{}(mod(\0, 5))", of.stem()), vec![size])
            }
            1 if of == Data::Bush => {
                let parts = vec![self.expr(&ty, deeper), self.expr(&Ty::Int, 1)];
                Node::new(&ty, "map_bush(\0, \0)", parts)
            }
            1 if of == Data::Row => {
                let parts = vec![self.expr(&ty, deeper), self.expr(&ty, deeper)];
                Node::new(&ty, "turned(\0, \0)", parts)
            }
            2 | 3 => self.matching(&ty, depth),
            _ => {
                let variants = of.variants();
                let (name, held) = &variants[self.random.below(variants.len())];
                if held.is_empty() {
                    return Node::leaf(&ty, if of == Data::Row { of.least() } else { name });
                }
                let parts: Vec<Node> = held.iter().map(|ty| self.expr(ty, deeper)).collect();
                Node::new(&ty, format!("{name}({})", vec!["\0"; parts.len()].join(", ")), parts)
            }
        }
    }

    /// An integer from a value of a datatype.
    pub(super) fn folded(&mut self, depth: usize) -> Node {
        let of = self.any_data();
        let value = self.expr(&Ty::Data(of), depth - 1);
        Node::new(&Ty::Int, format!("of_{}(\0)", of.stem()), vec![value])
    }

    /// A `match`, whose arms give values of a type.
    pub(super) fn matching(&mut self, ty: &Ty, depth: usize) -> Node {
        let (of, deeper) = (self.any_data(), depth - 1);
        let mut parts = vec![self.expr(&Ty::Data(of), deeper)];
        let mut arms = Vec::new();
        let variants = of.variants();
        for (at, (name, held)) in variants.iter().enumerate() {
            if at > 0 && at + 1 < variants.len() && self.random.chance(25) {
                break;
            }
            let count = self.names.len();
            let names: Vec<String> = held.iter().map(|ty| self.fresh(ty)).collect();
            parts.push(self.expr(ty, deeper));
            self.names.truncate(count);
            arms.push(if names.is_empty() {
                format!("{name} => \0")
            } else {
                format!("{name}({}) => \0", names.join(", "))
            });
        }
        if arms.len() < variants.len() {
            parts.push(self.expr(ty, deeper));
            arms.push("_ => \0".to_owned());
        }
        Node::new(ty, format!("(match \0 with {})", arms.join(" | ")), parts)
    }
}
