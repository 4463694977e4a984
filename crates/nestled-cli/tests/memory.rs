//! Data that comes in and goes out takes twice its bytes at most: it stays flat from the file to the device and back.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Bytes of each file.
const SIZE: usize = 64 << 20;

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The most memory that a command has held, as far as it is seen while it runs.
fn peak(args: &[&str]) -> usize {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nestled"))
        .args(["run", "--threads", "1"])
        .args(args)
        .stdout(Stdio::null())
        .spawn()
        .expect("nestled starts");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"));
        most = most.max(line.and_then(|kilobytes| kilobytes.trim().parse().ok()).unwrap_or(0));
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(status.success(), "{args:?}");
            return most * 1024;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// An `.npy` file whose elements are bytes that do not matter.
fn npy(name: &str, descr: &str, shape: &str, size: usize) -> String {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    header.push_str(&" ".repeat(117 - header.len()));
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    file.extend(header.as_bytes());
    file.push(b'\n');
    file.resize(file.len() + size, 1);
    let path = temporary(name);
    std::fs::write(&path, file).expect("a writable folder");
    path.display().to_string()
}

/// A text.
fn text(name: &str, size: usize) -> String {
    let path = temporary(name);
    std::fs::write(&path, vec![b'x'; size]).expect("a writable folder");
    path.display().to_string()
}

#[test]
fn data_is_in_memory_twice_at_most() {
    let ints = |name: &str, size: usize| npy(name, "<i8", &format!("({},)", size / 8), size);
    let floats = |name: &str, size: usize| npy(name, "<f8", &format!("({}, 1024)", size / 8192), size);
    let data = [
        (text("large.txt", SIZE), text("small.txt", 8192), "sum({char_code(c) : c in x})"),
        (ints("ints.npy", SIZE), ints("few.npy", 8192), "sum(x)"),
        (floats("floats.npy", SIZE), floats("row.npy", 8192), "sum({sum(row) : row in x})"),
    ];
    let out = temporary("out.npy").display().to_string();
    for (large, small, program) in &data {
        let within = |args: &[&str], copies: f64| {
            let with = |file: &str| peak(&[args, &["--arg", &format!("x=@{file}")]].concat());
            // Without data there are programs, libraries and LLVM.
            let found = with(large).saturating_sub(with(small)) as f64 / SIZE as f64;
            println!("{large} {args:?}: {found:.2}");
            assert!(found < copies, "{args:?} holds {found:.2} times the data of {large}");
        };
        // As elements, and once more: in the file's bytes while they are read, or on the device.
        within(&["-e", "x", "-o", &out], 2.3);
        within(&["-e", program], 2.3);
    }
}
