//! Types of the arguments of a routine: which datatypes they are, and how their values are represented.

use super::plain::letters;
use super::{DataVariant, Datatype, Plain};
use crate::core::{CoreTypes, Ty};
use crate::data::Forms;
use crate::session::Session;
use crate::specialise::concrete;
use crate::token::Text;
use crate::types::{Base, RecordForm, RecordId, Type, TypeId, TypePrinter};
use std::collections::HashMap;
use std::sync::Arc;

/// The type of an argument.
pub(super) struct Argument {
    pub ty: TypeId,
    pub core: Ty,
}

/// A type, and the type that stands for it, without datatypes.
#[derive(Clone, Debug)]
pub(super) struct Represented {
    pub ty: Ty,
    pub plain: Plain,
    pub by: Ty,
    pub by_plain: Plain,
}

impl Represented {
    /// Returns what stands for values of a type; none for functions.
    pub fn of(ty: Ty, types: &mut CoreTypes, forms: &mut Forms) -> Option<Represented> {
        let by = forms.of(types, ty);
        let plain = Plain::of(ty, types, forms)?;
        Some(Represented { ty, plain, by, by_plain: Plain::of(by, types, forms)? })
    }
}

impl Session {
    /// Finds the types of the arguments of a function. `given` says them but for which datatype a union or an option is, and which record a tuple: that the function's parameters tell.
    pub(super) fn arguments(&mut self, function: &str, given: &[Plain]) -> Result<Vec<Argument>, String> {
        let wanted = self.parameters(function, given.len());
        let arguments = given.iter().zip(wanted).map(|(plain, wanted)| {
            let ty = self.argument_type(plain, wanted)?;
            let core = self.core_type(ty)?;
            // What refers to a datatype around was taken for what is wanted there.
            if plain.holds_itself() {
                self.same_type(plain, core)?;
            }
            Ok(Argument { ty, core })
        });
        let arguments = arguments.collect::<Result<_, String>>()?;
        self.environment_mut().types.commit();
        Ok(arguments)
    }

    fn core_type(&mut self, ty: TypeId) -> Result<Ty, String> {
        let dialect = self.dialect();
        let (environment, types) = self.types_mut();
        concrete(environment, types, dialect, ty)
            .ok_or_else(|| format!("nothing tells what `{}` holds", self.shown(ty)))
    }

    /// Returns the types of so many parameters of a function, as far as they are known.
    fn parameters(&mut self, function: &str, count: usize) -> Vec<Option<TypeId>> {
        let dialect = self.dialect();
        let environment = self.environment_mut();
        let id = environment.lookup_any(&function.to_lowercase(), dialect);
        let mut rest = id.and_then(|id| {
            let scheme = environment.global(id).scheme.clone();
            let (ty, _) = environment.types.instantiate(&scheme);
            if let Type::Function(from, _) = environment.types.get(ty) { Some(*from) } else { None }
        });
        let parameter = |place: usize| {
            if place + 1 == count {
                return rest;
            }
            let Some(Type::Pair(first, others)) = rest.map(|ty| environment.types.get(ty)) else {
                return rest.take();
            };
            let first = Some(*first);
            rest = Some(*others);
            first
        };
        (0..count).map(parameter).collect()
    }

    /// Returns the type of an argument. `wanted` is that of the parameter.
    fn argument_type(&mut self, plain: &Plain, wanted: Option<TypeId>) -> Result<TypeId, String> {
        let node = wanted.map(|ty| self.environment().types.get(ty).clone());
        let ty = match (plain, node) {
            (Plain::Outer(_), Some(Type::Record(record, known))) => Type::Record(record, known),
            (Plain::Outer(_), _) => {
                return Err("a value may hold others of its own type: it has to be of a datatype of the text, in Rust an enum of `#[derive(Datatype)]`".to_owned());
            }
            (Plain::Data(data), node) if data.name.is_some() => {
                let wanted =
                    if let Some(Type::Record(record, known)) = node { Some((record, known)) } else { None };
                return self.datatype_named(data, wanted);
            }
            (_, Some(Type::Record(record, arguments))) => {
                self.fit(plain, record, &arguments)?;
                Type::Record(record, arguments)
            }
            (Plain::Data(option), _) if option.option_content().is_some() => {
                return Err(format!(
                    "`{option}` may be missing: the function has to take a datatype there that has one constant and one variant that holds something, as in `datatype maybe = none | just(a) :: (a in any)` and `function f(x) : maybe(int) -> int = …`"
                ));
            }
            (Plain::Data(union), _) => {
                return Err(format!(
                    "nothing tells which datatype `{union}` is: the function has to take one there, as in `function f(x) : name -> int = …`"
                ));
            }
            (Plain::Int, _) => Type::Base(Base::Int),
            (Plain::Float, _) => Type::Base(Base::Float),
            (Plain::Char, _) => Type::Base(Base::Char),
            (Plain::Bool, _) => Type::Base(Base::Bool),
            (Plain::Seq(element), node) => {
                let wanted = if let Some(Type::Seq(element)) = node { Some(element) } else { None };
                Type::Seq(self.argument_type(element, wanted)?)
            }
            (Plain::Pair(left, right), node) => {
                let wanted =
                    if let Some(Type::Pair(left, right)) = node { Some((left, right)) } else { None };
                let first = self.argument_type(left, wanted.map(|wanted| wanted.0))?;
                Type::Pair(first, self.argument_type(right, wanted.map(|wanted| wanted.1))?)
            }
        };
        Ok(self.environment_mut().types.add(ty))
    }

