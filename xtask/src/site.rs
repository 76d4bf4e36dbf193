//! `cargo xtask site`: the documentation as a book in English and Japanese, beside that of the crates.
//!
//! `docs/SUMMARY.md` and `docs/SUMMARY.ja.md` say what is in the books. Pages keep their places, so that links between them hold here and
//! there; links to other files of the repository become plain text.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::outcome::Outcome;
use crate::workspace;

/// Make the documentation into target/site: the book, by mdBook, and the crates.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only look for pages that no summary has, and for links that lead nowhere.
    #[arg(long)]
    check: bool,
    /// Leave out the documentation of the crates.
    #[arg(long)]
    no_crates: bool,
}

/// A book: a language, its summary, and the folder of the site that it has.
struct Book {
    language: &'static str,
    summary: &'static str,
    folder: &'static str,
}

const BOOKS: [Book; 2] = [
    Book {
        language: "en",
        summary: "docs/SUMMARY.md",
        folder: "",
    },
    Book {
        language: "ja",
        summary: "docs/SUMMARY.ja.md",
        folder: "ja",
    },
];

/// Pages that are read in the repository alone.
const NOT_IN_BOOKS: [&str; 2] = ["docs/SUMMARY.md", "docs/SUMMARY.ja.md"];

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    let findings = findings(&sh)?;
    for finding in &findings {
        println!("{finding}");
    }
    if args.check || !findings.is_empty() {
        return Ok(Outcome::from_found(!findings.is_empty()));
    }
    if cmd!(sh, "mdbook --version")
        .quiet()
        .ignore_stderr()
        .read()
        .is_err()
    {
        bail!("mdBook is not installed: cargo install --locked mdbook");
    }
    let site = workspace::target_dir().join("site");
    sh.remove_path(&site)?;
    for book in &BOOKS {
        let source = lay_down(&sh, book)?;
        let folder = site.join(book.folder);
        cmd!(sh, "mdbook build {source} --dest-dir {folder}")
            .env("MDBOOK_BOOK__LANGUAGE", book.language)
            .run()?;
    }
    if !args.no_crates {
        cmd!(
            sh,
            "cargo doc --workspace --no-deps --exclude xtask --exclude benches"
        )
        .run()?;
        copy_all(
            &sh,
            &workspace::target_dir().join("doc"),
            &site.join("crates"),
        )?;
    }
    println!("{}", site.display());
    Ok(Outcome::Clean)
}

/// Returns pages that no summary has, and links of pages that lead nowhere, a line each.
pub(crate) fn findings(sh: &Shell) -> Result<Vec<String>> {
    let root = workspace::root();
    let mut pages = BTreeSet::new();
    let mut findings = Vec::new();
    for book in &BOOKS {
        pages.extend(pages_of(sh, book)?);
    }
    let documents = cmd!(sh, "git ls-files docs").quiet().read()?;
    let is_page = |name: &&str| Path::new(name).extension().is_some_and(|end| end == "md");
    let documents = documents.lines().filter(is_page);
    for name in documents {
        let is_apart = NOT_IN_BOOKS.contains(&name) || name.starts_with("docs/decisions/");
        if !is_apart && !pages.contains(Path::new(name)) {
            findings.push(format!("{name}: in no summary"));
        }
    }
    for page in pages {
        let Ok(text) = std::fs::read_to_string(root.join(&page)) else {
            findings.push(format!("{}: in a summary, and not there", page.display()));
            continue;
        };
        for link in links(&text) {
            let target = target_of(&page, link);
            if target.is_some_and(|target| !root.join(target).exists()) {
                findings.push(format!("{}: nothing at {link}", page.display()));
            }
        }
    }
    Ok(findings)
}

/// The pages of a book, as paths below the root.
fn pages_of(sh: &Shell, book: &Book) -> Result<BTreeSet<PathBuf>> {
    let text = sh.read_file(book.summary)?;
    let summary = Path::new(book.summary);
    let pages = links(&text).filter_map(|link| target_of(summary, link));
    Ok(pages.collect())
}

