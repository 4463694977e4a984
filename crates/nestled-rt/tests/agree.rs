//! The executor computes what the interpreter computes, on every program of the tree and however the device behaves.

use crate::common::{Call, Case, cases, devices};
use nestled_ir::interp::{self, Limits, TestWorld};
use nestled_ir::value::same_bits;
use nestled_rt::{Error, Executable};
use std::rc::Rc;

#[test]
fn the_executor_agrees_with_the_interpreter() {
    let mut wrong = Vec::new();
    let mut calls = 0;
    // For those who only want to know whether anything differs.
    let first_only = std::env::var_os("NESTLED_TEST_FIRST_FAILURE").is_some();
    for case in cases() {
        for device in devices() {
            let name = nestled_rt::device::Device::describe(&*device).name.clone();
            let executable = match Executable::new(&case.program, Rc::clone(&device) as _) {
                Ok(executable) => executable,
                Err(error) => panic!("{}: {error}", case.path.display()),
            };
            for call in &case.calls {
                calls += 1;
                if let Some(difference) = difference(&case, call, &executable) {
                    wrong.push(format!("{}:{} on {name}: {difference}", case.path.display(), call.line));
                    assert!(!first_only, "{}", wrong[0]);
                }
            }
            drop(executable);
            nestled_rt::device::Device::wait(&*device).unwrap();
            assert_eq!(device.bytes_in_use(), 0, "{} leaks", case.path.display());
        }
    }
    assert!(calls > 100, "only {calls} calls were found");
    assert!(wrong.is_empty(), "{} of {calls} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn difference(case: &Case, call: &Call, executable: &Executable) -> Option<String> {
    let (mut expected_world, mut world) = (TestWorld::default(), TestWorld::default());
    let limits = Limits::default();
    let (function, shapes, args) = (&call.function, &call.shapes, &call.args);
    let expected = interp::run(&case.program, function, shapes, args, &limits, &mut expected_world);
    let found = executable.run(function, shapes, args, &mut world);
    if (&expected_world.output, &expected_world.errors) != (&world.output, &world.errors) {
        return Some(format!("{:?} is printed, not {:?}", world.output, expected_world.output));
    }
    match (expected, found) {
        (Ok(expected), Ok(found)) => {
            let same = expected.len() == found.len()
                && expected.iter().zip(&found).all(|(expected, found)| same_bits(expected, found));
            (!same).then(|| format!("{found:?} is found, not {expected:?}"))
        }
        (Err(interp::Error::Fault(expected)), Err(Error::Fault(found))) => {
            (expected != found).then(|| format!("{found:?} is raised, not {expected:?}"))
        }
        (Err(interp::Error::Limit { .. }), Err(_)) => None,
        (expected, found) => Some(format!("{found:?} is found, not {expected:?}")),
    }
}
