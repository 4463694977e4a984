//! What becomes of an expression, for people.

use super::join::cut_at_copies;
use super::steps::ExplainedStep;
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
    steps: Vec<ExplainedStep>,
    joined: Vec<String>,
    device: (String, Vec<String>),
    written: String,
    text: String,
}

impl Explanation {
    /// How many kernels run.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::<f32>::uniform(&[100, 100], 1);
    /// assert_eq!((x * 2.0).sqrt().sum_axis(1).explain()?.kernels(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn kernels(&self) -> usize {
        self.kernels
    }

    /// How many kernels there were before the passes joined them; elementwise nodes were one with their users already.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::<f32>::range(9).reshape(&[3, 3]);
    /// let explained = (&x - x.mean()).explain()?;
    /// assert!(explained.kernels_before() >= explained.kernels());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn kernels_before(&self) -> usize {
        self.before
    }

    /// The kernels and operations of the device that run, each behind those whose results it needs.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let explained = Array::<f32>::uniform(&[100], 1).sum().explain()?;
    /// assert!(explained.steps()[0].does.contains(&"reduce"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn steps(&self) -> &[ExplainedStep] {
        &self.steps
    }

    /// How many nodes are to be computed.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert!((Array::<f32>::ones(&[3]) + 1.0).explain()?.nodes() >= 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The name of the device that runs them.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let judge = Engine::new(EngineConfig::on(DeviceChoice::Reference));
    /// assert_eq!(judge.run(|| (Array::<f32>::ones(&[3]) + 1.0).explain())?.device(), "reference");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn device(&self) -> &str {
        &self.device.0
    }

    /// The λcu of the graph, before the passes.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert!(Array::<f32>::ones(&[3]).sum().explain()?.lcu_before().contains("reduce"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn lcu_before(&self) -> &str {
        &self.written
    }

    /// The λcu that runs.
    ///
    /// ```
    /// # use nestled_array::*;
    /// assert!(Array::<f32>::ones(&[3]).sum().explain()?.lcu().contains("fn main"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn lcu(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} nodes:", self.nodes.len())?;
        self.nodes.iter().try_for_each(|node| writeln!(f, "  {node}"))?;
        writeln!(f, "{} kernels of {}, on {}", self.kernels, self.before, self.device.0)?;
        self.device.1.iter().try_for_each(|note| writeln!(f, "  {note}"))?;
        self.joined.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        write!(f, "{}", self.text)
    }
}

impl Engine {
    /// What would be computed for some arrays, without computing it.
    ///
    /// ```
    /// # use nestled_array::*;
    /// let x = Array::<f32>::range(9).reshape(&[3, 3]);
    /// let (rows, columns) = (x.sum_axis(1), x.sum_axis(0));
    /// println!("{}", Engine::current().explain(&[&rows, &columns])?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// There are more nodes than are compiled together, and something is wrong with them.
    pub fn explain(&self, wanted: &[&dyn Evaluate]) -> Result<Explanation> {
        let mut handles = Vec::new();
        wanted.iter().for_each(|one| one.nodes(&mut handles));
        let nodes: Vec<NodeRef> = handles.into_iter().map(|handle| handle.0).collect();
        let nodes: Vec<NodeRef> = nodes.into_iter().filter(|node| node.op().is_some()).collect();
        let mut graph = Graph::of(&nodes);
        cut_at_copies(&mut graph);
        self.explain_graph(&graph)
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
            steps: explained.steps,
            joined: explained.joined,
            device: explained.device,
            written: nestled_ir::text::print(&explained.written),
            text: nestled_ir::text::print(&explained.made),
        })
    }
}

impl<T: Element> Array<T> {
    /// What would be computed for this array, without computing it.
    ///
    /// ```
    /// # use nestled_array::*;
    /// println!("{}", Array::<f32>::ones(&[3]).cumsum(0).explain()?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Engine::explain`].
    pub fn explain(&self) -> Result<Explanation> {
        Engine::current().explain(&[self])
    }
}
