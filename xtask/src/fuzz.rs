//! `cargo xtask fuzz`: runs the fuzz targets, each for a given time.

use anyhow::{Result, bail, ensure};
use xshell::{Shell, cmd};

use crate::{Outcome, workspace};

/// Run the fuzz targets (needs nightly Rust and cargo-fuzz).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long each target runs.
    #[arg(long, default_value_t = 300)]
    seconds: u32,
    /// Run only this target.
    target: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    check_installed(&sh)?;
    let all = cmd!(sh, "cargo +nightly fuzz list").quiet().read()?;
    let targets: Vec<&str> = match &args.target {
        Some(target) => {
            ensure!(
                all.lines().any(|line| line == target),
                "no target {target}; there are:\n{all}"
            );
            vec![target]
        }
        None => all.lines().collect(),
    };
    let mut findings = Vec::new();
    for target in targets {
        println!("==> {target}: {} s", args.seconds);
        if !run_target(&sh, target, args.seconds) {
            findings.push(target);
        }
    }
    if findings.is_empty() {
        println!("no findings");
    } else {
        println!(
            "findings in: {} (inputs are in fuzz/artifacts/)",
            findings.join(", ")
        );
    }
    Ok(Outcome::from_found(!findings.is_empty()))
}

/// Runs a target from its seeds and what earlier runs kept. Gives whether nothing was found.
fn run_target(sh: &Shell, target: &str, seconds: u32) -> bool {
    let corpus = format!("fuzz/corpus/{target}");
    let seeds = format!("fuzz/seeds/{target}");
    let limit = format!("-max_total_time={seconds}");
    let run = cmd!(
        sh,
        "cargo +nightly fuzz run {target} {corpus} {seeds} -- {limit}"
    );
    sh.create_dir(&corpus).is_ok() && run.arg("-print_final_stats=1").run().is_ok()
}

fn check_installed(sh: &Shell) -> Result<()> {
    if cmd!(sh, "cargo +nightly --version")
        .quiet()
        .ignore_stderr()
        .read()
        .is_err()
    {
        bail!("fuzzing needs a nightly toolchain: rustup toolchain install nightly");
    }
    if cmd!(sh, "cargo fuzz --version")
        .quiet()
        .ignore_stderr()
        .read()
        .is_err()
    {
        bail!("cargo-fuzz is not installed: cargo install --locked cargo-fuzz");
    }
    Ok(())
}
