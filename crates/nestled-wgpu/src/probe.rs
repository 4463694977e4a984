//! How an adapter computes where WGSL leaves it open.

use crate::dialect::{HEAD, Rounding, library};
use crate::machine::WgpuMachine;
use nestled_gpu::device::{Block, Dispatch, Machine};
use nestled_rt::device::DeviceError;

const FUSES: &str = "
@compute @workgroup_size(1)
fn probe() {
  let a = bitcast<f32>(params[1]);
  let b = bitcast<f32>(params[4]);
  heap[params[0]] = bitcast<u32>(fma(a, a, b));
}
";

const DOUBLES: &str = "
@compute @workgroup_size(1)
fn probe() {
  let a = bitcast<f32>(params[1]);
  heap[params[0]] = bitcast<u32>(a + a);
}
";

/// For each pair of words its quotient, then the root of the first.
const DIVIDES: &str = "
@compute @workgroup_size(64)
fn probe(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= params[1]) { return; }
  let at = params[0] + 2u * id.x;
  let a = bitcast<f32>(heap[at]);
  let b = bitcast<f32>(heap[at + 1u]);
  heap[at] = bitcast<u32>(div_f32(a, b));
  heap[at + 1u] = bitcast<u32>(sqrt_f32(a));
}
";

/// Pairs that are tried: all kinds of exponents, and mantissas with long quotients.
const PAIRS: u32 = 4096;

/// Whether `fma` rounds once.
pub(crate) fn fuses(machine: &mut WgpuMachine) -> Result<bool, DeviceError> {
    let (a, b) = (1.0f32 + 1.0 / 4096.0, -(1.0f32 + 1.0 / 2048.0));
    let found = one_word(machine, FUSES, &[a.to_bits(), 0, 0, b.to_bits()])?;
    Ok(found == a.mul_add(a, b).to_bits())
}

/// Tests that sums of subnormal numbers are not flushed to zero.
pub(crate) fn keeps_subnormals(machine: &mut WgpuMachine) -> Result<bool, DeviceError> {
    Ok(one_word(machine, DOUBLES, &[1])? == 2)
}

/// Runs a shader that writes one word, to the place that is its first parameter; `params` are the others. Returns the word.
fn one_word(machine: &mut WgpuMachine, shader: &str, params: &[u32]) -> Result<u32, DeviceError> {
    let code = machine.pipelines(&format!("{HEAD}{shader}"), &["probe"])?;
    let place = machine.allocate(4)?;
    let words = [&[(place.address / 4) as u32], params].concat();
    let dispatches = vec![Dispatch { entry: 0, groups: 1 }];
    machine.run(&code, &Block { words, dispatches, ..Block::default() })?;
    let found = machine.read_now(&[(place, 1)])?;
    machine.free(place, 4);
    Ok(found[0])
}

/// Whether the division and the square root of the adapter round to nearest, wherever they are tried.
pub(crate) fn divides(machine: &mut WgpuMachine) -> Result<bool, DeviceError> {
    let pairs: Vec<[u32; 2]> = (0..PAIRS).map(pair).collect();
    let text = library(Rounding { fuses: true, divides: true });
    let found = quotients(machine, &text, &pairs)?;
    Ok(pairs.iter().zip(&found).all(|(pair, found)| is_right(*pair, *found)))
}

/// What a library makes of pairs: quotients, and roots of the first numbers.
fn quotients(
    machine: &mut WgpuMachine,
    library: &str,
    pairs: &[[u32; 2]],
) -> Result<Vec<[u32; 2]>, DeviceError> {
    // Only what is used, lest the adapter lack the types of the rest.
    let used = nestled_gpu::code::library_of(library, DIVIDES);
    let code = machine.pipelines(&format!("{HEAD}{used}{DIVIDES}"), &["probe"])?;
    let bytes = pairs.len() as u64 * 8;
    let place = machine.allocate(bytes)?;
    machine.write(place, pairs.as_flattened().to_vec())?;
    let words = vec![(place.address / 4) as u32, pairs.len() as u32, 0, 0];
    let dispatches = vec![Dispatch { entry: 0, groups: pairs.len().div_ceil(64) as u64 }];
    machine.run(&code, &Block { words, dispatches, ..Block::default() })?;
    let found = machine.read_now(&[(place, pairs.len() as u64 * 2)])?;
    machine.free(place, bytes);
    Ok(found.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
}

/// Two numbers, always the same: scrambled bits, and now and then those of something special.
fn pair(at: u32) -> [u32; 2] {
    const SPECIAL: [u32; 8] =
        [0, 0x8000_0000, 1, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000];
    let bits = |salt: u32| {
        let mixed = (at.wrapping_mul(0x9e37_79b9) ^ salt).wrapping_mul(0x85eb_ca6b);
        let mixed = (mixed ^ mixed >> 13).wrapping_mul(0xc2b2_ae35);
        mixed ^ mixed >> 16
    };
    let (a, b) = (bits(1), bits(0x5bd1_e995));
    match at % 16 {
        0 => [SPECIAL[(a % 8) as usize], b],
        1 => [a, SPECIAL[(b % 8) as usize]],
        2 => [SPECIAL[(a % 8) as usize], SPECIAL[(b % 8) as usize]],
        // Quotients near one, and those that are subnormal.
        3..8 => [0x3f80_0000 | a >> 9, 0x3f80_0000 | b >> 9],
        8 => [0x0080_0000 | a >> 9, 0x4000_0000 | b >> 8],
        _ => [a, b],
    }
}

fn is_right([a, b]: [u32; 2], [quotient, root]: [u32; 2]) -> bool {
    let (a, b) = (f32::from_bits(a), f32::from_bits(b));
    let same = |found: u32, exact: f32| {
        let found = f32::from_bits(found);
        found.to_bits() == exact.to_bits() || found.is_nan() && exact.is_nan()
    };
    same(quotient, a / b) && same(root, a.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::choose;

    /// Both libraries, and the exact one on adapters whose guesses are off by so many units in the last place.
    #[test]
    fn quotients_and_roots_are_rounded_to_nearest() {
        let Ok(adapter) = choose(None) else {
            eprintln!("SKIPPED: there is no WebGPU adapter");
            return;
        };
        let mut machine = WgpuMachine::new(&adapter, Some(1 << 24)).expect("it opens");
        let native = divides(&mut machine).expect("it runs");
        let exact = library(Rounding { fuses: true, divides: false });
        let mut texts = vec![("guesses as they are", exact.clone())];
        for by in ["3u", "5u", "4294967293u", "4294967291u"] {
            let text = exact
                .replace("{ return opaque_f32(left_f32(a) / right_f32(b)); }", &off("a / b", by))
                .replace("{ return opaque_f32(sqrt(a)); }", &off("sqrt(a)", by));
            assert_ne!(text, exact);
            texts.push((by, text));
        }
        if native {
            texts.push(("the adapter itself", library(Rounding { fuses: true, divides: true })));
        }
        let pairs: Vec<[u32; 2]> = (0..1 << 17).map(pair).collect();
        for (what, text) in texts {
            let found = quotients(&mut machine, &text, &pairs).expect("it runs");
            let wrong = pairs.iter().zip(&found).find(|(pair, found)| !is_right(**pair, **found));
            assert_eq!(wrong, None, "{what}");
        }
    }

    /// The body of a function whose result is off.
    fn off(guess: &str, by: &str) -> String {
        format!("{{ return opaque_f32(bitcast<f32>(bitcast<u32>({guess}) + {by})); }}")
    }
}
