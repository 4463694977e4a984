//! Engines, errors, threads, and large graphs.

use nestled_array::*;
use nestled_test::again;

fn is_send_and_sync<T: Send + Sync>() {}

#[test]
fn arrays_go_from_thread_to_thread() {
    is_send_and_sync::<Array<f32>>();
    is_send_and_sync::<Ragged<f32>>();
    is_send_and_sync::<Engine>();
    let x = Array::<i64>::range(1000);
    let shared = (&x * 3).cumsum(0);
    let threads: Vec<_> = (0..4)
        .map(|k| {
            let shared = shared.clone();
            std::thread::spawn(move || (0..20).map(|j| (&shared + k * j).sum().item().unwrap()).sum::<i64>())
        })
        .collect();
    let total: i64 = (0..1000).map(|k| 3 * k * (k + 1) / 2).sum();
    for (k, thread) in threads.into_iter().enumerate() {
        assert_eq!(thread.join().unwrap(), 20 * total + 190_000 * k as i64);
    }
}

#[test]
fn engines_lend_each_other_data() {
    let (one, other) = (Engine::new(EngineConfig::default()), Engine::new(EngineConfig::default()));
    let x = Array::from_vec(vec![1.0f32, 2.0]) * 2.0;
    one.eval(&[&x]).unwrap();
    let y = &x + 1.0;
    other.eval(&[&y]).unwrap();
    drop((one, other));
    assert_eq!(y.to_vec().unwrap(), [3.0, 5.0]);
    assert_eq!(x.to_vec().unwrap(), [2.0, 4.0]);
}

#[test]
fn devices_lend_each_other_data() {
    let reference = Engine::new(EngineConfig::on(DeviceChoice::Reference));
    let cpu = Engine::new(EngineConfig::on(DeviceChoice::Cpu));
    let auto = Engine::new(EngineConfig::on(DeviceChoice::Auto));
    let here = Engine::current();
    let x = Array::<i64>::range(5) * 2;
    reference.eval(&[&x]).unwrap();
    let mut y = x.clone();
    for engine in [&cpu, &here, &auto, &reference, &here] {
        y = &y + &x;
        engine.eval(&[&y]).unwrap();
    }
    assert_eq!(y.to_vec().unwrap(), [0, 12, 24, 36, 48]);
    assert_eq!(x.to_vec().unwrap(), [0, 2, 4, 6, 8]);
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    for nowhere in [DeviceChoice::Wgpu(Some(1000)), DeviceChoice::Cuda(Some(1000))] {
        let error = Engine::try_new(EngineConfig::on(nowhere)).unwrap_err();
        assert!(matches!(error.reason(), Reason::Device(_)), "{error}");
        let engine = Engine::new(EngineConfig::on(nowhere));
        let x = Array::<f32>::ones(&[3]) + 1.0;
        let error = engine.eval(&[&x]).unwrap_err();
        assert!(matches!(error.reason(), Reason::Device(_)), "{error}");
        assert_eq!(x.to_vec().unwrap(), [2.0; 3]);
    }
    assert!(Engine::try_new(EngineConfig::on(DeviceChoice::Auto)).is_ok());
}

#[test]
fn the_device_shows() {
    let explained = (Array::<f32>::ones(&[3]) + 1.0).explain().unwrap();
    assert_eq!(explained.device(), Engine::current().device_name().unwrap());
    assert!(explained.to_string().contains(&format!("1 kernels of 1, on {}", explained.device())));
}

#[test]
fn mistakes_of_shape() {
    let (a, b) = (Array::<f32>::zeros(&[2, 3]), Array::<f32>::zeros(&[2, 4]));
    let error = a.try_add(&b).unwrap_err();
    let line = line!() - 1;
    let place = format!("crates/nestled-array/tests/engine.rs:{line}:19");
    assert_eq!(error.to_string(), format!("add at {place}: the shapes [2, 3] and [2, 4] do not go together"));
    assert_eq!(error.operation(), "add");
    assert!(matches!(error.reason(), Reason::Shapes(..)));
    let panic = std::panic::catch_unwind(|| &a + &b).err().unwrap();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("the shapes [2, 3] and [2, 4] do not go together"), "{message}");
    assert!(a.try_reshape(&[7]).is_err());
    assert!(a.try_section(&[(0..3).into(), (0..3).into()]).is_err());
    assert!(a.try_transpose(&[0, 0]).is_err());
    assert!(a.try_sum_axis(2).is_err());
    assert!(a.try_matmul(&b).is_err());
    assert!(a.try_take(2, &Array::from_vec(vec![0]), Outside::Clamp).is_err());
    assert!(a.try_drop_dim(0).is_err());
    assert!(a.try_broadcast_to(&[3, 3]).is_err());
    assert!(try_concat(&[&a, &b], 0).is_err());
    assert!(Array::try_new(vec![1, 2, 3], &[2, 2]).is_err());
    assert!(Array::<u8>::try_new(vec![], &[0; 9]).is_err());
    assert!(a.item().is_err());
    assert!(a.try_scan(0, Operator::Xor, Inclusion::Inclusive, Direction::Forward).is_err());
    assert!(Ragged::<u8>::new(&Array::<u8>::zeros(&[3]), &Segments::from_lengths(&[1, 1])).is_err());
    assert!(Segments::from_offsets(&[0, 2, 1]).is_err());
    assert!(Segments::of(&Array::from_vec(vec![1i64, -1])).is_err());
}

