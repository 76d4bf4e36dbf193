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

mod compare;
#[cfg(test)]
mod guides;
mod page;
mod run;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::{Outcome, workspace};
use page::Page;

/// Where the pictures of the pages are.
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

/// Which blocks are run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tier {
    /// Those that take no more than a moment.
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
    let outputs = run::run(&page, programs, tier, root)?;
    let mut updates = Vec::new();
    for (step, output) in page.steps().zip(&outputs.texts) {
        let updated = output
            .as_ref()
            .and_then(|output| compare::update(&step.expected, output));
        if let (Some(updated), Some(output)) = (&updated, output) {
            let place = format!("{}:{}", name.display(), step.line);
            differences.push(compare::describe(&place, step, output, updated));
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
fn check_pictures(name: &Path, outputs: &run::Outputs, write: bool) -> Result<Vec<String>> {
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
    for program in run::PROGRAMS {
        let path = folder.join(program);
        anyhow::ensure!(
            path.is_file(),
            "{} is missing: `cargo test --workspace` builds all programs before it runs tests",
            path.display()
        );
    }
    Ok(folder)
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
}
