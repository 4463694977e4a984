//! The command `nestled-peers`: measures one of our programs, or all of them beside their peers.

use clap::{Parser, Subcommand};
use nestled_peers::compare;
use nestled_peers::measure::measure;
use nestled_peers::workloads::{Failure, Folder, WORKLOADS, find};
use std::path::PathBuf;

/// Twenty-six programs in Nestled, measured alone or beside their peers.
#[derive(Parser)]
#[command(name = "nestled-peers")]
struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Lists the workloads.
    List,
    /// Measures one of our programs in this process, and prints one line of JSON.
    Run(Run),
    /// Measures ours and the peers in turns, each in a process of its own, and prints a table.
    Compare(compare::Options),
}

#[derive(clap::Args)]
struct Run {
    /// The workload.
    id: String,
    /// The folder of its inputs: `in_NAME.npy`, and `meta.json` with the parameters.
    #[arg(long, value_name = "FOLDER")]
    data: PathBuf,
    /// The size that the line names.
    #[arg(long, default_value = "small")]
    size: String,
    /// Only the first call.
    #[arg(long)]
    first: bool,
    /// Writes the last result.
    #[arg(long, value_name = "FILE")]
    result: Option<PathBuf>,
    /// Shows the kernels instead.
    #[arg(long)]
    explain: bool,
}

fn main() {
    let outcome = match Options::parse().what {
        What::List => {
            WORKLOADS.iter().for_each(|workload| println!("{:4} {}", workload.id, workload.title));
            Ok(())
        }
        What::Run(run) => run.run(),
        What::Compare(options) => compare::run(&options).map_err(Failure::from),
    };
    if let Err(error) = outcome {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

impl Run {
    fn run(&self) -> Result<(), Failure> {
        let known = || WORKLOADS.map(|workload| workload.id).join(", ");
        let workload = find(&self.id)
            .ok_or_else(|| format!("no workload is called `{}`; there are: {}", self.id, known()))?;
        let folder = Folder::new(&self.data);
        if self.explain {
            let shown = (workload.prepare)(&folder)?.explain();
            println!("{}", shown.unwrap_or_else(|| Ok("no expression of arrays".to_owned()))?);
            return Ok(());
        }
        let mut record = measure(workload, &folder, self.first, self.result.as_deref())?;
        record.size.clone_from(&self.size);
        println!("{}", record.to_json());
        Ok(())
    }
}
