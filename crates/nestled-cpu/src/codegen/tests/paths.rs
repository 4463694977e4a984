//! Code reads memory by the access paths that its plan states: from anywhere only where the plan says so, and there it does.

use crate::codegen::write;
use nestled_ir::{Kernel, Rule, StmtKind, are_own_coordinates};
use nestled_kernel::access::Path;
use nestled_kernel::schedule::{Loops, Rows, Strategy};
use nestled_kernel::{Plan, Sizes, Target, plan};
use std::path::PathBuf;

const TARGET: Target = Target { vector_bits: 512, avx512: true, f16c: true };

/// Kernels with plans of all kinds.
fn files() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let folders = [root.join("plans"), root.join("programs/kernels")];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("the folder is there"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "lcu"));
    files.sort();
    files
}

/// Calls `test` for each kernel that has code, with its file and name, its plan and the text given to LLVM.
fn each_kernel(target: &Target, mut test: impl FnMut(&str, &Plan, &str)) {
    for file in files() {
        let text = std::fs::read_to_string(&file).unwrap();
        let Ok(program) = nestled_ir::text::parse("file.lcu", &text) else { continue };
        for kernel in &program.kernels {
            let plan = plan(&program, kernel, target, Sizes::default());
            if let Ok(generated) = write(&program, &plan) {
                test(&format!("{} {}", file.display(), kernel.name), &plan, &generated.text);
            }
        }
    }
}

/// True if the plan states the paths of all reads: those of versions for groups in the lanes, and for vectors that go on into the next row, are found by the code itself.
fn states_all(plan: &Plan) -> bool {
    plan.schedules.iter().all(|schedule| {
        let plain = match &schedule.loops {
            Loops::Once | Loops::Whole(_) => true,
            Loops::Groups(groups) => groups.across.is_none() && groups.transposed.is_none(),
        };
        plain && !schedule.strategies().contains(&Strategy::Rows(Rows::Packed))
    })
}

/// True if all reads are inside for all points, so that there is no version for the boundary, which has paths of its own, and no private array.
fn stays_inside(kernel: &Kernel) -> bool {
    let mut inside = true;
    for step in &kernel.steps {
        step.body.body.walk(&mut |stmt| {
            inside &= match &stmt.kind {
                StmtKind::Read { index, .. } => {
                    let own = are_own_coordinates(index);
                    own || index.iter().all(|axis| axis.rule == Rule::Proved)
                }
                StmtKind::Window { offsets, .. } => offsets.iter().all(|axis| axis.rule == Rule::Proved),
                StmtKind::PrivateGet { .. } | StmtKind::PrivateSet { .. } | StmtKind::PrivateNew { .. } => {
                    false
                }
                _ => true,
            };
        });
    }
    inside
}

#[test]
fn code_reads_by_the_planned_paths() {
    let (mut wrong, mut with, mut without) = (Vec::new(), 0, 0);
    each_kernel(&TARGET, |name, plan, text| {
        // LLVM would make a constant mask again for each gather, and keep vectors across two lines of the cache. Bytes are not gathered, but loaded one by one.
        let gathers_all = |line: &&str| {
            line.contains("call <16 x ")
                && line.contains("@llvm.masked.gather")
                && line.contains("<i1 true")
                && !line.contains("<16 x i8> @")
        };
        wrong.extend(text.lines().find(gathers_all).map(str::to_owned));
        if !text.contains("nounwind alignstack=64") {
            wrong.push(format!("{name}: the stack has no alignment"));
        }
        let paths: Vec<Path> = plan.accesses.iter().flatten().map(|access| access.path).collect();
        let gathers = |path: &Path| matches!(path, Path::Gather | Path::Strided(_) | Path::LaneGroups(_));
        let (planned, found) = (paths.iter().any(gathers), text.contains("@llvm.masked.gather"));
        if planned && paths.contains(&Path::Gather) {
            with += 1;
            if !found {
                wrong.push(format!("{name}: planned, not found"));
            }
        } else if !planned && states_all(plan) && stays_inside(&plan.kernel) {
            without += 1;
            if found {
                wrong.push(format!("{name}: found, not planned"));
            }
        }
    });
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), with + without, wrong.join("\n"));
    assert!(with > 20 && without > 50, "{with} kernels with reads from anywhere, {without} without");
}

#[test]
fn without_mask_registers_no_gather_is_masked() {
    let (mut wrong, mut gathers) = (Vec::new(), 0);
    each_kernel(&Target { vector_bits: 256, avx512: false, f16c: true }, |name, _, text| {
        for line in
            text.lines().filter(|line| line.contains("call <") && line.contains("@llvm.masked.gather"))
        {
            gathers += 1;
            if !line.contains("x i1> <i1 true") {
                wrong.push(format!("{name}: {line}"));
            }
        }
    });
    assert!(wrong.is_empty(), "{} of {gathers}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(gathers > 50, "{gathers} gathers");
}
