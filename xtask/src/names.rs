//! `cargo xtask names`: one name, one meaning; one file, one idea.
//!
//! A public type name is declared once in the workspace, no file of code is longer than [`MAX_LINES`], and every file is
//! a module of a crate. Names that may be shared are listed here with their reason.
//!
//! Errors of libraries are types, arguments of their public functions say what they mean, and no message of an error tells its source
//! (`signatures`): what there is of others may only become less.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::outcome::Outcome;
use crate::signatures::Habits;
use crate::workspace;

/// Find type names that are public twice, files that are too long, and files that no module names.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// List them without failing.
    #[arg(long)]
    report: bool,
}

/// Lines of a file of code at most.
const MAX_LINES: usize = 700;

/// Folders of the workspace that have code.
const FOLDERS: [&str; 5] = ["benches", "bins", "crates", "fuzz", "xtask"];

/// Names that several crates may use.
const SHARED_NAMES: &[(&str, &str)] = &[
    ("Error", "the error of a crate, by Rust's convention"),
    ("Result", "the result of a crate, by Rust's convention"),
    ("Clock", "the same idea in both games"),
    ("Control", "the same idea in both games"),
    ("Evaluator", "the same idea in both games"),
    ("Game", "the same idea in both games"),
    ("IllegalMove", "the same idea in both games"),
    ("Limits", "the same idea in both games"),
    (
        "Move",
        "the same idea in both games, and in games on graphs",
    ),
    ("Observer", "the same idea in both games"),
    ("Pipes", "one type, written for each kind of system"),
    ("Position", "the same idea in both games"),
    ("SearchResult", "the same idea in both games"),
    ("Searcher", "the same idea in both games"),
    ("Session", "the same idea in both games"),
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

/// Returns what is wrong in the crates and programs below `root`, a line each.
pub(crate) fn findings(root: &Path) -> Result<Vec<String>> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut findings = Vec::new();
    let mut files = Vec::new();
    for folder in FOLDERS {
        for path in rust_files(&root.join(folder))? {
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            files.push((path, text));
        }
    }
    let mut habits = Habits::default();
    for (path, text) in &files {
        if is_library(root, path) {
            habits.add(text);
        }
        if is_shipped(root, path) {
            habits.add_messages(text);
        }
    }
    findings.extend(habits.findings());
    let modules: BTreeSet<PathBuf> = files
        .iter()
        .flat_map(|(path, text)| modules_of(path, text))
        .collect();
    for (path, text) in &files {
        let name = path.strip_prefix(root).unwrap_or(path);
        let name = name.display().to_string();
        let lines = text.lines().count();
        if lines > MAX_LINES {
            findings.push(format!("{name}: {lines} lines, at most {MAX_LINES}"));
        }
        if !is_crate_root(path) && !modules.contains(path) {
            findings.push(format!("{name}: no module names it"));
        }
        for declared in text.lines().filter_map(declared_type) {
            let places = places.entry(declared.to_owned()).or_default();
            places.push(name.clone());
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

/// Returns whether a file is code of a library, and not of its tests.
fn is_library(root: &Path, path: &Path) -> bool {
    let path = path.strip_prefix(root).unwrap_or(path);
    let is_part = |name: &str| path.components().any(|part| part.as_os_str() == name);
    path.starts_with("crates") && is_part("src") && !is_part("tests") && !path.ends_with("tests.rs")
}

/// Returns whether a file is code of a library or a program, and not of their tests.
fn is_shipped(root: &Path, path: &Path) -> bool {
    let path = path.strip_prefix(root).unwrap_or(path);
    let in_src = path.components().any(|part| part.as_os_str() == "src");
    in_src && (path.starts_with("crates") || path.starts_with("bins"))
}

/// Returns whether Cargo finds a file by its place: it needs no module.
fn is_crate_root(path: &Path) -> bool {
    const NAMES: [&str; 3] = ["lib.rs", "main.rs", "build.rs"];
    const FOLDERS: [&str; 4] = ["benches", "examples", "tests", "fuzz_targets"];
    let is_one_of = |name: Option<&std::ffi::OsStr>, names: &[&str]| {
        name.is_some_and(|name| names.iter().any(|&one| name == one))
    };
    let folder = path.parent().and_then(Path::file_name);
    let in_src = path.components().any(|part| part.as_os_str() == "src");
    is_one_of(path.file_name(), &NAMES)
        || is_one_of(folder, &["bin"])
        || !in_src && is_one_of(folder, &FOLDERS)
}

/// The files that the modules declared in a file may lie in.
fn modules_of(path: &Path, text: &str) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_folder_root = ["mod.rs", "lib.rs", "main.rs"]
        .iter()
        .any(|&name| path.file_name().is_some_and(|own| own == name));
    let mut inside = vec![if is_folder_root {
        folder.to_owned()
    } else {
        path.with_extension("")
    }];
    if is_crate_root(path) {
        inside.push(folder.to_owned());
    }
    let mut found = Vec::new();
    // An inline module is a folder of its own; rustfmt puts its end below its beginning.
    let mut inline: Vec<(usize, &str)> = Vec::new();
    let mut given = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if line == "}" && inline.last().is_some_and(|&(begin, _)| begin == indent) {
            inline.pop();
        }
        if let Some(place) = line.strip_prefix("#[path = \"") {
            given = place.split('"').next();
        }
        let Some(declared) = declared_module(line) else {
            continue;
        };
        if let Some(name) = declared.strip_suffix(" {") {
            inline.push((indent, name));
        } else if let Some(name) = declared.strip_suffix(';') {
            for inside in &inside {
                let mut folder = inside.clone();
                folder.extend(inline.iter().map(|&(_, name)| name));
                found.push(folder.join(format!("{name}.rs")));
                found.push(folder.join(name).join("mod.rs"));
            }
            found.extend(given.take().map(|place| folder.join(place)));
        }
    }
    found
}

/// The rest of a line after `mod`, if it declares a module.
fn declared_module(line: &str) -> Option<&str> {
    let rest = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    rest.strip_prefix("mod ")
}

/// All files of Rust code below `folder`, in order.
pub(crate) fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
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
        for folder in FOLDERS {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        let put = |name: &str, text: &str| std::fs::write(root.path().join(name), text).unwrap();
        put("crates/lib.rs", "pub struct Twice;\npub struct Error;\n");
        put("bins/main.rs", "pub enum Twice {}\npub enum Error {}\n");
        put("xtask/build.rs", &"\n".repeat(MAX_LINES + 1));
        assert_eq!(
            findings(root.path()).unwrap(),
            [
                "xtask/build.rs: 701 lines, at most 700",
                "Twice is declared in bins/main.rs, crates/lib.rs",
            ]
        );
    }

    #[test]
    fn files_that_no_module_names_are_found() {
        let modules = |path: &str, text: &str| -> Vec<String> {
            let found = modules_of(Path::new(path), text);
            found
                .iter()
                .map(|path| path.display().to_string().replace('\\', "/"))
                .collect()
        };
        let text =
            "mod a;\npub(crate) mod b;\nmod c {\n    mod d;\n}\n#[path = \"e/f.rs\"]\nmod g;\n";
        let found = modules("src/x.rs", text);
        for path in ["src/x/a.rs", "src/x/b/mod.rs", "src/x/c/d.rs", "src/e/f.rs"] {
            assert!(found.iter().any(|found| found == path), "{path} {found:?}");
        }
        assert_eq!(modules("src/lib.rs", "pub mod a;")[0], "src/a.rs");
        assert_eq!(modules("src/x.rs", "// mod a;\nlet mod_b;\n"), [""; 0]);
        assert!(is_crate_root(Path::new("fuzz/fuzz_targets/sfen.rs")));
        assert!(is_crate_root(Path::new("crates/a/tests/it/main.rs")));
        assert!(!is_crate_root(Path::new("crates/a/tests/it/sfen.rs")));
        assert!(!is_crate_root(Path::new("crates/a/src/sfen/tests/long.rs")));
    }
}
