//! Round trips of `.npy` files, and refusal of broken ones.

use super::*;
use nestled_ir::Scalar;
use nestled_ir::value::MARGIN;

/// A file of any version, with this header.
fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let length = header.len() as u32;
    let length = if version == 1 { &length.to_le_bytes()[..2] } else { &length.to_le_bytes()[..] };
    [MAGIC, &[version, 0], length, header.as_bytes(), data].concat()
}

fn numbers(npy: &Npy) -> Vec<Scalar> {
    (0..npy.elements.len()).map(|at| npy.elements.get(at)).collect()
}

#[test]
fn files_come_back_as_they_were() {
    for shape in [vec![], vec![3], vec![2, 2], vec![0, 5]] {
        let count = shape.iter().product::<u64>() as usize;
        let npy = Npy { shape, elements: Buffer::F32((0..count).map(|at| at as f32).collect()) };
        let file = npy.to_file();
        let back = Npy::parse(&file).unwrap();
        assert_eq!((&back.shape, numbers(&back)), (&npy.shape, numbers(&npy)));
        assert!(back.elements.capacity() >= 4 * count + MARGIN);
        assert_eq!((file.len() - 4 * count) % 64, 0);
    }
}

#[test]
fn elements_of_every_type() {
    for elem in ScalarType::ALL {
        let bits = |at: u64| if elem == ScalarType::Bool { at % 2 } else { 11 * at };
        let numbers: Vec<_> = (0..3).map(|at| Scalar::from_bits(elem, bits(at))).collect();
        let npy = Npy { shape: vec![3], elements: Buffer::from_scalars(elem, &numbers) };
        let file = npy.to_file();
        let reader = Reader::new(&file[..], Some(file.len() as u64)).unwrap();
        let read = reader.read(1 << 20, &|_| Ok(elem)).unwrap().elements;
        assert_eq!((0..3).map(|at| read.get(at)).collect::<Vec<_>>(), numbers);
    }
}

#[test]
fn fortran_order_and_big_endian_are_turned_round() {
    let data: Vec<u8> = [1i32, 4, 2, 5, 3, 6].into_iter().flat_map(i32::to_be_bytes).collect();
    let header = "{'descr': '>i4', 'fortran_order': True, 'shape': (2, 3), }\n";
    let npy = Npy::parse(&file(1, header, &data)).unwrap();
    assert_eq!(numbers(&npy), (1..=6).map(Scalar::I32).collect::<Vec<_>>());
}

#[test]
fn headers_of_every_version_and_style() {
    let data: Vec<u8> = [1.5f32, 2.5].into_iter().flat_map(f32::to_le_bytes).collect();
    let headers = [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
        "{\"shape\":(2,),\"descr\":\"<f4\",\"fortran_order\":False}",
        " { 'fortran_order' : False , 'shape' : ( 2 , ) , 'descr' : '=f4' } \n",
        // As an old Python wrote lengths.
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }",
        "{'shape': (2,), 'title': 'a (strange), {one} \\' \"', 'fortran_order': False, 'descr': '<f4'}",
    ];
    for version in 1..=3 {
        for header in headers {
            let npy = Npy::parse(&file(version, header, &data)).unwrap();
            let found = (&npy.shape[..], numbers(&npy));
            assert_eq!(found, (&[2][..], [1.5, 2.5].map(Scalar::F32).to_vec()), "{header}");
        }
    }
}

#[test]
fn truth_is_any_byte_but_zero() {
    let header = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }";
    let npy = Npy::parse(&file(1, header, &[0, 1, 7])).unwrap();
    assert_eq!(numbers(&npy), [false, true, true].map(Scalar::Bool));
}

