//! Strongly connected components of the call graph: an order of functions with callees first, and the recursive functions.

/// The order of the call graph.
pub struct Order {
    /// The reachable functions, callees before callers wherever they do not recur.
    pub postorder: Vec<usize>,
    /// For each function, whether it can call itself, directly or not.
    pub recursive: Vec<bool>,
}

/// Orders the functions reachable from `entry`, by Tarjan's algorithm with an explicit stack.
pub fn order(callees: &[Vec<usize>], entry: usize) -> Order {
    let n = callees.len();
    let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
    let (mut on_stack, mut component) = (vec![false; n], Vec::new());
    let mut order = Order { postorder: Vec::new(), recursive: vec![false; n] };
    let mut next = 0;
    let mut work = vec![(entry, 0)];
    while let Some((node, position)) = work.pop() {
        if position == 0 {
            (index[node], low[node]) = (next, next);
            next += 1;
            component.push(node);
            on_stack[node] = true;
        }
        if let Some(&callee) = callees[node].get(position) {
            work.push((node, position + 1));
            if index[callee] == usize::MAX {
                work.push((callee, 0));
            } else if on_stack[callee] {
                low[node] = low[node].min(index[callee]);
                order.recursive[node] |= callee == node;
            }
            continue;
        }
        if let Some(&(caller, _)) = work.last() {
            low[caller] = low[caller].min(low[node]);
        }
        if low[node] == index[node] {
            let first = component.iter().rposition(|&member| member == node).unwrap_or(0);
            let members = component.split_off(first);
            let several = members.len() > 1;
            for &member in &members {
                on_stack[member] = false;
                order.recursive[member] |= several;
            }
            order.postorder.extend(members);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components() {
        let order = order(&[vec![1, 3], vec![2], vec![1], vec![3], vec![0]], 0);
        assert_eq!(order.postorder, [1, 2, 3, 0]);
        assert_eq!(order.recursive, [false, true, true, true, false]);
    }
}
