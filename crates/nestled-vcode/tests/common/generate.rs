//! Random programs that are well-typed, and mostly run to their end.

use std::fmt::Write;

/// How long something is, as far as the generator cares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Len {
    Known(usize),
    Some(u32),
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Slot {
    /// A vector: the letter of its type, and its length.
    Vec(char, Len),
    /// A descriptor: how much it describes, and how many segments.
    Seg(Len, Len),
    Pair(Box<Slot>, Box<Slot>),
}

/// Numbers from a seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E3779B97F4A7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

pub struct Generator {
    random: Random,
    functions: Vec<String>,
    fresh: u32,
}

const TYPES: [(char, &str); 3] = [('I', "INT"), ('B', "BOOL"), ('F', "FLOAT")];

fn word(letter: char) -> &'static str {
    TYPES.iter().find(|(l, _)| *l == letter).unwrap().1
}

/// Code that is being written, and the stack that it sees.
#[derive(Clone)]
struct Code {
    text: String,
    stack: Vec<Slot>,
}

impl Code {
    fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A copy of the slot at a place, counted from the bottom.
    fn copy(&mut self, at: usize) {
        let depth = self.stack.len() - 1 - at;
        let _ = writeln!(self.text, "COPY 1 {depth}");
        self.stack.push(self.stack[at].clone());
    }

    fn drop(&mut self, count: usize) {
        self.stack.truncate(self.stack.len() - count);
    }
}

/// A program for a seed.
pub fn program(seed: u64) -> String {
    let mut generator = Generator { random: Random(seed), functions: Vec::new(), fresh: 0 };
    let mut code = Code { text: String::new(), stack: Vec::new() };
    let steps = 3 + generator.random.below(25);
    generator.steps(&mut code, steps, 0);
    let mut text = format!("FUNC MAIN\n{}RET\n", code.text);
    text.extend(generator.functions);
    text
}

impl Generator {
    fn fresh(&mut self) -> Len {
        self.fresh += 1;
        Len::Some(self.fresh)
    }

