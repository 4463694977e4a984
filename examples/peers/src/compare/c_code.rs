//! Lines of the peers' C for a workload.
//!
//! Their files are cut by comments that name workloads: `// ------ N2 radix sort`, `// N2Q: plain quicksort`. What two share is the first one's.

use std::path::Path;

/// Lines that are neither empty nor comments, if there is C for this workload.
pub(super) fn lines(peers: &Path, id: &str) -> Option<usize> {
    let files = ["accel.c", "nested.c"].map(|file| peers.join("c").join(file));
    files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).find_map(|text| count(&text, id))
}

fn count(text: &str, id: &str) -> Option<usize> {
    // Some stand together: those of two types, or of two kinds of inputs.
    let family = match id {
        "N4C" | "N4S" => "N4",
        "N8F" | "N8I" => "N8",
        other => other,
    };
    let mut lines = text.lines().skip_while(|line| heading(line) != Some(family));
    lines.next()?;
    let own = lines.take_while(|line| heading(line).is_none());
    Some(own.filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("//")).count())
}

/// The workload that a line begins.
fn heading(line: &str) -> Option<&str> {
    let words = line.strip_prefix("// ")?.trim_start_matches('-').trim_start();
    let id = words.split([' ', ':']).next()?;
    let digits = id.strip_prefix(['A', 'N'])?;
    digits.starts_with(|c: char| c.is_ascii_digit()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn sections_are_counted() {
        let text = "// ------ N2 radix\nint a;\n\n// about\nint b;\n// N2Q: quick\nint c;\n// ---- N4 hull\nint d;\nint e;\n";
        assert_eq!(["N2", "N2Q", "N4S", "N5"].map(|id| count(text, id)), [Some(2), Some(1), Some(2), None]);
    }
}
