//! The option `--watch` of servers.

use std::path::PathBuf;

use clap::Args;

use crate::watch::RunWatch;

/// The runs that a page shows.
#[derive(Args, Clone, Debug, Default)]
#[group(id = "WatchArgs")]
pub struct WatchArgs {
    /// Show the runs whose events are in a file, in the files *.events and *.jsonl of a folder, or in the standard input (-); may
    /// be given several times
    #[arg(long = "watch", value_name = "PATH")]
    paths: Vec<PathBuf>,
}

impl WatchArgs {
    /// The runs.
    pub fn runs(&self) -> RunWatch {
        RunWatch::new(&self.paths)
    }
}
