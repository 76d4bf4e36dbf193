//! `cargo xtask ci`: everything that must hold before a change goes in.
//!
//! `.ci/run` brings a bare machine to the point where this can be built, and then calls it, so that
//! the list of checks is written down once, here.

mod test_step;

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use crate::{Outcome, names, workspace};

/// Check everything: format, lints, documentation, tests, dependencies.
#[derive(clap::Args)]
pub(crate) struct Args {}

type Step = (&'static str, fn(&Shell) -> Result<()>);

/// In the order of how soon they fail.
const STEPS: [Step; 6] = [
    ("format", check_format),
    ("names", check_names),
    ("lints", check_lints),
    ("documentation", check_documentation),
    ("tests", test_step::run),
    ("dependencies", check_dependencies),
];

pub(crate) fn run(_args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    let start = Instant::now();
    for (name, step) in STEPS {
        let step_start = Instant::now();
        println!("==> {name}");
        step(&sh).with_context(|| format!("step failed: {name}"))?;
        println!(
            "==> {name}: done in {:.0} s",
            step_start.elapsed().as_secs_f64()
        );
    }
    println!(
        "==> all steps passed in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    Ok(Outcome::Clean)
}

fn check_format(sh: &Shell) -> Result<()> {
    Ok(cmd!(sh, "cargo fmt --all --check").run()?)
}

/// One name, one meaning; no file too long.
fn check_names(_: &Shell) -> Result<()> {
    let findings = names::findings(workspace::root())?;
    ensure!(findings.is_empty(), "{}", findings.join("\n"));
    Ok(())
}

fn check_lints(sh: &Shell) -> Result<()> {
    Ok(cmd!(sh, "cargo clippy --workspace --all-targets -- -D warnings").run()?)
}

fn check_documentation(sh: &Shell) -> Result<()> {
    let command = cmd!(sh, "cargo doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings");
    Ok(command.run()?)
}

/// Licences, bans and sources of the dependencies. `cargo deny` is a convenience and not needed to
/// work on the project: without it the step says so and passes.
fn check_dependencies(sh: &Shell) -> Result<()> {
    if cmd!(sh, "cargo deny --version")
        .quiet()
        .ignore_stderr()
        .read()
        .is_err()
    {
        println!(
            "skipped: cargo-deny is not installed (cargo install --locked cargo-deny; .ci/run does it)"
        );
        return Ok(());
    }
    Ok(cmd!(sh, "cargo deny check licenses bans sources").run()?)
}
