//! The commands that the README promises to newcomers, read from the README itself.

use crate::root;

/// The lines of the README that start with `$ cargo`, without the `$`.
fn commands() -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(root().join("README.md"))
        .map_err(|error| format!("cannot read README.md: {error}"))?;
    Ok(text
        .lines()
        .filter_map(|line| line.strip_prefix("$ "))
        .filter(|line| line.starts_with("cargo "))
        .map(str::to_owned)
        .collect())
}

/// The README's command that tests everything.
pub fn test_command() -> Result<String, String> {
    commands()?
        .into_iter()
        .find(|line| line.starts_with("cargo test"))
        .ok_or_else(|| "README.md has no `$ cargo test` line".to_owned())
}
