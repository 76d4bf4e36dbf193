//! The licences of everything inside the programs, as their packages have them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

use crate::packages::{Inventory, Package};

const HEAD: &str = "\
These programs contain, besides code of their own (LICENSE-MIT, LICENSE-APACHE), the standard library of Rust
(https://www.rust-lang.org, MIT OR Apache-2.0) and the packages below, with the licences that each of them comes with.
";

/// What names of files with licences begin with.
const BEGINNINGS: [&str; 6] = [
    "license",
    "licence",
    "copying",
    "copyright",
    "notice",
    "unlicense",
];

/// The text for the archive: each licence once, with the packages that have it.
pub(super) fn document(inventory: &Inventory) -> Result<String> {
    let mut by_text: BTreeMap<String, Vec<&Package>> = BTreeMap::new();
    let mut without = Vec::new();
    for package in inventory.foreign() {
        let texts = texts(package.folder())?;
        if texts.is_empty() {
            without.push(package);
        }
        for text in texts {
            by_text.entry(text).or_default().push(package);
        }
    }
    Ok(written(&by_text, &without))
}

fn written(by_text: &BTreeMap<String, Vec<&Package>>, without: &[&Package]) -> String {
    const LINE: &str =
        "--------------------------------------------------------------------------------";
    let mut document = HEAD.to_owned();
    let mut line = |text: &str| writeln!(document, "{text}").expect("a string takes all");
    if !without.is_empty() {
        line("\nThese come with no text of their own, only with the names of their licences:\n");
        for package in without {
            line(&entry(package));
        }
    }
    // The one that most packages have comes first.
    let mut texts: Vec<_> = by_text.iter().collect();
    texts.sort_by_key(|(_, packages)| std::cmp::Reverse(packages.len()));
    for (text, packages) in texts {
        line(&format!("\n{LINE}"));
        for package in packages {
            line(&entry(package));
        }
        line(&format!("{LINE}\n\n{text}"));
    }
    document
}

fn entry(package: &Package) -> String {
    let licence = package.license.as_deref().unwrap_or("licence in its file");
    format!("{} {} ({licence})", package.name, package.version)
}

/// The licences in the folder of a package, each once.
fn texts(folder: &Path) -> Result<Vec<String>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut texts = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_lowercase();
        if !path.is_file() || !BEGINNINGS.iter().any(|begin| name.starts_with(begin)) {
            continue;
        }
        let bytes =
            std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        texts.push(text.trim_matches('\n').to_owned());
    }
    texts.sort();
    texts.dedup();
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_of_a_package_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        put("LICENSE-MIT", "\nMIT\r\n");
        put("License.txt", "MIT");
        put("COPYING", "other\n");
        put("README.md", "none");
        assert_eq!(texts(folder.path()).unwrap(), ["MIT", "other"]);
    }

    #[test]
    fn every_package_is_named_with_its_text() {
        let inventory = crate::packages::tests::inventory();
        let far = inventory.foreign()[0];
        let texts = BTreeMap::from([("Do what you like.".to_owned(), vec![far])]);
        let document = written(&texts, &[]);
        let place = |text: &str| document.find(text).expect(text);
        assert!(place("far 1.0.0 (MIT/Apache-2.0)") < place("Do what you like."));
        assert!(!document.contains("no text of their own"));
        let document = written(&BTreeMap::new(), &[far]);
        assert!(
            document.ends_with("far 1.0.0 (MIT/Apache-2.0)\n"),
            "{document}"
        );
    }
}
