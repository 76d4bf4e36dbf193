//! Tests of the links between READMEs and guides.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace::root;

/// The targets of the links and pictures of a page that lie in the repository, without their anchors.
fn targets(text: &str) -> Vec<String> {
    let links = text.split("](").skip(1);
    links
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.split('#').next().unwrap_or("").to_owned())
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages of a folder.
fn pages_in(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect(folder);
    let paths = entries.map(|entry| entry.expect(folder).path());
    let mut pages: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    pages.sort();
    pages
}

fn is_japanese(page: &Path) -> bool {
    page.to_string_lossy().ends_with(".ja.md")
}

#[test]
fn links_lead_to_files() {
    let mut pages = pages_in("docs");
    pages.extend(pages_in("docs/tour"));
    pages.extend(["README.md", "README.ja.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    for page in pages {
        let folder = page.parent().unwrap();
        for target in targets(&read(&page)) {
            let found = folder.join(&target).exists();
            assert!(found, "{}: there is no {target}", page.display());
        }
    }
}

#[test]
fn the_readmes_link_to_every_guide() {
    for (readme, japanese) in [("README.md", false), ("README.ja.md", true)] {
        let linked = targets(&read(&root().join(readme)));
        for page in pages_in("docs") {
            let other = page.with_extension("ja.md");
            // A guide in one language alone is linked from both.
            let is_wanted =
                is_japanese(&page) == japanese || (!is_japanese(&page) && !other.exists());
            let name = page.strip_prefix(root()).unwrap().display().to_string();
            assert!(
                !is_wanted || linked.contains(&name),
                "{readme} has no link to {name}"
            );
        }
    }
}

#[test]
fn both_languages_of_a_page_link_to_each_other() {
    let mut pages = pages_in("docs");
    pages.extend(pages_in("docs/tour"));
    pages.push(root().join("README.ja.md"));
    for page in pages.iter().filter(|page| is_japanese(page)) {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let english = name.replace(".ja.md", ".md");
        assert!(
            targets(&read(page)).contains(&english),
            "{name} has no link to {english}"
        );
        let text = read(&page.with_file_name(&english));
        assert!(
            targets(&text).contains(&name),
            "{english} has no link to {name}"
        );
    }
}

#[test]
fn targets_are_those_of_the_repository() {
    let text = "[a](b.md#c) ![d](e.svg) [f](https://g) [h](#i)";
    assert_eq!(targets(text), ["b.md", "e.svg"]);
}
