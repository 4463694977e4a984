//! The device as its callers see it: memory, and what follows a fault.

use nestled_cache::SharedCache;
use nestled_cpu::device::{CacheChoice, CpuConfig, CpuDevice};
use nestled_ir::interp::{FaultKind, TestWorld};
use nestled_ir::value::{Array, AxisValue, Buffer, Value};
use nestled_ir::{Order, Program, Scalar, ScalarType, SiteId};
use nestled_rt::device::{
    Arg, BufferId, Cell, Device, DeviceError, Extent, KernelRequest, Launch, Native, NativeKind, Rows,
    ShapeArg, Slice,
};
use nestled_rt::{Error, Executable};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

const PROGRAM: &str = "
kernel spread<m>() over m {
  large = map { i => f32 i }
  ret large
}
kernel shift(xs: [n]f32, by: f32) over n {
  y = map { i => add xs[i] by }
  ret y
}
kernel total(xs: [n]f32) over n {
  s = reduce { i => xs[i] } add
  ret s
}
fn sum(n: idx) -> f32 {
  m = dim n
  xs = run spread<m>()
  s = run total<m>(xs)
  ret s
}
fn steps<n>(xs: [n]f32, k: i64) -> [n]f32 {
  r = if le k 0 { xs } else {
    ys = run shift<n>(xs, 1.0)
    zs = steps<n>(ys, sub k 1)
    zs
  }
  ret r
}
";

fn program() -> Program {
    let program =
        nestled_ir::text::parse("device.lcu", PROGRAM).unwrap_or_else(|failure| panic!("{failure}"));
    nestled_ir::verify::verify(&program).unwrap_or_else(|found| panic!("{found:#?}"));
    program
}

fn device(threads: usize, memory: u64) -> Rc<CpuDevice> {
    let (threads, memory) = (Some(threads), Some(memory));
    Rc::new(CpuDevice::new(CpuConfig {
        threads,
        memory,
        disk_cache: CacheChoice::Off,
        ..CpuConfig::default()
    }))
}

fn sum(executable: &Executable, n: i64) -> Result<String, Error> {
    let results = executable.run("sum", &[], &[Value::Scalar(Scalar::Idx(n))], &mut TestWorld::default())?;
    Ok(results[0].to_string())
}

fn steps(executable: &Executable, count: i64) -> String {
    let args = [Value::Array(Array::vector(Buffer::F32(vec![1.0, 2.0]))), Value::Scalar(Scalar::I64(count))];
    let results = executable.run("steps", &[AxisValue::Extent(2)], &args, &mut TestWorld::default()).unwrap();
    results[0].to_string()
}

