//! Spelling suggestions: the known name closest to an unknown one, by edit distance.

/// The candidate that differs least from `wanted`, if it differs little; of equally close ones the first in the alphabet.
pub fn closest(wanted: &str, candidates: impl Iterator<Item = String>) -> Option<String> {
    let limit = match wanted.chars().count() {
        0 => return None,
        1..=3 => 1,
        4..=7 => 2,
        _ => 3,
    };
    let scored = candidates
        .filter(|name| name.len().abs_diff(wanted.len()) <= 3 * limit)
        .map(|name| (distance(wanted, &name), name));
    // One letter is as far from any other as can be.
    let short = wanted.chars().count() == 1;
    scored
        .filter(|(distance, name)| *distance <= limit && !(short && name.chars().count() == 1))
        .min()
        .map(|(_, name)| name)
}

/// Edit distance with transpositions: letters to add, remove, change, or swap with a neighbour.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn the_closest_name_is_found() {
        let names = || ["total", "count", "xs"].into_iter().map(str::to_owned);
        assert_eq!(closest("totla", names()).as_deref(), Some("total"));
        assert_eq!(closest("cuont", names()).as_deref(), Some("count"));
        assert_eq!(closest("ys", names()).as_deref(), Some("xs"));
        assert_eq!(closest("velocity", names()), None);
    }
}
