//! Calls of functions as nodes of the graph: they compute nothing, and the passes join them with what made the arguments and with what reads the results.
//!
//! A function that may fault, that decides on the host, or that gives a sequence whose length is data is computed at the call: its caller learns there what is wrong, and how much there is.

use super::{Kind, NeslRoutine, Piece, fresh_number};
use crate::engine::Engine;
use crate::error::Result;
use crate::function::{Part, Straight, straight};
use crate::node::{Call, Data, Node, NodeRef, Op, State};
use crate::shape::Shape;
use nestled_fork as fork;
use nestled_ir::ScalarType;
use std::panic::Location;
use std::sync::{Arc, Mutex};

/// What is known of a function for arguments with this pattern of equal shapes; nothing if it is computed at the call.
pub(super) type Form = (Vec<usize>, Option<Arc<Straight>>);

impl NeslRoutine {
    /// The parts of the result as nodes, if they can be. Numbers are computed: the caller takes them as they are.
    #[track_caller]
    pub(super) fn call_lazily(&self, pieces: &[Piece], engine: &Engine) -> Result<Option<Vec<Piece>>> {
        let place = Location::caller();
        let extents: Vec<u64> = pieces.iter().filter_map(Piece::as_extent).collect();
        let args: Vec<NodeRef> = pieces.iter().filter_map(Piece::as_node).collect();
        let Some(function) = self.form(&extents, &args) else { return Ok(None) };
        let gives_numbers = function.results.iter().any(|part| matches!(part, Part::Scalar { .. }));
        if gives_numbers && !pieces.iter().any(Piece::is_lazy) {
            // There is nothing to join it with.
            return Ok(None);
        }
        let call = Arc::new(Call { function: Arc::clone(&function), parts: Mutex::default() });
        let mut results: Vec<Piece> = Vec::with_capacity(function.results.len());
        let (mut made, mut numbers) = (Vec::new(), Vec::new());
        for (result, part) in function.results.iter().enumerate() {
            let node = |elem: ScalarType, shape| {
                let op = Op::Function { call: Arc::clone(&call), args: args.clone(), result };
                Node::lazy_at(elem, shape, op, place)
            };
            results.push(match part {
                Part::Extent(size) => match size.extent(&extents) {
                    Some(extent) => Piece(Kind::Extent(extent)),
                    None => return Ok(None),
                },
                Part::Passed(arg) => Piece(Kind::Node(Arc::clone(&args[*arg]))),
                Part::Scalar { elem, .. } => {
                    let node = node(*elem, Shape::SCALAR);
                    made.push(Arc::downgrade(&node));
                    numbers.push(Arc::clone(&node));
                    Piece(Kind::Node(node))
                }
                Part::Lengths { extent, .. } | Part::Array { extent, .. } => {
                    let extent = results.get(*extent).and_then(Piece::as_extent);
                    let Some(Ok(extent)) = extent.map(usize::try_from) else { return Ok(None) };
                    let elem = if let Part::Array { elem, .. } = part { *elem } else { ScalarType::I64 };
                    let node = node(elem, Shape::new(&[extent])?);
                    made.push(Arc::downgrade(&node));
                    Piece(Kind::Node(node))
                }
            });
        }
        *fork::lock(&call.parts) = made;
        if !numbers.is_empty() {
            engine.eval_nodes(&numbers)?;
        }
        for piece in &mut results {
            if let Kind::Node(node) = &piece.0
                && node.shape.is_empty()
            {
                piece.0 = Kind::Data(Data::Scalar(engine.fetch_node(node)?.get(0)));
            }
        }
        Ok(Some(results))
    }

    /// What the function is for these arguments.
    fn form(&self, extents: &[u64], args: &[NodeRef]) -> Option<Arc<Straight>> {
        let pattern = self.border.pattern(extents, |one, other| Arc::ptr_eq(&args[one], &args[other]));
        let mut forms = fork::lock(&self.forms);
        if let Some((_, form)) = forms.iter().find(|(known, _)| *known == pattern) {
            return form.clone();
        }
        let form = straight(fresh_number(), &self.routine, &self.border, &pattern).map(Arc::new);
        forms.push((pattern, form.clone()));
        form
    }
}

impl Call {
    /// The parts that somebody still wants, and that are not computed.
    pub fn wanted(&self) -> Vec<NodeRef> {
        let parts = fork::lock(&self.parts);
        let alive = parts.iter().filter_map(std::sync::Weak::upgrade);
        alive.filter(|node| matches!(node.state(), State::Lazy(_))).collect()
    }
}