/// What would hold up a program is compiled once it has been worth it, and results are the same before and after.
#[test]
fn kernels_wait_until_they_are_worth_compiling() {
    let cache = Arc::new(SharedCache::new(1 << 24));
    let config = |compile_first| CpuConfig {
        compile_first,
        threads: Some(1),
        disk_cache: CacheChoice::Shared(Arc::clone(&cache)),
        ..CpuConfig::default()
    };
    let waiting = Rc::new(CpuDevice::new(config(false)));
    let executable = Executable::new(&program(), Rc::clone(&waiting) as _).unwrap();
    assert_eq!(steps(&executable, 3), "[4.0, 5.0]");
    let small = sum(&executable, 1000).unwrap();
    assert_eq!(cache.objects(), 0, "what runs on little data is not compiled");
    let large = sum(&executable, 4_000_000).unwrap();
    assert!(waiting.hint().is_some() || cache.objects() > 0, "what takes long is");
    assert_eq!(steps(&executable, 5000), "[5001.0, 5002.0]");
    assert!(waiting.hint().is_some() || cache.objects() == 3, "{} are compiled", cache.objects());
    // So it is with the kernels of many small programs.
    let one = |number: i64| {
        let text = format!(
            "kernel k<n>(xs: [n]i64) over n {{\n  y = map {{ i => mul xs[i] {number} }}\n  ret y\n}}\nfn main<n>(xs: [n]i64) -> [n]i64 {{\n  y = run k(xs)\n  ret y\n}}\n"
        );
        nestled_ir::text::parse("one", &text).unwrap()
    };
    for (compile_first, compiled) in [(false, 0), (true, 4)] {
        let own = Arc::new(SharedCache::new(1 << 24));
        let disk_cache = CacheChoice::Shared(Arc::clone(&own));
        let device = Rc::new(CpuDevice::new(CpuConfig { disk_cache, ..config(compile_first) }));
        for number in 2..6 {
            let executable = Executable::new(&one(number), Rc::clone(&device) as _).unwrap();
            let args = [Value::Array(Array::vector(Buffer::I64(vec![1, 2])))];
            let results = executable.run("main", &[AxisValue::Extent(2)], &args, &mut TestWorld::default());
            assert_eq!(results.unwrap()[0].to_string(), format!("[{number}, {}]", 2 * number));
        }
        assert!(device.hint().is_some() || own.objects() == compiled, "{} are compiled", own.objects());
    }
    // What is known does not wait.
    let later = Rc::new(CpuDevice::new(config(false)));
    let executable = Executable::new(&program(), later as _).unwrap();
    assert_eq!((sum(&executable, 1000).unwrap(), sum(&executable, 4_000_000).unwrap()), (small, large));
}

/// With several threads a kernel is compiled in the background while it runs on the interpreter, and results are the same before and after.
#[test]
fn kernels_are_compiled_in_the_background() {
    let device = Rc::new(CpuDevice::new(CpuConfig {
        compile_first: false,
        threads: Some(2),
        disk_cache: CacheChoice::Off,
        ..CpuConfig::default()
    }));
    let executable = Executable::new(&program(), Rc::clone(&device) as _).unwrap();
    let large = sum(&executable, 1_000_000).unwrap();
    for _ in 0..200 {
        if device.compiled_in_background() > 0 || device.hint().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(sum(&executable, 1_000_000).unwrap(), large);
    }
    assert!(device.compiled_in_background() > 0 || device.hint().is_some(), "none was");
    assert_eq!(sum(&executable, 1_000_000).unwrap(), large);
}

/// Bytes of this process that lie in memory.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// Set, it makes the test below the second process, whose memory no other test has.
#[cfg(target_os = "linux")]
const CHILD: &str = "NESTLED_TEST_LAUNCHES_CHILD";

#[cfg(target_os = "linux")]
#[test]
fn launches_leave_nothing_behind() {
    if std::env::var_os(CHILD).is_none() {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "device::launches_leave_nothing_behind"]).env(CHILD, "1");
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let device = device(1, 1 << 30);
    let executable = Executable::new(&program(), Rc::clone(&device) as _).unwrap();
    assert_eq!(steps(&executable, 1000), "[1001.0, 1002.0]");
    let before = resident();
    assert_eq!(steps(&executable, LAUNCHES), format!("[{}.0, {}.0]", LAUNCHES + 1, LAUNCHES + 2));
    let grown = resident().saturating_sub(before);
    // The least that a launch could leave is 64 bytes.
    assert!(grown < 32 << 20, "{grown} bytes more");
    assert_eq!(device.bytes_in_use(), 0);
}

#[cfg(target_os = "linux")]
const LAUNCHES: i64 = 1_000_000;

/// Pages that this thread touched for the first time.
#[cfg(target_os = "linux")]
fn page_faults() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    let (_, fields) = text.rsplit_once(") ").unwrap();
    fields.split(' ').nth(7).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn memory_that_is_freed_serves_again() {
    let device = device(1, 1 << 28);
    let elements = [10, 5000, 100_000, 2_000_000].map(|len| Buffer::F32(vec![1.0; len]));
    let round = || {
        let buffers = elements.each_ref().map(|elements| put(&device, elements).buffer);
        buffers.into_iter().for_each(|buffer| device.free(buffer));
    };
    round();
    let before = page_faults();
    (0..50).for_each(|_| round());
    let faults = page_faults() - before;
    assert!(faults < 50, "{faults} pages were touched for the first time");
}

