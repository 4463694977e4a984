//! Ours beside the peers: in turns, each measurement in a process of its own, and again where others were busy meanwhile.
//!
//! Peers are a folder with `data.py`, which makes inputs and checks results, and `run.py`, which measures one system: both are Python's.

mod c_code;
mod peers;
mod table;

use crate::record::Record;
use crate::system;
use crate::workloads::{WORKLOADS, Workload, find};
use peers::Peers;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};
pub(crate) use table::Entry;

/// Cores that others may use while something is measured.
pub(crate) const QUIET: f64 = 0.15;

/// What is measured, and how.
///
/// The peers are looked for in `../shared/peers`, or where NESTLED_PEERS says; the Python that runs them is `python3`, or what
/// NESTLED_PEERS_PYTHON names: NumPy and SciPy have to be there, to make the inputs. Inputs are made once, below PEERS_CACHE or in the
/// system's folder for temporary files.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// Which workloads; all if none is named.
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Only this size.
    #[arg(long, value_parser = ["small", "large"])]
    size: Option<String>,
    /// Only these systems; otherwise all that are installed.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    against: Option<Vec<String>>,
    /// Processes for each system, in turns.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// More processes for a system while others were busy in all so far.
    #[arg(long, value_name = "N", default_value_t = 3)]
    retries: u32,
    /// The most seconds to wait for a quiet machine before each process.
    #[arg(long, value_name = "S", default_value_t = 10)]
    quiet_wait: u64,
    /// Threads of all systems.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    threads: u32,
    /// The folder of the peers.
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// Also writes every measurement that counts, a line of JSON each, as the peers' `report.py --extra` reads them.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also writes the tables, as Markdown; into a page that has the marks `<!-- measured -->` and `<!-- until here -->`, between them.
    #[arg(long, value_name = "FILE")]
    md: Option<PathBuf>,
}

/// Measures, and prints a table for each size.
///
/// # Errors
/// There are no peers, or a file cannot be written.
pub fn run(options: &Options) -> Result<(), String> {
    let workloads = chosen(&options.ids)?;
    let peers = Peers::find(options.peers.clone(), options.threads)?;
    let systems = peers.systems(options.against.as_deref())?;
    let sizes: Vec<&str> = match &options.size {
        Some(size) => vec![size],
        None => vec!["large", "small"],
    };
    let (mut tables, mut lines) = (String::new(), String::new());
    for size in sizes {
        let mut rows = Vec::new();
        for workload in &workloads {
            let entries = measured(options, &peers, &systems, workload, size)?;
            for record in entries.iter().filter_map(Entry::record) {
                let _ = writeln!(lines, "{}", record.to_json());
            }
            rows.push((*workload, entries));
            // What was measured is kept, even if the rest is not waited for.
            write(options.json.as_ref(), &lines)?;
        }
        tables += &table::markdown(size, &rows, &peers);
    }
    println!("{tables}");
    let page = options.md.as_ref().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    write(options.md.as_ref(), &on_page(&page, &tables))
}

/// A page with new tables between its marks; the tables alone, if it has none.
fn on_page(page: &str, tables: &str) -> String {
    let [begin, end] = ["<!-- measured -->", "<!-- until here -->"];
    match (page.find(begin), page.find(end)) {
        (Some(from), Some(to)) if from < to => {
            format!("{}{begin}\n\n{}\n\n{}", &page[..from], tables.trim(), &page[to..])
        }
        _ => tables.to_owned(),
    }
}

fn write(file: Option<&PathBuf>, text: &str) -> Result<(), String> {
    let Some(file) = file else { return Ok(()) };
    std::fs::write(file, text).map_err(|error| format!("cannot write `{}`: {error}", file.display()))
}

fn chosen(ids: &[String]) -> Result<Vec<&'static Workload>, String> {
    const ALL: &[Workload] = &WORKLOADS;
    if ids.is_empty() {
        return Ok(ALL.iter().collect());
    }
    let known = || WORKLOADS.map(|workload| workload.id).join(", ");
    let one =
        |id: &String| find(id).ok_or_else(|| format!("no workload is called `{id}`; there are: {}", known()));
    ids.iter().map(one).collect()
}

/// All systems on one workload, in turns.
fn measured(
    options: &Options,
    peers: &Peers,
    systems: &[String],
    workload: &Workload,
    size: &str,
) -> Result<Vec<Entry>, String> {
    let folder = peers.make(workload.id, size)?;
    let mut entries: Vec<Entry> = systems.iter().map(|system| Entry::new(system)).collect();
    for round in 0..options.rounds + options.retries {
        for entry in &mut entries {
            let wanted = if round < options.rounds { entry.is_measured() } else { entry.is_disturbed() };
            if !wanted {
                continue;
            }
            wait_until_quiet(Duration::from_secs(options.quiet_wait));
            let record = peers.measure(&entry.system, workload, size, &folder, round == 0)?;
            show(&record);
            entry.add(record);
        }
    }
    Ok(entries)
}

/// One line for those who wait.
fn show(record: &Record) {
    let Record { workload, size, system, check, detail, .. } = record;
    let ms = |time: Option<f64>| time.map_or_else(String::new, |time| format!("{:10.3} ms", time * 1e3));
    let others = record.other_cpu.map_or_else(String::new, |others| format!("others {others:.2}"));
    eprintln!("{workload:4} {size:5} {system:8} {check:5} {} {others}  {detail}", ms(record.median));
}

fn wait_until_quiet(most: Duration) {
    let start = Instant::now();
    while start.elapsed() < most {
        let before = system::busy();
        std::thread::sleep(Duration::from_millis(500));
        let Some((before, after)) = before.zip(system::busy()) else { return };
        if (after[0] - before[0]) / 0.5 < QUIET {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::on_page;

    #[test]
    fn what_stands_around_tables_stays() {
        let page = "# A\n<!-- measured -->\nold\n<!-- until here -->\nb\n";
        let new = on_page(page, "new\n");
        assert_eq!(new, "# A\n<!-- measured -->\n\nnew\n\n<!-- until here -->\nb\n");
        assert_eq!(on_page(&new, "new"), new);
        assert_eq!(on_page("", "new\n"), "new\n");
    }
}
