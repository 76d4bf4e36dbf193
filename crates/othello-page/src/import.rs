//! `import`: any text that people paste, with the format that was recognised.

use othello_core::{Game, Position};
use othello_record::{
    OthelloRecord, ParsedRecord, RecordItem, RecordKind, WthorNames, parse_all, parse_transcript,
    read_records,
};
use page_messages::PageFailure;
use serde::{Deserialize, Serialize};

use crate::fields::move_names;
use crate::game_fields::GameFields;
use crate::line::LineFields;

/// Items that are returned at most.
const MOST_ITEMS: usize = 1_000;

/// Failures that are told at most.
const MOST_FAILURES: usize = 20;

/// Characters of a text that a failure shows.
const SHOWN: usize = 200;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ImportRequest {
    text: String,
    /// The position on the page, from which a transcript may go on.
    #[serde(default)]
    line: Option<LineFields>,
}

/// What was recognised.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ImportFields {
    items: Vec<ImportItem>,
    failures: Vec<ImportFailure>,
    total: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct ImportItem {
    line: usize,
    kind: &'static str,
    kind_text: String,
    board: String,
    moves: Vec<String>,
    game: GameFields,
    note: Option<&'static str>,
    alternatives: Vec<Alternative>,
    end: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Alternative {
    board: String,
    note: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct ImportFailure {
    line: usize,
    text: String,
    error: String,
}

/// Answers `import`.
pub(crate) fn import(request: &ImportRequest) -> Result<ImportFields, PageFailure> {
    let here = match &request.line {
        Some(line) => Some(line.game()?.position()),
        None => None,
    };
    let found = parse_all(&request.text);
    if let ([RecordItem { record: Err(_), .. }], Some(here)) = (found.as_slice(), here)
        && let Some(item) = from_here(here, &request.text)
    {
        return Ok(ImportFields {
            items: vec![item],
            failures: Vec::new(),
            total: 1,
        });
    }
    let mut fields = ImportFields {
        items: Vec::new(),
        failures: Vec::new(),
        total: 0,
    };
    for item in &found {
        match &item.record {
            Ok(record) => {
                fields.total += 1;
                if fields.items.len() < MOST_ITEMS {
                    fields.items.push(ImportItem::of(item, record));
                }
            }
            Err(error) if fields.failures.len() < MOST_FAILURES => {
                fields.failures.push(ImportFailure {
                    line: item.line,
                    text: item.text.chars().take(SHOWN).collect(),
                    error: error.to_string(),
                });
            }
            Err(_) => {}
        }
    }
    Ok(fields)
}

/// A transcript whose first move is one of a given position.
fn from_here(here: Position, text: &str) -> Option<ImportItem> {
    let game = parse_transcript(here, text).ok()?;
    (!game.moves().is_empty()).then(|| ImportItem {
        line: 1,
        kind: "transcript_from_here",
        kind_text: "a transcript from the position on the board".to_owned(),
        board: game.start().to_string(),
        moves: move_names(game.moves()),
        game: GameFields::of(&OthelloRecord::from(&game)),
        note: None,
        alternatives: Vec::new(),
        end: game.position().to_string(),
    })
}

impl ImportItem {
    fn of(item: &RecordItem, record: &ParsedRecord) -> Self {
        let game = &record.game;
        let others = record.interpretations().skip(1);
        Self {
            line: item.line,
            kind: kind_name(record.kind),
            kind_text: record.kind.to_string(),
            board: game.start().to_string(),
            moves: move_names(game.moves()),
            game: GameFields::of(&tree(&item.text, game)),
            note: record.note(),
            alternatives: others
                .map(|(position, note)| Alternative {
                    board: position.to_string(),
                    note,
                })
                .collect(),
            end: game.position().to_string(),
        }
    }
}

/// All that a text says about its game, variations and notes too.
fn tree(text: &str, game: &Game) -> OthelloRecord {
    let mut read = read_records(text.as_bytes(), &WthorNames::default());
    let record = (read.len() == 1).then(|| read.pop()).flatten();
    match record {
        Some(Ok(found)) if found.record.game() == *game => found.record,
        _ => OthelloRecord::from(game),
    }
}

/// The name of a format.
fn kind_name(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Transcript => "transcript",
        RecordKind::Board => "board",
        RecordKind::Ggs => "ggs",
        RecordKind::Diagram => "diagram",
        RecordKind::Problem => "problem",
        RecordKind::EdaxText => "edax_text",
        RecordKind::BoardAndMoves => "board_and_moves",
        RecordKind::Bitboards(_) => "bitboards",
        RecordKind::Base81 => "base81",
        RecordKind::Ggf => "ggf",
        RecordKind::Sgf => "sgf",
        RecordKind::Pgn => "pgn",
        RecordKind::Json => "json",
        RecordKind::Egaroucid => "egaroucid",
        RecordKind::Wthor => "wthor",
        RecordKind::Edx => "edx",
        RecordKind::Csv => "csv",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(text: &str) -> ImportFields {
        let request = ImportRequest {
            text: text.to_owned(),
            line: None,
        };
        import(&request).unwrap()
    }

    const BOARD: &str = "------------------XO------XXX------OXX-----O--------------------";

    /// What people paste, the format that is named, and the number of moves.
    #[test]
    fn twenty_texts_are_recognised() {
        let rows = BOARD.as_bytes().chunks(8);
        let rows: Vec<_> = rows.map(|row| String::from_utf8_lossy(row)).collect();
        let rows = rows.join("\n");
        let o_is_mover = format!("{BOARD} O");
        let digits = BOARD.replace('-', ".").replace('X', "0").replace('O', "1");
        let ggs = format!("[8 {} *]", rows.replace('\n', " "));
        let numbered = {
            let lines: Vec<_> = (1..)
                .zip(rows.lines())
                .map(|(n, row)| {
                    let cells: Vec<_> = row.chars().map(String::from).collect();
                    format!("{n} {}", cells.join(" "))
                })
                .collect();
            format!("  a b c d e f g h\n{}", lines.join("\n"))
        };
        let table: [(&str, &str, usize); 20] = [
            ("f5d6c3d3c4", "transcript", 5),
            ("F5D6C3D3C4", "transcript", 5),
            ("1. f5 d6 2. c3 d3 3. c4", "transcript", 5),
            ("Ｆ５－Ｄ６－Ｃ３", "transcript", 3),
            ("f5, d6, c3 ", "transcript", 3),
            (&o_is_mover, "board", 0),
            // PEDAX #2338, SENSEI #3: other letters, and rows.
            (&digits, "board", 0),
            (&rows, "board", 0),
            (&format!("{o_is_mover} f4"), "board_and_moves", 1),
            (&ggs, "ggs", 0),
            (&numbered, "diagram", 0),
            (&format!("{o_is_mover}; f4:+2; % comment"), "problem", 0),
            ("0x0000100010100000 0x000020380c000000", "bitboards", 0),
            (
                "(;GM[Othello]PC[GGS]PB[a]PW[b]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[d3]W[c5];)",
                "ggf",
                2,
            ),
            ("(;GM[2]FF[4];B[f5];W[d6])", "sgf", 2),
            ("[White \"a\"]\n[Black \"b\"]\n\n1. f5 d6 2. c3", "pgn", 3),
            (
                r#"{"position":{"moves":[{"m":"f5"},{"m":"d6"}]},"players":[{"name":"a"},{"name":"b"}]}"#,
                "json",
                2,
            ),
            ("f5d6,1,2,3", "csv", 2),
            ("棋譜: f5d6", "transcript", 2),
            ("f5 d6 c3 d3 c4 B+2", "transcript", 5),
        ];
        for (text, kind, moves) in table {
            let found = imported(text);
            let item = found.items.first();
            let item = item.unwrap_or_else(|| panic!("{text}: {:?}", found.failures));
            assert_eq!((item.kind, item.moves.len()), (kind, moves), "{text}");
            assert!(!item.kind_text.is_empty() && found.total == 1);
        }
    }

    #[test]
    fn what_is_nothing_says_why() {
        let found = imported("hello world");
        assert!(found.items.is_empty());
        assert!(found.failures[0].error.contains("no game and no position"));
        let found = imported("f5f5");
        assert_eq!(found.failures[0].error, "move 2: 'f5' is not legal");
    }

    #[test]
    fn a_transcript_goes_on_from_the_board() {
        let request = |moves: &[&str]| ImportRequest {
            text: "c3 d3 c4".to_owned(),
            line: Some(LineFields {
                board: None,
                moves: moves.iter().map(ToString::to_string).collect(),
            }),
        };
        let found = import(&request(&["f5", "d6"])).unwrap();
        assert_eq!(found.items[0].kind, "transcript_from_here");
        assert_eq!(found.items[0].moves, ["c3", "d3", "c4"]);
        assert!(import(&request(&[])).unwrap().items.is_empty());
    }

    #[test]
    fn several_games_are_several_items() {
        let found = imported("f5d6\nf5f6\nnonsense\nf5f4");
        assert_eq!(
            (found.total, found.items.len(), found.failures.len()),
            (3, 3, 1)
        );
        assert_eq!((found.items[2].line, found.failures[0].line), (4, 3));
    }

    #[test]
    fn variations_and_names_come_along() {
        let found = imported("(;GM[2]PB[Ann];B[f5](;W[d6])(;W[f6]))");
        let game = serde_json::to_value(&found.items[0].game).unwrap();
        assert_eq!(game["info"]["black"], "Ann");
        assert_eq!(game["nodes"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn a_board_without_a_side_has_alternatives() {
        let found = imported(BOARD);
        assert_eq!(found.items[0].alternatives.len(), 1);
        assert!(found.items[0].note.is_some());
    }
}
