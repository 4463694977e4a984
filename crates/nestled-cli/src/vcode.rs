//! VCODE and FCODE programs on the command line: finding and compiling them, and the conventions by which they run.

use crate::cli::{VcodeReading, Widths};
use crate::exit_codes::Failure;
use crate::files::read_named;
use crate::kinds::Kind;
use nestled_ir::ScalarType;
use nestled_ir::interp::{FaultKind, Gate, World};
use nestled_rt::Error;
use nestled_rt::device::Math;
use nestled_vcode::emit::heading;
use nestled_vcode::world::Streams;
use nestled_vcode::{Compiled, EXIT, ListingText, Options, Unequal};
use std::path::Path;

/// Reads and compiles a program, with the listing of its superoperators if it has one.
pub fn load(path: &Path, options: &VcodeReading, widths: &Widths) -> Result<Compiled, Failure> {
    let unequal = if options.unchecked { Unequal::Fit } else { Unequal::Fault };
    load_where(path, options, widths, unequal)
}

/// As [`load`]; `unequal` is the rule for vectors that should have the same length and do not.
pub fn load_where(
    path: &Path,
    options: &VcodeReading,
    widths: &Widths,
    unequal: Unequal,
) -> Result<Compiled, Failure> {
    let text = read(path)?;
    let beside = path.with_extension("cu");
    let listing = match &options.fused {
        Some(file) => Some((file.as_path(), read(file)?)),
        None if path.extension().is_some_and(|extension| extension == "fcode") && beside.exists() => {
            Some((beside.as_path(), read(&beside)?))
        }
        None if heading::has_listing(&text) => Some((path, text.clone())),
        None => None,
    };
    // What a program written by `nestled show` says of its numbers, unless the command line does.
    let said = heading::widths(&text);
    let int = widths.int().map_or(said.map_or(32, |said| said.0), |bits| if bits == "64" { 64 } else { 32 });
    let float =
        widths.float().map_or(said.map_or(64, |said| said.1), |bits| if bits == "32" { 32 } else { 64 });
    let named = listing.as_ref().map(|(path, text)| (path.display().to_string(), text));
    let listing = named.as_ref().map(|(name, text)| ListingText { name, text });
    let options = Options {
        int: if int == 64 { ScalarType::I64 } else { ScalarType::I32 },
        float: if float == 32 { ScalarType::F32 } else { ScalarType::F64 },
        checks: !options.unchecked,
        unequal,
    };
    nestled_vcode::compile(&path.display().to_string(), &text, listing, &options)
        .map_err(|refusal| Failure::refused(&refusal.to_string(), refusal.diagnostics.len()))
}

/// The floating-point rule of a program: VCODE has the meaning of its serial library, in which nothing is contracted.
pub fn math(kind: Kind, math: Math) -> Math {
    math.or_strict(kind == Kind::Vcode)
}

/// Reads a text, and replaces invalid UTF-8: old files have such characters in comments and messages.
fn read(path: &Path) -> Result<String, Failure> {
    match read_named(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(Failure::usage(format!("cannot read `{}`: {error}", path.display()))),
    }
}

/// Runs a closure in a world with the streams of the process, where input may take at most `room` bytes. Also returns whether the streams are untouched.
pub fn with_streams<T>(
    world: &mut dyn World,
    (gate, room): (Gate, u64),
    run: impl FnOnce(&mut dyn World) -> T,
) -> (T, bool) {
    let mut input = std::io::stdin().lock();
    let (mut output, mut error) = (std::io::stdout(), std::io::stderr());
    let mut streams = Streams::new(world, &mut input, &mut output, &mut error).behind(gate).with_room(room);
    let result = run(&mut streams);
    (result, streams.are_untouched())
}

/// True if a run ended because vectors had different lengths.
pub fn is_unequal(error: &Error) -> bool {
    matches!(error, Error::Fault(fault) if matches!(fault.kind, FaultKind::Unequal { .. }))
}

/// True if a run ended by the instruction `EXIT`, which is no fault.
pub fn is_exit(error: &Error) -> bool {
    matches!(error, Error::Fault(fault) if matches!(&fault.kind, FaultKind::Check { code } if &**code == EXIT))
}
