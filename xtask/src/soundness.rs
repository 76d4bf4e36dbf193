//! Proofs that the code is sound: random positions, fuzzing, sanitizers.
//!
//! `cargo xtask soundness`: the slow tier of the search's tests. Searches many random positions with
//! debug assertions on and checks what comes out, by the tests of `shogi-search` that are called the same.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use xshell::{Shell, cmd};

use crate::outcome::Outcome;
use crate::workspace;

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
        "cargo test --package yane-shogi-search --test it soundness:: -- --nocapture"
    );
    Ok(Outcome::from_found(tests.run().is_err()))
}

// `cargo xtask fuzz`: runs the fuzz targets, each for a given time.

/// Run the fuzz targets (needs cargo-fuzz; nightly Rust, or stable Rust that is told to act as it).
#[derive(clap::Args)]
pub(crate) struct FuzzArgs {
    /// Seconds that each target runs.
    #[arg(long, default_value_t = 300)]
    seconds: u32,
    /// Run only this target.
    target: Option<String>,
}

pub(crate) fn run_fuzz(args: &FuzzArgs) -> Result<Outcome> {
    let sh = workspace::shell()?;
    let toolchain = fuzz_toolchain(&sh)?;
    let all = cmd!(sh, "cargo {toolchain...} fuzz list").quiet().read()?;
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
        if !run_target(&sh, toolchain, target, args.seconds) {
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
fn run_target(sh: &Shell, toolchain: Option<&str>, target: &str, seconds: u32) -> bool {
    let corpus = format!("fuzz/corpus/{target}");
    let seeds = format!("fuzz/seeds/{target}");
    let limit = format!("-max_total_time={seconds}");
    let run_fuzz = cmd!(
        sh,
        "cargo {toolchain...} fuzz run {target} {corpus} {seeds} -- {limit}"
    );
    sh.create_dir(&corpus).is_ok() && run_fuzz.arg("-print_final_stats=1").run().is_ok()
}

/// The argument that makes cargo take nightly Rust. Where there is none, the flags of the fuzzer are allowed to the Rust that is there.
fn fuzz_toolchain(sh: &Shell) -> Result<Option<&'static str>> {
    let nightly = cmd!(sh, "cargo +nightly --version").quiet();
    let toolchain = if nightly.ignore_stderr().read().is_ok() {
        Some("+nightly")
    } else {
        sh.set_var("RUSTC_BOOTSTRAP", "1");
        None
    };
    let version = cmd!(sh, "cargo fuzz --version").quiet();
    if version.ignore_stderr().read().is_err() {
        bail!("cargo-fuzz is not installed: cargo install --locked cargo-fuzz");
    }
    Ok(toolchain)
}

// `cargo xtask tsan`: runs tests of the parts that threads share under `ThreadSanitizer`, which finds
// data races, or under Miri, which finds every kind of undefined behaviour but is very slow.
//
// The sanitizer needs the component `rust-src`, as the standard library is instrumented too: of nightly Rust, or of the Rust that is there, which is
// told to act as it. Miri needs nightly Rust with the component `miri`.

/// Run tests of shared memory under `ThreadSanitizer` (needs rust-src) or Miri (needs nightly Rust).
#[derive(clap::Args)]
pub(crate) struct TsanArgs {
    /// The package to test.
    #[arg(long, default_value = "yane-shogi-search")]
    package: String,
    /// Run only tests whose names contain one of these: the transposition table and what threads
    /// share, unless given.
    #[arg(default_values = ["tt::", "threads", "pool", "smp"])]
    filters: Vec<String>,
    /// Use Miri.
    #[arg(long)]
    miri: bool,
}

pub(crate) fn run_tsan(args: &TsanArgs) -> Result<Outcome> {
    let sh = workspace::shell()?;
    let TsanArgs {
        package, filters, ..
    } = args;
    let tests = if args.miri {
        ensure!(
            has_component(&sh, Some("+nightly"), "miri"),
            "this needs nightly Rust with miri: rustup toolchain install nightly -c miri"
        );
        // Files and clocks of the real machine are used by tests.
        sh.set_var("MIRIFLAGS", "-Zmiri-disable-isolation");
        cmd!(
            sh,
            "cargo +nightly miri test --package {package} --lib -- {filters...}"
        )
    } else {
        let toolchain = sanitizer_toolchain(&sh)?;
        let host = workspace::host_triple(&sh)?;
        sh.set_var("RUSTFLAGS", "-Zsanitizer=thread -Ctarget-cpu=native");
        let target = workspace::target_dir().join("tsan");
        cmd!(
            sh,
            "cargo {toolchain...} test -Zbuild-std --target {host} --target-dir {target} --package {package}
             --lib --tests -- {filters...}"
        )
    };
    Ok(Outcome::from_found(tests.run().is_err()))
}

/// The argument that makes cargo take a Rust whose standard library can be built: nightly, or the one that is there, to which its flags are allowed.
fn sanitizer_toolchain(sh: &Shell) -> Result<Option<&'static str>> {
    const COMPONENT: &str = "rust-src";
    let nightly = Some("+nightly");
    if has_component(sh, nightly, COMPONENT) {
        return Ok(nightly);
    }
    ensure!(
        has_component(sh, None, COMPONENT),
        "this needs Rust with {COMPONENT}: rustup component add {COMPONENT}, or rustup toolchain install nightly -c {COMPONENT}"
    );
    sh.set_var("RUSTC_BOOTSTRAP", "1");
    Ok(None)
}

/// Returns whether a toolchain has a component.
fn has_component(sh: &Shell, toolchain: Option<&str>, component: &str) -> bool {
    let installed = cmd!(sh, "rustup {toolchain...} component list --installed")
        .quiet()
        .ignore_stderr()
        .read();
    let has = |list: String| list.lines().any(|line| line.starts_with(component));
    installed.is_ok_and(has)
}
