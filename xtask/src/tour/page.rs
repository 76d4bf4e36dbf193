//! Pages: their `console` blocks, the commands in them and the output they promise.

use std::fmt::Write as _;

use anyhow::{Result, bail, ensure};

/// Before a block: it is run in the slow tier only.
const SLOW: &str = "<!-- slow -->";

/// The examples of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    blocks: Vec<Block>,
}

/// A `console` block.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    is_slow: bool,
    steps: Vec<Step>,
}

/// A command with the output that it should have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The number of its line.
    pub(super) line: usize,
    /// The command, without the prompt.
    pub(super) command: String,
    /// The lines below it.
    pub(super) expected: Vec<String>,
    /// True if it is run in the slow tier only.
    pub(super) is_slow: bool,
    /// The index of the line behind the command, and of the one behind its output.
    lines: (usize, usize),
}

impl Page {
    /// Finds the examples in the text of a page.
    ///
    /// # Errors
    /// When a block does not begin with a command, or does not end.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let lines: Vec<&str> = text.lines().collect();
        let mut blocks = Vec::new();
        let mut next = 0;
        while next < lines.len() {
            if lines[next] != "```console" {
                next += 1;
                continue;
            }
            let is_slow = next > 0 && lines[next - 1] == SLOW;
            let begin = next + 1;
            let Some(len) = lines[begin..].iter().position(|line| *line == "```") else {
                bail!("line {begin}: the block has no end");
            };
            let steps = steps(&lines, begin, begin + len, is_slow)?;
            blocks.push(Block { is_slow, steps });
            next = begin + len + 1;
        }
        Ok(Self { blocks })
    }

    /// All commands in order.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.blocks.iter().flat_map(|block| &block.steps)
    }

    /// The text of the commands, and which are slow.
    pub(super) fn commands(&self) -> Vec<(&str, bool)> {
        let steps = self.steps();
        steps
            .map(|step| (step.command.as_str(), step.is_slow))
            .collect()
    }

    /// The text of the page with other output below those commands that have some in `outputs`.
    pub(super) fn updated(&self, text: &str, outputs: &[Option<Vec<String>>]) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let mut updated = String::with_capacity(text.len());
        let mut next = 0;
        let copy = |updated: &mut String, lines: &[&str]| {
            for line in lines {
                updated.push_str(line);
                updated.push('\n');
            }
        };
        for (step, output) in self.steps().zip(outputs) {
            let Some(output) = output else { continue };
            copy(&mut updated, &lines[next..step.lines.0]);
            let output: Vec<&str> = output.iter().map(String::as_str).collect();
            copy(&mut updated, &output);
            next = step.lines.1;
        }
        copy(&mut updated, &lines[next..]);
        updated
    }
}

/// The commands between two lines.
fn steps(lines: &[&str], begin: usize, end: usize, is_slow: bool) -> Result<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    let mut next = begin;
    while next < end {
        if let Some(first) = lines[next].strip_prefix("$ ") {
            let line = next + 1;
            let mut command = first.to_owned();
            while command.ends_with('\\') && next + 1 < end {
                next += 1;
                command.push('\n');
                command.push_str(lines[next]);
            }
            steps.push(Step {
                line,
                command,
                expected: Vec::new(),
                is_slow,
                lines: (next + 1, next + 1),
            });
        } else {
            ensure!(
                !steps.is_empty(),
                "line {}: output without a command",
                next + 1
            );
            if let Some(step) = steps.last_mut() {
                step.expected.push(lines[next].to_owned());
                step.lines.1 = next + 1;
            }
        }
        next += 1;
    }
    Ok(steps)
}

// Output that is promised against output that came.

/// Stands for any text within a line, and alone for any lines.
const ANY: &str = "…";

/// `None` if `actual` is what was promised; else what should be promised instead, with the same omissions.
pub(super) fn update(expected: &[String], actual: &[String]) -> Option<Vec<String>> {
    if all_match(expected, actual) {
        return None;
    }
    // Omissions of the old text stay omitted.
    let written = |line: &String| {
        let old = expected
            .iter()
            .find(|old| *old != ANY && old.contains(ANY) && line_matches(old, line));
        old.unwrap_or(line).clone()
    };
    let Some(gap) = expected.iter().position(|line| line == ANY) else {
        return Some(actual.iter().map(written).collect());
    };
    let head = gap.min(actual.len());
    let tail = (expected.len() - gap - 1).min(actual.len() - head);
    let mut lines: Vec<String> = actual[..head].iter().map(written).collect();
    lines.push(ANY.to_owned());
    lines.extend(actual[actual.len() - tail..].iter().map(written));
    Some(lines)
}

