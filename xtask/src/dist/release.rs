//! What is released: version, commit, target; and the tools that are there for it.

use std::path::Path;

use anyhow::{Result, ensure};
use sha2::{Digest, Sha256};
use xshell::{Shell, cmd};

use crate::workspace;

/// What a run of the task is about.
pub(super) struct Release {
    /// The version of the workspace.
    pub(super) version: String,
    /// The commit, with `+` behind it when files were changed since.
    pub(super) commit: String,
    /// Seconds since 1970 at which the commit was made: the time of all files of archives.
    pub(super) time: String,
    pub(super) target: String,
    /// Whether programs for the target run on this machine.
    pub(super) runs_here: bool,
}

impl Release {
    pub(super) fn new(sh: &Shell, target: Option<&str>) -> Result<Self> {
        let host = workspace::host_triple(sh)?;
        let target = target.unwrap_or(&host).to_owned();
        let folder = cmd!(sh, "rustc --print target-libdir --target {target}")
            .quiet()
            .read()?;
        ensure!(
            Path::new(&folder).is_dir(),
            "{target}: no standard library for it here; `rustup target add {target}` installs it"
        );
        // A copy of the sources without their history has no commit.
        let git = |arguments: &[&str]| cmd!(sh, "git").args(arguments).quiet().read();
        let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_default();
        let changed = git(&["status", "--porcelain", "--untracked-files=no"]).unwrap_or_default();
        let mark = if changed.is_empty() { "" } else { "+" };
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: commit + mark,
            time: git(&["log", "-1", "--format=%ct"]).unwrap_or_else(|_| "0".to_owned()),
            runs_here: host == target,
            target,
        })
    }

    /// The name of the archive and of the folder inside.
    pub(super) fn name(&self) -> String {
        format!("yaneura-{}-{}", self.version, self.target)
    }

    pub(super) fn is_for_windows(&self) -> bool {
        self.target.contains("windows")
    }

    pub(super) fn is_for_x86(&self) -> bool {
        self.target.starts_with("x86_64-")
    }

    /// The ending of programs.
    pub(super) fn suffix(&self) -> &'static str {
        if self.is_for_windows() { ".exe" } else { "" }
    }
}

/// SHA-256 of `bytes` in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    yane_io::hexadecimal(Sha256::digest(bytes))
}

/// Whether a tool of cargo is installed.
///
/// # Errors
/// If it is not, and `must` be.
pub(super) fn has_tool(sh: &Shell, name: &str, must: bool) -> Result<bool> {
    let found = cmd!(sh, "cargo {name} --version").quiet().ignore_stderr();
    let found = found.ignore_stdout().run().is_ok();
    ensure!(
        found || !must,
        "cargo-{name} is not installed: cargo install --locked cargo-{name}"
    );
    if !found {
        println!("cargo-{name} is not installed: its part is left out");
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_sha_256() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hex(b""), empty);
    }
}
