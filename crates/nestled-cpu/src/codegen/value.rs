//! The divergence lattice: the static form of a value at W points (literal, uniform, linear along the lanes, narrow, or varying).

use super::text::Name;
use nestled_ir::{Scalar, ScalarType};

/// The loop depth at which a uniform value is computed, and so can be used: there and further in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Depth {
    /// At the entry of the function.
    Entry,
    /// Before the loop over the rows of the current group.
    Group,
    /// Before the loop over the current row.
    Row,
    /// At the current point of the text.
    Here,
}

/// The form of a value in the lanes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Form {
    /// A literal.
    Const(Scalar),
    /// One LLVM scalar for all lanes.
    Uniform(Depth),
    /// An index that is `base + stride · j` where j is the lane's vector coordinate; the name is that of the base.
    Linear {
        /// The difference between neighbouring lanes; not 0.
        stride: i64,
        /// The depth of the base.
        depth: Depth,
    },
    /// An LLVM vector, `<W x T>`; truth values are `<W x i1>`.
    Varying,
    /// An index that is known to fit 32 bits, as an LLVM vector `<W x i32>` that is to be extended by its sign.
    Narrow,
}

/// The structure of a vector in groups of neighbouring lanes, the first of which begins at lane 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// The binary logarithm of the number of lanes of a group.
    pub log: u32,
    /// The difference between neighbouring lanes of a group.
    pub step: i64,
    /// Whether the value is the number of the lane in its group.
    pub is_number: bool,
}

/// A value at W points. In inactive lanes it is unspecified.
#[derive(Clone, PartialEq, Debug)]
pub struct Val {
    /// Its type.
    pub ty: ScalarType,
    /// Its form.
    pub form: Form,
    /// The LLVM name; unused for a literal.
    pub name: Name,
    /// Set if it is the own coordinate of the point along this axis of the space.
    pub coordinate: Option<usize>,
    /// The structure of a vector in groups of lanes, if known.
    pub group: Option<Group>,
}

impl Val {
    /// Makes a literal.
    pub fn constant(scalar: Scalar) -> Val {
        Val { ty: scalar.ty(), form: Form::Const(scalar), name: "".into(), coordinate: None, group: None }
    }

    /// Makes an index literal.
    pub fn idx(index: i64) -> Val {
        Val::constant(Scalar::Idx(index))
    }

    /// Makes a truth literal.
    pub fn truth(value: bool) -> Val {
        Val::constant(Scalar::Bool(value))
    }

    /// Makes a value of one LLVM scalar for all lanes.
    pub fn uniform(ty: ScalarType, depth: Depth, name: Name) -> Val {
        Val { ty, form: Form::Uniform(depth), name, coordinate: None, group: None }
    }

    /// Makes a value of an LLVM vector.
    pub fn varying(ty: ScalarType, name: Name) -> Val {
        Val { ty, form: Form::Varying, name, coordinate: None, group: None }
    }

    /// Makes an index that fits 32 bits.
    pub fn narrow(name: Name) -> Val {
        Val { ty: ScalarType::Idx, form: Form::Narrow, name, coordinate: None, group: None }
    }

    /// Makes an index linear along the lanes.
    pub fn linear(base: Name, stride: i64, depth: Depth) -> Val {
        Val {
            ty: ScalarType::Idx,
            form: Form::Linear { stride, depth },
            name: base,
            coordinate: None,
            group: None,
        }
    }

    /// Returns the literal, if it is one.
    pub fn as_const(&self) -> Option<Scalar> {
        match self.form {
            Form::Const(scalar) => Some(scalar),
            Form::Uniform(_) | Form::Linear { .. } | Form::Varying | Form::Narrow => None,
        }
    }

    /// Returns the depth at which the value is known, if it is uniform.
    pub fn uniform_depth(&self) -> Option<Depth> {
        match self.form {
            Form::Const(_) => Some(Depth::Entry),
            Form::Uniform(depth) => Some(depth),
            Form::Linear { .. } | Form::Varying | Form::Narrow => None,
        }
    }

    /// Returns the number of lanes of a group, if the value is the number of the lane in its group.
    pub fn lanes(&self) -> Option<i64> {
        let group = self.group.filter(|group| group.is_number)?;
        Some(1 << group.log)
    }

    /// Returns the depth of the base, if the value is linear.
    pub fn linear_depth(&self) -> Option<Depth> {
        match self.form {
            Form::Linear { depth, .. } => Some(depth),
            Form::Const(_) | Form::Uniform(_) | Form::Varying | Form::Narrow => None,
        }
    }

    /// True if this is the literal.
    pub fn is(&self, scalar: Scalar) -> bool {
        self.as_const() == Some(scalar)
    }
}
