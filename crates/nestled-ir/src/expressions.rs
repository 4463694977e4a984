//! Kernels as expressions of the source: what a kernel computes, in the words of the program, for reports on languages whose front end makes up the kernels.
//!
//! ```text
//! v = {x * x : x in xs};
//! sum(v)                     kernel scalars+add     `{x * x : x in xs}` + `sum(v)`
//! ```
//!
//! Fusion gives each combinator the place of the run that it comes from, so that a merged kernel knows all its expressions. Equal kernels are one kernel, which has the places of one
//! of its runs only; a run at none of these places is called by its own.

use crate::kernel::Kernel;
use crate::span::{SourceMap, Span};

/// The most characters of an expression that are shown.
const MOST_CHARACTERS: usize = 40;
/// The most expressions that are shown.
const MOST_EXPRESSIONS: usize = 3;

/// Returns the places of what a run of a kernel computes. `combinators` has the places of the kernel's combinators.
pub fn places(combinators: &[Span], run: Span) -> Vec<Span> {
    match combinators.iter().any(|place| is_same(*place, run)) {
        true => outermost(combinators.iter().copied()),
        false => vec![run],
    }
}

/// Returns the place of what makes a result of a run: that of the combinator that binds it.
pub fn place_of_result(kernel: &Kernel, position: usize, run: Span) -> Span {
    let is_of_run = kernel.steps.iter().any(|step| is_same(step.span, run));
    let binder = kernel.ret.get(position).and_then(|value| kernel.binder(*value));
    binder.filter(|_| is_of_run).map_or(run, |(_, step)| step.span)
}

/// Keeps the places that are known, each once, and without those inside of others.
pub fn outermost(places: impl IntoIterator<Item = Span>) -> Vec<Span> {
    let mut kept: Vec<Span> = Vec::new();
    for place in places.into_iter().filter(|place| place.is_known()) {
        if !kept.iter().any(|outer| is_inside(place, *outer)) {
            kept.retain(|inner| !is_inside(*inner, place));
            kept.push(place);
        }
    }
    kept
}

/// The expression at a place in backquotes, shortened to fit a line; `None` where no text is known.
pub fn expression(sources: &SourceMap, place: Span) -> Option<String> {
    let text = sources.text(place)?.split_whitespace().collect::<Vec<&str>>().join(" ");
    let is_long = text.chars().count() > MOST_CHARACTERS;
    let shown: String = text.chars().take(MOST_CHARACTERS - usize::from(is_long)).collect();
    let dots = if is_long { "…" } else { "" };
    (!text.is_empty()).then(|| format!("`{}{dots}`", shown.trim_end()))
}

/// The expressions at some places, joined with `+`: the first three, and the number of the others.
pub fn joined(sources: &SourceMap, places: &[Span]) -> Option<String> {
    let mut texts: Vec<String> = Vec::new();
    for text in places.iter().filter_map(|place| expression(sources, *place)) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let more = texts.len().saturating_sub(MOST_EXPRESSIONS);
    texts.truncate(MOST_EXPRESSIONS);
    if more > 0 {
        texts.push(format!("{more} more"));
    }
    (!texts.is_empty()).then(|| texts.join(" + "))
}

fn is_same(left: Span, right: Span) -> bool {
    (left.source, left.start, left.end) == (right.source, right.start, right.end)
}

fn is_inside(inner: Span, outer: Span) -> bool {
    inner.source == outer.source && outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "{x * x :\n  x in xs}; sum(v); f(a, b); {a_rather_long_name + another_long_name : i in is}";

    fn place(text: &str) -> Span {
        let start = TEXT.find(text).expect("it is in the text");
        Span::new(0, start, start + text.len())
    }

    fn starts(places: &[Span]) -> Vec<u32> {
        places.iter().map(|place| place.start).collect()
    }

    #[test]
    fn expressions_fit_a_line() {
        let sources = SourceMap::single("a.nesl", TEXT);
        let shown = |place| expression(&sources, place).unwrap_or_default();
        assert_eq!(shown(place("{x * x :\n  x in xs}")), "`{x * x : x in xs}`");
        assert_eq!(
            shown(place("{a_rather_long_name + another_long_name : i in is}")),
            "`{a_rather_long_name + another_long_name…`"
        );
        assert_eq!(expression(&sources, Span::NONE), None);
        assert_eq!(expression(&sources, Span::new(0, 3, 3)), None);
    }

    #[test]
    fn what_is_inside_of_another_is_a_part_of_it() {
        let (sum, all) = (place("sum(v)"), place("sum(v); f(a, b)"));
        let places = [place("v"), place("f(a, b)"), sum, Span::NONE, sum];
        assert_eq!(starts(&outermost(places)), [place("f(a, b)").start, sum.start]);
        assert_eq!(starts(&outermost([sum, all, place("f(a, b)")])), [all.start]);
    }

    #[test]
    fn a_run_of_a_shared_kernel_is_called_by_its_own_place() {
        let (sum, f) = (place("sum(v)"), place("f(a, b)"));
        assert_eq!(starts(&places(&[sum, f], sum)), [sum.start, f.start]);
        assert_eq!(starts(&places(&[sum], f)), [f.start]);
    }

    #[test]
    fn three_of_many_are_shown() {
        let sources = SourceMap::single("a.nesl", TEXT);
        let three = [place("sum(v)"), place("x"), place("v"), place("sum(v)")];
        assert_eq!(joined(&sources, &three).unwrap(), "`sum(v)` + `x` + `v`");
        let five = [&three[..], &[place("a"), place("xs")]].concat();
        assert_eq!(joined(&sources, &five).unwrap(), "`sum(v)` + `x` + `v` + 2 more");
        assert_eq!(joined(&sources, &[Span::NONE]), None);
    }
}
