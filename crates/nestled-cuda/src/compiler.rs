//! Compilation and loading of modules, in any thread.

use crate::cubins::Cubins;
use crate::driver::Context;
use crate::handles::{Function, Loaded};
use crate::nvrtc::{Architecture, Effort, Nvrtc};
use nestled_gpu::code::Module;
use nestled_rt::device::DeviceError;
use std::ffi::CString;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// A loaded module.
#[derive(Debug)]
pub struct Kernels {
    pub(crate) functions: Vec<Function>,
    /// Number of parameter words.
    pub(crate) n_words: usize,
    /// None once it is dropped.
    module: Option<Loaded>,
    context: Arc<Context>,
}

impl Drop for Kernels {
    fn drop(&mut self) {
        self.module.take().into_iter().for_each(|module| self.context.doom(module));
    }
}

/// The compiler of a card.
#[derive(Debug)]
pub struct Compiler {
    context: Arc<Context>,
    architecture: Architecture,
    /// Where NVRTC is, if not where it is searched for.
    library: Option<PathBuf>,
    /// Opened when the first module is not on disk.
    nvrtc: OnceLock<Nvrtc>,
    cubins: Cubins,
}

impl Compiler {
    pub(crate) fn new(
        context: Arc<Context>,
        architecture: Architecture,
        library: Option<PathBuf>,
    ) -> Compiler {
        Compiler { context, architecture, library, nvrtc: OnceLock::new(), cubins: Cubins::open() }
    }

    fn nvrtc(&self) -> Result<&Nvrtc, DeviceError> {
        if let Some(nvrtc) = self.nvrtc.get() {
            return Ok(nvrtc);
        }
        let opened = self.library.clone().map_or_else(Nvrtc::open, Nvrtc::at);
        let opened = opened.map_err(|error| DeviceError::Unsupported {
            what: error.to_string(),
            help: "`nestled devices` says what is there".to_owned(),
        })?;
        Ok(self.nvrtc.get_or_init(|| opened))
    }

    /// Returns the cubin of a text.
    pub(crate) fn cubin(&self, text: &str) -> Result<Vec<u8>, DeviceError> {
        if let Some(cubin) = self.cubins.get(text, self.architecture) {
            return Ok(cubin);
        }
        let compiled = self.nvrtc()?.compile(text, self.architecture, Effort::Full);
        let cubin = compiled.map_err(|error| DeviceError::Bug(format!("{error}\n{text}")))?.cubin;
        self.cubins.put(text, self.architecture, &cubin);
        Ok(cubin)
    }

    /// Loads a module.
    pub(crate) fn load(&self, module: &Module) -> Result<Kernels, DeviceError> {
        let loaded = self.context.load(&self.cubin(&module.text)?)?;
        let mut kernels = Kernels {
            functions: Vec::new(),
            n_words: module.n_words,
            module: None,
            context: Arc::clone(&self.context),
        };
        let loaded = kernels.module.insert(loaded);
        for entry in &module.entries {
            let name = CString::new(format!("run_{}", entry.name)).expect("names of entries have no zeros");
            kernels.functions.push(self.context.function(loaded, &name)?);
        }
        Ok(kernels)
    }
}
