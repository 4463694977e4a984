//! Inputs of two shapes: even lists, and as many lists with as many elements, one of which holds half of them.

use nestled_array::{Engine, Evaluate};
use nestled_nested::{Array, Nested, Result, Segments, Value};

/// Number of elements.
const ELEMENTS: usize = 1_000_000;

/// Number of lists.
const LISTS: usize = 100_000;

/// Lists with so many elements, in several types.
pub struct Inputs {
    /// `var * float64`.
    pub numbers: Nested,
    /// `var * int64`, few different ones.
    pub few: Nested,
    /// `var * ?float64`.
    pub optional: Nested,
    /// `var * bool`.
    pub mask: Nested,
    /// `var * {x: float64, n: int64}`.
    pub records: Nested,
    /// `var * string`, of three letters at most.
    pub words: Nested,
    /// `var * var * float64`: lists of two numbers.
    pub pairs: Nested,
    /// `string`: as many bytes in as many texts.
    pub texts: Nested,
    /// `float64`: one for each list.
    pub of_lists: Nested,
    /// `int64`: for each element its list.
    pub keys: Nested,
    /// `var * float64`, which have as many pairs of elements in both shapes.
    pub to_combine: Nested,
    /// Lengths to which lists are brought up, with as many elements for a result.
    pub padded: usize,
    /// The number of elements of each list.
    pub lengths: Nested,
    /// For each element of the lists its place counted from the end.
    pub places: Nested,
}

/// Columns of one shape, from which inputs are made.
pub struct Columns {
    lengths: Array<i64>,
    numbers: Array<f64>,
    few: Array<i64>,
    mask: Array<bool>,
    letters: Array<u8>,
    word_lengths: Array<i64>,
    word_letters: Array<u8>,
    twos: Array<i64>,
    pairs: Array<f64>,
    of_lists: Array<f64>,
    keys: Array<i64>,
    places: Array<i64>,
    combined_lengths: Array<i64>,
    combined: Array<f64>,
    padded: usize,
}

impl Columns {
    /// Lists of one length.
    pub fn even() -> Result<Columns> {
        let size = ELEMENTS / LISTS;
        // A list of ten has 45 pairs.
        Columns::of(&[size; LISTS], &[10; 22_200], 12)
    }

    /// Lists of which one holds half of all elements.
    pub fn skewed() -> Result<Columns> {
        Columns::of(&halved(ELEMENTS, LISTS), &[vec![10; 11_100], vec![1000]].concat(), 7)
    }

    fn of(lengths: &[usize], combined_lengths: &[usize], padded: usize) -> Result<Columns> {
        let total = lengths.iter().sum();
        let segments = Segments::from_lengths(lengths);
        let letters = Array::random_integers(&[total], 0..=9, 4);
        let letters = letters.eq(9).select(i64::from(b' '), letters + i64::from(b'a')).cast::<u8>();
        let word_lengths = Array::random_integers(&[total], 0..=3, 5);
        let n_letters = word_lengths.sum().item()? as usize;
        let list = |lengths: &[usize]| Array::from_vec(lengths.iter().map(|&length| length as i64).collect());
        let columns = Columns {
            lengths: list(lengths),
            numbers: Array::uniform(&[total], 1),
            few: Array::random_integers(&[total], 0..=7, 2),
            mask: Array::<f64>::uniform(&[total], 3).gt(0.5),
            letters,
            word_letters: Array::random_integers(&[n_letters], 97..=122, 6).cast(),
            word_lengths,
            twos: Array::fill(2, &[total]),
            pairs: Array::uniform(&[2 * total], 7),
            of_lists: Array::uniform(&[lengths.len()], 8),
            keys: segments.owners(),
            places: -segments.places() - 1,
            combined_lengths: list(combined_lengths),
            combined: Array::uniform(&[combined_lengths.iter().sum()], 9),
            padded,
        };
        columns.compute()?;
        Ok(columns)
    }

    fn compute(&self) -> Result<()> {
        let Columns { lengths, numbers, few, mask, letters, word_lengths, word_letters, twos, .. } = self;
        let Columns { pairs, of_lists, keys, places, combined_lengths, combined, .. } = self;
        let of_bytes: [&dyn Evaluate; 3] = [mask, letters, word_letters];
        let of_numbers: [&dyn Evaluate; 11] = [
            lengths,
            numbers,
            few,
            word_lengths,
            twos,
            pairs,
            of_lists,
            keys,
            places,
            combined_lengths,
            combined,
        ];
        Engine::current().eval(&of_bytes)?;
        Engine::current().eval(&of_numbers)
    }

    /// Inputs of which nothing is known but these columns: an operation before has not found the places of elements, say, for this one.
    pub fn inputs(&self) -> Result<Inputs> {
        let segments = Segments::of(&self.lengths)?;
        let numbers = Nested::from(self.numbers.clone());
        let few = Nested::from(self.few.clone());
        let words = Nested::from(self.word_letters.clone()).in_strings(&Segments::of(&self.word_lengths)?)?;
        let pairs = Nested::from(self.pairs.clone()).in_lists(&Segments::of(&self.twos)?)?;
        let combined = Segments::of(&self.combined_lengths)?;
        Ok(Inputs {
            optional: numbers.with_validity(&self.mask)?.in_lists(&segments)?,
            mask: Nested::from(self.mask.clone()).in_lists(&segments)?,
            records: Nested::records(&[("x", &numbers), ("n", &few)])?.in_lists(&segments)?,
            words: words.in_lists(&segments)?,
            pairs: pairs.in_lists(&segments)?,
            texts: Nested::from(self.letters.clone()).in_strings(&segments)?,
            of_lists: Nested::from(self.of_lists.clone()),
            keys: Nested::from(self.keys.clone()),
            to_combine: Nested::from(self.combined.clone()).in_lists(&combined)?,
            padded: self.padded,
            lengths: Nested::from(self.lengths.clone()),
            places: Nested::from(self.places.clone()).in_lists(&segments)?,
            few: few.in_lists(&segments)?,
            numbers: numbers.in_lists(&segments)?,
        })
    }
}

impl Inputs {
    /// A list of two numbers for each list.
    pub fn two_each(&self) -> Result<Nested> {
        let two = Segments::from_lengths(&vec![2; self.numbers.len()]);
        Nested::from(Array::<f64>::range(2 * self.numbers.len())).in_lists(&two)
    }

    /// A record for each list, with its number as the key.
    pub fn table(&self) -> Result<Nested> {
        let keys = Nested::from(Array::<i64>::range(self.numbers.len()));
        Nested::records(&[("key", &keys), ("y", &self.of_lists)])
    }

    /// A record for each element, with the number of its list as the key.
    pub fn facts(&self) -> Result<Nested> {
        Nested::records(&[("key", &self.keys), ("x", &self.numbers.flatten(1)?)])
    }

    /// Few different words.
    pub fn known(&self) -> Nested {
        Nested::from_iter(["a", "bc", "def"].map(Value::from))
    }
}

/// Lengths whose sum is known, of which one, in the middle, is half of it.
fn halved(total: usize, lists: usize) -> Vec<usize> {
    let (long, others) = (total / 2, lists - 1);
    let rest = total - long;
    let mut lengths: Vec<usize> =
        (0..others).map(|list| (list + 1) * rest / others - list * rest / others).collect();
    lengths.insert(lists / 2, long);
    lengths
}
