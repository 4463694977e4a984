//! Instruction counts of hot loops: the innermost natural loops of LLVM text, each with the number of its instructions.
//!
//! **Invariant.** Only what is left after `mem2reg` counts: neither loads and stores of `alloca`s, nor branches and the arithmetic that compares a position with its
//! end in blocks outside the loop. So a count that grows is work that every round of a loop does more.

use std::collections::{BTreeMap, BTreeSet};

/// An innermost loop of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HotLoop {
    /// Instructions that are no branches, and no accesses to variables.
    pub instructions: usize,
    /// Those among them that read or write memory.
    pub accesses: usize,
}

impl std::fmt::Display for HotLoop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.instructions, self.accesses)
    }
}

/// The innermost loops of all functions of a module, in the order of the text.
pub fn hot_loops(text: &str) -> Vec<HotLoop> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("define ") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
            found.extend(Function::new(&body).innermost());
        }
    }
    found
}

/// A basic block: its instructions, and the blocks that may come next.
#[derive(Default)]
struct Block<'t> {
    lines: Vec<&'t str>,
    next: Vec<usize>,
}

/// The control flow of a function. Block 0 is its entry.
struct Function<'t> {
    blocks: Vec<Block<'t>>,
    variables: BTreeSet<&'t str>,
}

impl<'t> Function<'t> {
    fn new(body: &[&'t str]) -> Function<'t> {
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut blocks = vec![Block::default()];
        for line in body {
            match line.strip_suffix(':').filter(|label| !label.starts_with(' ')) {
                Some(label) => {
                    numbers.insert(label, blocks.len());
                    blocks.push(Block::default());
                }
                None => {
                    let line = line.trim();
                    let is_code = !line.is_empty() && !line.starts_with(';');
                    blocks.last_mut().expect("there is an entry").lines.extend(is_code.then_some(line));
                }
            }
        }
        for block in &mut blocks {
            // A `switch` may end on a line of its own.
            let end =
                block.lines.iter().rposition(|line| line.starts_with("br ") || line.starts_with("switch "));
            let targets = block.lines[end.unwrap_or(block.lines.len())..]
                .iter()
                .flat_map(|line| line.split("label %").skip(1));
            let is_name = |letter: char| letter.is_alphanumeric() || "._-$".contains(letter);
            block.next = targets
                .filter_map(|rest| {
                    numbers.get(rest.split(|letter| !is_name(letter)).next().unwrap_or_default())
                })
                .copied()
                .collect();
        }
        let variable = |line: &&'t str| line.split_once(" = alloca ").map(|(name, _)| name);
        let variables = blocks.iter().flat_map(|block| block.lines.iter().filter_map(variable)).collect();
        Function { blocks, variables }
    }

    /// The blocks of each natural loop, by the block at its head.
    fn loops(&self) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut before = vec![Vec::new(); self.blocks.len()];
        for (at, block) in self.blocks.iter().enumerate() {
            block.next.iter().for_each(|&next| before[next].push(at));
        }
        let mut loops: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (latch, head) in self.back_edges() {
            let blocks = loops.entry(head).or_insert_with(|| BTreeSet::from([head]));
            let mut open = vec![latch];
            while let Some(at) = open.pop() {
                if blocks.insert(at) {
                    open.extend(&before[at]);
                }
            }
        }
        loops
    }

    /// Edges to a block that the search is inside of.
    fn back_edges(&self) -> Vec<(usize, usize)> {
        let (mut seen, mut inside) = (vec![false; self.blocks.len()], vec![false; self.blocks.len()]);
        let (mut edges, mut path) = (Vec::new(), vec![(0, 0)]);
        (seen[0], inside[0]) = (true, true);
        while let Some((at, tried)) = path.last_mut() {
            match self.blocks[*at].next.get(*tried) {
                Some(&next) => {
                    *tried += 1;
                    if inside[next] {
                        edges.push((*at, next));
                    } else if !seen[next] {
                        (seen[next], inside[next]) = (true, true);
                        path.push((next, 0));
                    }
                }
                None => {
                    inside[*at] = false;
                    path.pop();
                }
            }
        }
        edges
    }

    fn innermost(&self) -> Vec<HotLoop> {
        let loops = self.loops();
        let is_innermost = |head: usize, blocks: &BTreeSet<usize>| {
            !blocks.iter().any(|at| *at != head && loops.contains_key(at))
        };
        let found = loops.iter().filter(|(head, blocks)| is_innermost(**head, blocks));
        found.map(|(_, blocks)| self.count(blocks)).collect()
    }

    fn count(&self, blocks: &BTreeSet<usize>) -> HotLoop {
        let mut counted = HotLoop { instructions: 0, accesses: 0 };
        for line in blocks.iter().flat_map(|at| &self.blocks[*at].lines) {
            let code = line.split_once(" = ").map_or(*line, |(_, code)| code);
            let is_access = ["load ", "store "].iter().any(|word| code.starts_with(word))
                || ["llvm.masked.", "atomicrmw ", "cmpxchg "].iter().any(|word| code.contains(word));
            let address = code.split(", ptr ").nth(1).and_then(|rest| rest.split([',', ' ']).next());
            let is_variable = is_access && address.is_some_and(|name| self.variables.contains(name));
            let is_branch =
                ["br ", "switch ", "ret ", "unreachable"].iter().any(|word| code.starts_with(word));
            // `add i64 0, %x` is another name for %x.
            let is_name =
                code.starts_with("add i64 0, ") || code.ends_with(", 0") && code.starts_with("add i64 ");
            if !is_variable && !is_branch && !is_name {
                counted.instructions += 1;
                counted.accesses += usize::from(is_access);
            }
        }
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "define void @\"a\"(ptr %x) #0 {
  %i = alloca i64
  store i64 0, ptr %i
  br label %L1
L1:
  %t1 = load i64, ptr %i
  %t2 = icmp slt i64 %t1, 100
  br i1 %t2, label %L2, label %L5
L2:
  br label %L3
L3:
  %t3 = getelementptr float, ptr %x, i64 %t1
  %t4 = load <16 x float>, ptr %t3, align 4
  %t5 = fadd <16 x float> %t4, %t4
  store <16 x float> %t5, ptr %t3, align 4
  br i1 %t2, label %L3, label %L4
L4:
  br label %L1
L5:
  ret void
}
";

    #[test]
    fn innermost_loops_are_counted_without_variables_and_branches() {
        assert_eq!(hot_loops(TEXT), [HotLoop { instructions: 4, accesses: 2 }]);
        assert_eq!(
            hot_loops(&TEXT.replace("label %L3, label %L4", "label %L4, label %L4")),
            [HotLoop { instructions: 5, accesses: 2 }]
        );
        assert!(
            hot_loops(
                &TEXT
                    .replace("  br label %L1\nL5", "  br label %L5\nL5")
                    .replace("label %L3, label %L4", "label %L4, label %L4")
            )
            .is_empty()
        );
    }
}
