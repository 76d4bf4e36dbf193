//! The files that may have unsafe code, and what every crate says about it.

use std::path::Path;

use anyhow::{Context, Result};

use super::crates::Member;
use crate::names::rust_files;

/// The files of a crate with unsafe code, below its folder.
pub(super) struct UnsafeFiles<'a> {
    member: &'a Member,
    files: Vec<String>,
}

/// Finds the files that allow unsafe code, by crate.
pub(super) fn find<'a>(root: &Path, members: &'a [Member]) -> Result<Vec<UnsafeFiles<'a>>> {
    let mut found = Vec::new();
    for member in members {
        let folder = root.join(&member.folder);
        let mut files = Vec::new();
        for path in rust_files(&folder)? {
            // The chores hold another crate inside.
            let is_own = path
                .ancestors()
                .find(|one| one.join("Cargo.toml").is_file())
                == Some(&folder);
            if is_own && allows_unsafe(&read(&path)?) {
                let name = path.strip_prefix(&folder).unwrap_or(&path);
                files.push(name.display().to_string().replace('\\', "/"));
            }
        }
        if !files.is_empty() {
            found.push(UnsafeFiles { member, files });
        }
    }
    Ok(found)
}

/// Returns whether a line of code, and not of a comment, allows unsafe code.
fn allows_unsafe(text: &str) -> bool {
    let allow = ["allow(unsafe_code", "expect(unsafe_code"];
    text.lines()
        .map(str::trim_start)
        .any(|line| line.starts_with('#') && allow.iter().any(|word| line.contains(word)))
}

/// Returns the table of the files, with what their unsafe code is for.
pub(super) fn table(found: &[UnsafeFiles<'_>]) -> String {
    let mut text = String::from("| crate | files | for |\n| --- | --- | --- |\n");
    for UnsafeFiles { member, files } in found {
        let files: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
        let purpose = member.unsafe_for.as_deref().unwrap_or("");
        let (name, files) = (&member.name, files.join(", "));
        text += "| `";
        text += name;
        text += &["` | ", &files, " | ", purpose, " |\n"].concat();
    }
    text
}

/// Returns what is wrong, a line each: a crate with unsafe code that does not say why, one without that says why, and a
/// root that neither forbids it nor denies it beside its exceptions.
pub(super) fn findings(
    root: &Path,
    members: &[Member],
    found: &[UnsafeFiles<'_>],
) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for member in members {
        let name = &member.name;
        let has_unsafe = found.iter().any(|files| files.member.name == *name);
        if has_unsafe != member.unsafe_for.is_some() {
            findings.push(format!(
                "{name}: unsafe code and `unsafe-for` of its Cargo.toml go together"
            ));
        }
        // Benchmarks are crates of their own.
        let is_inside = found.iter().any(|files| {
            files.member.name == *name && files.files.iter().any(|file| file.starts_with("src/"))
        });
        let wanted = if is_inside { "deny" } else { "forbid" };
        for file in ["src/lib.rs", "src/main.rs"] {
            let path = root.join(&member.folder).join(file);
            if path.is_file() && !read(&path)?.contains(&format!("#![{wanted}(unsafe_code)]")) {
                findings.push(format!("{name}: {file} lacks #![{wanted}(unsafe_code)]"));
            }
        }
    }
    Ok(findings)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_allow_unsafe_code_and_comments_do_not() {
        assert!(allows_unsafe("mod a {\n    #![allow(unsafe_code)]\n}"));
        assert!(allows_unsafe(
            "#[allow(unsafe_code, reason = \"x\")]\nfn f() {}"
        ));
        assert!(allows_unsafe("#[expect(unsafe_code)]"));
        assert!(!allows_unsafe(
            "// #[allow(unsafe_code)]\n#![deny(unsafe_code)]"
        ));
    }
}
