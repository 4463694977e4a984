//! Files of the drawing functions: an SVG file for each window.
//!
//! The file is named after the title of the window, in lower case, everything but letters and digits as `-`; a second window of the same
//! title gets `-2`, and so on. It is written when the window is closed, when the program waits for input, and at the end of the run.

use nestled_array::NeslDrawings;
use nestled_ir::interp::{Files, Gate};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The windows of a run, and their files.
pub struct Drawings {
    folder: PathBuf,
    gate: Gate,
    windows: NeslDrawings,
    /// The files of the windows, in their order.
    paths: Vec<PathBuf>,
    names: BTreeSet<String>,
}

impl Drawings {
    /// An empty set of windows, to be saved in this folder, if a gate allows it.
    pub fn new(folder: PathBuf, gate: Gate) -> Drawings {
        Drawings { folder, gate, windows: NeslDrawings::default(), paths: Vec::new(), names: BTreeSet::new() }
    }

    /// Draws one thing. A new window is answered by its number, everything else by 0.
    pub fn draw(&mut self, what: &str, numbers: &[i64], text: &[u8]) -> Result<i64, String> {
        let files = self.gate.drawings().map_err(|refused| refused.to_string())?;
        let answer = self.windows.draw(what, numbers, text)?;
        match (what, numbers) {
            ("window", _) => {
                let name = self.file_name(&String::from_utf8_lossy(text));
                self.paths.push(self.folder.join(name));
            }
            ("close", &[id, ..]) => self.save_one(&files, id as usize)?,
            _ => {}
        }
        Ok(answer)
    }

    fn file_name(&mut self, title: &str) -> String {
        let letters = title
            .to_lowercase()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect::<String>();
        let parts: Vec<&str> = letters.split('-').filter(|part| !part.is_empty()).collect();
        let stem = if parts.is_empty() { "drawing".to_owned() } else { parts.join("-") };
        let names = (1..).map(|n| if n == 1 { format!("{stem}.svg") } else { format!("{stem}-{n}.svg") });
        let name = names
            .into_iter()
            .find(|name| !self.names.contains(name))
            .expect("there is always another number");
        self.names.insert(name.clone());
        name
    }

    /// Writes the files of windows that have changed.
    pub fn save(&mut self) -> Result<(), String> {
        let Ok(files) = self.gate.drawings() else { return Ok(()) };
        (0..self.paths.len()).try_for_each(|window| self.save_one(&files, window))
    }

    fn save_one(&mut self, files: &Files, window: usize) -> Result<(), String> {
        let Some(text) = self.windows.news(window) else { return Ok(()) };
        let path = &self.paths[window];
        files
            .write(path, text.as_bytes(), false)
            .map_err(|error| format!("cannot write the drawing {}: {error}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_titles() {
        let mut drawings = Drawings::new(PathBuf::new(), Gate::default());
        let mut name = |title: &str| drawings.file_name(title);
        assert_eq!(name("Barnes-Hut: 3 steps"), "barnes-hut-3-steps.svg");
        assert_eq!(name("barnes hut 3 steps"), "barnes-hut-3-steps-2.svg");
        assert_eq!(name("../.."), "drawing.svg");
    }
}
