//! Base types and type classes.

/// A base type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// Integers.
    Int,
    /// Floats.
    Float,
    /// Characters, which are bytes.
    Char,
    /// `t` and `f`.
    Bool,
}

impl Base {
    /// Every base type.
    pub const ALL: [Base; 4] = [Base::Int, Base::Float, Base::Char, Base::Bool];

    /// Returns the name in programs.
    pub fn name(self) -> &'static str {
        match self {
            Base::Int => "int",
            Base::Float => "float",
            Base::Char => "char",
            Base::Bool => "bool",
        }
    }
}

/// A type class: the set of types for which a variable may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Every type.
    Any,
    /// `int float char bool`; the original has it, undocumented.
    Scalar,
    /// `int float char`, and sequences of `char`: what `<` compares.
    Ordinal,
    /// `int float`
    Number,
    /// `int bool`
    Logical,
}

impl Class {
    const ALL: [Class; 5] = [Class::Any, Class::Scalar, Class::Ordinal, Class::Number, Class::Logical];

    /// Returns the name in programs.
    pub fn name(self) -> &'static str {
        match self {
            Class::Any => "any",
            Class::Scalar => "scalar",
            Class::Ordinal => "ordinal",
            Class::Number => "number",
            Class::Logical => "logical",
        }
    }

    /// Returns the class of this name.
    pub fn from_name(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.name() == name)
    }

    /// True if strings, the sequences of `char`, are members.
    pub fn has_strings(self) -> bool {
        matches!(self, Class::Any | Class::Ordinal)
    }

    /// True if a base type is a member.
    pub fn has(self, base: Base) -> bool {
        match self {
            Class::Any | Class::Scalar => true,
            Class::Ordinal => matches!(base, Base::Int | Base::Float | Base::Char),
            Class::Number => matches!(base, Base::Int | Base::Float),
            Class::Logical => matches!(base, Base::Int | Base::Bool),
        }
    }

    /// Returns the smaller of two classes, if one is contained in the other. Classes that merely share a member do not meet: a variable that is both `number`
    /// and `logical` does not become `int`, and one that is `scalar` and `ordinal` does not lose the strings.
    pub fn meet(self, other: Class) -> Option<Class> {
        let within = |small: Class, large: Class| match large {
            Class::Any => true,
            Class::Scalar => matches!(small, Class::Scalar | Class::Number | Class::Logical),
            Class::Ordinal => matches!(small, Class::Ordinal | Class::Number),
            Class::Number | Class::Logical => small == large,
        };
        if within(self, other) {
            Some(self)
        } else if within(other, self) {
            Some(other)
        } else {
            None
        }
    }
}
