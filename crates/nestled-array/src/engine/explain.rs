//! What becomes of an expression, for people.

use super::{Engine, Evaluate};
use crate::array::Array;
use crate::element::Element;
use crate::error::Result;
use crate::node::NodeRef;
use crate::plan::{Graph, Kind};
use std::fmt;

/// What would be computed for some arrays, and how: the nodes of the graph, the kernels that they become, and their λcu.
///
/// ```
/// use nestled_array::{Array, Border};
/// let x = Array::<f32>::uniform(&[100, 100], 1);
/// let y = (x.shift(&[0, 1], Border::Clamp) + &x).sqrt().sum_axis(1);
/// let explained = y.explain()?;
/// assert_eq!(explained.kernels(), 1);
/// println!("{explained}");
/// # Ok::<(), nestled_array::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Explanation {
    nodes: Vec<String>,
    before: usize,
    kernels: usize,
    joined: Vec<String>,
    written: String,
    text: String,
}

impl Explanation {
    /// How many kernels run.
    pub fn kernels(&self) -> usize {
        self.kernels
    }

    /// How many kernels there were before the passes joined them; elementwise nodes were one with their users already.
    pub fn kernels_before(&self) -> usize {
        self.before
    }

    /// How many nodes are to be computed.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The λcu of the graph, before the passes.
    pub fn lcu_before(&self) -> &str {
        &self.written
    }

    /// The λcu that runs.
    pub fn lcu(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} nodes:", self.nodes.len())?;
        self.nodes.iter().try_for_each(|node| writeln!(f, "  {node}"))?;
        writeln!(f, "{} kernels of {}", self.kernels, self.before)?;
        self.joined.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        write!(f, "{}", self.text)
    }
}

impl Engine {
    /// What would be computed for some arrays, without computing it.
    ///
    /// # Errors
    /// There are more nodes than are compiled together, and something is wrong with them.
    pub fn explain(&self, wanted: &[&dyn Evaluate]) -> Result<Explanation> {
        let mut handles = Vec::new();
        wanted.iter().for_each(|one| one.nodes(&mut handles));
        let nodes: Vec<NodeRef> = handles.into_iter().map(|handle| handle.0).collect();
        let nodes: Vec<NodeRef> = nodes.into_iter().filter(|node| node.op().is_some()).collect();
        self.explain_graph(&Graph::of(&nodes))
    }

    pub(crate) fn explain_graph(&self, graph: &Graph) -> Result<Explanation> {
        let explained = self.with(|state| state.explain(graph))?;
        let line = |(at, item): (usize, &crate::plan::Item)| match &item.kind {
            Kind::Leaf(_) => None,
            Kind::Lazy(op) => {
                let args: Vec<String> = item.args.iter().map(|arg| format!("#{arg}")).collect();
                let (name, shape, elem) = (op.name(), item.node.shape, item.node.elem);
                Some(format!("#{at} = {name} {} : {shape} {elem}   {}", args.join(" "), item.node.place))
            }
        };
        Ok(Explanation {
            nodes: graph.items.iter().enumerate().filter_map(line).collect(),
            before: explained.written.kernels.len(),
            kernels: explained.made.kernels.len(),
            joined: explained.joined,
            written: nestled_ir::text::print(&explained.written),
            text: nestled_ir::text::print(&explained.made),
        })
    }
}

impl<T: Element> Array<T> {
    /// What would be computed for this array, without computing it.
    ///
    /// # Errors
    /// As [`Engine::explain`].
    pub fn explain(&self) -> Result<Explanation> {
        Engine::current().explain(&[self])
    }
}
