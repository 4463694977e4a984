//! A direct interpreter of VCODE on plain vectors, by the serial meaning. It shares with the compiler nothing but the parser.

use super::Outcome;
use nestled_vcode::syntax::ast::{Constant, Program, Stmt, StmtKind};
use nestled_vcode::syntax::instr::{Elem, Fold, Instr, Move, Point};
use nestled_vcode::syntax::listing::{Listing, Node, Param};

/// What a slot holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Val {
    Int(Vec<i32>),
    Bool(Vec<bool>),
    Float(Vec<f64>),
    Seg(Vec<i64>),
    Pair(Box<Val>, Box<Val>),
}

/// Why a run ends early.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    Exit,
    Fault(String),
    /// What comes out is not defined, or nobody waits for it.
    Unknown,
}

type Run<T> = Result<T, Stop>;

/// The machine.
pub struct Machine<'a> {
    program: &'a Program,
    listing: &'a Listing,
    stack: Vec<Val>,
    random: u64,
    fuel: u64,
    depth: usize,
    most: usize,
}

/// Runs a program.
pub fn run(program: &Program, listing: &Listing) -> Result<Outcome, Stop> {
    run_for(program, listing, (200_000, 300))
}

/// Runs a program for so many statements, and so many calls inside one another, at most.
pub fn run_for(program: &Program, listing: &Listing, limits: (u64, usize)) -> Result<Outcome, Stop> {
    let (fuel, most) = limits;
    let mut machine = Machine { program, listing, stack: Vec::new(), random: 0, fuel, depth: 0, most };
    match machine.block(&program.functions[program.entry].body) {
        Ok(()) => Ok(Outcome::Stack(machine.stack.iter().map(line).collect())),
        Err(Stop::Exit) => Ok(Outcome::Exit),
        Err(Stop::Fault(message)) => Ok(Outcome::Fault(message)),
        Err(Stop::Unknown) => Err(Stop::Unknown),
    }
}

fn line(val: &Val) -> String {
    let list = |items: Vec<String>| items.iter().map(|item| format!(" {item}")).collect::<String>();
    match val {
        Val::Int(all) => format!("({} )\n", list(all.iter().map(i32::to_string).collect())),
        Val::Bool(all) => {
            format!("({} )\n", list(all.iter().map(|&b| if b { "T" } else { "F" }.to_owned()).collect()))
        }
        Val::Float(all) => format!("({} )\n", list(all.iter().map(|&x| exponent(x)).collect())),
        Val::Seg(all) => format!("[{} ]\n", list(all.iter().map(i64::to_string).collect())),
        Val::Pair(a, b) => format!("pair({},{}) \n", name(a), name(b)),
    }
}

fn name(val: &Val) -> &'static str {
    match val {
        Val::Int(_) => "Int",
        Val::Bool(_) => "Bool",
        Val::Float(_) => "Float",
        Val::Seg(_) => "Segdes",
        Val::Pair(..) => "Pair",
    }
}

fn exponent(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let text = format!("{x:.14e}");
    let at = text.find('e').unwrap();
    let power: i32 = text[at + 1..].parse().unwrap();
    format!("{}e{}{:02}", &text[..at], if power < 0 { '-' } else { '+' }, power.abs())
}

fn fault<T>(message: &str) -> Run<T> {
    Err(Stop::Fault(message.to_owned()))
}

fn need(condition: bool, message: &str) -> Run<()> {
    if condition { Ok(()) } else { fault(message) }
}

/// The same for vectors of each type of elements.
macro_rules! each {
    ($val:expr, $all:ident => $made:expr) => {
        match $val {
            Val::Int($all) => Val::Int($made),
            Val::Bool($all) => Val::Bool($made),
            Val::Float($all) => Val::Float($made),
            _ => return Err(Stop::Unknown),
        }
    };
}

/// The same for two vectors of one type.
macro_rules! both {
    ($a:expr, $b:expr, $x:ident, $y:ident => $made:expr) => {
        match ($a, $b) {
            (Val::Int($x), Val::Int($y)) => Val::Int($made),
            (Val::Bool($x), Val::Bool($y)) => Val::Bool($made),
            (Val::Float($x), Val::Float($y)) => Val::Float($made),
            _ => return Err(Stop::Unknown),
        }
    };
}

