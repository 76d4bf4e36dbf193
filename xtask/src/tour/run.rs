//! Running the commands of a page.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::page::{Page, Step};
use super::{IMAGES, Tier};

/// The programs that pages may name.
#[cfg(test)]
pub(super) const PROGRAMS: [&str; 8] = [
    "yaneura",
    "makebook",
    "startsfens",
    "gensfen",
    "pack2hcpe",
    "teacher",
    "othello",
    "egbk-mine",
];
/// How commands begin that set up what is set up here already.
const SET_UP: [&str; 4] = ["git clone ", "cd ", "cargo build ", "export PATH="];

/// What came of the commands of a page.
pub(super) struct Outputs {
    /// The lines that each command printed; `None` if it was not run.
    pub(super) texts: Vec<Option<Vec<String>>>,
    /// The files with names of pictures in the repository.
    pub(super) pictures: Vec<(String, Vec<u8>)>,
}

/// Runs the commands of a page, with the programs of the folder `programs`.
///
/// # Errors
/// When a command ends with another exit code than 0.
pub(super) fn run(page: &Page, programs: &Path, tier: Tier, root: &Path) -> Result<Outputs> {
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    link_fixtures(root, &folder)?;
    let mut texts = Vec::new();
    for step in page.steps() {
        let is_left_out = step.is_slow && tier == Tier::Quick;
        let is_set_up = SET_UP.iter().any(|begin| step.command.starts_with(begin));
        let run = !is_left_out && !is_set_up;
        texts.push(run.then(|| run_step(step, programs, &folder)).transpose()?);
    }
    let mut pictures = Vec::new();
    for entry in fs::read_dir(root.join(IMAGES)).with_context(|| format!("cannot read {IMAGES}"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Ok(bytes) = fs::read(folder.path().join(&name)) {
            pictures.push((name, bytes));
        }
    }
    Ok(Outputs { texts, pictures })
}

#[cfg(unix)]
fn link_fixtures(root: &Path, folder: &TempDir) -> Result<()> {
    std::os::unix::fs::symlink(root.join("fixtures"), folder.path().join("fixtures"))
        .context("cannot link the fixtures")
}

#[cfg(not(unix))]
fn link_fixtures(_: &Path, _: &TempDir) -> Result<()> {
    anyhow::bail!("the examples are lines for a Unix shell")
}

/// What a command prints on both outputs.
fn run_step(step: &Step, programs: &Path, folder: &TempDir) -> Result<Vec<String>> {
    let command = as_programs(&step.command);
    let mut path = OsString::from(programs);
    if let Some(others) = env::var_os("PATH") {
        path.push(":");
        path.push(others);
    }
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("HOME", folder.path())
        .env_remove("XDG_CACHE_HOME")
        .stdin(Stdio::null())
        .output()
        .context("cannot run sh")?;
    let text = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    ensure!(
        output.status.success(),
        "line {}: $ {command}: {}\n{text}",
        step.line,
        output.status
    );
    Ok(text
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect())
}

/// A command as it is once the programs are built: `cargo run --release --bin yaneura -- quit` is `yaneura quit`.
fn as_programs(command: &str) -> String {
    let Some(rest) = command.strip_prefix("cargo run --release --bin ") else {
        return command.to_owned();
    };
    rest.replacen(" -- ", " ", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_run_is_the_program() {
        assert_eq!(
            as_programs("cargo run --release --bin a -- b -- c"),
            "a b -- c"
        );
        assert_eq!(as_programs("a -- b"), "a -- b");
    }
}
