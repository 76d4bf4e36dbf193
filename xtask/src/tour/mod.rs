//! `cargo xtask tour`: runs the examples of the READMEs and of the tour, and compares what the programs print with
//! what the pages say.
//!
//! Every `console` block of these pages is run, from top to bottom, in an empty folder in which `fixtures` is
//! that of the repository and the programs are on the path. In the expected output `…` stands for any text
//! within a line, and a line `…` for any lines. A block after the line `<!-- slow -->` is run by this task and with
//! `SHOGI_SLOW_TESTS=1` only. A page and its Japanese version must have the same examples, so they are run once.
//!
//! Files that a page makes under the name of a picture in `docs/images` must be that picture.
//!
//! `cargo test --workspace` runs the quick blocks with the programs that it has built itself. With `--write` this task
//! brings pages and pictures up to date instead of comparing.

mod page;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use xshell::cmd;

use crate::outcome::Outcome;
use crate::workspace;

use page::{Page, Step};

/// The folder of the pages' pictures.
const IMAGES: &str = "docs/images";

/// Runs the examples of the READMEs and of the tour, and compares what they print with what is written there.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write what the programs print into the pages, and the pictures they make into docs/images
    #[arg(long)]
    write: bool,
    /// Run the programs in this folder instead of building them
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
}

/// The blocks that are run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tier {
    /// Blocks that take no more than a moment.
    Quick,
    /// All.
    All,
}

/// Runs the task.
pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let programs = match &args.programs {
        Some(folder) => fs::canonicalize(folder).with_context(|| folder.display().to_string())?,
        None => built_programs()?,
    };
    let mut found = false;
    for name in pages()? {
        let differences = check(&name, &programs, Tier::All, args.write)?;
        for difference in &differences {
            println!("{difference}");
        }
        found |= !differences.is_empty() && !args.write;
    }
    Ok(Outcome::from_found(found))
}

/// Builds the programs as `cargo test --workspace` does; the folder that they are in.
fn built_programs() -> Result<PathBuf> {
    let sh = workspace::shell()?;
    cmd!(sh, "cargo build --workspace --profile test --bins").run()?;
    Ok(workspace::target_dir().join("debug"))
}

/// The English pages, relative to the root of the workspace.
fn pages() -> Result<Vec<PathBuf>> {
    let mut pages = vec![PathBuf::from("README.md")];
    let folder = Path::new("docs/tour");
    let root = workspace::root();
    for entry in fs::read_dir(root.join(folder)).context("cannot read docs/tour")? {
        let name = PathBuf::from(entry.context("cannot read docs/tour")?.file_name());
        let text = name.to_string_lossy();
        if text.ends_with(".md") && !text.ends_with(".ja.md") {
            pages.push(folder.join(&name));
        }
    }
    pages[1..].sort();
    Ok(pages)
}

/// The Japanese version of a page: `x.ja.md` for `x.md`.
fn japanese(page: &Path) -> PathBuf {
    page.with_extension("ja.md")
}

/// Compares a page with what its commands print, and its pictures with those it makes; the differences in words.
/// With `write` page, Japanese version and pictures are brought up to date.
fn check(name: &Path, programs: &Path, tier: Tier, write: bool) -> Result<Vec<String>> {
    let root = workspace::root();
    let read = |name: &Path| {
        let text = fs::read_to_string(root.join(name));
        text.with_context(|| format!("cannot read {}", name.display()))
    };
    let (text, other_name) = (read(name)?, japanese(name));
    let page = Page::parse(&text).with_context(|| name.display().to_string())?;
    let other_text = read(&other_name)?;
    let other = Page::parse(&other_text).with_context(|| other_name.display().to_string())?;
    let mut differences = Vec::new();
    let outputs = run_command(&page, programs, tier, root)?;
    let mut updates = Vec::new();
    for (step, output) in page.steps().zip(&outputs.texts) {
        let updated = output
            .as_ref()
            .and_then(|output| page::update(&step.expected, output));
        if let (Some(updated), Some(output)) = (&updated, output) {
            let place = format!("{}:{}", name.display(), step.line);
            differences.push(page::describe(&place, step, output, updated));
        }
        updates.push(updated);
    }
    if page.commands() != other.commands() {
        let (english, japanese) = (name.display(), other_name.display());
        differences.push(format!(
            "{japanese}: its commands are not those of {english}"
        ));
    } else if write {
        fs::write(root.join(name), page.updated(&text, &updates))?;
        let expected = page
            .steps()
            .zip(&updates)
            .map(|(step, updated)| Some(updated.clone().unwrap_or_else(|| step.expected.clone())));
        let expected: Vec<_> = expected.collect();
        fs::write(
            root.join(&other_name),
            other.updated(&other_text, &expected),
        )?;
    } else {
        for (step, other) in page.steps().zip(other.steps()) {
            if step.expected != other.expected {
                let place = format!("{}:{}", other_name.display(), other.line);
                differences.push(format!("{place}: not the output that the English page has"));
            }
        }
    }
    differences.extend(check_pictures(name, &outputs, write)?);
    Ok(differences)
}