#[test]
fn a_fault_leaves_other_arrays_valid() {
    let x = Array::from_vec(vec![1i32, 2, 3]);
    let at = Array::from_vec(vec![0i64, 5]);
    let doubled = &x * 2;
    let wrong = doubled.gather(&[&at], Outside::Fault);
    let error = Engine::current().eval(&[&wrong, &doubled]).unwrap_err();
    assert!(matches!(error.reason(), Reason::Fault(_)), "{error}");
    assert_eq!(error.operation(), "gather");
    assert_eq!(error.place().unwrap().line(), line!() - 4);
    assert_eq!(doubled.to_vec().unwrap(), [2, 4, 6]);
    assert!(wrong.eval().is_err());
    let program = jit(|at: Array<i64>| Array::from_vec(vec![7i32]).gather(&[&at], Outside::Fault));
    let error = program.call(&at).unwrap_err();
    assert_eq!((error.operation(), error.place().unwrap().line()), ("gather", line!() - 2));
    assert_eq!(program.call(&Array::from_vec(vec![0i64, 0])).unwrap().to_vec().unwrap(), [7, 7]);
}

#[test]
fn memory_is_limited() {
    let engine = Engine::new(EngineConfig { memory: Some(8 << 20), ..EngineConfig::default() });
    engine.run(|| {
        let x = Array::<f32>::uniform(&[1000, 1000], 1);
        let mean = x.mean().item().unwrap();
        x.eval().unwrap();
        let large = Array::<f32>::uniform(&[4000, 1000], 1);
        let error = large.eval().unwrap_err();
        assert!(matches!(error.reason(), Reason::OutOfMemory(_)), "{error}");
        assert_eq!(x.mean().item().unwrap(), mean);
    });
}

#[test]
fn many_nodes() {
    let step = Array::from_vec(vec![1i64, 2, 3]);
    let mut x = Array::<i64>::zeros(&[3]);
    for _ in 0..200_000 {
        x = &x + &step;
    }
    let wide: Vec<Array<i64>> = (0..2000).map(|k| &step * k).collect();
    let sum = wide.iter().fold(x.clone(), |sum, one| sum + one);
    assert_eq!(sum.to_vec().unwrap(), [2_199_000, 4_398_000, 6_597_000]);
    assert_eq!(x.to_vec().unwrap(), [200_000, 400_000, 600_000]);
}

#[test]
fn histories_are_let_go() {
    let mut x = Array::<f32>::uniform(&[100], 1);
    for _ in 0..50 {
        x = &x * 0.5 + 1.0;
        x.eval().unwrap();
        assert!(x.is_ready());
    }
    assert!((x.mean().item().unwrap() - 2.0).abs() < 1e-5);
}

#[test]
fn numbers_from_seeds() {
    let reference = Engine::new(EngineConfig::on(DeviceChoice::Reference));
    for seed in [0, 1, u64::MAX] {
        let draw = || {
            (
                Array::<f32>::normal(&[7, 5], seed).to_vec().unwrap(),
                Array::random_bits(&[40], seed).to_vec().unwrap(),
            )
        };
        assert_eq!(draw(), reference.run(draw));
    }
}

#[test]
fn files() {
    let path = std::env::temp_dir().join(format!("nestled-array-{}.npy", std::process::id()));
    let x = Array::new(vec![1.5f32, -2.0, 0.0, 4.0, 5.0, 6.0], &[2, 3]);
    x.write_npy(&path).unwrap();
    let y = Array::<f32>::read_npy(&path).unwrap();
    assert_eq!((y.shape(), y.to_vec().unwrap()), (x.shape(), x.to_vec().unwrap()));
    assert!(matches!(Array::<i32>::read_npy(&path).unwrap_err().reason(), Reason::File(_)));
    std::fs::remove_file(&path).unwrap();
    assert!(Array::<f32>::read_npy(&path).is_err());
}

#[test]
fn all_on_webgpu() {
    again::webgpu(module_path!());
}

#[test]
fn all_on_cuda() {
    again::cuda(module_path!());
}
