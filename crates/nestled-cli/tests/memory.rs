//! Data that comes in and goes out is in memory once: it stays flat from the file to the device and back.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Bytes of each file.
const SIZE: usize = 64 << 20;

/// What a command may hold of them: those bytes, and blocks on their way.
const ONCE: f64 = 1.3;

/// Where a value is made of another one there are two.
const TWICE: f64 = 2.3;

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The most memory that a command has held, as far as it is seen while it runs.
fn peak(args: &[&str]) -> usize {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nestled"))
        .args(["run", "--threads", "1"])
        .args(args)
        .env("NESTLED_CACHE", temporary("memory-cache"))
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
fn npy(name: &str, (descr, fortran): (&str, &str), shape: &str, size: usize) -> String {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    header.push_str(&" ".repeat(117 - header.len()));
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    file.extend(header.as_bytes());
    file.push(b'\n');
    file.resize(file.len() + size, 1);
    put(name, &file)
}

fn put(name: &str, bytes: &[u8]) -> String {
    let path = temporary(name);
    std::fs::write(&path, bytes).expect("a writable folder");
    path.display().to_string()
}

/// A large file and a small one of the same kind.
type Both = [String; 2];

fn both(file: impl Fn(&str, usize) -> String) -> Both {
    [file("large", SIZE), file("small", 8192)]
}

/// Refuses a command that holds more of a large file than so many times its bytes. What it takes with a small one, it takes for the process: for programs,
/// libraries and threads.
fn within([large, small]: &Both, args: &[&str], copies: f64) {
    let with = |file: &str| peak(&[args, &["--arg", &format!("x=@{file}")]].concat());
    // Where kernels are compiled, LLVM takes room for itself. Then they lie in the cache.
    with(small);
    with(large);
    let found = with(large).saturating_sub(with(small)) as f64 / SIZE as f64;
    println!("{large} {args:?}: {found:.2}");
    assert!(found < copies, "{args:?} holds {found:.2} times the data of {large}");
}

#[test]
fn texts_are_in_memory_once() {
    let out = temporary("text.npy").display().to_string();
    let text =
        both(|name, size| put(&format!("{name}.txt"), "a \"word\" or two\n".repeat(size / 16).as_bytes()));
    within(&text, &["-e", "x", "-o", &out], ONCE);
    within(&text, &["-e", "sum({char_code(c) : c in x})"], ONCE);
    within(&text, &["-e", "x"], ONCE);
    // No kernel looks at it.
    within(&text, &["-e", "#x"], ONCE);
}

#[test]
fn arrays_are_in_memory_once() {
    let out = temporary("array.npy").display().to_string();
    let order = |descr: &'static str, fortran: &'static str| {
        both(|name, size| {
            npy(
                &format!("{name}{descr}{fortran}.npy"),
                (descr, fortran),
                &format!("({}, 1024)", size / 8192),
                size,
            )
        })
    };
    let ints =
        both(|name, size| npy(&format!("{name}.npy"), ("<i8", "False"), &format!("({},)", size / 8), size));
    within(&ints, &["-e", "x", "-o", &out], ONCE);
    within(&ints, &["-e", "sum(x)"], ONCE);
    within(&ints, &["--full", "-e", "x"], ONCE);
    within(&ints, &["-e", "{a + 1 : a in x}", "-o", &out], TWICE);
    within(&order("<f8", "False"), &["-e", "sum({sum(row) : row in x})"], ONCE);
    within(&order(">f8", "False"), &["-e", "x", "-o", &out], ONCE);
    within(&order("<f8", "True"), &["-e", "x", "-o", &out], ONCE);
    let picture = both(|name, size| {
        npy(
            &format!("{name}-rgb.npy"),
            ("|u1", "False"),
            &format!("({}, 1024, 3)", size / 3072),
            size / 3072 * 3072,
        )
    });
    within(&picture, &["-e", "x", "-o", &out], ONCE);
}

#[test]
fn archives_are_in_memory_once() {
    let out = temporary("archive.npz").display().to_string();
    let ints = both(|name, size| {
        let array = npy(&format!("{name}-in.npy"), ("<i8", "False"), &format!("({},)", size / 8), size);
        let archive = temporary(&format!("{name}.npz")).display().to_string();
        peak(&["-e", "x", "--arg", &format!("x=@{array}"), "-o", &archive]);
        archive
    });
    within(&ints, &["-e", "x", "-o", &out], ONCE);
    within(&ints, &["-e", "sum(x)"], ONCE);
}

/// A file that the program itself reads: as the world has it, and once more on its way to the device.
#[test]
fn characters_are_a_byte_each_on_their_way_to_a_program() {
    let read = |name: &str, size: usize| {
        let path = put(name, &vec![b'x'; size]);
        peak(&["-e", &format!("#read_string_from_file(\"{path}\")")])
    };
    read("few-characters.txt", 8192);
    let few = read("few-characters.txt", 8192);
    let found = read("many-characters.txt", SIZE).saturating_sub(few) as f64 / SIZE as f64;
    assert!(found < 3.3, "{found:.2} times the file");
}