/// Compares the pictures that a page made with those in the repository.
fn check_pictures(name: &Path, outputs: &Outputs, write: bool) -> Result<Vec<String>> {
    let folder = workspace::root().join(IMAGES);
    let mut differences = Vec::new();
    for (file, bytes) in &outputs.pictures {
        let path = folder.join(file);
        if fs::read(&path).is_ok_and(|old| old == *bytes) {
            continue;
        }
        differences.push(format!(
            "{}: makes another {IMAGES}/{file}: bring it up to date with cargo xtask tour --write",
            name.display()
        ));
        if write {
            fs::write(&path, bytes).with_context(|| path.display().to_string())?;
        }
    }
    Ok(differences)
}

/// The folder with the programs of the build that this program belongs to.
///
/// # Errors
/// When one is missing, as when the tests of this package alone were built.
#[cfg(test)]
fn programs_of_this_build() -> Result<PathBuf> {
    let this = std::env::current_exe().context("cannot find this program")?;
    let folder = this.parent().and_then(Path::parent);
    let folder = folder
        .context("this program lies in no build folder")?
        .to_owned();
    for program in PROGRAMS {
        let path = folder.join(program);
        anyhow::ensure!(
            path.is_file(),
            "{} is missing: `cargo test --workspace` builds all programs before it runs tests",
            path.display()
        );
    }
    Ok(folder)
}

// Running the commands of a page.

/// The programs that pages may name.
#[cfg(test)]
const PROGRAMS: [&str; 10] = [
    "yaneura",
    "arena",
    "makebook",
    "startsfens",
    "gensfen",
    "pack2hcpe",
    "teacher",
    "kifu",
    "othello",
    "egbk-mine",
];
/// The beginnings of commands that set up what is set up here already.
const SET_UP: [&str; 4] = ["git clone ", "cd ", "cargo build ", "export PATH="];

/// The outputs of the commands of a page.
struct Outputs {
    /// The lines that each command printed; `None` if it was not run.
    texts: Vec<Option<Vec<String>>>,
    /// The files with names of pictures in the repository.
    pictures: Vec<(String, Vec<u8>)>,
}

/// Runs the commands of a page, with the programs of the folder `programs`.
///
/// # Errors
/// When a command ends with another exit code than 0.
fn run_command(page: &Page, programs: &Path, tier: Tier, root: &Path) -> Result<Outputs> {
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    link_fixtures(root, &folder)?;
    let mut texts = Vec::new();
    for step in page.steps() {
        let is_left_out = step.is_slow && tier == Tier::Quick;
        let is_set_up = SET_UP.iter().any(|begin| step.command.starts_with(begin));
        let run_command = !is_left_out && !is_set_up;
        texts.push(
            run_command
                .then(|| run_step(step, programs, &folder))
                .transpose()?,
        );
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

/// The output of a command, on both streams.
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_pages_say_what_the_programs_print() {
        let programs = programs_of_this_build().unwrap();
        let tier = match std::env::var_os("SHOGI_SLOW_TESTS") {
            Some(value) if value == "1" => Tier::All,
            _ => Tier::Quick,
        };
        let mut differences = Vec::new();
        for name in pages().unwrap() {
            differences.extend(check(&name, &programs, tier, false).unwrap());
        }
        assert!(
            differences.is_empty(),
            "{}\nIf the programs are right, `cargo xtask tour --write` brings the pages up to date.",
            differences.join("\n")
        );
    }

    #[test]
    fn cargo_run_is_the_program() {
        assert_eq!(
            as_programs("cargo run --release --bin a -- b -- c"),
            "a b -- c"
        );
        assert_eq!(as_programs("a -- b"), "a -- b");
    }
}