/// Says how the output of a command differs from the promised one.
pub(super) fn describe(place: &str, step: &Step, actual: &[String], updated: &[String]) -> String {
    let mut text = format!("{place}: $ {}\n", step.command);
    for (head, lines) in [("-", &step.expected[..]), ("+", updated), (" got:", actual)] {
        for line in lines.iter().take(40) {
            writeln!(text, "{head} {line}").expect("a String takes everything");
        }
    }
    text
}

fn all_match(expected: &[String], actual: &[String]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((line, rest)) if line == ANY => {
            (0..=actual.len()).any(|skipped| all_match(rest, &actual[skipped..]))
        }
        Some((line, rest)) => actual
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && all_match(rest, others)),
    }
}

/// Returns whether a line is what was promised.
fn line_matches(expected: &str, actual: &str) -> bool {
    let Some((head, rest)) = expected.split_once(ANY) else {
        return expected == actual;
    };
    let Some(mut left) = actual.strip_prefix(head) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split(ANY).collect();
    let last = parts.pop().unwrap_or("");
    for part in parts {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::workspace::root;

    const TEXT: &str = "# Page\n\n```console\n$ a \\\n  b\none\ntwo\n$ c\n```\n\n```sh\n$ no\n```\n\n\
    <!-- slow -->\n```console\n$ d\nthree\n```\nend\n";

    #[test]
    fn blocks_are_commands_with_output() {
        let page = Page::parse(TEXT).unwrap();
        assert_eq!(
            page.commands(),
            [("a \\\n  b", false), ("c", false), ("d", true)]
        );
        let expected: Vec<_> = page.steps().map(|step| step.expected.join("|")).collect();
        assert_eq!(expected, ["one|two", "", "three"]);
        assert_eq!(
            page.steps().map(|step| step.line).collect::<Vec<_>>(),
            [4, 8, 17]
        );
    }

    #[test]
    fn output_is_replaced() {
        let page = Page::parse(TEXT).unwrap();
        assert_eq!(page.updated(TEXT, &[None, None, None]), TEXT);
        let new = Some(vec!["new".to_owned()]);
        let updated = page.updated(TEXT, &[None, new, Some(Vec::new())]);
        let by_hand = TEXT.replace("$ c\n", "$ c\nnew\n").replace("three\n", "");
        assert_eq!(updated, by_hand);
    }

    #[test]
    fn wrong_pages() {
        assert!(Page::parse("```console\n$ a\n").is_err());
        assert!(Page::parse("```console\nout\n```\n").is_err());
    }

    fn lines(text: &str) -> Vec<String> {
        text.split('|')
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    }

    fn updated(expected: &str, actual: &str) -> Option<String> {
        update(&lines(expected), &lines(actual)).map(|lines| lines.join("|"))
    }

    #[test]
    fn equal_output_needs_no_update() {
        for (expected, actual) in [
            ("", ""),
            ("a|b", "a|b"),
            ("a … c", "a b c"),
            ("…, … s", "1, 2 s"),
            ("a|…|z", "a|z"),
            ("a|…|z", "a|b|c|z"),
            ("…", ""),
        ] {
            assert_eq!(updated(expected, actual), None, "{expected}");
        }
    }

    #[test]
    fn other_output_is_taken_over_with_the_same_omissions() {
        for (expected, actual, new) in [
            ("", "a", "a"),
            ("a", "", ""),
            ("a 1|b … s", "a 2|b 7 s", "a 2|b … s"),
            ("a|…|z", "b|c|d|z", "b|…|z"),
            ("…|z", "a|b|y", "…|y"),
            ("a … c", "a b d", "a b d"),
        ] {
            assert_eq!(
                updated(expected, actual).as_deref(),
                Some(new),
                "{expected}"
            );
        }
    }

    // Links between READMEs and guides.

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
    /// The pages of a folder, without the book's lists of them.
    fn pages_in(folder: &str) -> Vec<PathBuf> {
        let is_list = |path: &PathBuf| path.to_string_lossy().contains("SUMMARY");
        let entries = fs::read_dir(root().join(folder)).expect(folder);
        let paths = entries.map(|entry| entry.expect(folder).path());
        let mut pages: Vec<_> = paths
            .filter(|path| path.extension().is_some_and(|end| end == "md"))
            .filter(|path| !is_list(path))
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
        pages
            .extend(["README.md", "README.ja.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
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
}
