//! Images.

use crate::given::{Given, close, noise};

/// An image of numbers.
struct Image {
    height: i64,
    width: i64,
    pixels: Vec<f64>,
}

impl Image {
    fn made(height: i64, width: i64, pixel: impl Fn(i64, i64) -> f64) -> Image {
        let pixels = (0..height * width).map(|k| pixel(k / width, k % width)).collect();
        Image { height, width, pixels }
    }

    fn of(height: i64, width: i64, pixels: &[f32]) -> Image {
        Image { height, width, pixels: pixels.iter().map(|p| f64::from(*p)).collect() }
    }

    /// Its edges are repeated.
    fn at(&self, y: i64, x: i64) -> f64 {
        let (y, x) = (y.clamp(0, self.height - 1), x.clamp(0, self.width - 1));
        self.pixels[(y * self.width + x) as usize]
    }

    fn filtered(&self, axis: usize, weights: &[f64]) -> Image {
        let radius = weights.len() as i64 / 2;
        Image::made(self.height, self.width, |y, x| {
            let one = |k: i64| match axis {
                0 => self.at(y + k - radius, x),
                _ => self.at(y, x + k - radius),
            };
            weights.iter().enumerate().map(|(k, weight)| weight * one(k as i64)).sum()
        })
    }

    fn smooth(&self, weights: &[f64]) -> Image {
        self.filtered(0, weights).filtered(1, weights)
    }

    fn halved(&self) -> Image {
        let sum = |y, x| self.at(y, x) + self.at(y, x + 1) + self.at(y + 1, x) + self.at(y + 1, x + 1);
        Image::made(self.height / 2, self.width / 2, |y, x| 0.25 * sum(2 * y, 2 * x))
    }

    /// Between pixels, in parts of `unit`.
    fn between(&self, y: i64, x: i64, unit: i64) -> f64 {
        let (iy, ix) = (y.div_euclid(unit), x.div_euclid(unit));
        let part = |at: i64| at.rem_euclid(unit) as f64 / unit as f64;
        let (fy, fx) = (part(y), part(x));
        let row = |y| (1.0 - fx) * self.at(y, ix) + fx * self.at(y, ix + 1);
        (1.0 - fy) * row(iy) + fy * row(iy + 1)
    }
}

fn gaussian(radius: i64, sigma: f64) -> Vec<f64> {
    let weights: Vec<f64> = (-radius..=radius).map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

#[test]
fn life() {
    let (h, w) = (13, 22);
    let cells: Vec<f32> = noise((h * w) as usize, 1).iter().map(|x| f32::from(u8::from(*x < 0.35))).collect();
    let image = Image::of(h, w, &cells);
    let next = Image::made(h, w, |y, x| {
        let at = |dy: i64, dx: i64| image.at((y + dy).rem_euclid(h), (x + dx).rem_euclid(w));
        let all: f64 = (0..9).map(|k| at(k / 3 - 1, k % 3 - 1)).sum();
        f64::from(u8::from(all == 3.0 || all == 4.0 && at(0, 0) == 1.0))
    });
    let given = Given::new("A4").with("g", &cells, &[h as usize, w as usize]);
    close(&given.result::<f32>("A4").0, &next.pixels, 0.0);
}

#[test]
fn demosaicing() {
    let (h, w) = (12, 10);
    let raw = noise(120, 2);
    let image = Image::of(h, w, &raw);
    let mirrored = |at: i64, n: i64| {
        if at < 0 {
            -at
        } else if at >= n {
            2 * n - 2 - at
        } else {
            at
        }
    };
    let planes = |y: i64, x: i64| {
        let at = |dy: i64, dx: i64| image.at(mirrored(y + dy, h), mirrored(x + dx, w));
        let c = at(0, 0);
        let (v, hz) = (at(-1, 0) + at(1, 0), at(0, -1) + at(0, 1));
        let d = at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1);
        let (v2, h2) = (at(-2, 0) + at(2, 0), at(0, -2) + at(0, 2));
        let green = (4.0 * c + 2.0 * (v + hz) - v2 - h2) / 8.0;
        let row = (5.0 * c + 4.0 * hz - d - h2 + 0.5 * v2) / 8.0;
        let column = (5.0 * c + 4.0 * v - d - v2 + 0.5 * h2) / 8.0;
        let across = (6.0 * c + 2.0 * d - 1.5 * (v2 + h2)) / 8.0;
        match (y % 2, x % 2) {
            (0, 0) => [c, green, across],
            (0, _) => [row, c, column],
            (_, 0) => [column, c, row],
            _ => [across, green, c],
        }
    };
    let plane = |k: usize| Image::made(h, w, |y, x| planes(y, x)[k]).pixels;
    let given = Given::new("A5").with("raw", &raw, &[12, 10]);
    let (found, shape) = given.result::<f32>("A5");
    assert_eq!(shape, [3, 12, 10]);
    close(&found, &[plane(0), plane(1), plane(2)].concat(), 1e-5);
}

