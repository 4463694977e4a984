//! Without LLVM kernels are interpreted, and programs say so.

use nestled_array::*;
use std::process::Command;

/// Set, it makes the test the second process.
const CHILD: &str = "NESTLED_TEST_WITHOUT_LLVM";

#[test]
fn who_is_slow_says_why() {
    if std::env::var_os(CHILD).is_some() {
        for n in 1..4 {
            let x = Array::<i64>::range(10 * n) * 3;
            assert_eq!(x.max().item().unwrap(), 30 * n as i64 - 3);
        }
        Engine::new(EngineConfig::default()).run(|| Array::<f32>::ones(&[3]).sum().item()).unwrap();
        let name = Engine::current().device_name().unwrap();
        assert_eq!(name, "the CPU, interpreting kernels for want of LLVM");
        assert!(Engine::current().counts().interpreted >= 3);
        return;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "interpreted::who_is_slow_says_why", "--nocapture"]).env(CHILD, "1");
    command
        .env("NESTLED_DEVICE", "cpu")
        .env("NESTLED_CACHE", "")
        .env("NESTLED_COMPILE", "first")
        .env("NESTLED_LLVM", "/nowhere/libLLVM.so");
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{told}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(told.matches("kernels are interpreted").count(), 1, "{told}");
    assert!(told.contains("/nowhere/libLLVM.so"), "{told}");
    let name = Engine::new(EngineConfig::on(DeviceChoice::Cpu)).device_name().unwrap();
    assert_eq!(name, "the CPU");
    let compiled =
        Engine::new(EngineConfig { compile_first: Some(true), ..EngineConfig::on(DeviceChoice::Cpu) });
    assert_eq!(compiled.run(|| (Array::<i64>::range(7) * 5).max().item()).unwrap(), 30);
    assert_eq!(compiled.counts().interpreted, 0);
}
