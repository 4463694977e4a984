//! Datatypes with variants as arguments and results: enums, and columns whose types are known at run time.

use nestled_array::{
    Array, Nesl, NeslColumn, NeslDatatype, NeslDatum, NeslType, NeslVariants, Ragged, Segments, nesl,
};
use nestled_nested::Datatype;
use nestled_test::again;

/// A shape.
#[derive(Clone, Debug, PartialEq, Datatype)]
#[datatype(crate = nestled_nested)]
enum Shape {
    Circle(f64),
    Rect(f64, f64),
    Polygon(Vec<(f64, f64)>, String),
    LabelOf(String, i64, bool),
    Dot,
}

#[derive(Clone, Copy, Debug, PartialEq, Datatype)]
#[datatype(crate = nestled_nested)]
enum Colour {
    Red,
    DarkGreen,
    Blue,
}

#[derive(Clone, Debug, PartialEq, Datatype)]
#[datatype(crate = nestled_nested)]
enum Mark {
    Painted(Shape, Colour),
    Plain(Shape),
}

const TEXT: &str = "
    datatype shape = circle(float) | rect(float, float) | polygon([(float, float)], [char]) | label_of([char], int, bool) | dot;
    datatype colour = red | dark_green | blue;
    datatype mark = painted(shape, colour) | plain(shape);
    function area(s) = match s with
        circle(r) => r * r | rect(a, b) => a * b | polygon(points, name) => sum({x * y : (x, y) in points})
      | label_of(name, n, b) => (if b then float(n + #name) else 0.0) | dot => -1.0;
    function areas(v) = {area(s) : s in v};
    function same(v) : [shape] -> [shape] = v;
    function turned(v) = {match s with
        circle(r) => polygon([(r, r), (r, 0.0)], \"c\") | rect(a, b) => circle(a + b) | polygon(points, name) => label_of(name, #points, t)
      | label_of(name, n, b) => (if b then dot else rect(float(n), 0.5)) | dot => polygon(dist((0.0, 0.0), 0), \"none\") : s in v};
    function next(c) = match c with red => dark_green | dark_green => blue | blue => red;
    function repainted(v) = {match m with painted(s, c) => painted(s, next(c)) | plain(s) => painted(s, red) : m in v};
    function rows(v) = {{next(c) : c in row} : row in v};
    function largest(v) = if #v == 0 then dot else v[max_index({area(s) : s in v})];
";

nesl! {
    TEXT;
    fn area(s: Shape) -> f64;
    fn areas(v: Vec<Shape>) -> Array<f64>;
    fn same(v: Vec<Shape>) -> Vec<Shape>;
    fn turned(v: Vec<Shape>) -> Vec<Shape>;
    fn next(c: Colour) -> Colour;
    fn repainted(v: Vec<Mark>) -> Vec<Mark>;
    fn rows(v: Vec<Vec<Colour>>) -> Vec<Vec<Colour>>;
    fn largest(v: Vec<Shape>) -> Shape;
}

fn shapes() -> Vec<Shape> {
    let polygon = |points: &[(f64, f64)], name: &str| Shape::Polygon(points.to_vec(), name.to_owned());
    vec![
        Shape::Circle(1.5),
        Shape::Dot,
        polygon(&[(1.0, 2.0), (3.0, 0.5)], "two"),
        Shape::Rect(2.0, -4.0),
        Shape::LabelOf("µ".to_owned(), 5, true),
        polygon(&[], ""),
        Shape::LabelOf(String::new(), -3, false),
        Shape::Circle(f64::INFINITY),
    ]
}

fn area_of(shape: &Shape) -> f64 {
    match shape {
        Shape::Circle(r) => r * r,
        Shape::Rect(a, b) => a * b,
        Shape::Polygon(points, _) => points.iter().map(|(x, y)| x * y).sum(),
        Shape::LabelOf(name, n, true) => (n + name.len() as i64) as f64,
        Shape::LabelOf(..) => 0.0,
        Shape::Dot => -1.0,
    }
}

fn turn(shape: &Shape) -> Shape {
    match shape {
        Shape::Circle(r) => Shape::Polygon(vec![(*r, *r), (*r, 0.0)], "c".to_owned()),
        Shape::Rect(a, b) => Shape::Circle(a + b),
        Shape::Polygon(points, name) => Shape::LabelOf(name.clone(), points.len() as i64, true),
        Shape::LabelOf(_, _, true) => Shape::Dot,
        Shape::LabelOf(_, n, false) => Shape::Rect(*n as f64, 0.5),
        Shape::Dot => Shape::Polygon(Vec::new(), "none".to_owned()),
    }
}

#[test]
fn enums_are_datatypes() {
    let all = shapes();
    for v in [all.clone(), Vec::new(), vec![Shape::Dot; 3], all[..1].to_vec(), all[2..3].to_vec()] {
        assert_eq!(same(v.clone()).unwrap(), v);
        assert_eq!(areas(v.clone()).unwrap().to_vec().unwrap(), v.iter().map(area_of).collect::<Vec<_>>());
        let once: Vec<Shape> = v.iter().map(turn).collect();
        assert_eq!(turned(v.clone()).unwrap(), once);
        assert_eq!(turned(once.clone()).unwrap(), once.iter().map(turn).collect::<Vec<_>>());
    }
    for shape in &all {
        assert_eq!(area(shape.clone()).unwrap(), area_of(shape));
    }
    assert_eq!(largest(all[..7].to_vec()).unwrap(), all[4]);
    assert_eq!(largest(Vec::new()).unwrap(), Shape::Dot);
    let colours = [Colour::Red, Colour::DarkGreen, Colour::Blue];
    assert_eq!(colours.map(|colour| next(colour).unwrap()), [Colour::DarkGreen, Colour::Blue, Colour::Red]);
    let given = vec![colours[..2].to_vec(), vec![], vec![Colour::Blue]];
    assert_eq!(rows(given).unwrap(), [vec![Colour::DarkGreen, Colour::Blue], vec![], vec![Colour::Red]]);
    let marks = vec![Mark::Plain(Shape::Circle(1.0)), Mark::Painted(all[2].clone(), Colour::Blue)];
    let wanted = [Mark::Painted(Shape::Circle(1.0), Colour::Red), Mark::Painted(all[2].clone(), Colour::Red)];
    assert_eq!(repainted(marks).unwrap(), wanted);
}

#[test]
fn enums_that_are_no_datatypes_of_the_text() {
    #[derive(Datatype)]
    #[datatype(crate = nestled_nested)]
    enum Other {
        One(i64),
        Two,
    }
    #[derive(Datatype)]
    #[datatype(crate = nestled_nested)]
    enum Pair {
        First(i64),
        Second(f64),
    }
    let told = |text: &str| {
        let compiled = Nesl::compile(text).unwrap();
        compiled.function::<(Other,), i64>("g").unwrap_err().to_string()
    };
    assert!(told("function g(x) = 1;").contains("there is no type `other`"));
    let g = "function g(x) = match x with one(n) => n | two => 0;";
    for wrong in ["one(int) | two(int)", "one(float) | two", "two | one(int)", "one(int) | two | three"] {
        let text = format!("datatype other = {wrong}; function g(x) : other -> int = 0;");
        assert!(told(&text).contains("the variants of `other` are not those of `Other`"), "{wrong}");
    }
    assert!(told("datatype other = one(a) | two :: (a in any); function g(x) = 1;").contains("1 parameters"));
    let other = told("datatype other = one(int, other) | two; function g(x) = 1;");
    assert!(other.contains("the variants of `other` are not those of"), "{other}");
    assert!(told("datatype other = one(int) | two; function g(x) = x + 1;").contains("cannot take"));
    let text = Nesl::compile(format!("datatype other = one(int) | two; {g}")).unwrap();
    let numbers = text.function::<(Other,), i64>("g").unwrap();
    assert_eq!((numbers.call((Other::One(7),)).unwrap(), numbers.call((Other::Two,)).unwrap()), (7, 0));
    let pair =
        Nesl::compile("datatype other = first(int) | second(float); function g(n) = first(n);").unwrap();
    let told = pair.function::<(i64,), Pair>("g").unwrap_err().to_string();
    assert!(told.contains("`g` gives other, not Pair"), "{told}");
    assert!(matches!(Pair::First(1), Pair::First(1) | Pair::Second(_)));
}

fn shape_type(text: &Nesl) -> NeslDatatype {
    let shape = NeslType::Data(NeslDatatype::named("SHAPE", vec![]));
    let NeslType::Data(found) = text.routine("area", &[shape]).unwrap().arguments()[0].clone() else {
        panic!()
    };
    assert_eq!(found.to_string(), "shape");
    found
}

fn columns(n: usize) -> Vec<Option<NeslColumn>> {
    let floats = || NeslColumn::Float(Array::from_vec(vec![2.0; n]));
    let pair = |a, b| NeslColumn::Pair(Box::new(a), Box::new(b));
    let seq = |column| NeslColumn::Seq(Segments::from_lengths(&vec![0; n]), Box::new(column));
    let none = || NeslColumn::Float(Array::zeros(&[0]));
    let text = || seq(NeslColumn::Char(Array::zeros(&[0])));
    let flag = NeslColumn::Bool(Array::from_vec(vec![true; n]));
    vec![
        Some(floats()),
        Some(pair(floats(), floats())),
        Some(pair(seq(pair(none(), none())), text())),
        Some(pair(text(), pair(NeslColumn::Int(Array::zeros(&[n])), flag))),
        None,
    ]
}

#[test]
fn columns_are_checked() {
    let text = Nesl::compile(TEXT).unwrap();
    let shape = shape_type(&text);
    let tags = |tags: &[i64]| Array::from_vec(tags.to_vec());
    let made = |numbers: &[i64], columns| NeslVariants::new(&shape, &tags(numbers), columns);
    let areas = text.routine("areas", &[NeslType::Seq(Box::new(NeslType::Data(shape.clone())))]).unwrap();
    let given = NeslColumn::Data(made(&[0, 4, 2, 1, 3], columns(5)).unwrap());
    let found = areas.call(&[NeslDatum::Seq(5, given.clone())]).unwrap();
    let NeslDatum::Seq(5, NeslColumn::Float(found)) = found else { panic!("{found:?}") };
    assert_eq!(found.to_vec().unwrap(), [4.0, -1.0, 0.0, 4.0, 0.0]);
    assert!(areas.call(&[NeslDatum::Seq(4, given)]).unwrap_err().to_string().contains("[5]"));
    for (wrong, words) in [
        (made(&[0, 5], columns(2)), "the number 5 at 1 is none of the 5 variants of `shape`"),
        (made(&[-1, 0], columns(2)), "the number -1 at 0"),
        (made(&[i64::MIN], columns(1)), "none of the 5"),
        (made(&[0, 0], columns(3)), "has not one element for each of 2"),
        (made(&[0, 0], columns(2)[..4].to_vec()), "`shape` has 5 variants, there are contents of 4"),
    ] {
        let told = wrong.unwrap_err().to_string();
        assert!(told.contains(words), "{told}");
    }
    let mut swapped = columns(1);
    swapped.swap(0, 4);
    assert!(
        made(&[0], swapped)
            .unwrap_err()
            .to_string()
            .contains("variant 0 of `shape` holds float, not nothing")
    );
    // Of what is a pair one part is too short.
    let mut short = columns(2);
    let floats = |n: usize| Box::new(NeslColumn::Float(Array::zeros(&[n])));
    short[1] = Some(NeslColumn::Pair(floats(2), floats(1)));
    assert!(made(&[0, 1], short).is_err());
    let area = text.routine("area", &[NeslType::Data(shape.clone())]).unwrap();
    let one = |variant, content: Option<NeslDatum>| {
        area.call(&[NeslDatum::Data(shape.clone(), variant, content.map(Box::new))])
    };
    assert!(matches!(one(0, Some(NeslDatum::Float(3.0))).unwrap(), NeslDatum::Float(9.0)));
    assert!(matches!(one(4, None).unwrap(), NeslDatum::Float(-1.0)));
    for wrong in
        [one(5, None), one(0, None), one(4, Some(NeslDatum::Int(1))), one(0, Some(NeslDatum::Int(1)))]
    {
        assert!(wrong.is_err());
    }
    let turned = text.routine("next", &[NeslType::Data(NeslDatatype::named("colour", vec![]))]).unwrap();
    let NeslType::Data(colour) = turned.arguments()[0].clone() else { panic!() };
    let found = turned.call(&[NeslDatum::Data(colour, 2, None)]).unwrap();
    assert!(matches!(found, NeslDatum::Data(_, 0, None)), "{found:?}");
}

#[test]
fn lists_and_texts_on_the_host() {
    let lists = Nesl::compile("function ends(v) = {(r[0], #r) : r in {s in v | #s > 0}};").unwrap();
    let ends = lists.function::<(Vec<Vec<i64>>,), Vec<(i64, i64)>>("ends").unwrap();
    assert_eq!(ends.call((vec![vec![4, 5], vec![], vec![6]],)).unwrap(), [(4, 2), (6, 1)]);
    let mixed = lists.function::<(Ragged<f64>,), (Array<f64>, Array<i64>)>("ends");
    assert!(mixed.is_err());
    let bytes = Nesl::compile("function reversed(w) = reverse(w);").unwrap();
    let reversed = bytes.function::<(String,), String>("reversed").unwrap();
    assert_eq!(reversed.call(("abc".to_owned(),)).unwrap(), "cba");
    assert!(reversed.call(("aµ".to_owned(),)).unwrap_err().to_string().contains("not UTF-8"));
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