#[test]
fn the_limit_of_memory_is_kept() {
    let device = device(2, 1 << 20);
    let executable = Executable::new(&program(), Rc::clone(&device) as _).unwrap();
    let error = sum(&executable, 1 << 20).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { wanted: 4_194_304, .. }), "{error}");
    assert!(error.to_string().starts_with("out of memory: `large` takes 4194304 bytes, but "), "{error}");
    assert_eq!(sum(&executable, 1000).unwrap(), "499500.0", "afterwards it still runs");
    let error = sum(&executable, i64::MAX).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    assert_eq!(device.bytes_in_use(), 0);
}

fn known(extent: u64) -> Extent {
    Extent::known(extent)
}

/// A buffer with these elements.
fn put(device: &CpuDevice, elements: &Buffer) -> Slice {
    let len = elements.len() as u64;
    let buffer = device.allocate(elements.elem(), len).unwrap();
    device.copy_in(buffer, 0, elements).unwrap();
    Slice { buffer, offset: 0, len }
}

fn room(device: &CpuDevice, elem: ScalarType, len: u64) -> Slice {
    Slice { buffer: device.allocate(elem, len).unwrap(), offset: 0, len }
}

fn native(device: &CpuDevice, kind: NativeKind) -> Result<(), DeviceError> {
    device.native(Native { kind, region: 0, least_site: Some(SiteId(0)) })
}

