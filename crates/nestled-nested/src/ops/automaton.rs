//! Regular expressions as tables of a deterministic automaton, which programs on any device can walk.
//!
//! State 0 is dead: nothing is found from there on. States from [`least`](Automaton::least) on say that a match has ended, one byte late: before the byte that led there.
//!
//! ```text
//! next[state · width + class of the byte]       the last class is the end of the text
//! starts[the byte beside the first one]         256: there is none
//! ```

use crate::fault::{Outcome, fault};
use nestled_array::Array;
use regex_automata::dfa::{Automaton as _, StartKind, dense, regex};
use regex_automata::util::primitives::StateID;
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, Input};
use std::collections::BTreeMap;

/// The greatest size of an automaton, in bytes.
const MOST: usize = 8 << 20;

/// The tables of one direction.
pub(super) struct Automaton {
    pub starts: Array<i64>,
    pub classes: Array<i64>,
    pub next: Array<i64>,
    pub width: i64,
    pub least: i64,
}

/// A regular expression: where its first match ends, going forward, and where one that ends there begins, going backward.
pub(super) struct Regex {
    pub forward: Automaton,
    pub backward: Automaton,
    /// Both, as the host walks them.
    whole: regex::Regex,
    /// True if it matches the empty text somewhere.
    pub may_be_empty: bool,
}

impl Regex {
    pub fn new(pattern: &str) -> Outcome<Regex> {
        let wrong = |why: String| fault(format!("`{pattern}` is no regular expression: {why}"));
        let parsed = match syntax::parse(pattern) {
            Ok(parsed) => parsed,
            Err(error) => return wrong(format!("\n{error}")),
        };
        let config = dense::Config::new()
            .start_kind(StartKind::Unanchored)
            .dfa_size_limit(Some(MOST))
            .determinize_size_limit(Some(MOST));
        let built = match regex::Builder::new().dense(config).build(pattern) {
            Ok(built) => built,
            Err(error) => {
                return wrong(format!("{}; `(?-u:\\b)` is a word boundary of ASCII", chain(&error)));
            }
        };
        Ok(Regex {
            forward: Automaton::of(built.forward(), Anchored::No)?,
            backward: Automaton::of(built.reverse(), Anchored::Yes)?,
            may_be_empty: parsed.properties().minimum_len().is_none_or(|least| least == 0),
            whole: built,
        })
    }

    /// Begin and end of each match of a text from a place on, one after another.
    pub fn matches_from(&self, text: &[u8], from: usize) -> impl Iterator<Item = (usize, usize)> {
        let found = self.whole.find_iter(Input::new(text).range(from..));
        found.map(|found| (found.start(), found.end()))
    }
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

impl Automaton {
    /// Numbers the states that can be reached: the dead one, those without a match, those with one.
    fn of(dfa: &dense::DFA<Vec<u32>>, anchored: Anchored) -> Outcome<Automaton> {
        let mut firsts = Vec::new();
        for beside in (0..=u8::MAX).map(Some).chain([None]) {
            match dfa.start_state(&start::Config::new().anchored(anchored).look_behind(beside)) {
                Ok(state) => firsts.push(state),
                Err(error) => return fault(error.to_string()),
            }
        }
        let classes = dfa.byte_classes();
        let width = classes.alphabet_len();
        let mut example = vec![0; width - 1];
        (0..=u8::MAX).for_each(|byte| example[usize::from(classes.get(byte))] = byte);
        let follow = |state: StateID| -> Vec<StateID> {
            let of_bytes = example.iter().map(|&byte| dfa.next_state(state, byte));
            of_bytes.chain([dfa.next_eoi_state(state)]).collect()
        };
        let mut reached: BTreeMap<StateID, Vec<StateID>> = BTreeMap::new();
        let mut open = firsts.clone();
        while let Some(state) = open.pop() {
            if !dfa.is_dead_state(state) && !reached.contains_key(&state) {
                let next = follow(state);
                open.extend_from_slice(&next);
                reached.insert(state, next);
            }
        }
        let (last, first): (Vec<StateID>, Vec<StateID>) =
            reached.keys().partition(|&&state| dfa.is_match_state(state));
        let number: BTreeMap<StateID, i64> =
            first.iter().chain(&last).zip(1i64..).map(|(&state, number)| (state, number)).collect();
        let of = |state: &StateID| number.get(state).copied().unwrap_or(0);
        let mut next = vec![0; width * (number.len() + 1)];
        for (state, to) in &reached {
            let from = of(state) as usize * width;
            next[from..from + width].iter_mut().zip(to).for_each(|(place, to)| *place = of(to));
        }
        Ok(Automaton {
            starts: Array::from_vec(firsts.iter().map(of).collect()),
            classes: Array::from_vec((0..=u8::MAX).map(|byte| i64::from(classes.get(byte))).collect()),
            next: Array::from_vec(next),
            width: width as i64,
            least: first.len() as i64 + 1,
        })
    }
}
