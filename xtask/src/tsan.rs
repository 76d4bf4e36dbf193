//! `cargo xtask tsan`: runs tests of the parts that threads share under `ThreadSanitizer`, which finds
//! data races, or under Miri, which finds every kind of undefined behaviour but is very slow.
//!
//! Both need a nightly toolchain: the sanitizer with the component `rust-src`, as the standard library is
//! instrumented too, Miri with the component `miri`.

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

use crate::{Outcome, workspace};

/// Run tests of shared memory under `ThreadSanitizer` or Miri (needs nightly Rust).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The package to test.
    #[arg(long, default_value = "shogi-search")]
    package: String,
    /// Run only tests whose names contain one of these: the transposition table and what threads
    /// share, unless given.
    #[arg(default_values = ["tt::", "threads", "pool", "smp"])]
    filters: Vec<String>,
    /// Use Miri.
    #[arg(long)]
    miri: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    let component = if args.miri { "miri" } else { "rust-src" };
    check_component(&sh, component)?;
    let Args {
        package, filters, ..
    } = args;
    let tests = if args.miri {
        // Files and clocks of the real machine are used by tests.
        sh.set_var("MIRIFLAGS", "-Zmiri-disable-isolation");
        cmd!(
            sh,
            "cargo +nightly miri test --package {package} --lib -- {filters...}"
        )
    } else {
        let host = workspace::host_triple(&sh)?;
        sh.set_var("RUSTFLAGS", "-Zsanitizer=thread -Ctarget-cpu=native");
        let target = workspace::target_dir().join("tsan");
        cmd!(
            sh,
            "cargo +nightly test -Zbuild-std --target {host} --target-dir {target} --package {package}
             --lib --tests -- {filters...}"
        )
    };
    Ok(Outcome::from_found(tests.run().is_err()))
}

fn check_component(sh: &Shell, component: &str) -> Result<()> {
    let installed = cmd!(sh, "rustup +nightly component list --installed")
        .quiet()
        .ignore_stderr()
        .read();
    let has = |list: String| list.lines().any(|line| line.starts_with(component));
    ensure!(
        installed.is_ok_and(has),
        "this needs nightly Rust with {component}: rustup toolchain install nightly -c {component}"
    );
    Ok(())
}
