//! Large programs compile in time: 5 000 lines within half a second in a release build, which is what `cargo test --release` asks; a debug
//! build gets ten times as much.

use nestled_vcode::{Options, compile};
use std::time::{Duration, Instant};

/// Functions as the compiler of NESL writes them: a descriptor and a vector in, the same out; conditionals, recursion, and calls.
fn program(lines: usize) -> String {
    let mut text = String::from("FUNC MAIN\nCONST SEGDES (2 0 3)\nCONST FLOAT (1.0 2.0 3.0 4.0 5.0)\n");
    let count = lines / 32;
    for number in 0..count {
        text.push_str(&format!("CALL STEP_{number}\n"));
    }
    text.push_str("RET\n");
    for number in 0..count {
        let inner = if number % 7 == 6 { number - 1 } else { number };
        text.push_str(&format!("FUNC STEP_{number}\n"));
        text.push_str(
            "COPY 1 0\nCOPY 1 2\n+_SCAN FLOAT\nCOPY 1 1\nCOPY 1 1\n* FLOAT\nCPOP 1 1\nPOP 1 0\nCPOP 1 1\nPOP 1 0\n\
             COPY 1 0\nCOPY 1 2\nMAX_REDUCE FLOAT\nCOPY 1 2\nDIST FLOAT\nCOPY 1 1\nCOPY 1 1\n< FLOAT\n\
             CPOP 1 2\nCPOP 1 2\nSELECT FLOAT\nCOPY 1 0\nLENGTH FLOAT\nCONST INT 1000\n> INT\nIF\n",
        );
        text.push_str(&format!("CALL STEP_{inner}\nELSE\nCOPY 1 0\n+ FLOAT\nENDIF\nRET\n"));
    }
    text
}

#[test]
fn five_thousand_lines() {
    let text = program(5000);
    assert!(text.lines().count() > 4900);
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 5000 } else { 500 });
    // The best of some runs: the machine has other things to do.
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        let compiled = compile("large.vcode", &text, None, &Options::default()).unwrap();
        best = best.min(start.elapsed());
        assert!(compiled.program.kernels.len() > 1000);
    }
    eprintln!("{} lines: {best:?}", text.lines().count());
    assert!(best < limit, "{best:?}");
}

/// What grows fast is cut off with a message, and nothing takes long.
#[test]
fn what_explodes_is_refused() {
    let limit = Duration::from_secs(20);
    let start = Instant::now();
    let doubling = format!("FUNC MAIN CONST INT 1 {} RET", "COPY 1 0 PAIR ".repeat(200));
    assert!(compile("pairs", &doubling, None, &Options::default()).is_err());
    let wide: String = (0..30).map(|power| format!("COPY {} 0 ", 1u32 << power.min(19))).collect();
    assert!(
        compile("wide", &format!("FUNC MAIN CONST INT 1 {wide} RET"), None, &Options::default()).is_err()
    );
    // Each function calls the next one twice; they are inlined, or called, but never written out in full.
    let mut chain = String::from("FUNC MAIN CONST INT (1 2) CALL A0 RET ");
    for number in 0..60 {
        chain.push_str(&format!("FUNC A{number} COPY 1 0 + INT CALL A{0} CALL A{0} RET ", number + 1));
    }
    chain.push_str("FUNC A60 RET");
    let _ = compile("chain", &chain, None, &Options::default());
    let deep: String =
        (0..3000).map(|number| format!("FUNC D{number} CALL D{} CALL D{0} RET ", number + 1)).collect();
    let _ = compile("deep", &format!("{deep} FUNC D3000 RET"), None, &Options::default());
    let recursive: String = (0..3000)
        .map(|number| format!("FUNC E{number} CONST BOOL F IF CALL E{} ENDIF RET ", (number + 1) % 3000))
        .collect();
    let _ = compile("recursive", &recursive, None, &Options::default());
    assert!(start.elapsed() < limit, "{:?}", start.elapsed());
}
