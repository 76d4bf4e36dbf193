//! Every format: what is written is read, and is the same record unless something is said to be left out.

use std::time::Duration;

use othello_core::{Game, Move, Position, State};
use othello_record::{
    DiscValue, GameVariant, OthelloEnd, OthelloFormat, OthelloOutcome, OthelloRecord,
    OthelloResult, RecordExtra, RecordLosses, WthorFile, WthorNames, WthorWriter, read_records,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// A text with characters that formats use themselves.
fn text() -> impl Strategy<Value = String> {
    let usual = prop::string::string_regex("[a-zA-Z0-9 .:/+-]{0,12}").unwrap();
    let odd = prop::string::string_regex("[a太ーé()\\[\\]{};\\\\\",\n|-]{0,6}").unwrap();
    prop_oneof![3 => Just(String::new()), 2 => usual, 1 => odd]
}

#[derive(Clone, Debug)]
struct Note {
    value: Option<i32>,
    level: Option<i32>,
    millis: Option<u32>,
    comment: String,
    extra: Option<u8>,
}

fn note() -> impl Strategy<Value = Note> {
    let value = option::weighted(0.3, prop_oneof![-64..=64i32, -6400..=6400i32]);
    let millis = option::weighted(0.3, 0..10_000_000u32);
    (
        value,
        option::weighted(0.2, 1..60i32),
        millis,
        text(),
        option::weighted(0.1, any::<u8>()),
    )
        .prop_map(|(value, level, millis, comment, extra)| Note {
            value,
            level,
            millis,
            comment,
            extra,
        })
}

fn result() -> impl Strategy<Value = OthelloResult> {
    let outcome = prop_oneof![
        (-32..=32i32).prop_map(|half| OthelloOutcome::Score(half * 2)),
        prop_oneof![
            Just(othello_core::Side::Black),
            Just(othello_core::Side::White)
        ]
        .prop_map(OthelloOutcome::Win),
    ];
    let end = prop_oneof![
        4 => Just(OthelloEnd::Played),
        1 => Just(OthelloEnd::Resigned),
        1 => Just(OthelloEnd::Time),
        1 => Just(OthelloEnd::Agreed),
    ];
    (outcome, end).prop_map(|(outcome, end)| OthelloResult { outcome, end })
}

/// Plays a move of a position by a number; `None` at the end.
fn choose(position: Position, choice: u16) -> Option<Move> {
    let board = position.board();
    let moves = board.legal_moves();
    match board.state() {
        State::Moves => moves
            .iter()
            .nth(usize::from(choice) % moves.len() as usize)
            .map(Move::Place),
        State::Pass => Some(Move::Pass),
        State::Over => None,
    }
}

fn put_notes(record: &mut OthelloRecord, notes: Vec<Note>) {
    let ids: Vec<_> = record.ids().collect();
    for (n, note) in notes.into_iter().enumerate() {
        let id = ids[n * 7 % ids.len()];
        let into = record.note_mut(id);
        into.value = note.value.map(|value| {
            if value.abs() <= 64 {
                DiscValue::discs(value)
            } else {
                DiscValue(value)
            }
        });
        into.level = note.level;
        into.time = note
            .millis
            .map(|millis| Duration::from_millis(millis.into()));
        into.comment = note.comment;
        if let Some(value) = note.extra {
            into.extras = vec![RecordExtra {
                format: OthelloFormat::Egaroucid,
                key: "x".to_owned(),
                value: value.to_string(),
            }];
        }
    }
}

/// A record: moves, some variations, notes; `skip` moves belong to another start position.
fn record() -> impl Strategy<Value = OthelloRecord> {
    let moves = vec(any::<u16>(), 0..64);
    let variations = vec((any::<u16>(), vec(any::<u16>(), 1..4)), 0..3);
    let notes = option::weighted(0.6, vec(note(), 1..5));
    let header = option::weighted(0.7, vec(text(), 8));
    let date = prop_oneof![
        Just(""),
        Just("2024"),
        Just("2024-01-31"),
        Just("2003.12.15_13:24:03.MST")
    ];
    let skip = prop_oneof![4 => Just(0usize), 1 => 1..40usize];
    let variant = prop_oneof![9 => Just(GameVariant::Standard), 1 => Just(GameVariant::Anti)];
    (
        moves,
        variations,
        notes,
        header,
        (date, variant),
        option::weighted(0.5, result()),
        skip,
    )
        .prop_map(
            |(moves, variations, notes, header, (date, variant), result, skip)| {
                let mut start = Game::default();
                for &choice in moves.iter().take(skip) {
                    if let Some(mv) = choose(start.position(), choice) {
                        start.play_unchecked(mv);
                    }
                }
                let mut record = OthelloRecord::new(start.position());
                let mut at = OthelloRecord::ROOT;
                for &choice in moves.iter().skip(skip) {
                    let Some(mv) = choose(record.node(at).position(), choice) else {
                        break;
                    };
                    at = record.add(at, mv).unwrap();
                }
                let line: Vec<_> = record.main_line().collect();
                for (from, choices) in variations {
                    let mut at = line[usize::from(from) % line.len()];
                    for choice in choices {
                        let Some(mv) = choose(record.node(at).position(), choice) else {
                            break;
                        };
                        at = record
                            .child(at, mv)
                            .unwrap_or_else(|| record.add(at, mv).unwrap());
                    }
                }
                put_notes(&mut record, notes.unwrap_or_default());
                let info = &mut record.info;
                if let Some(header) = header {
                    let [black, white, event, round, place, time, comment, rating] =
                        <[String; 8]>::try_from(header).unwrap();
                    (info.black.name, info.white.name, info.event, info.round) =
                        (black, white, event, round);
                    (info.place, info.time_control, info.comment) = (place, time, comment);
                    info.black.rating = if rating.is_empty() {
                        String::new()
                    } else {
                        format!("{}.5", rating.len() * 100)
                    };
                }
                date.clone_into(&mut info.date);
                info.variant = variant;
                record.set_result(result);
                record
            },
        )
}

/// A pass at the end does not follow from later moves; formats without passes leave it out.
fn without_last_pass(game: &Game) -> String {
    format!("{} {game}", game.start())
}

fn read_one(text: &[u8]) -> Result<OthelloRecord, String> {
    let mut all = read_records(text, &WthorNames::default());
    match (all.pop(), all.len()) {
        (Some(record), 0) => record
            .map(|read| read.record)
            .map_err(|error| error.to_string()),
        (last, more) => Err(format!(
            "{} records: {last:?}",
            more + usize::from(more > 0)
        )),
    }
}

/// Checks that a record is written in every format, and read again as what was written.
fn check_all_formats(record: &OthelloRecord) -> Result<(), String> {
    for format in OthelloFormat::all().filter(|format| *format != OthelloFormat::Wthor) {
        let (text, losses) = format.write(record);
        if losses.count(othello_record::RecordLoss::Starts) > 0 {
            continue;
        }
        let again =
            read_one(text.as_bytes()).map_err(|error| format!("{format}: {error}\n{text}"))?;
        if format.is_of_positions() {
            let last = record.node(record.last()).position();
            if again.start().board() != last.board() {
                return Err(format!("{format}: another board\n{text}"));
            }
            continue;
        }
        if without_last_pass(&again.game()) != without_last_pass(&record.game()) {
            return Err(format!("{format}: another game\n{text}"));
        }
        let (other, _) = format.write(&again);
        if other != text {
            return Err(format!("{format}: written as\n{text}then as\n{other}"));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("SHOGI_SLOW_TESTS").is_some() { 20_000 } else { 300 }))]

    #[test]
    fn games_are_read_as_they_are_written(record in record()) {
        let formats = OthelloFormat::all().filter(|format| !format.is_of_positions() && *format != OthelloFormat::Wthor);
        for format in formats {
            let (text, losses) = format.write(&record);
            if losses.count(othello_record::RecordLoss::Starts) > 0 {
                continue;
            }
            let read = read_one(text.as_bytes());
            prop_assert!(read.is_ok(), "{format}: {read:?}\n{text}");
            let read = read.unwrap();
            prop_assert_eq!(without_last_pass(&read.game()), without_last_pass(&record.game()), "{}: {}", format, text);
            let (again, more) = format.write(&read);
            prop_assert_eq!(&again, &text, "{}", format);
            prop_assert!(more.is_empty(), "{format}: {more} are left out of what was written");
            let ends_with_pass = record.game().moves().last() == Some(&Move::Pass);
            if losses.is_empty() && !ends_with_pass {
                prop_assert_eq!(&read.info, &record.info, "{}: {}", format, text);
                let notes = |record: &OthelloRecord| {
                    let notes = record.main_line().map(|id| record.node(id).note.clone()).enumerate();
                    notes.filter(|(_, note)| !note.is_empty()).collect::<Vec<_>>()
                };
                prop_assert_eq!(notes(&read), notes(&record), "{} {}: {}", format, record.game(), text);
                prop_assert!(read == record, "{format}: variations differ\n{text}");
            }
        }
    }

    #[test]
    fn positions_are_read_as_they_are_written(record in record()) {
        let position = record.node(record.last()).position();
        for format in OthelloFormat::all().filter(|format| format.is_of_positions()) {
            let (text, _) = format.write(&record);
            let read = read_one(text.as_bytes());
            prop_assert!(read.is_ok(), "{format}: {read:?}\n{text}");
            prop_assert_eq!(read.unwrap().start(), position, "{}: {}", format, text);
        }
    }

    #[test]
    fn tournament_games_are_read_as_they_are_written(records in vec(record(), 1..5)) {
        let mut writer = WthorWriter::default();
        let mut kept = Vec::new();
        for record in &records {
            let mut losses = RecordLosses::default();
            if writer.add(record, &mut losses).is_ok() {
                kept.push((record, losses));
            }
        }
        let files = writer.finish([2026, 1, 1]);
        if kept.is_empty() {
            return Ok(());
        }
        let mut names = WthorNames::default();
        for bytes in [&files.players, &files.tournaments] {
            WthorFile::new(bytes).unwrap().add_names(&mut names);
        }
        let read = read_records(&files.games, &names);
        prop_assert_eq!(read.len(), kept.len());
        for (read, (record, losses)) in read.into_iter().zip(kept) {
            let read = read.unwrap().record;
            prop_assert_eq!(read.game().to_string(), record.game().to_string());
            let ends_with_pass = record.game().moves().last() == Some(&Move::Pass);
            let is_of_year = record.info.date == read.info.date;
            if losses.is_empty() && !ends_with_pass && is_of_year {
                prop_assert_eq!(&read, record);
            }
        }
    }

    #[test]
    fn records_of_damaged_texts_are_read_as_they_are_written(record in record(), damage in vec((any::<u16>(), any::<u8>()), 1..6)) {
        for format in OthelloFormat::all() {
            let mut bytes = format.write(&record).0.into_bytes();
            for &(at, byte) in &damage {
                let at = usize::from(at) % bytes.len();
                // Characters that formats use are likelier.
                let signs = b"()[]{};:,\\\"/-+ \n0123456789abcdefghBWX";
                bytes[at] = if byte < 128 { signs[usize::from(byte) % signs.len()] } else { byte };
            }
            for read in read_records(&bytes, &WthorNames::default()).into_iter().flatten() {
                let text = String::from_utf8_lossy(&bytes);
                check_all_formats(&read.record).map_err(|error| TestCaseError::fail(format!("{error}\nof {text}")))?;
            }
        }
    }

    #[test]
    fn damaged_records_are_errors_with_a_place(record in record(), cut in any::<u16>(), byte in any::<u8>()) {
        for format in OthelloFormat::all() {
            let mut bytes = format.write(&record).0.into_bytes();
            let at = usize::from(cut) % bytes.len();
            let mut shorter = bytes.clone();
            shorter.truncate(at);
            bytes[at] = byte;
            for bytes in [bytes, shorter] {
                for read in read_records(&bytes, &WthorNames::default()) {
                    if let Err(error) = read {
                        prop_assert!(error.to_string().starts_with("line ") || error.to_string().starts_with("byte "));
                    }
                }
            }
        }
    }
}
