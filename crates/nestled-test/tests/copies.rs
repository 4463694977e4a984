//! Copies from one buffer of a GPU to another: on the device, so that nobody waits, whatever bytes of a word they begin at.

use nestled_gpu::{Counts, GpuDevice, Machine};
use nestled_ir::value::Buffer;
use nestled_ir::{Scalar, ScalarType};
use nestled_rt::device::{BufferId, Device, Slice};
use nestled_test::{gpu, stand_in};
use nestled_wgpu::WgpuConfig;

/// Elements of both buffers.
const LEN: u64 = 203;

fn data(elem: ScalarType, salt: u64) -> Buffer {
    let bits = |at: u64| (at + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7;
    let number = |at| match elem {
        ScalarType::Bool => Scalar::Bool(bits(at) & 1 == 1),
        // No NaN: those are only as good as equal.
        ScalarType::F16 => Scalar::from_bits(elem, bits(at) & 0x3fff),
        ScalarType::F32 => Scalar::F32(bits(at) as f32),
        ScalarType::F64 => Scalar::F64(bits(at) as f64),
        _ => Scalar::from_bits(elem, bits(at)),
    };
    Buffer::from_scalars(elem, &(0..LEN).map(number).collect::<Vec<_>>())
}

fn put(device: &dyn Device, data: &Buffer) -> BufferId {
    let buffer = device.allocate(data.elem(), data.len() as u64).expect("there is room");
    device.copy_in(buffer, 0, data).expect("it fits");
    buffer
}

fn scalars(data: &Buffer) -> Vec<Scalar> {
    (0..data.len()).map(|at| data.get(at)).collect()
}

fn check<M: Machine>(device: &GpuDevice<M>) {
    for elem in ScalarType::ALL {
        let (source, target) = (data(elem, 1), data(elem, 1000));
        let mut expected = scalars(&target);
        let (from, to) = (put(device, &source), put(device, &target));
        let Counts { reads, writes, .. } = device.counts();
        for (from_at, to_at, len) in pieces() {
            device.copy(Slice { buffer: from, offset: from_at, len }, to, to_at).expect("it is copied");
            for at in 0..len {
                expected[(to_at + at) as usize] = source.get((from_at + at) as usize);
            }
        }
        let now = device.counts();
        assert_eq!((now.reads, now.writes), (reads, writes), "{elem}: the host had a part in it");
        let found = device.copy_out(Slice { buffer: to, offset: 0, len: LEN }).expect("it is read");
        assert_eq!(scalars(&found), expected, "{elem}");
        // What the host writes into the middle of a word is not read before either.
        let reads = device.counts().reads;
        device.copy_in(to, 5, &Buffer::from_scalars(elem, &expected[..2])).expect("it fits");
        assert_eq!(device.counts().reads, reads, "{elem}");
        expected.copy_within(..2, 5);
        let found = device.copy_out(Slice { buffer: to, offset: 0, len: LEN }).expect("it is read");
        assert_eq!(scalars(&found), expected, "{elem}");
        [from, to].into_iter().for_each(|buffer| device.free(buffer));
    }
}

/// From where, to where, and how many.
fn pieces() -> Vec<(u64, u64, u64)> {
    let mut pieces = vec![(0, 0, LEN), (0, 9, 0), (LEN, LEN, 0)];
    for from in 0..5 {
        for to in 0..5 {
            for len in [1, 2, 3, 4, 5, 6, 7, 8, 9, 130] {
                pieces.push((from + 10 * (len % 3), to + 7 * (from + 4 * (len % 2)), len));
            }
        }
    }
    pieces
}

#[test]
fn on_web_gpu() {
    if gpu::has_adapter() {
        check(&nestled_wgpu::open(WgpuConfig::default()).expect("it opens"));
    }
}

#[test]
fn on_cuda() {
    if stand_in::is_there() {
        // With memory that goes back at once, and with memory that is kept.
        check(&stand_in::open(None));
        check(&stand_in::open(None));
    }
}
