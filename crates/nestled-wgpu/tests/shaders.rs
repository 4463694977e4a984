//! Every kernel of the data files is valid WGSL, before and after passes, for adapters with integers and floats of 64 bits and for those
//! without. No adapter is needed for that.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use nestled_gpu::{Dialect, generate};
use nestled_ir::{KernelId, Program, text};
use nestled_pass::{DEFAULT, PassContext, PassOptions};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Texts, each with where it is from.
type Modules = BTreeMap<String, String>;

fn add(program: &Program, dialect: &Dialect, from: &str, modules: &mut Modules) {
    for (at, kernel) in program.kernels.iter().enumerate() {
        if let Ok(module) = generate(program, KernelId::from(at), dialect) {
            modules.insert(module.text, format!("{from}: {}", kernel.name));
        }
    }
}

fn collect(folder: &Path, take: &mut dyn FnMut(&str, &Program)) {
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, take);
        } else if path.extension().is_some_and(|extension| extension == "lcu") {
            let source = std::fs::read_to_string(&path).expect("the file can be read");
            let name = path.display().to_string();
            let program = text::parse(&name, &source).expect("the corpus parses");
            let options = PassOptions { keep_all: true, ..PassOptions::default() };
            let passed = nestled_pass::run(&program, DEFAULT, &mut PassContext::new(options));
            take(&name, &program);
            take(&format!("{name}, after passes"), &passed.expect("passes have no bugs here"));
        }
    }
}

fn complaint(text: &str, capabilities: Capabilities) -> Option<String> {
    let module = match naga::front::wgsl::parse_str(text) {
        Ok(module) => module,
        Err(error) => return Some(error.emit_to_string(text)),
    };
    let outcome = Validator::new(ValidationFlags::all(), capabilities).validate(&module);
    outcome.err().map(|error| error.emit_to_string(text))
}

#[test]
fn every_shader_is_valid() {
    let wide = nestled_wgpu::dialect();
    let narrow = Dialect { int64: false, float64: false, ..wide.clone() };
    let (mut of_wide, mut of_narrow) = (Modules::new(), Modules::new());
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in ["tests/programs", "examples"] {
        collect(&root.join(folder), &mut |name, program| {
            add(program, &wide, name, &mut of_wide);
            add(program, &narrow, name, &mut of_narrow);
        });
    }
    for program in nestled_gpu::library_programs() {
        add(&program, &wide, "native operations", &mut of_wide);
        add(&program, &narrow, "native operations", &mut of_narrow);
    }
    println!("{} shaders, {} without 64-bit types", of_wide.len(), of_narrow.len());
    assert!(of_wide.len() > 1000, "only {} shaders", of_wide.len());
    assert!(of_narrow.len() > 200, "only {} shaders without 64-bit types", of_narrow.len());
    let sixty_four = Capabilities::SHADER_INT64 | Capabilities::FLOAT64;
    let mut wrong = Vec::new();
    for (modules, capabilities) in [(&of_wide, sixty_four), (&of_narrow, Capabilities::empty())] {
        for (text, name) in modules {
            if let Some(complaint) = complaint(text, capabilities) {
                wrong.push(format!("{name}: {complaint}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of them are not valid:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(5)].join("\n")
    );
}