#[test]
fn blur_and_corners() {
    let (h, w) = (19, 24);
    let pixels = noise((h * w) as usize, 3);
    let shape = [h as usize, w as usize];
    let image = Image::of(h, w, &pixels);
    let smooth = image.smooth(&gaussian(2, 1.0));
    let given = Given::new("A6").with("img", &pixels, &shape);
    close(&given.result::<f32>("A6").0, &smooth.pixels, 1e-5);

    let gx = |y, x| 0.5 * (smooth.at(y, x + 1) - smooth.at(y, x - 1));
    let gy = |y, x| 0.5 * (smooth.at(y + 1, x) - smooth.at(y - 1, x));
    let wide = gaussian(4, 2.0);
    let a = Image::made(h, w, |y, x| gx(y, x) * gx(y, x)).smooth(&wide);
    let b = Image::made(h, w, |y, x| gx(y, x) * gy(y, x)).smooth(&wide);
    let c = Image::made(h, w, |y, x| gy(y, x) * gy(y, x)).smooth(&wide);
    let corners = Image::made(h, w, |y, x| {
        let (a, b, c) = (a.at(y, x), b.at(y, x), c.at(y, x));
        0.75 * (a + c) - 0.5 * (0.25 * (a - c) * (a - c) + b * b).sqrt()
    });
    close(&given.result::<f32>("A8").0, &corners.pixels, 1e-4);
}

#[test]
fn rotation() {
    let n = 17i64;
    let pixels = noise((n * n * 4) as usize, 4);
    let (sin, cos) = 10f64.to_radians().sin_cos();
    let pixel = |y: i64, x: i64, channel: i64| {
        let middle = (n - 1) as f64 / 2.0;
        let (v, u) = (y as f64 - middle, x as f64 - middle);
        let (sy, sx) = (cos * v - sin * u + middle, cos * u + sin * v + middle);
        let (iy, ix) = (sy.floor() as i64, sx.floor() as i64);
        let (fy, fx) = (sy.fract().rem_euclid(1.0), sx.fract().rem_euclid(1.0));
        let tap = |y: i64, x: i64| {
            let inside = (0..n).contains(&y) && (0..n).contains(&x);
            if inside { f64::from(pixels[((y * n + x) * 4 + channel) as usize]) } else { 0.0 }
        };
        let row = |y| (1.0 - fx) * tap(y, ix) + fx * tap(y, ix + 1);
        (1.0 - fy) * row(iy) + fy * row(iy + 1)
    };
    let expected: Vec<f64> = (0..n * n * 4).map(|k| pixel(k / 4 / n, k / 4 % n, k % 4)).collect();
    let given = Given::new("A7").with("img", &pixels, &[n as usize, n as usize, 4]);
    close(&given.result::<f32>("A7").0, &expected, 1e-4);
}

