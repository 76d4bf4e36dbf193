//! The root of the workspace, and running commands in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::outcome::Outcome;

/// The root folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace")
}

/// A shell whose working directory is the root of the workspace.
pub(crate) fn shell() -> Result<Shell> {
    let sh = Shell::new().context("cannot open a shell")?;
    sh.change_dir(root());
    Ok(sh)
}

/// The folder of cargo's build results.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The target triple that the compiler builds for by default.
pub(crate) fn host_triple(sh: &Shell) -> Result<String> {
    let version = cmd!(sh, "rustc -vV").quiet().read()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_owned())
}

/// Runs this very command line again in a release build of `xtask`, for tasks that measure.
/// `None` if this is one already.
pub(crate) fn rerun_in_release() -> Option<Result<Outcome>> {
    if !cfg!(debug_assertions) {
        return None;
    }
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--release", "--quiet", "--package", "xtask", "--"])
        .args(std::env::args_os().skip(1))
        .status()
        .context("cannot run cargo");
    Some(status.and_then(|status| match status.code() {
        Some(0) => Ok(Outcome::Clean),
        Some(1) => Ok(Outcome::Findings),
        _ => anyhow::bail!("the release build of this task ended with {status}"),
    }))
}
