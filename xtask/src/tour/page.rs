//! Pages: their `console` blocks, the commands in them and the output they promise.

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
    /// Whether it is run in the slow tier only.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
