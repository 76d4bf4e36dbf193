//! `cargo xtask circles`: files of a crate that need one another in a circle.
//!
//! Dependencies point down, inside a crate too. A file needs another when it names an item that is declared there; a
//! re-export counts as the file that declares the item, and code for tests does not count.

mod graph;
mod modules;
mod tokens;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use self::modules::Crate;
use crate::outcome::Outcome;
use crate::workspace;

/// Find files that need one another in a circle.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only the circles of crates whose folder ends with this.
    #[arg(long, value_name = "NAME")]
    of: Option<String>,
}

/// What the workspace may have at most.
const LIMITS: Totals = Totals {
    circles: 0,
    inside: 0,
    largest: 0,
};

/// How many circles there are, with how many files in all and in the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    circles: usize,
    inside: usize,
    largest: usize,
}

/// A circle, as it is shown.
#[derive(Debug)]
struct Circle {
    /// The folder of its crate.
    crate_name: String,
    /// Number of files in it.
    files: usize,
    /// Each edge in it, a line: `a.rs -> b.rs  (crate::b::C)`.
    edges: Vec<String>,
}

/// What was found in a workspace.
#[derive(Debug, Default)]
struct Found {
    /// The largest first.
    circles: Vec<Circle>,
    /// Number of files that were read.
    files: usize,
}

impl Found {
    fn totals(&self) -> Totals {
        Totals {
            circles: self.circles.len(),
            inside: self.circles.iter().map(|circle| circle.files).sum(),
            largest: self.circles.first().map_or(0, |circle| circle.files),
        }
    }

    fn exceeds(&self, limits: Totals) -> bool {
        let totals = self.totals();
        totals.circles > limits.circles
            || totals.inside > limits.inside
            || totals.largest > limits.largest
    }

    fn summary(&self) -> String {
        let totals = self.totals();
        format!(
            "{} circles with {} of {} files, the largest with {}; at most {} with {}, of {}",
            totals.circles,
            totals.inside,
            self.files,
            totals.largest,
            LIMITS.circles,
            LIMITS.inside,
            LIMITS.largest
        )
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let mut found = find(workspace::root())?;
    if let Some(name) = &args.of {
        found
            .circles
            .retain(|circle| circle.crate_name.ends_with(name.as_str()));
    }
    for circle in &found.circles {
        println!("{}: {} files", circle.crate_name, circle.files);
        for edge in &circle.edges {
            println!("  {edge}");
        }
    }
    println!("{}", found.summary());
    Ok(Outcome::from_found(found.exceeds(LIMITS)))
}

/// Returns what is wrong in the workspace below `root`, a line each.
pub(crate) fn findings(root: &Path) -> Result<Vec<String>> {
    let found = find(root)?;
    let mut findings = Vec::new();
    if found.exceeds(LIMITS) {
        let names = found.circles.iter();
        findings
            .extend(names.map(|circle| format!("{}: {} files", circle.crate_name, circle.files)));
        findings.push(format!(
            "{}: cargo xtask circles shows them",
            found.summary()
        ));
    }
    Ok(findings)
}

fn find(root: &Path) -> Result<Found> {
    let mut found = Found::default();
    for crate_root in crate_roots(root)? {
        let tree = Crate::read(&crate_root)?;
        found.files += tree.files.len();
        let folder = crate_root.parent().unwrap_or(root);
        let name = |file: usize| -> String {
            let path = &tree.files[file];
            let path = path.strip_prefix(folder).unwrap_or(path);
            path.display().to_string()
        };
        let edges = graph::edges(&tree);
        for circle in graph::circles(tree.files.len(), &edges) {
            let inside = edges
                .iter()
                .filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
            found.circles.push(Circle {
                crate_name: crate_name(root, &crate_root),
                files: circle.len(),
                edges: inside
                    .map(|(&(from, to), paths)| {
                        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
                        format!("{} -> {}  ({})", name(from), name(to), paths.join(", "))
                    })
                    .collect(),
            });
        }
    }
    found
        .circles
        .sort_by_key(|circle| std::cmp::Reverse(circle.files));
    Ok(found)
}

/// The folder of a crate, below the root.
fn crate_name(root: &Path, crate_root: &Path) -> String {
    let folder = crate_root
        .ancestors()
        .find(|folder| folder.join("Cargo.toml").is_file())
        .unwrap_or(crate_root);
    folder
        .strip_prefix(root)
        .unwrap_or(folder)
        .display()
        .to_string()
}

/// The files with which the crates of the workspace begin.
fn crate_roots(root: &Path) -> Result<Vec<PathBuf>> {
    let mut sources = vec![root.join("xtask/src"), root.join("xtask/shell-files/src")];
    for folder in ["bins", "crates"] {
        sources.extend(
            entries(&root.join(folder))?
                .iter()
                .map(|folder| folder.join("src")),
        );
    }
    let mut roots = Vec::new();
    for source in sources {
        roots.extend(["lib.rs", "main.rs"].map(|name| source.join(name)));
        let programs = source.join("bin");
        if programs.is_dir() {
            roots.extend(entries(&programs)?);
        }
    }
    roots.retain(|path| path.is_file());
    Ok(roots)
}

/// What lies in a folder, in order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read =
        std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut found = Vec::new();
    for entry in read {
        found.push(entry?.path());
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crate_of(files: &[(&str, &str)]) -> Found {
        let root = tempfile::tempdir().expect("a folder");
        for folder in ["bins", "xtask/src", "crates/one/src"] {
            std::fs::create_dir_all(root.path().join(folder)).expect(folder);
        }
        for (name, text) in files {
            let path = root.path().join("crates/one/src").join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect(name);
            std::fs::write(path, text).expect(name);
        }
        find(root.path()).expect("a workspace")
    }

    fn edges_of(files: &[(&str, &str)]) -> Vec<String> {
        let found = crate_of(files);
        found
            .circles
            .into_iter()
            .flat_map(|circle| circle.edges)
            .collect()
    }

    #[test]
    fn a_circle_is_found_through_a_re_export() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::{A, C};"),
            ("a.rs", "use crate::b::B; pub struct A(B); pub struct C;"),
            ("b.rs", "pub struct B(Option<crate::C>);"),
        ];
        assert_eq!(
            edges_of(&files),
            ["a.rs -> b.rs  (crate::b::B)", "b.rs -> a.rs  (crate::C)"]
        );
    }

    #[test]
    fn an_item_of_the_parent_makes_a_circle_and_a_re_export_alone_does_not() {
        let parent = |own: &str| -> Vec<String> {
            edges_of(&[
                ("lib.rs", "pub mod a;"),
                ("a/mod.rs", own),
                ("a/b.rs", "use super::A; pub struct B(A); pub fn f() {}"),
            ])
        };
        assert_eq!(parent("mod b; pub use b::B; pub struct A;"), [""; 0]);
        assert_eq!(
            parent("mod b; pub struct A; fn g() { b::f() }"),
            [
                "a/mod.rs -> a/b.rs  (b::f)",
                "a/b.rs -> a/mod.rs  (super::A)"
            ]
        );
    }

    #[test]
    fn what_tests_use_makes_no_circle() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            (
                "a.rs",
                "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }",
            ),
            ("b.rs", "use crate::a::A; pub struct B(A);"),
        ];
        assert_eq!(edges_of(&files), [""; 0]);
    }

    #[test]
    fn the_workspace_stays_within_its_limits() {
        let findings = findings(workspace::root()).expect("the workspace can be read");
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }
}