/// Lays the pages of a book down as mdBook wants them. Returns the folder.
fn lay_down(sh: &Shell, book: &Book) -> Result<PathBuf> {
    let root = workspace::root();
    let folder = workspace::target_dir().join("book").join(book.language);
    let source = folder.join("src");
    sh.remove_path(&folder)?;
    sh.create_dir(&source)?;
    sh.copy_file(root.join("book.toml"), &folder)?;
    let pages = pages_of(sh, book)?;
    let summary = sh.read_file(book.summary)?;
    // The summary lies above the pages here.
    let summary = rewritten(&summary, |link| {
        let target = target_of(Path::new(book.summary), link)?;
        Some(target.to_string_lossy().replace('\\', "/"))
    });
    sh.write_file(source.join("SUMMARY.md"), summary)?;
    for page in &pages {
        let text = sh.read_file(root.join(page))?;
        let text = rewritten(&text, |link| {
            let Some(target) = target_of(page, link) else {
                return Some(link.to_owned());
            };
            let is_picture = target.starts_with("docs/images");
            (pages.contains(&target) || is_picture).then(|| link.to_owned())
        });
        let copy = source.join(page);
        sh.create_dir(copy.parent().context("a page has a folder")?)?;
        sh.write_file(copy, text)?;
    }
    copy_all(sh, &root.join("docs/images"), &source.join("docs/images"))?;
    Ok(folder)
}

fn copy_all(sh: &Shell, from: &Path, to: &Path) -> Result<()> {
    sh.create_dir(to)?;
    for path in sh.read_dir(from)? {
        let copy = to.join(path.file_name().context("a file has a name")?);
        if path.is_dir() {
            copy_all(sh, &path, &copy)?;
        } else {
            sh.copy_file(&path, &copy)?;
        }
    }
    Ok(())
}

/// The targets of the links of a page. Blocks of code have none.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines()
        .filter(move |line| {
            let is_fence = line.trim_start().starts_with("```");
            in_code ^= is_fence;
            !in_code && !is_fence
        })
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| Some(&rest[..rest.find(')')?]))
}

/// The file that a link of a page leads to, as a path below the root; `None` when it leads out of the repository, or nowhere but
/// into the page.
fn target_of(page: &Path, link: &str) -> Option<PathBuf> {
    let path = link.split('#').next().filter(|path| !path.is_empty())?;
    if path.contains(':') || path.contains(' ') {
        return None;
    }
    let mut target = PathBuf::new();
    let folder = page.parent().unwrap_or(Path::new(""));
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => {
                target.pop();
            }
            Component::Normal(name) => target.push(name),
            _ => {}
        }
    }
    Some(target)
}

/// A page with other links; `None` leaves the words of the link alone.
fn rewritten(text: &str, link: impl Fn(&str) -> Option<String>) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(middle) = rest.find("](") {
        let (Some(begin), Some(length)) = (rest[..middle].rfind('['), rest[middle..].find(')'))
        else {
            // The end of a link around a picture, for example.
            written += &rest[..middle + 2];
            rest = &rest[middle + 2..];
            continue;
        };
        let end = middle + length;
        let words = &rest[begin + 1..middle];
        written += &rest[..begin];
        match link(&rest[middle + 2..end]) {
            Some(target) => written.extend(["[", words, "](", &target, ")"]),
            None => written += words,
        }
        rest = &rest[end + 1..];
    }
    written + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_in_a_book_and_every_link_leads_somewhere() {
        let sh = workspace::shell().unwrap();
        assert_eq!(findings(&sh).unwrap(), [""; 0]);
    }

    #[test]
    fn links_are_found_and_followed() {
        let text = "[a](b.md) and [c](../d/e.md#part)\n```\n[x](no.md)\n```\n![p](images/p.svg)";
        let found: Vec<_> = links(text).collect();
        assert_eq!(found, ["b.md", "../d/e.md#part", "images/p.svg"]);
        let target = |link: &str| target_of(Path::new("docs/tour/a.md"), link);
        assert_eq!(target("../x.md#y").unwrap(), Path::new("docs/x.md"));
        assert_eq!(target("../../README.md").unwrap(), Path::new("README.md"));
        assert_eq!(target("https://example.org/a.md"), None);
        assert_eq!(target("#part"), None);
    }

    #[test]
    fn links_that_lead_out_of_a_book_become_words() {
        let keep = |link: &str| (!link.ends_with("rs")).then(|| format!("x/{link}"));
        let text = rewritten("[a](b.md), [code](c.rs), [open](", keep);
        assert_eq!(text, "[a](x/b.md), code, [open](");
        let text = rewritten("[![p](q.md)](r), [a](b.rs)", keep);
        assert_eq!(text, "[![p](x/q.md)](r), a");
    }
}