#[test]
fn broken_files_are_refused_in_words() {
    let refused = |file: &[u8]| Npy::parse(file).unwrap_err();
    assert_eq!(refused(b"hello"), "it is not an .npy file");
    let whole = Npy { shape: vec![3], elements: Buffer::F64(vec![0.0; 3]) }.to_file();
    (0..whole.len()).for_each(|length| drop(refused(&whole[..length])));
    assert_eq!(refused(&whole[..whole.len() - 1]), "it ends early");
    assert_eq!(refused(&file(4, "{}", &[])), "its version is 4.0; versions 1 to 3 are known");
    let with = |descr: &str, shape: &str| {
        refused(&file(1, &format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"), &[]))
    };
    for (descr, why) in [
        ("'<c8'", "complex numbers (`<c8`), which have no counterpart here; save `a.real` and `a.imag`"),
        (
            "'<U5'",
            "texts (`<U5`), which have no counterpart here; save them with `json.dump(a.tolist(), file)`",
        ),
        (
            "'|S3'",
            "byte strings (`|S3`), which have no counterpart here; save them with `json.dump(np.char.decode(a).tolist(), file)`",
        ),
        (
            "'|O'",
            "Python objects (`|O`), which have no counterpart here; give it a type with `.astype('f8')`, or save it as JSON",
        ),
        ("'<f16'", "`<f16`, which has no counterpart here; convert it with `.astype('f8')`"),
        ("'<é4'", "`<é4`, which has no counterpart here; convert it with `.astype('f8')`"),
    ] {
        assert_eq!(with(descr, "(1,)"), format!("its elements are {why}"));
    }
    assert_eq!(
        with("[('x', '<f4'), ('y', '<f4')]", "(1,)"),
        "its elements are records, which have no counterpart here; save each field by itself, as `a['x']`"
    );
    assert_eq!(with("'<f4'", "(1, x)"), "its shape is not a tuple of lengths");
    assert_eq!(with("'<f4'", "(-1,)"), "its shape is not a tuple of lengths");
    assert_eq!(with("'<f4'", "(99999999999, 99999999999)"), "its shape is too large");
    // Nothing is as long as one likes, in either order.
    for fortran in ["False", "True"] {
        let shape = format!("({0}, {0}, 0)", i64::MAX);
        let header = format!("{{'descr': '<f4', 'fortran_order': {fortran}, 'shape': {shape}, }}");
        assert_eq!(refused(&file(1, &header, &[])), "its shape is too large");
        for shape in [
            format!("({}, 0)", u64::MAX),
            format!("(2, {}, 0)", i64::MAX),
            format!("(0, {0}, {0})", i64::MAX),
        ] {
            let header = format!("{{'descr': '<f4', 'fortran_order': {fortran}, 'shape': {shape}, }}");
            assert_eq!(refused(&file(1, &header, &[])), "its shape is too large");
        }
        let header = header.replace(&shape, &format!("({}, 0)", i64::MAX));
        assert_eq!(Npy::parse(&file(1, &header, &[])).unwrap().shape, [i64::MAX as u64, 0]);
    }
    assert_eq!(refused(&file(1, "{'descr': '<f4', 'shape': ()}", &[])), "its header has no `fortran_order`");
    assert_eq!(refused(&file(1, "[1, 2]", &[])), "its header is not a dictionary");
}

/// Transposition, as by `np.transpose`, for all shapes of blocks: whole columns, or parts of long ones.
#[test]
fn fortran_order_of_every_shape() {
    for shape in [vec![2, 3, 4], vec![1, 7], vec![7, 1], vec![300_000, 2], vec![3, 200_000], vec![5, 1, 3, 2]]
    {
        let count: u64 = shape.iter().product();
        let rank = shape.len();
        let places: Vec<i64> = (0..count)
            .map(|mut at| {
                let mut point = vec![0; rank];
                for axis in (0..rank).rev() {
                    point[axis] = at % shape[axis];
                    at /= shape[axis];
                }
                // The first axis is the fastest in the file.
                (0..rank).rev().fold(0, |place, axis| place * shape[axis] + point[axis]) as i64
            })
            .collect();
        let data: Vec<u8> = (0..count as i64).flat_map(i64::to_be_bytes).collect();
        let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
        let header = format!("{{'descr': '>i8', 'fortran_order': True, 'shape': ({extents}), }}\n");
        let Buffer::I64(found) = Npy::parse(&file(1, &header, &data)).unwrap().elements else { panic!() };
        assert_eq!(found, places, "{shape:?}");
    }
}

#[test]
fn numbers_of_other_widths() {
    let read = |descr: &str, data: &[u8], elem: ScalarType| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (1,), }}\n");
        let file = file(1, &header, data);
        Reader::new(&file[..], None).unwrap().read(1 << 20, &|_| Ok(elem)).map(|npy| npy.elements.get(0))
    };
    assert_eq!(read("|i1", &[0xff], ScalarType::I64), Ok(Scalar::I64(-1)));
    assert_eq!(read("|u1", &[0xff], ScalarType::I64), Ok(Scalar::I64(255)));
    assert_eq!(read(">i2", &[0xff, 0], ScalarType::I64), Ok(Scalar::I64(-256)));
    assert_eq!(read("<u2", &[0, 0xff], ScalarType::I64), Ok(Scalar::I64(0xff00)));
    assert_eq!(read("<u8", &[1, 0, 0, 0, 0, 0, 0, 0], ScalarType::I64), Ok(Scalar::I64(1)));
    assert_eq!(read(">u8", &(u64::MAX - 1).to_be_bytes(), ScalarType::U64), Ok(Scalar::U64(u64::MAX - 1)));
    assert_eq!(read("<f2", &0x3c00u16.to_le_bytes(), ScalarType::F64), Ok(Scalar::F64(1.0)));
    let why = "18446744073709551615 in it is beyond `int`, which ends at 9223372036854775807; convert it with `.astype('f8')`";
    assert_eq!(read("<u8", &[255; 8], ScalarType::I64), Err(why.to_owned()));
    assert!(read("<f8", &[0; 8], ScalarType::I64).is_err());
    let short = Npy { shape: vec![9], elements: Buffer::I64(vec![0; 9]) }.to_file();
    let refused = Reader::new(&short[..], None).unwrap().read(71, &Ok).unwrap_err();
    assert_eq!(refused, "its elements take 72 bytes here; there is room for 71");
}
