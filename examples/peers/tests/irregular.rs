//! Rows of any lengths, points, bodies.

use crate::given::{Given, close, noise, signed};

/// Offsets of rows, some of them empty, one long.
fn offsets(rows: usize) -> Vec<i32> {
    let length = |row: usize| if row == 5 { 700 } else { row * row % 7 };
    let mut at = 0;
    let mut offsets = vec![0];
    for row in 0..rows {
        at += length(row) as i32;
        offsets.push(at);
    }
    offsets
}

#[test]
fn rows() {
    let rows = 211;
    let offsets = offsets(rows);
    let n = offsets[rows] as usize;
    let x = signed(n, 1);
    let of = |row: usize| offsets[row] as usize..offsets[row + 1] as usize;
    let given = Given::new("N7").with("x", &x, &[n]).with("off", &offsets, &[rows + 1]);
    let sum = |row: usize| x[of(row)].iter().map(|x| f64::from(*x)).sum::<f64>();
    close(&given.result::<f32>("N7").0, &(0..rows).map(sum).collect::<Vec<_>>(), 1e-5);

    let (columns, v) = (noise(n, 2), signed(rows, 3));
    let columns: Vec<i32> = columns.iter().map(|c| (c * rows as f32) as i32).collect();
    let given = Given::new("N6").with("val", &x, &[n]).with("ptr", &offsets, &[rows + 1]);
    let given = given.with("col", &columns, &[n]).with("x", &v, &[rows]);
    let product = |at: usize| f64::from(x[at]) * f64::from(v[columns[at] as usize]);
    let row = |row: usize| of(row).map(product).sum::<f64>();
    close(&given.result::<f32>("N6").0, &(0..rows).map(row).collect::<Vec<_>>(), 1e-5);
}

#[test]
fn hulls() {
    // Many are thinned first.
    let points =
        |n| -> Vec<[f32; 2]> { signed(n, 4).into_iter().zip(signed(n, 5)).map(|(x, y)| [x, y]).collect() };
    let disc = points(100_000).into_iter().filter(|[x, y]| x * x + y * y < 1.0).collect();
    for (id, points) in [("N4S", points(3000)), ("N4C", disc), ("N4S", points(70_000))] {
        let [xs, ys] = [0, 1].map(|axis| points.iter().map(|p| p[axis]).collect::<Vec<_>>());
        let given = Given::new(id).with("x", &xs, &[xs.len()]).with("y", &ys, &[ys.len()]);
        let mut found = given.result::<i64>(id).0;
        found.sort_unstable();
        assert_eq!(found, hull(&points), "{id}");
    }
}

/// Which points are corners, by Andrew's chains.
fn hull(points: &[[f32; 2]]) -> Vec<i64> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| points[a].partial_cmp(&points[b]).expect("numbers"));
    let turn = |[a, b, c]: [usize; 3]| {
        let [[ax, ay], [bx, by], [cx, cy]] = [a, b, c].map(|k| points[k].map(f64::from));
        (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    };
    let mut corners = Vec::new();
    for _ in 0..2 {
        let mut chain: Vec<usize> = Vec::new();
        for &k in &order {
            while chain.len() > 1 && turn([chain[chain.len() - 2], chain[chain.len() - 1], k]) <= 0.0 {
                chain.pop();
            }
            chain.push(k);
        }
        chain.pop();
        corners.extend(chain.into_iter().map(|k| k as i64));
        order.reverse();
    }
    corners.sort_unstable();
    corners
}

#[test]
fn gravity() {
    let n = 400;
    let (x, y) = (signed(n, 6), signed(n, 7));
    let masses: Vec<f32> = noise(n, 8).iter().map(|m| (m + 0.5) / n as f32).collect();
    let pull = |i: usize, axis: usize| {
        let one = |j: usize| {
            let d = [f64::from(x[j]) - f64::from(x[i]), f64::from(y[j]) - f64::from(y[i])];
            let r2 = d[0] * d[0] + d[1] * d[1] + 1e-4;
            f64::from(masses[j]) * d[axis] / (r2 * r2.sqrt())
        };
        (0..n).map(one).sum::<f64>()
    };
    let expected: Vec<f64> = (0..2 * n).map(|k| pull(k % n, k / n)).collect();
    let given = Given::new("N5").with("x", &x, &[n]).with("y", &y, &[n]).with("m", &masses, &[n]);
    let (found, shape) = given.result::<f32>("N5B");
    assert_eq!(shape, [2, n]);
    close(&found, &expected, 1e-4);

    let (found, shape) = given.result::<f64>("N5");
    assert_eq!(shape, [2, n]);
    let square = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|x| x * x).sum::<f64>();
    let off = square(&mut found.iter().zip(&expected).map(|(a, b)| a - b));
    assert!(off < 4e-4 * square(&mut expected.iter().copied()), "{off}");
}

#[test]
fn mandelbrot() {
    let n = 40;
    let steps = |k: usize| {
        let place = |at: usize, from: f32| at as f32 * (2.5 / n as f32) + from;
        let (cx, cy) = (place(k % n, -2.0), place(k / n, -1.25));
        let (mut x, mut y) = (0.0f32, 0.0f32);
        for step in 0..255 {
            if x * x + y * y > 4.0 {
                return step;
            }
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
        }
        255
    };
    let given = Given::new("N9").meta("{\n \"params\": {\n  \"n\": 40\n }\n}\n");
    let (found, shape) = given.result::<i32>("N9");
    assert_eq!(shape, [n, n]);
    let differ = (0..n * n).filter(|&k| steps(k) != found[k]).count();
    assert!(differ * 100 <= n * n, "{differ}");
}
