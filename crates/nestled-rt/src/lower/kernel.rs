//! Launch plans: the properties of a kernel that each launch needs, computed once.

use super::length_sums::{self, LengthSums};
use super::plan_axis::PlanAxis;
use crate::exec::Purpose;
use nestled_ir::typing::Scope;
use nestled_ir::{Kernel, Name, Placement, Program, ScalarType, Shape, SiteId, Span, Type, ValueId};
use std::sync::Arc;

/// A kernel as its launches see it.
#[derive(Debug)]
pub(crate) struct KernelPlan {
    /// For traces and messages.
    pub name: Name,
    /// The places of its combinators, for traces.
    pub places: Vec<Span>,
    /// The least site in it.
    pub site: Option<SiteId>,
    /// The axes of its points.
    pub space: Vec<PlanAxis>,
    /// The kind of each parameter.
    pub params: Vec<ParamPlan>,
    /// The allocation plan of each result, in the order of `ret`.
    pub results: Vec<ResultPlan>,
}

/// A parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ParamPlan {
    /// A number or an extent.
    Scalar,
    /// A dense array.
    Dense,
    /// A view.
    View,
}

/// The plan of one result of a kernel.
#[derive(Debug)]
pub(crate) struct ResultPlan {
    /// For messages.
    pub purpose: Purpose,
    /// The type of its elements.
    pub elem: ScalarType,
    /// The kind of result, with its shape.
    pub kind: ResultKind,
    /// The symbolic sum of its elements, if one was found.
    pub sum: Option<LengthSums>,
}

/// The kind of a kernel's result.
#[derive(Debug)]
pub(crate) enum ResultKind {
    /// A number.
    Scalar,
    /// An array over these axes.
    Array(Vec<PlanAxis>),
    /// An extent, at most the number of points of these axes.
    Dim(Vec<PlanAxis>),
    /// A segmentation of `parent`, whose total is at most the number of points of `points`.
    Seg { parent: Vec<PlanAxis>, points: Vec<PlanAxis> },
}

/// Plans a kernel.
pub(super) fn plan(program: &Program, kernel: &Kernel) -> KernelPlan {
    let site = program.least_site(&kernel.steps);
    let planner = Planner { kernel, faults: site.is_some() };
    KernelPlan {
        name: Arc::clone(&kernel.name),
        places: kernel.steps.iter().map(|step| step.span).collect(),
        site,
        space: planner.space(),
        params: kernel.params.iter().map(|&param| planner.param(param)).collect(),
        results: kernel.ret.iter().map(|&value| planner.result(value)).collect(),
    }
}

struct Planner<'a> {
    kernel: &'a Kernel,
    faults: bool,
}

impl Planner<'_> {
    fn ty(&self, value: ValueId) -> &Type {
        &self.kernel.values[value.index()].ty
    }

    fn space(&self) -> Vec<PlanAxis> {
        let scope = Scope::new(&self.kernel.values);
        self.axes(&scope.level_shape(&self.kernel.space, self.kernel.elements()))
    }

    fn param(&self, param: ValueId) -> ParamPlan {
        match self.ty(param) {
            Type::Array(array) if !array.shape.is_scalar() => match array.placement {
                Placement::Dense => ParamPlan::Dense,
                Placement::View => ParamPlan::View,
            },
            Type::Array(_) | Type::Dim | Type::Seg(_) => ParamPlan::Scalar,
        }
    }

    fn result(&self, value: ValueId) -> ResultPlan {
        let (elem, kind) = match self.ty(value) {
            Type::Array(array) if array.shape.is_scalar() => (array.elem, ResultKind::Scalar),
            Type::Array(array) => (array.elem, ResultKind::Array(self.axes(&array.shape))),
            Type::Dim => (ScalarType::Idx, ResultKind::Dim(self.points_behind(value))),
            Type::Seg(seg) => {
                let (parent, points) = (self.axes(&seg.parent), self.points_behind(value));
                (ScalarType::Idx, ResultKind::Seg { parent, points })
            }
        };
        let sum = match (&kind, elem) {
            (ResultKind::Array(_), ScalarType::Idx | ScalarType::I64) => {
                length_sums::of(self.kernel, self.faults, value)
            }
            _ => None,
        };
        ResultPlan { purpose: (&self.kernel.values[value.index()].name).into(), elem, kind, sum }
    }

    /// The axes of the points among which a filter or partition chooses.
    fn points_behind(&self, shape: ValueId) -> Vec<PlanAxis> {
        let (_, step) = self.kernel.binder(shape).expect("a shape that leaves a kernel is bound in it");
        debug_assert!(step.kind.makes_shape());
        let scope = Scope::new(&self.kernel.values);
        self.axes(&scope.level_shape(&self.kernel.space, step.level()))
    }

    fn axes(&self, shape: &Shape) -> Vec<PlanAxis> {
        shape.axes.iter().map(|&axis| PlanAxis::of(self.kernel, axis)).collect()
    }
}
