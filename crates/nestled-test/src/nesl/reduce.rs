//! Test-case reduction for NESL: every expression is replaced by one of its own parts, or by the least of its type.

use super::tree::{Node, Source};

/// The smallest program found for which `fails` still holds, with at most so many tries.
pub fn reduce(source: &Source, tries: usize, fails: &mut dyn FnMut(&Source) -> bool) -> Source {
    let mut best = source.clone();
    let mut left = tries;
    loop {
        let before = best.to_string().len();
        for function in (0..best.functions.len()).rev() {
            let mut smaller = best.clone();
            smaller.functions.remove(function);
            attempt(&mut best, smaller, &mut left, fails);
        }
        for function in 0..best.functions.len() {
            let mut number = 0;
            while number < best.functions[function].1.size() && left > 0 {
                for body in smaller_at(&best.functions[function].1, number) {
                    let mut smaller = best.clone();
                    smaller.functions[function].1 = body;
                    if attempt(&mut best, smaller, &mut left, fails) {
                        break;
                    }
                }
                number += 1;
            }
        }
        let mut number = 0;
        while number < best.main.size() && left > 0 {
            for main in smaller_at(&best.main, number) {
                let smaller = Source { prelude: best.prelude, functions: best.functions.clone(), main };
                if attempt(&mut best, smaller, &mut left, fails) {
                    break;
                }
            }
            number += 1;
        }
        if left == 0 || best.to_string().len() == before {
            return best;
        }
    }
}

fn attempt(
    best: &mut Source,
    smaller: Source,
    left: &mut usize,
    fails: &mut dyn FnMut(&Source) -> bool,
) -> bool {
    if *left == 0 || smaller.to_string().len() >= best.to_string().len() {
        return false;
    }
    *left -= 1;
    let good = fails(&smaller);
    if good {
        *best = smaller;
    }
    good
}

/// The expression with something smaller at a place.
fn smaller_at(node: &Node, number: usize) -> Vec<Node> {
    let Some(place) = node.at(number) else { return Vec::new() };
    let mut found = vec![node.with(number, &Node::leaf(&place.ty, place.ty.least()))];
    for inner in 1..place.size() {
        let Some(part) = place.at(inner) else { continue };
        if part.ty == place.ty || number == 0 {
            found.push(node.with(number, part));
        }
    }
    found.truncate(40);
    found
}