#[test]
fn motion() {
    let n = 64;
    let whole = |seed| -> Vec<f32> {
        let coarse = Image::of(9, 9, &noise(81, seed));
        let pixel = |y: i64, x: i64| (255.0 * coarse.between(y, x, 8)).round();
        Image::made(n, n, pixel).pixels.iter().map(|p| *p as f32).collect()
    };
    let (current, reference) = (whole(5), whole(5).into_iter().rev().collect::<Vec<f32>>());
    let level = |pixels: &[f32]| {
        let fine = Image::of(n, n, pixels);
        let half = fine.halved();
        let quarter = half.halved();
        [fine, half, quarter]
    };
    let (c, r) = (level(&current), level(&reference));
    // Image, size of blocks, parts of a pixel; radius, step; what the earlier displacement is multiplied by.
    let rounds = [
        (2, 4, 1, 3, 1, 1),
        (1, 8, 1, 1, 1, 2),
        (0, 16, 1, 1, 1, 2),
        (0, 16, 4, 1, 2, 4),
        (0, 16, 4, 1, 1, 1),
    ];
    let displacement = |by: i64, bx: i64| {
        let (mut dy, mut dx) = (0, 0);
        for (at, size, unit, radius, step, times) in rounds {
            (dy, dx) = (dy * times, dx * times);
            let cost = |ty: i64, tx: i64| -> f64 {
                let one = |k: i64| {
                    let (y, x) = (by * size + k / size, bx * size + k % size);
                    (c[at].at(y, x) - r[at].between(y * unit + ty, x * unit + tx, unit)).abs()
                };
                (0..size * size).map(one).sum()
            };
            let tries =
                (-radius..=radius).flat_map(|y| (-radius..=radius).map(move |x| (y * step, x * step)));
            let tried = tries.map(|(y, x)| (cost(dy + y, dx + x), dy + y, dx + x));
            let best = tried.reduce(|best, next| if next.0 < best.0 { next } else { best });
            (_, dy, dx) = best.expect("there are some");
        }
        [dy, dx]
    };
    let blocks = n / 16;
    let expected: Vec<i64> =
        (0..blocks * blocks).flat_map(|k| displacement(k / blocks, k % blocks)).collect();
    let side = n as usize;
    let given = Given::new("A9").with("cur", &current, &[side, side]).with("ref", &reference, &[side, side]);
    let (found, shape) = given.result::<i64>("A9");
    assert_eq!(shape, [4, 4, 2]);
    assert_eq!(found, expected);
}

#[test]
fn stereo() {
    let (h, w, far) = (11i64, 30i64, 8i64);
    let whole =
        |seed| -> Vec<f32> { noise((h * w) as usize, seed).iter().map(|x| (x * 255.0).round()).collect() };
    let (left, right) = (whole(6), whole(7));
    let (l, r) = (Image::of(h, w, &left), Image::of(h, w, &right));
    let disparity = |y: i64, x: i64| {
        let cost = |d: i64| -> f64 {
            let one = |k: i64| {
                let (y, x) = ((y + k / 7 - 3).clamp(0, h - 1), (x + k % 7 - 3).clamp(0, w - 1));
                (l.at(y, x) - r.at(y, x - d)).powi(2)
            };
            (0..49).map(one).sum()
        };
        (0..far)
            .map(|d| (cost(d), d))
            .reduce(|best, next| if next.0 < best.0 { next } else { best })
            .map_or(0, |best| best.1)
    };
    let expected: Vec<i32> = (0..h * w).map(|k| disparity(k / w, k % w) as i32).collect();
    let shape = [h as usize, w as usize];
    let given = Given::new("A10").with("left", &left, &shape).with("right", &right, &shape);
    let given = given.meta("{\"params\": {\"n\": 11, \"m\": 30, \"d\": 8}}");
    assert_eq!(given.result::<i32>("A10").0, expected);
}
