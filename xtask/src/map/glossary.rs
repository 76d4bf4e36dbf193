//! The terms of the glossary: each is in the code, or its row says that it is not.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result};

use crate::names::rust_files;

/// With what the meaning of a term begins that the code does not have.
const ABSENT: &str = "(absent) ";

/// Returns the rows that are wrong, a line each: a term that is nowhere in the code without the mark, or one that is there
/// with it.
pub(super) fn findings(root: &Path) -> Result<Vec<String>> {
    let page = root.join("docs/glossary.md");
    let text = std::fs::read_to_string(&page)
        .with_context(|| format!("cannot read {}", page.display()))?;
    let mut wanted = Wanted::new(&text);
    for folder in ["bins", "crates"] {
        for path in rust_files(&root.join(folder))? {
            let code = std::fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            wanted.look_in(&code);
        }
    }
    Ok(wrong_rows(&text, &wanted.found))
}

fn wrong_rows(page: &str, found: &HashSet<String>) -> Vec<String> {
    let mut findings = Vec::new();
    for (term, meaning) in rows(page) {
        let is_there = forms(term).any(|form| found.contains(&form));
        if is_there == meaning.starts_with(ABSENT) {
            let should = if is_there { "without" } else { "with" };
            findings.push(format!(
                "docs/glossary.md: {term}: {should} the mark {ABSENT}"
            ));
        }
    }
    findings
}

/// The terms of a page with their meanings.
fn rows(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| ")?.split(" | ");
            Some((cells.next()?, cells.nth(1)?))
        })
        .filter(|&(term, _)| term != "term" && term != "---")
}

/// The forms of a term: `a, b (c)` is known as each of the three, in one or in many, in one word or in several.
fn forms(term: &str) -> impl Iterator<Item = String> + '_ {
    let parts = term.split([',', '(', ')', ':']).map(normal);
    parts.filter(|words| !words.is_empty()).flat_map(|words| {
        let spellings = [words.join(" "), words.concat()];
        spellings
            .into_iter()
            .flat_map(|form| ["", "s", "es"].map(|end| format!("{form}{end}")))
    })
}

/// The forms of the terms of a page, and which of them the code has.
struct Wanted {
    forms: HashSet<String>,
    /// The first words of the forms.
    beginnings: HashSet<String>,
    found: HashSet<String>,
}

impl Wanted {
    fn new(page: &str) -> Self {
        let forms: HashSet<String> = rows(page).flat_map(|(term, _)| forms(term)).collect();
        let beginnings = forms
            .iter()
            .filter_map(|form| form.split(' ').next())
            .map(str::to_owned)
            .collect();
        Self {
            forms,
            beginnings,
            found: HashSet::new(),
        }
    }

    /// Looks for the forms in the text of a file.
    fn look_in(&mut self, code: &str) {
        const LONGEST: usize = 4;
        // Words that belong together have nothing between them but a blank, a hyphen or a change of case.
        let is_apart = |letter: char| !letter.is_alphanumeric() && !"_- ".contains(letter);
        for phrase in code.split(is_apart) {
            let words = normal(phrase);
            for start in 0..words.len() {
                if !self.beginnings.contains(&words[start]) {
                    continue;
                }
                for end in start + 1..=words.len().min(start + LONGEST) {
                    let run = words[start..end].join(" ");
                    if self.forms.contains(&run) {
                        self.found.insert(run);
                    }
                }
            }
        }
    }
}

/// The words of a text in small letters; `CamelCase`, `snake_case` and hyphens are several.
fn normal(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && was_small {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words
                .last_mut()
                .expect("there is one")
                .extend(letter.to_lowercase());
        }
        was_small = letter.is_lowercase() || letter.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong in a page with these rows, given this code.
    fn wrong(rows: &str, code: &str) -> Vec<String> {
        let page = format!("| term | Japanese | meaning |\n| --- | --- | --- |\n{rows}");
        let mut wanted = Wanted::new(&page);
        wanted.look_in(code);
        wrong_rows(&page, &wanted.found)
    }

    #[test]
    fn terms_are_found_in_every_spelling() {
        let rows = "| non-zero mask | x | y |\n| TT cutoff | x | y |\n| null move pruning | x | y |\n\
            | killer | x | y |\n| mask let | x | (absent) y |\n";
        let code =
            "struct NonZeroMask;\nlet tt_cutoff = 1;\n// Null-move pruning.\nfn killers() {}";
        assert_eq!(wrong(rows, code), [""; 0]);
    }

    #[test]
    fn rows_are_marked_when_their_term_is_absent() {
        let rows = "| pin, blocker | x | A piece. |\n| killer | x | (absent) A move. |\n\
            | Lazy SMP | x | Threads. |\n| probe | x | (absent) Looking up. |\n";
        assert_eq!(
            wrong(rows, "fn blockers() { probe() }"),
            [
                "docs/glossary.md: Lazy SMP: with the mark (absent) ",
                "docs/glossary.md: probe: without the mark (absent) "
            ]
        );
    }
}
