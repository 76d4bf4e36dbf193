//! `cargo xtask map`: the parts of ARCHITECTURE.md that follow from the files of the workspace, and whether they are true.
//!
//! The picture of the floors, the table of the crates and the list of unsafe files are drawn from the `Cargo.toml` files
//! (`[package.metadata.map]`: `floor`, `subject`, `never`, `unsafe-for`) and the code, between two comments each.

mod crates;
mod draw;
mod glossary;
mod unsafe_code;

use std::path::Path;

use anyhow::{Context, Result};

use crate::outcome::Outcome;
use crate::workspace;

/// Check that ARCHITECTURE.md and the glossary agree with the crates.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Draw the picture and the tables of ARCHITECTURE.md anew.
    #[arg(long)]
    write: bool,
}

const PAGE: &str = "ARCHITECTURE.md";

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let root = workspace::root();
    if args.write {
        let page = root.join(PAGE);
        let text = drawn(root, &read(&page)?)?;
        std::fs::write(&page, text).with_context(|| format!("cannot write {}", page.display()))?;
    }
    let findings = findings(root)?;
    for finding in &findings {
        println!("{finding}");
    }
    println!("{} findings", findings.len());
    Ok(Outcome::from_found(!findings.is_empty()))
}

/// Returns what is not true in the workspace at `root`, a line each.
pub(crate) fn findings(root: &Path) -> Result<Vec<String>> {
    let text = read(&root.join(PAGE))?;
    let members = crates::read()?;
    let mut findings = crates::findings(&members);
    let unsafe_files = unsafe_code::find(root, &members)?;
    findings.extend(unsafe_code::findings(root, &members, &unsafe_files)?);
    findings.extend(glossary::findings(root)?);
    if drawn(root, &text)? != text {
        findings.push(format!("{PAGE} is out of date: cargo xtask map --write"));
    }
    Ok(findings)
}

/// The page with its drawn parts made anew.
fn drawn(root: &Path, page: &str) -> Result<String> {
    let members = crates::read()?;
    let unsafe_files = unsafe_code::find(root, &members)?;
    let parts = [
        ("floors", draw::picture(&members)),
        ("crates", draw::table(&members)),
        ("unsafe files", unsafe_code::table(&unsafe_files)),
    ];
    parts
        .iter()
        .try_fold(page.to_owned(), |page, (name, part)| {
            replaced(&page, name, part)
        })
}

/// The page with `part` between the comments `<!-- map: NAME -->` and `<!-- map: end -->`.
fn replaced(page: &str, name: &str, part: &str) -> Result<String> {
    const END: &str = "<!-- map: end -->";
    let start = format!("<!-- map: {name} -->\n");
    let (before, rest) = page
        .split_once(&start)
        .with_context(|| format!("{PAGE} has no line {start}"))?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("{PAGE}: {start} has no {END}"))?;
    Ok(format!("{before}{start}{part}{END}{after}"))
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_replaced_between_its_comments() {
        let page = "a\n<!-- map: x -->\nold\n<!-- map: end -->\nb\n";
        let once = replaced(page, "x", "new\n").expect("the comments are there");
        assert_eq!(once, "a\n<!-- map: x -->\nnew\n<!-- map: end -->\nb\n");
        assert!(replaced(page, "y", "").is_err());
    }

    #[test]
    fn the_map_is_true() {
        let findings = findings(workspace::root()).expect("the workspace can be read");
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }
}
