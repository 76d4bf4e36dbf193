//! Odd spellings that are found in files: each is read as what it means, or refused in its line.

use shogi_kifu::{CsaVersion, KifuFormat, read_games};
use test_support::fixture_text;

/// `fixtures/kifu/spellings.txt`: blocks of a file, each between a line `=== name: expected` and the next. What is expected is
/// the game as a USI line, or `error N words` for an error in line N with these words.
#[test]
fn odd_spellings_are_read_or_refused_in_their_line() {
    let text = fixture_text("kifu/spellings.txt");
    let mut blocks = 0;
    for block in text.split("=== ").skip(1) {
        let (head, file) = block.split_once('\n').unwrap();
        let (name, expected) = head
            .split_once(": ")
            .unwrap_or_else(|| panic!("a name in {head:?}"));
        let told = match read_games(file.as_bytes()) {
            Err(error) => format!("error {error}"),
            Ok((_, games)) => {
                let told = games.into_iter().map(|game| match game {
                    Err(error) => format!("error {error}"),
                    Ok(game) => KifuFormat::Usi
                        .write(&game.record, CsaVersion::V22)
                        .0
                        .trim_end()
                        .to_owned(),
                });
                told.collect::<Vec<_>>().join(" | ")
            }
        };
        match expected.strip_prefix("error ") {
            None => assert_eq!(told, expected, "{name}"),
            Some(words) => {
                let (line, words) = words.split_once(' ').unwrap();
                let begins = format!("error line {line}: ");
                assert!(
                    told.starts_with(&begins) && told.contains(words),
                    "{name}: {told}"
                );
            }
        }
        blocks += 1;
    }
    assert!(blocks >= 100, "{blocks}");
}
