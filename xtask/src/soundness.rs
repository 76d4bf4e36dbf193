//! `cargo xtask soundness`: the slow tier of the search's tests. Searches many random positions with
//! debug assertions on and checks what comes out, by the tests of `shogi-search` that are called the same.

use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::cmd;

use crate::{Outcome, workspace};

/// Search many random positions with assertions on and check every line and mate.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Number of random positions.
    #[arg(long, default_value_t = 10_000)]
    positions: u32,
    /// Seed of the positions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also search the mate problems of this file: JSON lines with the key `sfen`.
    #[arg(long, value_name = "FILE")]
    problems: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    sh.set_var("SOUNDNESS_POSITIONS", args.positions.to_string());
    sh.set_var("SOUNDNESS_SEED", args.seed.to_string());
    if let Some(path) = &args.problems {
        let path = path
            .canonicalize()
            .with_context(|| path.display().to_string())?;
        sh.set_var("SOUNDNESS_PROBLEMS", path);
    }
    let tests = cmd!(
        sh,
        "cargo test --package shogi-search --test it soundness:: -- --nocapture"
    );
    Ok(Outcome::from_found(tests.run().is_err()))
}
