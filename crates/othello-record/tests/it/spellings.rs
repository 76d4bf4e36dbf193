//! Small records in odd spellings, from `fixtures/othello/records`.

use othello_core::Position;
use othello_record::{ArchiveError, ArchivedRecord, WthorNames, read_records};

/// The records of a file with what is expected of each.
fn cases(text: &str) -> Vec<(String, String, Vec<String>)> {
    let mut cases: Vec<(String, String, Vec<String>)> = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.starts_with("# ") || line.contains("mine"))
    {
        if let Some(name) = line.strip_prefix("== ") {
            cases.push((name.to_owned(), String::new(), Vec::new()));
            continue;
        }
        let Some((_, record, expected)) = cases.last_mut() else {
            continue;
        };
        if let Some(told) = line.strip_prefix("-> ") {
            expected.push(told.to_owned());
            continue;
        }
        let line = line.replace("\\r", "\r").replace("\\ufeff", "\u{feff}");
        match line.strip_suffix('\\') {
            Some(line) => record.push_str(line),
            None => record.extend([line.as_str(), "\n"]),
        }
    }
    cases
}

/// What was read, in the words of the file.
fn told(read: &Result<ArchivedRecord, ArchiveError>) -> String {
    let record = match read {
        Ok(read) => &read.record,
        Err(error) => return format!("!{error}"),
    };
    let moves = record.game().to_string();
    let mut parts = Vec::new();
    if !moves.is_empty() {
        parts.push(moves.clone());
    }
    if let Some(result) = record.info.result {
        parts.push(result.to_string());
    }
    if record.start() != Position::START {
        parts.push(format!("start={}", record.start()));
    }
    if moves.is_empty() {
        parts.push("moves=0".to_owned());
    }
    parts.join(" ")
}

#[test]
fn records_in_odd_spellings_are_read_or_refused_in_their_place() {
    let text = test_support::fixture_text("othello/records/spellings.txt");
    let cases = cases(&text);
    assert!(cases.len() >= 80, "{}", cases.len());
    let mut wrong = Vec::new();
    for (name, record, expected) in &cases {
        let read: Vec<_> = read_records(record.as_bytes(), &WthorNames::default())
            .iter()
            .map(told)
            .collect();
        let fits = |(found, expected): (&String, &String)| {
            if expected.starts_with('!') {
                found.starts_with(expected)
            } else {
                found == expected
            }
        };
        if read.len() != expected.len() || !read.iter().zip(expected).all(fits) {
            wrong.push(format!("{name}: {read:?}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
