//! `cargo xtask advisories`: known holes of dependencies, which need not come with a change of ours.

use anyhow::{Result, ensure};
use xshell::cmd;

use crate::outcome::Outcome;
use crate::workspace;

/// Look for known holes of the dependencies, besides what ci checks of them (needs cargo-deny, and its database from the network).
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    // Not the same as a hole that was found.
    let fetched = cmd!(sh, "cargo deny fetch db").run();
    ensure!(
        fetched.is_ok(),
        "no database of advisories: cargo-deny is not installed, or the network does not reach it"
    );
    Ok(Outcome::from_found(
        cmd!(sh, "cargo deny check").run().is_err(),
    ))
}
