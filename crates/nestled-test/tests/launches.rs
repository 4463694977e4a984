//! What a launch costs the host on GPUs: once everything has been seen before, no allocation of ours on its path.
//!
//! Allocations are counted on the thread that launches, by the allocator that all of this program uses. The stand-in for CUDA has one of its own, so what it does is
//! not counted; what wgpu does is, and is printed.

#![allow(unsafe_code)]

use nestled_cuda::{CudaConfig, CudaDevice};
use nestled_ir::value::Buffer;
use nestled_ir::{KernelId, Order, Program, Scalar, ScalarType, text};
use nestled_rt::device::{
    Arg, BufferId, Cell as Number, Device, Extent, KernelHandle, KernelRequest, Launch, Native, NativeKind,
    Rows, ShapeArg, Slice,
};
use nestled_test::{gpu, stand_in};
use nestled_wgpu::WgpuConfig;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

thread_local! {
    static COUNT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// The system's allocator; it counts where somebody wishes it.
struct Counting;

// SAFETY: all is left to the system; a counter without a destructor, of a thread that is alive, allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get().map(|count| count + 1)));
        // SAFETY: as our caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as our caller promises.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|count| count.set(count.get().map(|count| count + 1)));
        // SAFETY: as our caller promises.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many allocations something takes.
fn allocations(run: impl FnOnce()) -> u64 {
    COUNT.with(|count| count.set(Some(0)));
    run();
    COUNT.with(|count| count.take().unwrap_or(0))
}

const KERNELS: &str = "
kernel next(xs: [n]f32, c: f32) over n {
  y = map { i => add xs[i] c }
  ret y
}
kernel total(xs: [n]f32) over n {
  s = reduce { i => xs[i] } add
  ret s
}
kernel pick(xs: [n]f32, at: [n]idx, c: f32) over n {
  y = map { i => add xs[at[i]] c }
  ret y
}
kernel rows<n, s: seg[n]>(xs: [s]f32) over n, s {
  t = reduce @1 { i, j => xs[i, j] } add
  ret t
}
kernel keep(xs: [n]f32) over n {
  p = map { i => gt xs[i] 0.0 }
  (k, ys) = filter where p { i => xs[i] }
  ret k, ys
}
";

/// A device with the kernels, and what they work on.
struct Bench<'a> {
    device: &'a dyn Device,
    kernels: Vec<KernelHandle>,
    xs: Slice,
    at: Slice,
    offsets: Slice,
    one: Slice,
}

/// What clocks may differ by.
const SLACK: Duration = Duration::from_millis(1);

/// Points of each array.
const N: u64 = 8;

