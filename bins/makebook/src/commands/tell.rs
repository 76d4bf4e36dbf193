//! What commands for books tell alike.

use std::path::{Path, PathBuf};

use yane_book::Format;
use yane_book::db::SkippedLine;
use yane_book::records::Problems;

/// Refuses books that are no text, by their names.
pub(super) fn text_books<P: AsRef<Path>>(command: &str, paths: &[P]) -> anyhow::Result<()> {
    for path in paths {
        let path = path.as_ref();
        if let Ok(format @ (Format::Ybb | Format::Apery | Format::Sbk)) = Format::of_path(path) {
            let text = path.with_extension(Format::Db.extension());
            anyhow::bail!(
                "{}: {command} works on .db books, not on {format}; convert it: makebook convert {} {}",
                path.display(),
                path.display(),
                text.display(),
            );
        }
    }
    Ok(())
}

/// `1 line`, `2 lines`.
pub(super) fn lines(count: u64) -> String {
    yane_cli::counted(count, "line", "lines")
}

/// Lists the lines that were left out.
pub(super) fn list_skipped(skipped: &[SkippedLine]) {
    for line in skipped {
        eprintln!("left out: {line}");
    }
    if !skipped.is_empty() {
        eprintln!("{} left out", lines(skipped.len() as u64));
    }
}

/// Lists the lines of records that could not be used.
pub(super) fn list_problems(problems: &Problems) {
    for problem in &problems.first {
        eprintln!("left out: {problem}");
    }
    if problems.count > 0 {
        let lines = lines(problems.count);
        eprintln!("{lines} could not be used to the end");
    }
}

/// Tells how many variations of records were left out.
pub(super) fn tell_variations(left_out: u64) {
    match left_out {
        0 => {}
        1 => eprintln!("1 variation left out (--variations takes it)"),
        left_out => eprintln!("{left_out} variations left out (--variations takes them)"),
    }
}

pub(super) fn problem_texts(problems: &Problems) -> Vec<String> {
    problems.first.iter().map(ToString::to_string).collect()
}

pub(super) fn skipped_texts(skipped: &[SkippedLine]) -> Vec<String> {
    skipped.iter().map(ToString::to_string).collect()
}

/// The usual file of roots, if it is there.
pub(super) fn usual_roots(named: Option<&PathBuf>) -> Option<PathBuf> {
    let usual = PathBuf::from("book/root_sfens.txt");
    named.cloned().or_else(|| usual.is_file().then_some(usual))
}
