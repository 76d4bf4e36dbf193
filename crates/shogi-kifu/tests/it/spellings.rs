//! Odd spellings that are found in files: each is read as what it means, or refused in its line.

use shogi_kifu::{CsaVersion, GameEnding, GameRecord, KifuFormat, read_games};
use test_support::fixture_text;

/// `fixtures/kifu/spellings.txt`: blocks of a file, each between a line `=== name: expected` and the next. What is expected is
/// the game as a USI line (with ` ; ` and the ending behind it, where USI has no word for it), or `error N words` for an error in line N with these words.
#[test]
fn odd_spellings_are_read_or_refused_in_their_line() {
    let text = fixture_text("kifu/spellings.txt");
    let (mut blocks, mut wrong) = (0, Vec::new());
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
                    Ok(game) => told(&game.record),
                });
                told.collect::<Vec<_>>().join(" | ")
            }
        };
        let is_right = match expected.strip_prefix("error ") {
            None => told == expected,
            Some(words) => {
                let (line, words) = words.split_once(' ').unwrap();
                told.starts_with(&format!("error line {line}: ")) && told.contains(words)
            }
        };
        if !is_right {
            wrong.push(format!("{name}: {told}"));
        }
        blocks += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(blocks >= 200, "{blocks}");
}

/// A game as a USI line.
fn told(record: &GameRecord) -> String {
    let (line, _) = KifuFormat::Usi.write(record, CsaVersion::V22);
    let line = line.trim_end();
    match record.ending() {
        None | Some(GameEnding::Resign | GameEnding::EnteringKing) => line.to_owned(),
        Some(ending) => format!("{line} ; {ending}"),
    }
}