    fn steps(&mut self, code: &mut Code, steps: usize, depth: usize) {
        for _ in 0..steps {
            self.step(code, depth);
        }
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.random.below(all.len())]
    }

    /// The places of slots that fit.
    fn find(&mut self, code: &Code, fits: impl Fn(&Slot) -> bool) -> Option<usize> {
        let places: Vec<usize> = (0..code.stack.len()).filter(|&at| fits(&code.stack[at])).collect();
        if places.is_empty() { None } else { Some(self.pick(&places)) }
    }

    fn constant(&mut self, code: &mut Code, letter: char, n: usize) {
        let mut text = format!("CONST {} (", word(letter));
        for _ in 0..n {
            let number = self.random.below(12) as i64 - 4;
            let _ = match letter {
                'I' => write!(text, " {number}"),
                'B' => write!(text, " {}", if number < 2 { 'T' } else { 'F' }),
                _ => write!(text, " {number}.{}", self.pick(&[0, 5, 25])),
            };
        }
        code.add(&format!("{text} )"));
        // Among floats there are zeros of both signs, infinities, and what is no number.
        if letter == 'F' && self.random.below(4) == 0 {
            let list = |random: &mut Random, of: &[&str]| -> String {
                (0..n).map(|_| format!(" {}", of[random.below(of.len())])).collect()
            };
            let factors = list(&mut self.random, &["1.0", "1.0", "0.0", "-0.0"]);
            let divisors = list(&mut self.random, &["1.0", "1.0", "2.0", "0.0"]);
            code.add(&format!("CONST FLOAT ({factors} ) * FLOAT CONST FLOAT ({divisors} ) / FLOAT"));
        }
        code.stack.push(Slot::Vec(letter, Len::Known(n)));
    }

    fn descriptor(&mut self, code: &mut Code, total: usize) {
        if self.random.below(3) == 0 {
            code.add(&format!("CONST INT {total} MAKE_SEGDES"));
            code.stack.push(Slot::Seg(Len::Known(total), Len::Known(1)));
            return;
        }
        let m = if total == 0 { self.random.below(3) } else { 1 + self.random.below(4) };
        let mut lengths = vec![0; m];
        for _ in 0..total {
            lengths[self.random.below(m)] += 1;
        }
        let list: Vec<String> = lengths.iter().map(usize::to_string).collect();
        code.add(&format!("CONST SEGDES ( {} )", list.join(" ")));
        code.stack.push(Slot::Seg(Len::Known(total), Len::Known(m)));
    }

    /// A vector of a type and length on top; made anew if there is none.
    fn vector(&mut self, code: &mut Code, letter: char, len: Len) -> bool {
        if let Some(at) = self.find(code, |slot| *slot == Slot::Vec(letter, len)) {
            code.copy(at);
            return true;
        }
        if let Len::Known(n) = len {
            self.constant(code, letter, n);
            return true;
        }
        // Somebody has a vector of this length: make one of it.
        let Some(at) = self.find(code, |slot| matches!(slot, Slot::Vec(_, l) if *l == len)) else {
            return false;
        };
        code.copy(at);
        let Slot::Vec(from, _) = code.stack[code.stack.len() - 1] else { return false };
        match (from, letter) {
            ('I', 'F') => code.add("I_TO_F"),
            ('I', 'B') => code.add("I_TO_B"),
            ('B', 'I') => code.add("B_TO_I"),
            ('B', 'F') => code.add("B_TO_I I_TO_F"),
            ('F', 'I') => code.add("ROUND"),
            ('F', 'B') => code.add("ROUND I_TO_B"),
            _ => {}
        }
        code.drop(1);
        code.stack.push(Slot::Vec(letter, len));
        true
    }

    fn step(&mut self, code: &mut Code, depth: usize) {
        let choice = self.random.below(22);
        let letter = self.pick(&['I', 'I', 'B', 'F']);
        let numeric = self.pick(&['I', 'F']);
        let seg = self.find(code, |slot| matches!(slot, Slot::Seg(..)));
        match (choice, seg) {
            (0, _) => {
                let n = self.pick(&[0, 1, 1, 2, 3, 5, 40]);
                self.constant(code, letter, n);
            }
            (1, _) => {
                let n = self.pick(&[0, 1, 2, 3, 5, 40]);
                self.descriptor(code, n);
            }
            (2, _) => {
                // The length of a vector, as an integer or a descriptor.
                let Some(at) = self.find(code, |slot| matches!(slot, Slot::Vec(..))) else { return };
                let Slot::Vec(letter, len) = code.stack[at] else { return };
                code.copy(at);
                code.drop(1);
                code.add(&format!("LENGTH {}", word(letter)));
                if self.random.below(3) > 0 {
                    code.add("MAKE_SEGDES");
                    code.stack.push(Slot::Seg(len, Len::Known(1)));
                } else {
                    code.stack.push(Slot::Vec('I', Len::Known(1)));
                }
            }
            (3..=6, _) => self.elementwise(code),
            (7, Some(at)) => {
                let Slot::Seg(_, m) = code.stack[at] else { return };
                code.copy(at);
                code.drop(1);
                code.add("LENGTHS");
                code.stack.push(Slot::Vec('I', m));
            }
            (8, Some(at)) => {
                let Slot::Seg(n, m) = code.stack[at] else { return };
                if !self.vector(code, letter, m) {
                    return;
                }
                code.copy(at);
                code.drop(2);
                code.add(&format!("DIST {}", word(letter)));
                code.stack.push(Slot::Vec(letter, n));
            }
            (9, Some(at)) => {
                let Slot::Seg(n, m) = code.stack[at] else { return };
                if self.vector(code, 'I', m) && self.vector(code, 'I', m) {
                    code.copy(at);
                    code.drop(3);
                    code.add("INDEX");
                    code.stack.push(Slot::Vec('I', n));
                }
            }
            (10..=12, Some(at)) => {
                let Slot::Seg(n, m) = code.stack[at] else { return };
                let (op, letter) = if self.random.below(2) == 0 {
                    (self.pick(&["+", "*", "MAX", "MIN"]), numeric)
                } else {
                    (self.pick(&["AND", "OR", "XOR"]), self.pick(&['I', 'B']))
                };
                if !self.vector(code, letter, n) {
                    return;
                }
                code.copy(at);
                code.drop(2);
                let (ending, len) = self.pick(&[("SCAN", n), ("REDUCE", m)]);
                code.add(&format!("{op}_{ending} {}", word(letter)));
                code.stack.push(Slot::Vec(letter, len));
            }
            (13, Some(at)) => {
                let Slot::Seg(n, m) = code.stack[at] else { return };
                if self.vector(code, letter, n) && self.vector(code, 'B', n) {
                    code.copy(at);
                    code.drop(3);
                    code.add(&format!("PACK {}", word(letter)));
                    let kept = self.fresh();
                    code.stack.extend([Slot::Vec(letter, kept), Slot::Seg(kept, m)]);
                }
            }
            (14, Some(at)) => {
                // Ranks, and perhaps the permutation by them.
                let Slot::Seg(n, _) = code.stack[at] else { return };
                let sorts = self.random.below(2) == 0;
                if sorts && !self.vector(code, letter, n) {
                    return;
                }
                if !self.vector(code, numeric, n) {
                    return;
                }
                code.copy(at);
                code.drop(2);
                let way = self.pick(&["UP", "DOWN"]);
                code.add(&format!("RANK_{way} {}", word(numeric)));
                if sorts {
                    code.stack.push(Slot::Vec('I', n));
                    code.copy(at);
                    code.drop(3);
                    let way = self.pick(&["PERMUTE", "BPERMUTE"]);
                    if way == "BPERMUTE" {
                        let depth = code.stack.len() + 2 - at;
                        code.add(&format!("COPY 1 {depth}"));
                    }
                    code.add(&format!("{way} {}", word(letter)));
                    code.stack.push(Slot::Vec(letter, n));
                } else {
                    code.stack.push(Slot::Vec('I', n));
                }
            }
            (15, Some(at)) => self.movement(code, at, letter),
            (16, Some(at)) => {
                let Slot::Seg(n, m) = code.stack[at] else { return };
                let replaces = self.random.below(2) == 0;
                if !self.vector(code, letter, n) || !self.vector(code, 'I', m) {
                    return;
                }
                if self.random.below(3) > 0 {
                    code.add("CONST INT 0 COPY 1 1 LENGTH INT MAKE_SEGDES DIST INT * INT");
                    if replaces {
                        code.drop(1);
                        code.stack.push(Slot::Vec('I', m));
                    }
                }
                if replaces && !self.vector(code, letter, m) {
                    return;
                }
                code.copy(at);
                code.drop(if replaces { 4 } else { 3 });
                let (op, len) = if replaces { ("REPLACE", n) } else { ("EXTRACT", m) };
                code.add(&format!("{op} {}", word(letter)));
                code.stack.push(Slot::Vec(letter, len));
            }
            (17, _) => self.pairs(code),
            (18, _) if depth < 3 => self.branch(code, depth),
            (19, _) if depth < 3 => self.call(code, depth),
            (20, _) if depth < 2 => self.recursion(code, depth),
            (21, _) => {
                let Some(at) = self.find(code, |slot| matches!(slot, Slot::Vec('I', _))) else { return };
                let Slot::Vec(_, len) = code.stack[at] else { return };
                code.copy(at);
                code.add("CONST INT 7 COPY 1 1 LENGTH INT MAKE_SEGDES DIST INT OR INT RAND");
                code.drop(1);
                code.stack.push(Slot::Vec('I', len));
            }
            _ => self.elementwise(code),
        }
    }

    fn elementwise(&mut self, code: &mut Code) {
        let Some(at) = self.find(code, |slot| matches!(slot, Slot::Vec(..))) else { return };
        let Slot::Vec(_, len) = code.stack[at] else { return };
        let (op, types, result) = match self.random.below(10) {
            0 | 1 => (self.pick(&["+ INT", "- INT", "* INT", "XOR INT", "% ", "/ INT", "RSHIFT"]), "II", 'I'),
            2 => (self.pick(&["+ FLOAT", "- FLOAT", "* FLOAT", "/ FLOAT"]), "FF", 'F'),
            3 => (self.pick(&["< INT", "= INT", ">= INT"]), "II", 'B'),
            4 => (self.pick(&["< FLOAT", "!= FLOAT", ">= FLOAT"]), "FF", 'B'),
            5 => (self.pick(&["FLOOR", "CEIL", "TRUNC", "ROUND"]), "F", 'I'),
            6 => (self.pick(&["AND BOOL", "OR BOOL", "XOR BOOL"]), "BB", 'B'),
            7 => (self.pick(&["SELECT INT"]), "BII", 'I'),
            8 => ("SELECT FLOAT", "BFF", 'F'),
            _ => ("NOT BOOL", "B", 'B'),
        };
        let mut pushed = 0;
        for letter in types.chars() {
            if !self.vector(code, letter, len) {
                break;
            }
            pushed += 1;
        }
        if pushed == types.len() {
            code.drop(pushed);
            code.add(op);
            code.stack.push(Slot::Vec(result, len));
        }
    }

    fn movement(&mut self, code: &mut Code, at: usize, letter: char) {
        let Slot::Seg(n, m) = code.stack[at] else { return };
        let Some(to) = self.find(code, |slot| matches!(slot, Slot::Seg(_, count) if *count == m)) else {
            return;
        };
        let Slot::Seg(k, _) = code.stack[to] else { return };
        let (op, flags, base, gathers) = self.pick(&[
            ("DPERMUTE", false, true, false),
            ("FPERMUTE", true, false, false),
            ("BPERMUTE", false, false, true),
            ("BFPERMUTE", true, false, true),
            ("DFPERMUTE", true, true, false),
        ]);
        let beside = if gathers { k } else { n };
        let start = code.stack.len();
        if !self.vector(code, letter, n) {
            return;
        }
        // Mostly indices that are inside.
        if !self.vector(code, 'I', beside) {
            return;
        }
        if self.random.below(4) > 0 {
            code.add("CONST INT 0 COPY 1 1 LENGTH INT MAKE_SEGDES DIST INT * INT");
            code.drop(1);
            code.stack.push(Slot::Vec('I', beside));
        }
        if flags && !self.vector(code, 'B', beside) {
            return;
        }
        if base && !self.vector(code, letter, k) {
            return;
        }
        code.copy(at);
        code.copy(to);
        code.stack.truncate(start);
        code.add(&format!("{op} {}", word(letter)));
        code.stack.push(Slot::Vec(letter, k));
    }

    fn pairs(&mut self, code: &mut Code) {
        if let Some(Slot::Pair(left, right)) = code.stack.last().cloned() {
            code.add("UNPAIR");
            code.drop(1);
            code.stack.extend([*left, *right]);
        } else if code.stack.len() >= 2 {
            code.add("PAIR");
            let right = code.stack.pop().unwrap();
            let left = code.stack.pop().unwrap();
            code.stack.push(Slot::Pair(Box::new(left), Box::new(right)));
        }
    }

    /// Leaves slots of these types, and nothing else above `keep`; lengths may be any.
    fn leave(&mut self, code: &mut Code, keep: usize, letters: &[char]) -> Vec<Len> {
        let mut lens = Vec::new();
        let end = code.stack.len();
        for &letter in letters {
            let at = self.find(code, |slot| matches!(slot, Slot::Vec(l, _) if *l == letter));
            match at {
                Some(at) => code.copy(at),
                None => self.constant(code, letter, 2),
            }
            if let Some(Slot::Vec(_, len)) = code.stack.last() {
                lens.push(*len);
            }
        }
        code.add(&format!("POP {} {}", end - keep, letters.len()));
        code.stack.drain(keep..end);
        lens
    }

    fn branch(&mut self, code: &mut Code, depth: usize) {
        let before = code.clone();
        match self.random.below(3) {
            0 => self.constant(code, 'B', 1),
            _ => {
                if !self.vector(code, 'I', Len::Known(1)) {
                    return;
                }
                code.add("CONST INT 1 > INT");
            }
        }
        code.drop(1);
        let letters: Vec<char> = (0..self.random.below(3)).map(|_| self.pick(&['I', 'B', 'F'])).collect();
        let keep = code.stack.len();
        let mut ends = Vec::new();
        for branch in ["IF", "ELSE"] {
            code.add(branch);
            let mut inner = Code { text: String::new(), stack: code.stack.clone() };
            let steps = self.random.below(5);
            self.steps(&mut inner, steps, depth + 1);
            if inner.stack.len() < keep {
                *code = before; // A pair has eaten what was there.
                return;
            }
            if inner.stack[..keep] != code.stack[..] {
                inner = Code { text: String::new(), stack: code.stack.clone() };
            }
            if self.random.below(12) == 0 {
                inner.add("EXIT");
            }
            ends.push(self.leave(&mut inner, keep, &letters));
            code.text.push_str(&inner.text);
        }
        code.add("ENDIF");
        for (position, &letter) in letters.iter().enumerate() {
            let (left, right) = (ends[0][position], ends[1][position]);
            let len = if left == right { left } else { self.fresh() };
            code.stack.push(Slot::Vec(letter, len));
        }
    }

    fn call(&mut self, code: &mut Code, depth: usize) {
        let given = self.random.below(code.stack.len().min(4) + 1);
        let below = code.stack.len() - given;
        let mut body = Code { text: String::new(), stack: code.stack[below..].to_vec() };
        let steps = self.random.below(6);
        self.steps(&mut body, steps, depth + 1);
        let name = format!("F_{}", self.functions.len());
        self.functions.push(format!("FUNC {name}\n{}RET\n", body.text));
        code.add(&format!("CALL {name}"));
        code.stack.truncate(below);
        code.stack.extend(body.stack);
    }

    /// A function that calls itself some times on a vector and its descriptor.
    fn recursion(&mut self, code: &mut Code, depth: usize) {
        let Some(at) = self.find(code, |slot| matches!(slot, Slot::Seg(..))) else { return };
        let Slot::Seg(n, m) = code.stack[at] else { return };
        if !self.vector(code, 'I', n) {
            return;
        }
        code.copy(at);
        let mut body = Code { text: String::new(), stack: vec![Slot::Vec('I', n), Slot::Seg(n, m)] };
        let steps = 1 + self.random.below(4);
        self.steps(&mut body, steps, depth + 2);
        // Some vector of integers and its descriptor go on.
        let found = (0..body.stack.len()).find_map(|seg| match body.stack[seg] {
            Slot::Seg(n, k) if k == m => {
                let vector = body.stack.iter().rposition(|slot| *slot == Slot::Vec('I', n))?;
                Some((vector, seg))
            }
            _ => None,
        });
        let Some((vector, seg)) = found else { return };
        let end = body.stack.len();
        body.copy(vector);
        body.copy(seg);
        body.add(&format!("POP {end} 2"));
        let name = format!("R_{}", self.functions.len());
        self.functions.push(format!(
            "FUNC {name}\nCOPY 1 0 CONST INT 0 > INT\nIF\nCONST INT 1 - INT\nCPOP 2 1\n{}CPOP 1 2\nCALL {name}\nENDIF\nRET\n",
            body.text
        ));
        let rounds = self.random.below(4);
        code.add(&format!("CONST INT {rounds} CALL {name} POP 1 0"));
        code.drop(2);
        let len = self.fresh();
        code.stack.extend([Slot::Vec('I', len), Slot::Seg(len, m)]);
    }
}