    /// Unifies what a datatype that is wanted holds with the types that are given.
    fn fit(&mut self, plain: &Plain, record: RecordId, arguments: &[TypeId]) -> Result<(), String> {
        let declared = self.environment().records[record.0 as usize].clone();
        let name = &declared.name;
        let types = &mut self.environment_mut().types;
        let parameters = declared.parameters.iter().map(|parameter| types.resolve(*parameter));
        let by: HashMap<TypeId, TypeId> = parameters.zip(arguments.iter().copied()).collect();
        let variants = match declared.form {
            RecordForm::Content(content) => {
                let content = types.replace(content, &by);
                return self.hold(name, plain, content);
            }
            RecordForm::Variants(variants) => variants,
        };
        if let Plain::Data(option) = plain
            && let Some(given) = option.option_content()
        {
            return match variants.iter().map(|variant| variant.content).collect::<Vec<_>>()[..] {
                [None, Some(ty)] | [Some(ty), None] => {
                    let ty = self.environment_mut().types.replace(ty, &by);
                    self.hold(name, given, ty)
                }
                _ => Err(format!(
                    "`{plain}` may be missing, and `{name}` has not one constant and one variant that holds something"
                )),
            };
        }
        let texts = Plain::Seq(Box::new(Plain::Char));
        let given: Vec<DataVariant> = match plain {
            Plain::Data(union) => union.variants.clone(),
            texts_alone if *texts_alone == texts && variants.iter().all(|one| one.content.is_none()) => {
                return Ok(());
            }
            other => return Err(format!("`{name}` is wanted, not `{other}`")),
        };
        if given.len() != variants.len() {
            return Err(format!(
                "`{name}` has {} variants, not the {} of `{plain}`",
                variants.len(),
                given.len()
            ));
        }
        for (given, variant) in given.iter().zip(variants.iter()) {
            match (&given.content, variant.content) {
                (None, None) => {}
                // The text is the name.
                (Some(content), None) if *content == texts => {}
                (Some(content), Some(ty)) => {
                    let ty = self.environment_mut().types.replace(ty, &by);
                    self.hold(&variant.name, content, ty)?;
                }
                (Some(content), None) => {
                    return Err(format!(
                        "`{}` holds nothing, not {content}: its name is a text",
                        variant.name
                    ));
                }
                (None, Some(_)) => return Err(format!("`{}` holds something", variant.name)),
            }
        }
        Ok(())
    }

    /// Unifies the content of a constructor with the type that is given.
    fn hold(&mut self, name: &Text, plain: &Plain, content: TypeId) -> Result<(), String> {
        let given = self.argument_type(plain, Some(content))?;
        match self.environment_mut().types.unify(content, given) {
            Ok(()) => Ok(()),
            Err(_) => Err(format!("`{name}` holds {}, not {}", self.shown(content), self.shown(given))),
        }
    }

    /// Returns the type of a datatype by its name. `wanted` is that of the parameter.
    fn datatype_named(
        &mut self,
        data: &Datatype,
        wanted: Option<(RecordId, Arc<[TypeId]>)>,
    ) -> Result<TypeId, String> {
        let name = data.name.as_deref().unwrap_or_default().to_lowercase();
        let environment = self.environment();
        let alike = || environment.record_names().find(|known| letters(known) == letters(&name));
        let known = environment.record_named(&name);
        let Some(record) = known.or_else(|| environment.record_named(alike()?)) else {
            return Err(format!("there is no type `{name}`"));
        };
        let known = wanted.filter(|(known, _)| *known == record).map(|(_, known)| known);
        let arguments = data.arguments.iter().enumerate().map(|(place, argument)| {
            let known = known.as_ref().and_then(|known| known.get(place).copied());
            self.argument_type(argument, known)
        });
        let arguments: Vec<TypeId> = arguments.collect::<Result<_, _>>()?;
        let parameters = self.environment().records[record.0 as usize].parameters.clone();
        if parameters.len() != arguments.len() {
            return Err(format!("`{name}` has {} parameters, not {}", parameters.len(), arguments.len()));
        }
        let types = &mut self.environment_mut().types;
        for (&parameter, &argument) in parameters.iter().zip(&arguments) {
            let scheme = types.generalise(parameter);
            let (own, _) = types.instantiate(&scheme);
            if types.unify(own, argument).is_err() {
                return Err(format!("`{name}` cannot hold {}", self.shown(argument)));
            }
        }
        let ty = types.add(Type::Record(record, arguments.into()));
        if !data.variants.is_empty() {
            self.same_variants(data, ty)?;
        }
        Ok(ty)
    }

    /// Compares the variants that are given with those of the program.
    fn same_variants(&mut self, data: &Datatype, ty: TypeId) -> Result<(), String> {
        let core = self.core_type(ty)?;
        self.same_type(&Plain::Data(data.clone()), core)
    }

    /// Compares a type that is given with that of the program.
    fn same_type(&mut self, given: &Plain, core: Ty) -> Result<(), String> {
        let own = Plain::of(core, self.core_types_mut(), &mut Forms::default());
        match own.ok_or("an argument is a function")? {
            own if own.is_like(given) => Ok(()),
            own => Err(format!("the variants of `{own}` are not those of `{given}`")),
        }
    }

    fn shown(&self, ty: TypeId) -> String {
        TypePrinter::new(&self.environment().types, &self.environment().records).ty(ty)
    }
}
