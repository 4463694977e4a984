//! The command `nestled-events`: makes files of events, and times the queries on them.

use clap::{Parser, Subcommand};
use nestled_events::measure::{self, How};
use nestled_events::{event, queries};
use std::path::PathBuf;

/// Queries of particle physics on made-up events.
#[derive(Parser)]
#[command(name = "nestled-events")]
enum Options {
    /// Writes a Parquet file of made-up events.
    Make {
        /// The file.
        file: PathBuf,
        /// The number of events.
        #[arg(long, default_value_t = 1_000_000)]
        events: u64,
        /// The number of events of a row group.
        #[arg(long, default_value_t = 100_000)]
        group: u64,
    },
    /// Prints a table of times: without decoding the file, with it, and streamed by row groups, each in a process of its own.
    Time {
        /// The file.
        file: PathBuf,
        /// One query only.
        #[arg(long)]
        query: Option<String>,
    },
    /// Runs one query and prints one line.
    One {
        /// The file.
        file: PathBuf,
        /// The query.
        query: String,
        #[command(subcommand)]
        how: Way,
    },
    /// Runs one query in memory and prints its kernels.
    Explain {
        /// The file.
        file: PathBuf,
        /// The query.
        query: String,
    },
}

/// The ways to run a query.
#[derive(Subcommand, Clone, Copy)]
enum Way {
    /// All events are read first.
    Memory,
    /// A row group at a time.
    Streamed,
    /// A row group at a time, and prints the counts of the histograms.
    Counts,
}

fn main() {
    if let Err(error) = run(Options::parse()) {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run(options: Options) -> Result<(), Box<dyn std::error::Error>> {
    match options {
        Options::Make { file, events, group } => event::write(&file, events, group)?,
        Options::Time { file, query } => measure::table(&file, query.as_deref())?,
        Options::One { file, query, how } => {
            let query = queries::named(Some(&query)).next().ok_or("there is no such query")?;
            match how {
                Way::Memory => println!("{}", measure::one(&file, query, How::Memory)?),
                Way::Streamed => println!("{}", measure::one(&file, query, How::Streamed)?),
                Way::Counts => println!("{:?}", query.streamed(nestled::tables::scan(&file)?)?),
            }
        }
        Options::Explain { file, query } => {
            let query = queries::named(Some(&query)).next().ok_or("there is no such query")?;
            println!("{}", measure::explain(&file, query)?);
        }
    }
    Ok(())
}
