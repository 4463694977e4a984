//! The program as text, in the LP format that HiGHS, cbc, CPLEX and others read.

use super::program::{Program, Relation, Row, Terms};
use std::fmt;

/// Greatest length of a line; some readers cut longer ones.
const WIDTH: usize = 100;

const HEAD: &str = "\
\\ Which runs of a region become one kernel: the least cost in bytes.
\\   x_P_C   1 if run P is in the cluster whose first run is C
\\   w_A     1 if array A is written to memory
\\   r_A_C   1 if cluster C reads array A from memory
\\   l_C     launch of cluster C, above that of its first run
\\   e_C     what the device adds for cluster C
\\   t_P_Q   1 if runs P and Q share a cluster
\\   fixed   the cost that every plan pays
";

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HEAD}\nMinimize\n")?;
        let objective: Vec<String> = std::iter::once(term(self.fixed, &"fixed"))
            .chain(self.objective.iter().map(|(factor, variable)| term(*factor, variable)))
            .collect();
        write_lines(f, " cost:", &objective)?;
        f.write_str("\nSubject To\n")?;
        for (at, group) in self.groups.iter().enumerate().filter(|(_, group)| !group.rows.is_empty()) {
            writeln!(f, "\\ {}", group.title)?;
            for (row, number) in group.rows.iter().zip(1..) {
                write_row(f, &format!(" c{}_{number}:", at + 1), row)?;
            }
        }
        f.write_str("\nBounds\n fixed = 1\n")?;
        for (a, b) in &self.pairs {
            writeln!(f, " t_{}_{} <= 1", a.0 + 1, b.0 + 1)?;
        }
        f.write_str("\nBinaries\n")?;
        let placements: Vec<String> = self.placements().map(|(_, _, x)| format!(" {x}")).collect();
        write_lines(f, "", &placements)?;
        f.write_str("\nEnd\n")
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, name: &str, row: &Row) -> fmt::Result {
    let Row { terms, relation, right } = row;
    let relation = match relation {
        Relation::AtMost => "<=",
        Relation::AtLeast => ">=",
        Relation::Equal => "=",
    };
    let mut words = words(terms);
    words.push(format!(" {relation} {right}"));
    write_lines(f, name, &words)
}

fn words(terms: &Terms) -> Vec<String> {
    terms.iter().map(|(factor, variable)| term(*factor, variable)).collect()
}

/// ` + 3 x_2_1`
fn term(factor: f64, variable: &dyn fmt::Display) -> String {
    let sign = if factor < 0.0 { '-' } else { '+' };
    match factor.abs() {
        1.0 => format!(" {sign} {variable}"),
        size => format!(" {sign} {size} {variable}"),
    }
}

/// Writes words in lines that are not too long.
fn write_lines(f: &mut fmt::Formatter<'_>, start: &str, words: &[String]) -> fmt::Result {
    let mut length = start.len();
    f.write_str(start)?;
    for word in words {
        if length + word.len() > WIDTH {
            f.write_str("\n ")?;
            length = 1;
        }
        f.write_str(word)?;
        length += word.len();
    }
    f.write_str("\n")
}
