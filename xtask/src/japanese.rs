//! The spelling of the Japanese pages: フォルダ without a long vowel, full-width brackets, no blanks between a number and
//! Japanese letters. Code, code blocks and the targets of links are left alone.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace::root;

/// What is wrong in a line of prose, in words.
fn faults(prose: &str) -> Vec<&'static str> {
    let mut faults = Vec::new();
    if prose.contains("フォルダー") {
        faults.push("フォルダー: write フォルダ");
    }
    if prose.contains(['(', ')']) {
        faults.push("half-width brackets: write （ and ）");
    }
    let letters: Vec<char> = prose.chars().collect();
    let is_blank_at_a_number = letters.windows(3).any(|three| {
        three[1] == ' '
            && (is_japanese(three[0]) && three[2].is_ascii_digit()
                || three[0].is_ascii_digit() && is_japanese(three[2]))
    });
    if is_blank_at_a_number {
        faults.push("a blank between a number and Japanese letters");
    }
    faults
}

/// Kana, kanji, and Japanese punctuation.
fn is_japanese(letter: char) -> bool {
    matches!(letter, '\u{3001}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ff01}'..='\u{ff60}')
}

/// The lines of a page with the code and the targets of links taken out: a number and the prose that is left.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push((number + 1, without_targets(&without_code(line))));
        }
    }
    lines
}

/// A line without its code spans, of which a mark is left.
fn without_code(line: &str) -> String {
    let mut rest = line;
    let mut prose = String::new();
    while let Some((before, code)) = rest.split_once('`') {
        prose.push_str(before);
        prose.push('\u{25a1}');
        rest = code.split_once('`').map_or("", |(_, after)| after);
    }
    prose + rest
}

/// A line with `[text](target)` as `[text]`.
fn without_targets(line: &str) -> String {
    let mut rest = line;
    let mut prose = String::new();
    while let Some((before, target)) = rest.split_once("](") {
        prose.push_str(before);
        prose.push(']');
        rest = target.split_once(')').map_or("", |(_, after)| after);
    }
    prose + rest
}

fn japanese_pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.ja.md")];
    for folder in ["docs", "docs/tour"] {
        for entry in fs::read_dir(root().join(folder)).expect(folder) {
            let path = entry.expect(folder).path();
            if path.to_string_lossy().ends_with(".ja.md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

fn read(page: &Path) -> String {
    fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

#[test]
fn the_japanese_pages_are_spelled_in_one_way() {
    let mut findings = Vec::new();
    for page in japanese_pages() {
        for (number, line) in prose(&read(&page)) {
            for fault in faults(&line) {
                findings.push(format!("{}:{number}: {fault}", page.display()));
            }
        }
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn faults_are_found_in_prose_alone() {
    let found =
        |text: &str| -> usize { prose(text).iter().map(|(_, line)| faults(line).len()).sum() };
    assert_eq!(found("作業フォルダー(既定) は 3 個"), 3);
    assert_eq!(found("`a (b)` と[説明](x.md#y)は3個、`f 3 個`（4 MB）"), 0);
    assert_eq!(found("```\nフォルダー (3 個)\n```\n+376 Elo上"), 0);
}