fn len(val: &Val) -> usize {
    match val {
        Val::Int(all) => all.len(),
        Val::Bool(all) => all.len(),
        Val::Float(all) => all.len(),
        Val::Seg(all) => all.iter().sum::<i64>() as usize,
        Val::Pair(..) => 0,
    }
}

/// Where each segment begins, and how long it is.
fn segments(s: &[i64]) -> Vec<(usize, usize)> {
    let mut start = 0;
    s.iter()
        .map(|&length| {
            start += length as usize;
            (start - length as usize, length as usize)
        })
        .collect()
}

impl Machine<'_> {
    fn pop(&mut self) -> Run<Val> {
        self.stack.pop().ok_or(Stop::Unknown)
    }

    fn ints(&mut self) -> Run<Vec<i32>> {
        match self.pop()? {
            Val::Int(all) => Ok(all),
            _ => Err(Stop::Unknown),
        }
    }

    fn bools(&mut self) -> Run<Vec<bool>> {
        match self.pop()? {
            Val::Bool(all) => Ok(all),
            _ => Err(Stop::Unknown),
        }
    }

    fn floats(&mut self) -> Run<Vec<f64>> {
        match self.pop()? {
            Val::Float(all) => Ok(all),
            _ => Err(Stop::Unknown),
        }
    }

    fn seg(&mut self) -> Run<Vec<i64>> {
        match self.pop()? {
            Val::Seg(all) => Ok(all),
            _ => Err(Stop::Unknown),
        }
    }

    fn block(&mut self, code: &[Stmt]) -> Run<()> {
        for stmt in code {
            self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Unknown)?;
            match &stmt.kind {
                StmtKind::Do(instr) => self.instr(*instr)?,
                StmtKind::Copy { count: 0, .. }
                | StmtKind::Pop { count: 0, .. }
                | StmtKind::Cpop { count: 0, .. } => {}
                StmtKind::Copy { count, depth } => {
                    let end = self.stack.len() - depth;
                    let slots = self.stack[end - count..end].to_vec();
                    self.stack.extend(slots);
                }
                StmtKind::Pop { count, depth } => {
                    let end = self.stack.len() - depth;
                    self.stack.drain(end - count..end);
                }
                StmtKind::Cpop { count, depth } => {
                    let end = self.stack.len() - depth;
                    let slots: Vec<Val> = self.stack.drain(end - count..end).collect();
                    self.stack.extend(slots);
                }
                StmtKind::Const(constant) => self.stack.push(match constant {
                    Constant::Ints(all) => Val::Int(all.iter().map(|&value| value as i32).collect()),
                    Constant::Floats(all) => Val::Float(all.clone()),
                    Constant::Bools(all) => Val::Bool(all.clone()),
                    Constant::Segdes(all) => Val::Seg(all.clone()),
                }),
                StmtKind::Call(callee) => {
                    self.depth += 1;
                    if self.depth > self.most {
                        return Err(Stop::Unknown);
                    }
                    let program = self.program;
                    self.block(&program.functions[*callee].body)?;
                    self.depth -= 1;
                }
                StmtKind::If { then, otherwise } => {
                    let flag = self.bools()?;
                    need(flag.len() == 1, "unequal shapes")?;
                    self.block(if flag[0] { then } else { otherwise })?;
                }
                StmtKind::Exit => return Err(Stop::Exit),
                StmtKind::Fused(number) => self.fused(*number)?,
            }
        }
        Ok(())
    }

    fn instr(&mut self, instr: Instr) -> Run<()> {
        let made = match instr {
            Instr::Point(point, elem) => {
                let mut args: Vec<Val> = (0..point.arity()).map(|_| self.pop()).collect::<Run<_>>()?;
                args.reverse();
                let n = len(&args[0]);
                need(args.iter().all(|arg| len(arg) == n), "unequal shapes")?;
                self.point(point, elem, &args)?
            }
            Instr::Rand => {
                let a = self.ints()?;
                need(a.iter().all(|&a| a != 0), "division by zero")?;
                let mut made = Vec::new();
                for a in a {
                    self.random = (self.random.wrapping_mul(0x5DEECE66D).wrapping_add(0xB)) & ((1 << 48) - 1);
                    made.push(((self.random >> 17) as i32).wrapping_rem(a));
                }
                Val::Int(made)
            }
            Instr::Srand => {
                let seed = self.ints()?;
                need(seed.len() == 1, "unequal shapes")?;
                self.random = (((seed[0] as i64) << 16) + 0x330E) as u64 & ((1 << 48) - 1);
                Val::Bool(vec![true])
            }
            Instr::Scan(fold, _) | Instr::Reduce(fold, _) => {
                let s = self.seg()?;
                let v = self.pop()?;
                need(len(&v) as i64 == s.iter().sum::<i64>(), "unequal shapes")?;
                folded(fold, &v, &s, matches!(instr, Instr::Scan(..)))?
            }
            Instr::Move(way, _) => self.moved(way)?,
            Instr::Extract(_) => {
                let s = self.seg()?;
                let x = self.ints()?;
                let v = self.pop()?;
                need(len(&v) as i64 == s.iter().sum::<i64>() && x.len() == s.len(), "unequal shapes")?;
                let at = places(&segments(&s), &x)?;
                each!(&v, all => at.iter().map(|&at| all[at]).collect())
            }
            Instr::Replace(_) => {
                let s = self.seg()?;
                let w = self.pop()?;
                let x = self.ints()?;
                let v = self.pop()?;
                let fits = len(&v) as i64 == s.iter().sum::<i64>() && x.len() == s.len();
                need(fits && len(&w) == s.len(), "unequal shapes")?;
                let at = places(&segments(&s), &x)?;
                both!(&v, &w, all, new => {
                    let mut all = all.clone();
                    at.iter().zip(new).for_each(|(&at, &new)| all[at] = new);
                    all
                })
            }
            Instr::Dist(_) => {
                let s = self.seg()?;
                let w = self.pop()?;
                need(len(&w) == s.len(), "unequal shapes")?;
                each!(&w, all => {
                    s.iter().zip(all).flat_map(|(&n, &x)| std::iter::repeat_n(x, n as usize)).collect()
                })
            }
            Instr::Index => {
                let s = self.seg()?;
                let b = self.ints()?;
                let a = self.ints()?;
                need(a.len() == s.len() && b.len() == s.len(), "unequal shapes")?;
                let one = |k: usize| (0..s[k]).map(move |i| (i as i32, k));
                let all = (0..s.len()).flat_map(one);
                Val::Int(all.map(|(i, k)| a[k].wrapping_add(i.wrapping_mul(b[k]))).collect())
            }
            Instr::Rank { down, .. } => {
                let s = self.seg()?;
                let v = self.pop()?;
                need(len(&v) as i64 == s.iter().sum::<i64>(), "unequal shapes")?;
                let keys: Vec<i64> = match v {
                    Val::Int(all) => all.iter().map(|&x| i64::from(x)).collect(),
                    // What is no number comes last in both orders.
                    Val::Float(all) => all
                        .iter()
                        .map(|x| match x.to_bits() as i64 {
                            _ if x.is_nan() => {
                                if down {
                                    i64::MIN
                                } else {
                                    i64::MAX
                                }
                            }
                            bits => bits ^ (((bits >> 63) as u64) >> 1) as i64,
                        })
                        .collect(),
                    _ => return Err(Stop::Unknown),
                };
                let mut ranks = vec![0; keys.len()];
                for (start, n) in segments(&s) {
                    for i in start..start + n {
                        let before = |j: &usize| {
                            let less = if down { keys[*j] > keys[i] } else { keys[*j] < keys[i] };
                            less || (keys[*j] == keys[i] && *j < i)
                        };
                        ranks[i] = (start..start + n).filter(before).count() as i32;
                    }
                }
                Val::Int(ranks)
            }
            Instr::Length(_) => Val::Int(vec![match self.pop()? {
                Val::Seg(_) | Val::Pair(..) => return Err(Stop::Unknown),
                vector => len(&vector) as i32,
            }]),
            Instr::Lengths => Val::Int(self.seg()?.iter().map(|&n| n as i32).collect()),
            Instr::MakeSegdes => {
                let lengths = self.ints()?;
                need(lengths.iter().all(|&n| n >= 0), "negative")?;
                // Tests have no such large vectors.
                if lengths.iter().map(|&n| i64::from(n)).sum::<i64>() > 10_000 {
                    return Err(Stop::Unknown);
                }
                Val::Seg(lengths.iter().map(|&n| i64::from(n)).collect())
            }
            Instr::Pack(_) => {
                let s = self.seg()?;
                let f = self.bools()?;
                let v = self.pop()?;
                let n = s.iter().sum::<i64>() as usize;
                need(f.len() == n && len(&v) == n, "unequal shapes")?;
                let packed = each!(&v, all => {
                    all.iter().zip(&f).filter(|(_, f)| **f).map(|(x, _)| *x).collect()
                });
                self.stack.push(packed);
                let kept =
                    |(start, n): (usize, usize)| f[start..start + n].iter().filter(|f| **f).count() as i64;
                Val::Seg(segments(&s).into_iter().map(kept).collect())
            }
            Instr::Pair => {
                let b = self.pop()?;
                Val::Pair(Box::new(self.pop()?), Box::new(b))
            }
            Instr::Unpair => match self.pop()? {
                Val::Pair(a, b) => {
                    self.stack.push(*a);
                    *b
                }
                _ => return Err(Stop::Unknown),
            },
            Instr::Write(_) => {
                self.pop()?;
                self.stack.push(Val::Int(Vec::new()));
                Val::Bool(vec![true])
            }
            Instr::Fwrite(_) => {
                self.ints()?;
                self.pop()?;
                self.stack.push(Val::Int(Vec::new()));
                Val::Bool(vec![true])
            }
            Instr::StartTimer
            | Instr::StopTimer
            | Instr::Read(_)
            | Instr::Fread(_)
            | Instr::Fopen
            | Instr::Fclose
            | Instr::FreadChar
            | Instr::Spawn => return Err(Stop::Unknown),
        };
        self.stack.push(made);
        Ok(())
    }

    fn moved(&mut self, way: Move) -> Run<Val> {
        let last = self.seg()?;
        let from = if way == Move::Permute { last.clone() } else { self.seg()? };
        let d = match way {
            Move::Dpermute | Move::Dfpermute => Some(self.pop()?),
            _ => None,
        };
        let f = match way {
            Move::Fpermute | Move::Bfpermute | Move::Dfpermute => Some(self.bools()?),
            _ => None,
        };
        let x = self.ints()?;
        let v = self.pop()?;
        let (n, m) = (from.iter().sum::<i64>() as usize, last.iter().sum::<i64>() as usize);
        let gathers = matches!(way, Move::Bpermute | Move::Bfpermute);
        let beside = if gathers { m } else { n };
        let fits = len(&v) == n && x.len() == beside && f.as_ref().is_none_or(|f| f.len() == beside);
        need(fits && d.as_ref().is_none_or(|d| len(d) == m) && from.len() == last.len(), "unequal shapes")?;
        let on = |p: usize| f.as_ref().is_none_or(|f| f[p]);
        // Pairs of places: where to, and where from.
        let mut pairs = Vec::new();
        for (&(s, n), &(t, m)) in segments(&from).iter().zip(&segments(&last)) {
            let (own, other, room) = if gathers { ((t, m), s, n) } else { ((s, n), t, m) };
            for p in (own.0..own.0 + own.1).filter(|&p| on(p)) {
                need(x[p] >= 0 && (x[p] as usize) < room, "out of range")?;
                let q = other + x[p] as usize;
                pairs.push(if gathers { (p, q) } else { (q, p) });
            }
        }
        let d = match d {
            Some(d) => d,
            None => match &v {
                Val::Int(_) => Val::Int(vec![0; m]),
                Val::Bool(_) => Val::Bool(vec![false; m]),
                Val::Float(_) => Val::Float(vec![0.0; m]),
                _ => return Err(Stop::Unknown),
            },
        };
        Ok(both!(&d, &v, to, from => {
            let mut to = to.clone();
            pairs.iter().for_each(|&(q, p)| to[q] = from[p]);
            to
        }))
    }

    fn point(&self, point: Point, elem: Elem, args: &[Val]) -> Run<Val> {
        let n = len(&args[0]);
        let mut made: Vec<Val> = Vec::new();
        for p in 0..n {
            let one: Vec<Val> =
                args.iter().map(|arg| Ok(each!(arg, all => vec![all[p]]))).collect::<Run<_>>()?;
            made.push(at_point(point, &one)?);
        }
        let result = point.signature(elem).1;
        let mut all = match result {
            Elem::Int => Val::Int(Vec::new()),
            Elem::Bool => Val::Bool(Vec::new()),
            Elem::Float => Val::Float(Vec::new()),
        };
        for one in made {
            all = both!(&all, &one, all, one => [all.clone(), one.clone()].concat());
        }
        Ok(all)
    }

    fn fused(&mut self, number: usize) -> Run<()> {
        let listing = self.listing;
        let op = listing.get(number).ok_or(Stop::Unknown)?;
        let at = self.stack.len() - op.params.len();
        let args = self.stack.split_off(at);
        let n = len(&args[0]);
        need(args.iter().all(|arg| len(arg) == n), "unequal shapes")?;
        let mut nodes: Vec<Val> = Vec::new();
        for node in &op.nodes {
            nodes.push(match node {
                Node::Param(at) if op.params[*at] == Param::Segdes => Val::Int(vec![0; n]),
                Node::Param(at) => args[*at].clone(),
                Node::Const(Constant::Ints(all)) => Val::Int(vec![all[0] as i32; n]),
                Node::Const(Constant::Floats(all)) => Val::Float(vec![all[0]; n]),
                Node::Const(Constant::Bools(all)) => Val::Bool(vec![all[0]; n]),
                Node::Const(Constant::Segdes(_)) => return Err(Stop::Unknown),
                Node::Point(point, elem, args) => {
                    let args: Vec<Val> = args.iter().map(|&arg| nodes[arg].clone()).collect();
                    self.point(*point, *elem, &args)?
                }
            });
        }
        self.stack.push(nodes.pop().ok_or(Stop::Unknown)?);
        Ok(())
    }
}

