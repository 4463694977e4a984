//! x
use nestled_test::generate::{Size, generate};
fn main() {
    let n: u64 = std::env::args().nth(1).map_or(200, |s| s.parse().unwrap());
    let from: u64 = std::env::args().nth(2).map_or(0, |s| s.parse().unwrap());
    let mut bad = 0;
    let (mut kernels, mut steps, mut stmts, mut funs, mut most) = (0, 0, 0, 0, 0);
    let (mut tg, mut tv) = (std::time::Duration::ZERO, std::time::Duration::ZERO);
    for seed in from..from + n {
        let t = std::time::Instant::now();
        let r = std::panic::catch_unwind(|| generate(seed, Size::QUICK));
        tg += t.elapsed();
        let Ok(case) = r else {
            println!("seed {seed}: panic");
            bad += 1;
            continue;
        };
        let p = &case.program;
        kernels += p.kernels.len();
        funs += p.functions.len();
        let mut k = 0;
        for kernel in &p.kernels {
            steps += kernel.steps.len();
            for s in &kernel.steps {
                s.body.body.walk(&mut |_| k += 1);
            }
        }
        stmts += k;
        most = most.max(k);
        let t = std::time::Instant::now();
        if let Err(ds) = nestled_ir::verify::verify(&case.program) {
            bad += 1;
            if n == 1 {
                for (i, f) in p.functions.iter().enumerate() {
                    println!("== fn {i} {}", f.name);
                    for (i, v) in f.values.iter().enumerate() {
                        println!("%{i}: {:?}", v.ty);
                    }
                    for s in &f.body.stmts {
                        println!("{:?}", s);
                    }
                }
            }
            println!("seed {seed}: {}", nestled_ir::render_all(&ds[..1], &case.program.sources));
        }
        tv += t.elapsed();
    }
    println!(
        "bad {bad} kernels {} steps {} thunk stmts {} functions {} most {most} gen {:?} verify {:?}",
        kernels as f64 / n as f64,
        steps as f64 / n as f64,
        stmts as f64 / n as f64,
        funs as f64 / n as f64,
        tg / n as u32,
        tv / n as u32
    );
}
