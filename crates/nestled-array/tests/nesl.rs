//! Functions in NESL, called from Rust.

use nestled_array::{Array, Nesl, NeslColumn, NeslDatum, NeslType, Ragged, Reason, Segments, nesl};
use nestled_test::again;

const TEXT: &str = "
    function sums(v) = {sum(row) : row in v};
    function twice(v) = {{{x + x : x in row} : row in rows} : rows in v};
    function lengths(v) = {{#row : row in rows} : rows in v};
    function swapped(v) = {{(y, x) : (x, y) in row} : row in v};
    function at(v, i) = v[i];
    function fact(n) = if n <= 1 then 1 else n * fact(n - 1);
    function facts(v) = {fact(n) : n in v};
    function quicksort(a) = if #a < 2 then a else
        let pivot = a[#a / 2];
            lesser = {e in a | e < pivot};
            equal = {e in a | e == pivot};
            greater = {e in a | e > pivot};
            result = {quicksort(v) : v in [lesser, greater]}
        in result[0] ++ equal ++ result[1];
    function words(s) = {#w : w in wordify(s)};
    table = [[1, 2], [3]];
    function nested(i) = sum(table[i]);
    limit = 3;
    powers = [1, 10, 100];
    function looked_up(v) = {powers[x] : x in v};
    function below(v) = {x in v | x < limit};
";

#[test]
fn nested_sequences_cross_the_border() {
    let text = Nesl::compile(TEXT).unwrap();
    let rows = Ragged::from_rows(&[vec![1, 2], vec![], vec![3], vec![4, 5, 6]]);
    let sums = text.function::<(Ragged<i64>,), Array<i64>>("sums").unwrap();
    assert_eq!(sums.call((rows.clone(),)).unwrap().to_vec().unwrap(), [3, 0, 3, 15]);
    let deep = rows.in_segments(&[1, 0, 3]).unwrap();
    let twice = text.function::<(Ragged<Ragged<i64>>,), Ragged<Ragged<i64>>>("twice").unwrap();
    let result = twice.call((deep.clone(),)).unwrap();
    assert_eq!(result.segments().lengths().to_vec().unwrap(), [1, 0, 3]);
    assert_eq!(result.flatten().to_rows().unwrap(), [vec![2, 4], vec![], vec![6], vec![8, 10, 12]]);
    assert_eq!(format!("{result:?}"), "[[[2, 4]], [], [[], [6], [8, 10, 12]]]");
    let lengths = text.function::<(Ragged<Ragged<i64>>,), Ragged<i64>>("lengths").unwrap();
    assert_eq!(lengths.call((deep,)).unwrap().to_rows().unwrap(), [vec![2], vec![], vec![0, 1, 3]]);
}

#[test]
fn pairs_lie_side_by_side() {
    let text = Nesl::compile(TEXT).unwrap();
    let keys = Ragged::from_rows(&[vec![1, 2], vec![3]]);
    let pairs = keys.zip(&keys.map(|key| key.cast::<f64>() * 0.5)).unwrap();
    let swapped = text.function::<(Ragged<(i64, f64)>,), Ragged<(f64, i64)>>("swapped").unwrap();
    let (halves, whole) = swapped.call((pairs,)).unwrap().unzip();
    assert_eq!(halves.to_rows().unwrap(), [vec![0.5, 1.0], vec![1.5]]);
    assert_eq!(whole.to_rows().unwrap(), [vec![1, 2], vec![3]]);
}

#[test]
fn empty_sequences() {
    let text = Nesl::compile(TEXT).unwrap();
    let none = Ragged::<i64>::from_rows(&[]);
    let sums = text.function::<(Ragged<i64>,), Array<i64>>("sums").unwrap();
    assert!(sums.call((none.clone(),)).unwrap().to_vec().unwrap().is_empty());
    let twice = text.function::<(Ragged<Ragged<i64>>,), Ragged<Ragged<i64>>>("twice").unwrap();
    let deep = none.in_segments(&[0, 0]).unwrap();
    assert_eq!(format!("{:?}", twice.call((deep,)).unwrap()), "[[], []]");
}

#[test]
fn recursion_and_texts() {
    let text = Nesl::compile(TEXT).unwrap();
    let facts = text.function::<(Array<i64>,), Array<i64>>("facts").unwrap();
    assert_eq!(facts.call((Array::from_vec(vec![1, 5, 3]),)).unwrap().to_vec().unwrap(), [1, 120, 6]);
    let sort = text.function::<(Array<f64>,), Array<f64>>("quicksort").unwrap();
    let mixed: Vec<f64> = (0..1000).map(|i| f64::from(i * 7919 % 1000)).collect();
    let sorted = sort.call((Array::from_vec(mixed),)).unwrap().to_vec().unwrap();
    assert!((0..1000).map(f64::from).eq(sorted));
    let below = text.function::<(Array<i64>,), Array<i64>>("below").unwrap();
    assert_eq!(below.call((Array::from_vec(vec![5, 1, 3, 2]),)).unwrap().to_vec().unwrap(), [1, 2]);
    let looked_up = text.function::<(Array<i64>,), Array<i64>>("looked_up").unwrap();
    assert_eq!(looked_up.call((Array::from_vec(vec![2, 0]),)).unwrap().to_vec().unwrap(), [100, 1]);
    let words = text.function::<(Array<u8>,), Array<i64>>("words").unwrap();
    let line = Array::from_vec(b"of many words".to_vec());
    assert_eq!(words.call((line,)).unwrap().to_vec().unwrap(), [2, 4, 5]);
}

#[test]
fn mistakes_have_messages() {
    let text = Nesl::compile(TEXT).unwrap();
    assert!(Nesl::compile("function f(x) = ;").is_err());
    let wrong = text.function::<(Array<i64>,), f64>("quicksort").unwrap_err().to_string();
    assert!(wrong.contains("`quicksort` gives [int], not float"), "{wrong}");
    let wrong = text.function::<(Array<i64>,), Array<i64>>("sums").unwrap_err().to_string();
    assert!(wrong.contains("cannot take `[int]`"), "{wrong}");
    let wrong = text.function::<(i64,), i64>("nothing").unwrap_err().to_string();
    assert!(wrong.contains("nothing"), "{wrong}");
    let wrong = text.function::<(i64,), i64>("nested").unwrap_err().to_string();
    assert!(wrong.contains("nested sequence"), "{wrong}");
    let at = text.function::<(Array<i64>, i64), i64>("at").unwrap();
    let v = Array::from_vec(vec![1, 2, 3]);
    assert_eq!(at.call((v.clone(), 2)).unwrap(), 3);
    let fault = at.call((v.clone(), 3)).unwrap_err();
    assert!(matches!(fault.reason(), Reason::Fault(_)), "{fault}");
    assert_eq!(at.call((v.clone(), 0)).unwrap(), 1);
    let square = Array::from_vec(vec![1, 2, 3, 4]).reshape(&[2, 2]);
    assert!(at.call((square, 0)).is_err());
}

/// A fault says in Rust what it says on the command line.
#[test]
fn faults_say_what_happened() {
    let text = Nesl::compile(
        "offset = 3;
function pick(row, i) = row[i + offset];
function picks(rows, places) = {pick(row, i) : row in rows; i in places};
function down(n) = if n == 0 then 0 else 1 + down(n - 1);",
    )
    .unwrap();
    let says = |error: nestled_array::Error, parts: &[&str]| {
        let message = error.to_string();
        for part in parts {
            assert!(message.contains(part), "{part} is not in\n{message}");
        }
    };
    let picks = text.function::<(Ragged<i64>, Array<i64>), Array<i64>>("picks").unwrap();
    let rows = Ragged::from_rows(&[vec![1, 2, 3, 4], vec![5, 6]]);
    let wrong = picks.call((rows.clone(), Array::from_vec(vec![0, -1]))).unwrap_err();
    assert!(matches!(wrong.reason(), Reason::Fault(_)), "{wrong}");
    let parts = [
        "error[E:index]: the position is outside of the sequence",
        "nesl:2:",
        "position 2 of a sequence of 2, at element 1",
        "nesl:3:",
        "in `pick`, called here",
    ];
    says(wrong, &parts);
    let wrong = picks.call((rows, Array::from_vec(vec![0, 0, 0]))).unwrap_err();
    says(wrong, &["nesl:3:", "`rows` has 2 elements, `places` has 3"]);
    let down = text.function::<(i64,), i64>("down").unwrap();
    let wrong = down.call((1_000_000_000,)).unwrap_err();
    says(wrong, &["nesl:4:", "`down` is called inside more than"]);
}

#[test]
fn lazy_arguments_and_results() {
    nesl! {
        "function squares(v) = {x * x : x in v};";
        fn squares(v: Array<f64>) -> Array<f64>;
    }
    let v = Array::<f64>::range(1000) * 0.5;
    let twice = squares(squares(v).unwrap() + 1.0).unwrap();
    assert_eq!(twice.sum().item().unwrap(), (0..1000).map(|i| (0.25 * f64::from(i * i) + 1.0).powi(2)).sum());
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}

#[test]
fn types_may_be_known_at_run_time_only() {
    let seq = |element| NeslType::Seq(Box::new(element));
    let text =
        Nesl::compile("function parts(rows, by) = {({x / by : x in row}, #row) : row in rows};").unwrap();
    let parts = text.routine("parts", &[seq(seq(NeslType::Float)), NeslType::Float]).unwrap();
    assert_eq!(parts.result().to_string(), "[([float], int)]");
    let elements = NeslColumn::Float(Array::from_vec(vec![1.0, 2.0, 3.0]));
    let rows = |lengths: &[usize]| {
        NeslDatum::Seq(
            lengths.len(),
            NeslColumn::Seq(Segments::from_lengths(lengths), Box::new(elements.clone())),
        )
    };
    let by = NeslDatum::Float(2.0);
    let made = parts.call(&[rows(&[2, 0, 1]), by.clone()]).unwrap();
    let NeslDatum::Seq(3, NeslColumn::Pair(halves, lengths)) = made else { panic!("{made:?}") };
    let (NeslColumn::Seq(segments, halves), NeslColumn::Int(lengths)) = (*halves, *lengths) else { panic!() };
    assert_eq!(segments.lengths().to_vec().unwrap(), [2, 0, 1]);
    assert_eq!(lengths.to_vec().unwrap(), [2, 0, 1]);
    let NeslColumn::Float(halves) = *halves else { panic!() };
    assert_eq!(halves.to_vec().unwrap(), [0.5, 1.0, 1.5]);
    // Lengths that do not come to the elements, and arguments of other types.
    assert!(parts.call(&[rows(&[2, 2]), by.clone()]).is_err());
    assert!(parts.call(&[by.clone(), by]).is_err());
}

nesl! {
    "function doubled(v) = {x + x : x in v};
     function halves(rows) = {{float(x) / 2.0 : x in row} : row in rows};
     function range_of(v) = (min_val(v), max_val(v), #v);
     function scaled(v, by) = {x * by : x in v};";
    fn doubled(v: Array<i8>) -> Array<i8>;
    fn halves(rows: Ragged<u16>) -> Ragged<f32>;
    fn range_of(v: Array<i32>) -> (i16, u32, u16);
    fn scaled(v: Array<f32>, by: f32) -> Array<f32>;
}

#[test]
fn narrow_types_go_in_and_out() {
    assert_eq!(doubled(Array::from_vec(vec![1, -64, 63])).unwrap().to_vec().unwrap(), [2, -128, 126]);
    let error = doubled(Array::from_vec(vec![1, 64])).unwrap_err().to_string();
    assert!(error.contains("128 does not fit `i8`"), "{error}");
    let rows = Ragged::from_rows(&[vec![1u16, u16::MAX], vec![]]);
    assert_eq!(halves(rows).unwrap().to_rows().unwrap(), [vec![0.5f32, 32_767.5], vec![]]);
    assert_eq!(range_of(Array::from_vec(vec![-7, 70_000])).unwrap(), (-7, 70_000, 2));
    let error = range_of(Array::from_vec(vec![-7, -5])).unwrap_err().to_string();
    assert!(error.contains("-5 does not fit `u32`"), "{error}");
    let thirds = scaled(Array::from_vec(vec![1.0, 0.1]), 0.3).unwrap().to_vec().unwrap();
    assert_eq!(thirds, [0.3, (f64::from(0.1f32) * f64::from(0.3f32)) as f32]);
    let text = Nesl::compile("function same(v) = v;").unwrap();
    let same = text.function::<(Array<u64>,), Array<u64>>("same").unwrap();
    assert_eq!(
        same.call((Array::from_vec(vec![i64::MAX as u64]),)).unwrap().to_vec().unwrap(),
        [i64::MAX as u64]
    );
    let error = same.call((Array::from_vec(vec![3, u64::MAX]),)).unwrap_err().to_string();
    assert!(error.contains(&format!("{} does not fit `int`", u64::MAX)), "{error}");
    let one = text.function::<(u64,), i8>("same").unwrap();
    assert!(one.call((u64::MAX,)).is_err());
    assert_eq!(one.call((127,)).unwrap(), 127);
    assert!(one.call((128,)).is_err());
    let signed = text.function::<(Array<i64>,), Array<u64>>("same").unwrap();
    assert!(
        signed
            .call((Array::from_vec(vec![0, -1]),))
            .unwrap_err()
            .to_string()
            .contains("-1 does not fit `u64`")
    );
}