/// Flat positions of indices, one for each segment.
fn places(segments: &[(usize, usize)], x: &[i32]) -> Run<Vec<usize>> {
    let one = |(&(start, n), &x): (&(usize, usize), &i32)| {
        need(x >= 0 && (x as usize) < n, "out of range")?;
        Ok(start + x as usize)
    };
    segments.iter().zip(x).map(one).collect()
}

fn folded(fold: Fold, v: &Val, s: &[i64], scan: bool) -> Run<Val> {
    fn go<T: Copy>(all: &[T], s: &[i64], scan: bool, unit: T, f: impl Fn(T, T) -> T) -> Vec<T> {
        let mut made = Vec::new();
        for (start, n) in segments(s) {
            let mut sum = unit;
            for &x in &all[start..start + n] {
                if scan {
                    made.push(sum);
                }
                sum = f(sum, x);
            }
            if !scan {
                made.push(sum);
            }
        }
        made
    }
    Ok(match (fold, v) {
        (Fold::Add, Val::Int(v)) => Val::Int(go(v, s, scan, 0, i32::wrapping_add)),
        (Fold::Mul, Val::Int(v)) => Val::Int(go(v, s, scan, 1, i32::wrapping_mul)),
        (Fold::Max, Val::Int(v)) => Val::Int(go(v, s, scan, i32::MIN, i32::max)),
        (Fold::Min, Val::Int(v)) => Val::Int(go(v, s, scan, i32::MAX, i32::min)),
        (Fold::And, Val::Int(v)) => Val::Int(go(v, s, scan, -1, |a, b| a & b)),
        (Fold::Or, Val::Int(v)) => Val::Int(go(v, s, scan, 0, |a, b| a | b)),
        (Fold::Xor, Val::Int(v)) => Val::Int(go(v, s, scan, 0, |a, b| a ^ b)),
        (Fold::And, Val::Bool(v)) => Val::Bool(go(v, s, scan, true, |a, b| a & b)),
        (Fold::Or, Val::Bool(v)) => Val::Bool(go(v, s, scan, false, |a, b| a | b)),
        (Fold::Xor, Val::Bool(v)) => Val::Bool(go(v, s, scan, false, |a, b| a ^ b)),
        (Fold::Add, Val::Float(v)) => Val::Float(go(v, s, scan, 0.0, |a, b| a + b)),
        (Fold::Mul, Val::Float(v)) => Val::Float(go(v, s, scan, 1.0, |a, b| a * b)),
        (Fold::Max, Val::Float(v)) => {
            Val::Float(go(v, s, scan, f64::from(-1e36f32), |a, b| if a > b { a } else { b }))
        }
        (Fold::Min, Val::Float(v)) => {
            Val::Float(go(v, s, scan, f64::from(1e36f32), |a, b| if a < b { a } else { b }))
        }
        _ => return Err(Stop::Unknown),
    })
}