impl<'a> Bench<'a> {
    fn new(device: &'a dyn Device) -> Bench<'a> {
        let program = Arc::new(text::parse("launches.lcu", KERNELS).expect("it is well-formed"));
        let kernels = prepare(device, &program);
        let put = |data: Buffer| {
            let slice = slice(device, data.elem(), data.len() as u64);
            device.copy_in(slice.buffer, 0, &data).expect("it fits");
            slice
        };
        let xs = put(Buffer::F32((0..N).map(|x| x as f32 - 2.0).collect()));
        let at = put(Buffer::Idx((0..N as i64).rev().collect()));
        let offsets = put(Buffer::Idx(vec![0, 3, 3, 8]));
        let one = put(Buffer::F32(vec![1.0]));
        Bench { device, kernels, xs, at, offsets, one }
    }

    fn launch(&self, kernel: usize, shapes: &[ShapeArg], args: &[Arg], results: &[Slice]) {
        let kernel = self.kernels[kernel];
        let launch = Launch { kernel, shapes, args, results, region: 1, least_site: None };
        self.device.launch(&launch).expect("it is launched");
    }

    /// A chain of everything that a loop of host code does: results are made and given back, numbers of the device are arguments, faults are possible, and at
    /// the end somebody waits for a number.
    fn step(&self, into: &mut Vec<Scalar>) {
        let n = [ShapeArg::Extent(Extent::known(N))];
        let (ys, zs, sum) = (self.array(N), self.array(N), self.array(1));
        self.launch(0, &n, &[Arg::Dense(self.xs), Arg::Cell(cell(self.one))], &[ys]);
        self.launch(2, &n, &[Arg::Dense(ys), Arg::Dense(self.at), Arg::Scalar(Scalar::F32(0.0))], &[zs]);
        self.launch(1, &n, &[Arg::Dense(zs)], &[sum]);
        let (count, kept) = (slice(self.device, ScalarType::Idx, 1), self.array(N));
        self.launch(4, &n, &[Arg::Dense(zs)], &[count, kept]);
        // The length of what was kept stays on the device.
        let bound = [ShapeArg::Extent(Extent { bound: N, exact: Some(cell(count)) })];
        self.launch(1, &bound, &[Arg::Dense(kept)], &[sum]);
        let totals = self.array(3);
        let total = Extent { bound: N, exact: Some(self.offsets.last()) };
        let s = ShapeArg::Offsets { offsets: self.offsets, total };
        self.launch(3, &[ShapeArg::Extent(Extent::known(3)), s], &[Arg::Dense(zs)], &[totals]);
        let lengths = slice(self.device, ScalarType::Idx, 3);
        let kind = NativeKind::Lengths { offsets: self.offsets, lengths };
        self.device.native(Native { kind, region: 1, least_site: None }).expect("it is launched");
        into.clear();
        let fault = self.device.read(&[cell(sum), cell(count)], into).expect("it is read");
        assert!(fault.is_none(), "{fault:?}");
        for slice in [ys, zs, sum, count, kept, totals, lengths] {
            self.device.free(slice.buffer);
        }
    }

    fn array(&self, len: u64) -> Slice {
        slice(self.device, ScalarType::F32, len)
    }
}

fn prepare(device: &dyn Device, program: &Arc<Program>) -> Vec<KernelHandle> {
    let requests: Vec<KernelRequest> = (0..program.kernels.len() as u32)
        .map(|kernel| KernelRequest { kernel: KernelId(kernel), wide: false })
        .collect();
    let compiled = device.compile(program, &requests).expect("they are compiled");
    compiled.iter().map(|compiled| compiled.handle).collect()
}

fn slice(device: &dyn Device, elem: ScalarType, len: u64) -> Slice {
    let buffer: BufferId = device.allocate(elem, len).expect("there is room");
    Slice { buffer, offset: 0, len }
}

fn cell(slice: Slice) -> Number {
    Number { buffer: slice.buffer, at: slice.offset }
}

/// Allocations of so many launches of a small map, then of so many steps.
fn measure(device: &dyn Device, launches: u64, steps: u64) -> (u64, u64) {
    let bench = Bench::new(device);
    let n = [ShapeArg::Extent(Extent::known(N))];
    let args = [Arg::Dense(bench.xs), Arg::Scalar(Scalar::F32(1.0))];
    let ys = [bench.array(N)];
    let some = || (0..launches).for_each(|_| bench.launch(0, &n, &args, &ys));
    let wait = || assert!(device.wait().expect("it waits").is_none());
    let mut into = Vec::new();
    let mut chain = || (0..steps).for_each(|_| bench.step(&mut into));
    some();
    wait();
    let start = Instant::now();
    let of_launches = allocations(some);
    println!("{:.2} µs for a launch", start.elapsed().as_secs_f64() * 1e6 / launches as f64);
    wait();
    chain();
    let start = Instant::now();
    let of_steps = allocations(&mut chain);
    println!("{:.2} µs for a step", start.elapsed().as_secs_f64() * 1e6 / steps as f64);
    assert_eq!(into, [Scalar::F32(21.0), Scalar::Idx(6)]);
    println!(
        "{of_launches} allocations in {launches} launches, {of_steps} in {steps} steps of seven launches"
    );
    (of_launches, of_steps)
}

/// CUDA on the stand-in; memory stays there for the next who wants some.
fn open_cuda() -> CudaDevice {
    let library = Some(stand_in::library().expect("it is there").to_owned());
    nestled_cuda::open(CudaConfig { library, ..CudaConfig::default() }).expect("it opens")
}

#[test]
fn cuda() {
    if !stand_in::is_there() {
        return;
    }
    let device = open_cuda();
    assert_eq!(measure(&device, 1000, 100), (0, 0));
    // With times, too, once there are marks enough; after them, all is as before.
    device.time_kernels(true);
    measure(&device, 1000, 100);
    assert_eq!(measure(&device, 1000, 100), (0, 0));
    device.time_kernels(false);
    device.wait().expect("it waits");
    let time = device.kernel_time();
    assert_eq!(measure(&device, 1000, 100), (0, 0));
    assert_eq!(device.kernel_time(), time);
}

/// A chain, a sort and a product, each of which needs what the one before it made, so that all go to one stream.
fn chain(bench: &Bench<'_>, between: impl FnOnce()) {
    let n = [ShapeArg::Extent(Extent::known(N))];
    let run = |kind: NativeKind| {
        bench.device.native(Native { kind, region: 1, least_site: None }).expect("it is launched");
    };
    let (ys, zs, sorted, product) = (bench.array(N), bench.array(N), bench.array(N), bench.array(1));
    bench.launch(0, &n, &[Arg::Dense(bench.xs), Arg::Cell(cell(bench.one))], &[ys]);
    bench.launch(2, &n, &[Arg::Dense(ys), Arg::Dense(bench.at), Arg::Scalar(Scalar::F32(0.0))], &[zs]);
    let rows = Rows::Regular { count: Extent::known(1), length: Extent::known(N) };
    let (elem, order) = (ScalarType::F32, Order::Ascending);
    run(NativeKind::Sort { elem, keys: zs, sorted, payload: Vec::new(), rows, order });
    let sizes = [1, N, 1].map(Extent::known);
    run(NativeKind::MatMul { elem, left: sorted, right: sorted, product, sizes });
    between();
    let mut into = Vec::new();
    assert!(bench.device.read(&[cell(product)], &mut into).expect("it is read").is_none());
    // The squares of -1 to 6.
    assert_eq!(into, [Scalar::F32(92.0)]);
    [ys, zs, sorted, product].iter().for_each(|slice| bench.device.free(slice.buffer));
}

/// Kernels take some time, and no more than passes while they run.
fn check_times(device: &dyn Device) {
    let bench = Bench::new(device);
    chain(&bench, || ());
    assert_eq!(device.kernel_time(), None);
    device.time_kernels(true);
    if device.kernel_time().is_none() {
        eprintln!("SKIPPED: {} does not tell", device.describe().name);
        return;
    }
    let start = Instant::now();
    chain(&bench, || assert_eq!(device.kernel_time(), Some(Duration::ZERO), "nobody has waited"));
    let (first, passed) = (device.kernel_time().expect("it was asked for"), start.elapsed());
    println!("{first:?} of {passed:?}");
    assert!(first > Duration::ZERO && first <= passed + SLACK, "{first:?} of {passed:?}");
    (0..9).for_each(|_| chain(&bench, || ()));
    let (all, passed) = (device.kernel_time().expect("it was asked for"), start.elapsed());
    println!("{all:?} of {passed:?}");
    assert!(all > first && all <= passed + SLACK, "{all:?} of {passed:?}");
}

#[test]
fn times_on_cuda() {
    if !stand_in::is_there() {
        return;
    }
    let device = open_cuda();
    check_times(&device);
    assert!(device.counts().products > 0 && device.counts().native == 0, "{:?}", device.counts());
}

#[test]
fn times_on_web_gpu() {
    if !gpu::has_adapter() {
        return;
    }
    let device = nestled_wgpu::open(WgpuConfig::default()).expect("it opens");
    check_times(&device);
    // More passes than there are times for at once: each begins after a copy.
    let Some(before) = device.kernel_time() else { return };
    let bench = Bench::new(&device);
    let (n, ys) = ([ShapeArg::Extent(Extent::known(N))], bench.array(N));
    for _ in 0..1100 {
        device.copy_in(bench.one.buffer, 0, &Buffer::F32(vec![1.0])).expect("it fits");
        bench.launch(0, &n, &[Arg::Dense(bench.xs), Arg::Cell(cell(bench.one))], &[ys]);
    }
    let full = device.kernel_time().expect("it was asked for");
    assert!(full > before, "nobody has waited, but for the room");
    device.wait().expect("it waits");
    assert!(device.kernel_time().expect("it was asked for") > full);
}

#[test]
fn web_gpu() {
    if !gpu::has_adapter() {
        return;
    }
    let device = nestled_wgpu::open(WgpuConfig::default()).expect("it opens");
    let (launches, steps) = (1000, 100);
    let (of_launches, of_steps) = measure(&device, launches, steps);
    // All of these are wgpu's own: it keeps a list for each dispatch, and makes an encoder and a pass wherever something is copied or waited for.
    assert!(of_launches <= 16 * launches, "{of_launches}");
    assert!(of_steps <= 220 * steps, "{of_steps}");
}