fn indices(device: &CpuDevice, slice: Slice) -> Vec<i64> {
    match device.copy_out(slice).unwrap() {
        Buffer::Idx(list) => list,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_least_fault_is_kept_and_later_ones_are_skipped() {
    let device = device(1, 1 << 20);
    let lengths = put(&device, &Buffer::I32(vec![2, -7, 1, -9]));
    let offsets = room(&device, ScalarType::Idx, 5);
    let make = |site: u32, region: u64, least: u32| {
        let kind = NativeKind::Offsets {
            elem: ScalarType::I32,
            lengths,
            count: known(4),
            offsets,
            site: SiteId(site),
        };
        device.native(Native { kind, region, least_site: Some(SiteId(least)) }).unwrap();
        device.wait().unwrap().map(|fault| (fault.region, fault.site.0, fault.element, fault.kind))
    };
    let negative = FaultKind::Negative { value: -7 };
    assert_eq!(make(5, 3, 5), Some((3, 5, 1, negative.clone())));
    assert_eq!(indices(&device, offsets), [0, 2, 2, 3, 3]);
    assert_eq!(make(6, 3, 6), Some((3, 5, 1, negative.clone())), "a greater site is skipped");
    assert_eq!(make(4, 4, 4), Some((3, 5, 1, negative.clone())), "a later region is skipped");
    assert_eq!(make(4, 3, 4), Some((3, 4, 1, negative)), "a lesser site is not");
    device.clear_fault();
    assert_eq!(device.wait().unwrap(), None);
}

/// After a fault nothing in memory can be believed: no operation may then reach outside of its slices.
#[test]
fn rubbish_after_a_fault_does_no_harm() {
    for threads in [1, 2] {
        let device = device(threads, 1 << 28);
        let bad = put(&device, &Buffer::I32(vec![-1]));
        let offsets = room(&device, ScalarType::Idx, 2);
        let fault = NativeKind::Offsets {
            elem: ScalarType::I32,
            lengths: bad,
            count: known(1),
            offsets,
            site: SiteId(9),
        };
        native(&device, fault).unwrap();
        assert!(device.wait().unwrap().is_some());
        for rubbish in [vec![0, i64::MAX, i64::MIN, 3], vec![-5, 2, 9, 4], vec![7; 4], vec![0, 3, 2, 4]] {
            let rubbish = put(&device, &Buffer::Idx(rubbish));
            let cell = Cell { buffer: rubbish.buffer, at: 1 };
            let count = Extent { bound: 4, exact: Some(cell) };
            let keys = put(&device, &Buffer::F64(vec![3.0, 1.0, 2.0, 0.0]));
            let (sorted, ranks) = (room(&device, ScalarType::F64, 4), room(&device, ScalarType::Idx, 4));
            let order = Order::Ascending;
            for rows in [Rows::Offsets(rubbish), Rows::Regular { count, length: count }] {
                let elem = ScalarType::F64;
                native(
                    &device,
                    NativeKind::Sort { elem, keys, sorted, payload: vec![(elem, keys, ranks)], rows, order },
                )
                .unwrap();
                native(&device, NativeKind::Rank { elem, keys, ranks, rows, order }).unwrap();
                let (starts, limit) = (rubbish, count);
                native(&device, NativeKind::Inside { starts, count, rows, limit, site: SiteId(9) }).unwrap();
            }
            let product = room(&device, ScalarType::F64, 16);
            let sizes = [count, count, count];
            let (elem, left, right) = (ScalarType::F64, keys, keys);
            native(&device, NativeKind::MatMul { elem, left, right, product, sizes }).unwrap();
            let lengths = room(&device, ScalarType::Idx, 3);
            native(&device, NativeKind::Lengths { offsets: rubbish, lengths }).unwrap();
            native(&device, NativeKind::Ramp { step: count, count, into: ranks }).unwrap();
            native(&device, NativeKind::FillExtent { extent: count, into: ranks }).unwrap();
            assert!(
                indices(&device, ranks).iter().all(|length| (0..=4).contains(length)),
                "within the bound"
            );
            let equal = room(&device, ScalarType::Bool, 1);
            native(&device, NativeKind::SameOffsets { left: rubbish, right: offsets, equal }).unwrap();
        }
    }
}

#[test]
fn a_freed_buffer_is_a_bug_and_no_more() {
    let device = device(1, 1 << 20);
    let buffer = device.allocate(ScalarType::I64, 4).unwrap();
    device.free(buffer);
    let gone = [buffer, BufferId(77), BufferId(u64::MAX)];
    for buffer in gone {
        let slice = Slice { buffer, offset: 0, len: 4 };
        assert!(matches!(device.copy_out(slice), Err(DeviceError::Bug(_))));
        let written = device.copy_in(buffer, 0, &Buffer::I64(vec![1]));
        assert!(matches!(written, Err(DeviceError::Bug(_))));
        let filled = native(&device, NativeKind::FillExtent { extent: known(1), into: slice });
        assert!(matches!(filled, Err(DeviceError::Bug(_))));
    }
}

/// After a `same` that does not hold, an array may have fewer elements than its shape promises: what lies behind them is not read.
#[test]
fn nothing_behind_a_slice_is_read() {
    for llvm in [true, false] {
        let config =
            CpuConfig { threads: Some(1), llvm, disk_cache: CacheChoice::Off, ..CpuConfig::default() };
        let device = CpuDevice::new(config);
        let program = Arc::new(program());
        let kernel = program.find_kernel("total").unwrap();
        let compiled = device.compile(&program, &[KernelRequest { kernel, wide: false }]).unwrap().remove(0);
        let xs = put(&device, &Buffer::F32(vec![1.0, 2.0, 100.0, 100.0]));
        let sum = room(&device, ScalarType::F32, 1);
        let launched = |len: u64| {
            device.launch(&Launch {
                kernel: compiled.handle,
                shapes: &[ShapeArg::Extent(known(4))],
                args: &[Arg::Dense(Slice { len, ..xs })],
                results: &[sum],
                region: 0,
                least_site: None,
            })
        };
        launched(4).unwrap();
        assert!(matches!(launched(2), Err(DeviceError::Bug(_))), "{llvm}");
    }
}
