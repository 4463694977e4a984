//! Conflicting claims: sets of nodes that arrays want together and that cannot all be, to raise the lower bound.

/// A set of nodes that should all be together; if they are not, an array costs more than the bound says so far.
pub struct Claim {
    /// The nodes; whole groups.
    pub nodes: u64,
    /// Nodes that are apart from some of them.
    pub apart: u64,
    /// The additional cost of the array, in bytes.
    pub penalty: f64,
}

/// Finds sets of conflicting claims. Of each set, the least penalty is added to `bound` and subtracted from the penalty of each claim in it. Ends when the bound is `enough` or no
/// conflict is left. Returns the first claim that had a conflict.
pub fn settle(
    claims: &mut [Claim],
    bound: &mut f64,
    enough: f64,
    fits: &mut dyn FnMut(u64) -> bool,
) -> Option<usize> {
    let mut first = pairs(claims, bound);
    let mut paths = Paths { via: Vec::new(), rest: Vec::new(), found: Vec::new() };
    for root in 0..claims.len() {
        while claims[root].penalty > 0.0 && *bound < enough && paths.find(claims, root, fits) {
            let least = paths.found.iter().map(|&at| claims[at].penalty).fold(f64::INFINITY, f64::min);
            paths.found.iter().for_each(|&at| claims[at].penalty -= least);
            *bound += least;
            first = first.or(Some(root));
        }
    }
    first
}

/// Settles the conflicts of two claims that have a node in common, and nodes that are apart.
fn pairs(claims: &mut [Claim], bound: &mut f64) -> Option<usize> {
    let mut first = None;
    for at in 0..claims.len() {
        let (head, tail) = claims.split_at_mut(at + 1);
        let claim = &mut head[at];
        for rival in tail.iter_mut() {
            if rival.nodes & claim.nodes != 0 && rival.apart & claim.nodes != 0 {
                first = first.or(Some(at));
                let both = claim.penalty.min(rival.penalty);
                claim.penalty -= both;
                rival.penalty -= both;
                *bound += both;
                if claim.penalty == 0.0 {
                    break;
                }
            }
        }
    }
    first
}

/// Breadth-first search from claim to claim with a node in common, for two with nodes that are apart.
struct Paths {
    /// The claims reached, each with the index in this list from which it was reached.
    via: Vec<(usize, usize)>,
    /// The claims that were not reached, in order.
    rest: Vec<usize>,
    /// Claims that cannot all be met.
    found: Vec<usize>,
}

impl Paths {
    fn find(&mut self, claims: &[Claim], root: usize, fits: &mut dyn FnMut(u64) -> bool) -> bool {
        self.via.clear();
        self.found.clear();
        self.via.push((root, 0));
        self.rest.clear();
        self.rest.extend((0..claims.len()).filter(|&at| at != root && claims[at].penalty > 0.0));
        let mut nodes = claims[root].nodes;
        let mut next = 0;
        while next < self.via.len() {
            let here = claims[self.via[next].0].nodes;
            let mut kept = 0;
            for place in 0..self.rest.len() {
                let at = self.rest[place];
                let claim = &claims[at];
                if claim.nodes & here == 0 {
                    self.rest[kept] = at;
                    kept += 1;
                    continue;
                }
                self.via.push((at, next));
                if claim.apart & nodes != 0 {
                    let rival =
                        self.via.iter().position(|&(reached, _)| claims[reached].nodes & claim.apart != 0);
                    self.join(self.via.len() - 1, rival.expect("it is apart from one of them"));
                    return true;
                }
                nodes |= claim.nodes;
                if !fits(nodes) {
                    self.found.extend(self.via.iter().map(|&(reached, _)| reached));
                    return true;
                }
            }
            self.rest.truncate(kept);
            next += 1;
        }
        false
    }

    /// Collects the claims on the path between two entries of the list.
    fn join(&mut self, mut a: usize, mut b: usize) {
        // Later places lie at least as deep.
        while a != b {
            let later = a.max(b);
            self.found.push(self.via[later].0);
            if a == later {
                a = self.via[a].1;
            } else {
                b = self.via[b].1;
            }
        }
        self.found.push(self.via[a].0);
    }
}
