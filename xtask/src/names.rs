//! `cargo xtask names`: one name, one meaning; one file, one idea.
//!
//! A public type name is declared once in the workspace, and no file of code is longer than [`MAX_LINES`]. Names that
//! may be shared are listed here with their reason.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};

use crate::{Outcome, workspace};

/// Find type names that are public twice, and files that are too long.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// List them without failing.
    #[arg(long)]
    report: bool,
}

/// Lines of a file of code at most.
const MAX_LINES: usize = 700;

/// Names that several crates may use.
const SHARED_NAMES: &[(&str, &str)] = &[
    ("Error", "the error of a crate, by Rust's convention"),
    ("Result", "the result of a crate, by Rust's convention"),
    ("Game", "the same idea in both games"),
    (
        "Move",
        "the same idea in both games, and in games on graphs",
    ),
    ("Position", "the same idea in both games"),
    ("Square", "the same idea in both games"),
    ("Squares", "the same idea in both games"),
];

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let findings = findings(workspace::root())?;
    for finding in &findings {
        println!("{finding}");
    }
    println!("{} findings", findings.len());
    Ok(Outcome::from_found(!args.report && !findings.is_empty()))
}

/// What is wrong in the crates and programs below `root`, a line each.
pub(crate) fn findings(root: &Path) -> Result<Vec<String>> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut findings = Vec::new();
    for folder in ["crates", "bins", "xtask"] {
        for file in rust_files(&root.join(folder))? {
            let text = std::fs::read_to_string(&file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let name = file
                .strip_prefix(root)
                .unwrap_or(&file)
                .display()
                .to_string();
            let lines = text.lines().count();
            if lines > MAX_LINES {
                findings.push(format!("{name}: {lines} lines, at most {MAX_LINES}"));
            }
            for declared in text.lines().filter_map(declared_type) {
                places
                    .entry(declared.to_owned())
                    .or_default()
                    .push(name.clone());
            }
        }
    }
    for (name, places) in places {
        let shared = SHARED_NAMES.iter().any(|&(shared, _)| shared == name);
        if places.len() > 1 && !shared {
            findings.push(format!("{name} is declared in {}", places.join(", ")));
        }
    }
    Ok(findings)
}

/// The name of the public type that a line declares.
fn declared_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let rest = ["struct ", "enum ", "trait ", "type ", "union "]
        .iter()
        .find_map(|keyword| rest.strip_prefix(keyword))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    // A macro's `$name` is none.
    Some(&rest[..end.unwrap_or(rest.len())]).filter(|name| !name.is_empty())
}

/// All files of Rust code below `folder`, in order.
fn rust_files(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_told_from_other_lines() {
        assert_eq!(declared_type("pub struct Square(u8);"), Some("Square"));
        assert_eq!(declared_type("    pub type Output = i32;"), Some("Output"));
        assert_eq!(declared_type("pub enum Color {"), Some("Color"));
        assert_eq!(declared_type("pub(crate) struct Inner;"), None);
        assert_eq!(declared_type("pub struct $name;"), None);
        assert_eq!(declared_type("struct Private;"), None);
        assert_eq!(declared_type("/// pub struct in a comment"), None);
    }

    #[test]
    fn doubled_names_and_long_files_are_found() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["crates", "bins", "xtask"] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        let put = |name: &str, text: &str| std::fs::write(root.path().join(name), text).unwrap();
        put("crates/a.rs", "pub struct Twice;\npub struct Error;\n");
        put("bins/b.rs", "pub enum Twice {}\npub enum Error {}\n");
        put("bins/long.rs", &"\n".repeat(MAX_LINES + 1));
        assert_eq!(
            findings(root.path()).unwrap(),
            [
                "bins/long.rs: 701 lines, at most 700",
                "Twice is declared in crates/a.rs, bins/b.rs",
            ]
        );
    }
}