fn to_int(x: f64) -> i32 {
    if (-2147483648.0..2147483648.0).contains(&x) { x as i32 } else { i32::MIN }
}

/// One element of each operand.
fn at_point(point: Point, args: &[Val]) -> Run<Val> {
    use Val::{Bool, Float, Int};
    let int = |x: i32| Int(vec![x]);
    let float = |x: f64| Float(vec![x]);
    let bool = |x: bool| Bool(vec![x]);
    Ok(match (point, args) {
        (Point::Select, [Bool(f), a, b]) => {
            if f[0] {
                a.clone()
            } else {
                b.clone()
            }
        }
        (_, [Int(a), Int(b)]) => {
            let (a, b) = (a[0], b[0]);
            if matches!(point, Point::Div | Point::Rem) {
                need(b != 0, "division by zero")?;
            }
            match point {
                Point::Add => int(a.wrapping_add(b)),
                Point::Sub => int(a.wrapping_sub(b)),
                Point::Mul => int(a.wrapping_mul(b)),
                Point::Div => int(a.wrapping_div(b)),
                Point::Rem => int(a.wrapping_rem(b)),
                Point::Lt => bool(a < b),
                Point::Le => bool(a <= b),
                Point::Gt => bool(a > b),
                Point::Ge => bool(a >= b),
                Point::Eq => bool(a == b),
                Point::Ne => bool(a != b),
                Point::Lshift => int(a.wrapping_shl(b as u32)),
                Point::Rshift => int(a.wrapping_shr(b as u32)),
                Point::And => int(a & b),
                Point::Or => int(a | b),
                Point::Xor => int(a ^ b),
                _ => return Err(Stop::Unknown),
            }
        }
        (_, [Float(a), Float(b)]) => {
            let (a, b) = (a[0], b[0]);
            match point {
                Point::Add => float(a + b),
                Point::Sub => float(a - b),
                Point::Mul => float(a * b),
                Point::Div => float(a / b),
                Point::Lt => bool(a < b),
                Point::Le => bool(a <= b),
                Point::Gt => bool(a > b),
                Point::Ge => bool(a >= b),
                Point::Eq => bool(a == b),
                Point::Ne => bool(a != b),
                _ => return Err(Stop::Unknown),
            }
        }
        (Point::And, [Bool(a), Bool(b)]) => bool(a[0] & b[0]),
        (Point::Or, [Bool(a), Bool(b)]) => bool(a[0] | b[0]),
        (Point::Xor, [Bool(a), Bool(b)]) => bool(a[0] ^ b[0]),
        (Point::Not, [Bool(a)]) => bool(!a[0]),
        (Point::Not, [Int(a)]) => int(!a[0]),
        (Point::IToF, [Int(a)]) => float(f64::from(a[0])),
        (Point::IToB, [Int(a)]) => bool(a[0] != 0),
        (Point::BToI, [Bool(a)]) => int(i32::from(a[0])),
        (_, [Float(a)]) => {
            let a = a[0];
            match point {
                Point::Floor => int(to_int(a.floor())),
                Point::Ceil => int(to_int(a.ceil())),
                Point::Trunc => int(to_int(a.trunc())),
                Point::Round => int(to_int((a + 0.5).trunc())),
                Point::Log => float(a.ln()),
                Point::Sqrt => float(a.sqrt()),
                Point::Exp => float(a.exp()),
                Point::Sin => float(a.sin()),
                Point::Cos => float(a.cos()),
                Point::Tan => float(a.tan()),
                Point::Asin => float(a.asin()),
                Point::Acos => float(a.acos()),
                Point::Atan => float(a.atan()),
                Point::Sinh => float(a.sinh()),
                Point::Cosh => float(a.cosh()),
                Point::Tanh => float(a.tanh()),
                _ => return Err(Stop::Unknown),
            }
        }
        _ => return Err(Stop::Unknown),
    })
}
