//! Edax's binary games, `.edx`: records of 160 bytes, one after the other.
//!
//! A record has the discs of the player to move and of the opponent (8 bytes each, a1 = bit 0, low byte first), the year (2 bytes), month,
//! day, hour, minute and second (1 byte each), a byte that means nothing, the names of black and white (32 bytes each, zero behind them),
//! 60 moves (a1 = 0; passes are left out; 65 ends them), the player to move (0 for black), 3 bytes that mean nothing, and a
//! number that tells games apart (8 bytes).

use othello_core::{Board, Game, Position, Side, Square};

use crate::properties::Fault;
use crate::tree::OthelloRecord;
use crate::{Error, ParsedRecord, RecordItem, RecordKind};

/// The bytes of a record.
pub(crate) const GAME: usize = 160;

const DATE: usize = 16;
const NAMES: [usize; 2] = [24, 56];
const NAME: usize = 32;
const MOVES: usize = 88;
const PLAYER: usize = 148;
/// The number of a pass, and of no move.
const PASS: u8 = 64;
const NO_MOVE: u8 = 65;

/// Returns whether bytes begin with a game of Edax; `length` is that of all of the file.
pub(crate) fn begins(bytes: &[u8], length: u64) -> bool {
    let Some(game) = bytes.first_chunk::<GAME>() else {
        return false;
    };
    let year = u16::from_le_bytes([game[DATE], game[DATE + 1]]);
    let is_date = year <= 2200 && game[DATE + 2] <= 12 && game[DATE + 3] <= 31;
    let is_name = |at: usize| game[at..at + NAME].contains(&0);
    let moves = &game[MOVES..MOVES + 60];
    let is_record = is_date && NAMES.into_iter().all(is_name) && game[PLAYER] <= 1;
    let is_game = moves.iter().all(|&square| square <= NO_MOVE) && start(game).is_ok();
    // A game that is cut short is told as such.
    is_record && is_game && length >= GAME as u64
}

/// The games of a file, or the byte and the reason why one is none, in order.
pub(crate) fn games(bytes: &[u8]) -> impl Iterator<Item = (usize, Result<OthelloRecord, Fault>)> {
    let records = bytes.chunks(GAME).enumerate();
    records.map(|(n, record)| {
        let at = n * GAME;
        let read = record.first_chunk::<GAME>().map_or_else(
            || {
                let length = record.len();
                Err(Fault::new(
                    at,
                    format!("game {}: {GAME} bytes were expected, not {length}", n + 1),
                ))
            },
            |record| {
                game(record).map_err(|fault| {
                    Fault::new(at + fault.at, format!("game {}: {}", n + 1, fault.reason))
                })
            },
        );
        (at, read)
    })
}

fn start(record: &[u8; GAME]) -> Result<Position, Fault> {
    let bits = |at: usize| {
        let bytes = record[at..at + 8].iter().rev();
        bytes.fold(0u64, |bits, byte| bits << 8 | u64::from(*byte))
    };
    let board = Board::new(bits(0), bits(8)).map_err(|error| Fault::new(0, error.to_string()))?;
    match record[PLAYER] {
        0 => Ok(Position::new(board, Side::Black)),
        1 => Ok(Position::new(board, Side::White)),
        other => {
            let reason = format!("{other} is no player: 0 (black) or 1 (white) was expected");
            Err(Fault::new(PLAYER, reason))
        }
    }
}

fn game(record: &[u8; GAME]) -> Result<OthelloRecord, Fault> {
    let mut game = Game::new(start(record)?);
    for (n, &number) in record[MOVES..MOVES + 60].iter().enumerate() {
        let wrong = |what: String| Fault::new(MOVES + n, format!("move {}: {what}", n + 1));
        match number {
            NO_MOVE => break,
            PASS => continue,
            _ => {}
        }
        let square = Square::new(number).ok_or_else(|| wrong(format!("{number} is no square")))?;
        if game.try_play_square(square).is_err() {
            return Err(wrong(format!("{square} is not legal")));
        }
    }
    let mut read = OthelloRecord::from(&game);
    let info = &mut read.info;
    for (name, at) in [&mut info.black.name, &mut info.white.name]
        .into_iter()
        .zip(NAMES)
    {
        let bytes = record[at..at + NAME]
            .split(|byte| *byte == 0)
            .next()
            .unwrap_or_default();
        let text = String::from_utf8_lossy(bytes).trim().to_owned();
        // A question mark is nobody.
        *name = if text == "?" { String::new() } else { text };
    }
    let (year, month, day) = (
        u16::from_le_bytes([record[DATE], record[DATE + 1]]),
        record[DATE + 2],
        record[DATE + 3],
    );
    info.date = match (year, month, day) {
        (0, ..) => String::new(),
        (_, 0, _) => format!("{year:04}"),
        (_, _, 0) => format!("{year:04}-{month:02}"),
        _ => format!("{year:04}-{month:02}-{day:02}"),
    };
    Ok(read)
}

/// The games of a file of Edax as records of a text are; `None` for other bytes.
pub(crate) fn parse(bytes: &[u8]) -> Option<Vec<RecordItem>> {
    if !begins(bytes, bytes.len() as u64) {
        return None;
    }
    let items = games(bytes).enumerate().map(|(n, (_, read))| {
        let game = read.map(|record| record.game());
        RecordItem {
            line: n + 1,
            text: game.as_ref().map(Game::to_string).unwrap_or_default(),
            record: match game {
                Ok(game) => Ok(ParsedRecord::of(RecordKind::Edx, game)),
                Err(fault) => Err(Error::Game {
                    format: "Edax",
                    reason: fault.reason,
                }),
            },
        }
    });
    Some(items.collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record with moves as Edax writes it.
    pub(crate) fn record(moves: &[u8], black: &str) -> Vec<u8> {
        let mut bytes = vec![0u8; GAME];
        // The start position: d5 and e4 are black's.
        bytes[..8].copy_from_slice(&(1u64 << 28 | 1 << 35).to_le_bytes());
        bytes[8..16].copy_from_slice(&(1u64 << 27 | 1 << 36).to_le_bytes());
        bytes[DATE..DATE + 5].copy_from_slice(&[0xe8, 0x07, 3, 31, 255]);
        bytes[NAMES[0]..NAMES[0] + black.len()].copy_from_slice(black.as_bytes());
        bytes[NAMES[1]] = b'?';
        bytes[MOVES..MOVES + 60].fill(NO_MOVE);
        bytes[MOVES..MOVES + moves.len()].copy_from_slice(moves);
        bytes
    }

    #[test]
    fn games_are_read_with_names_and_dates() {
        // f5 is the 38th square, d6 the 44th, c3 the 19th.
        let mut bytes = record(&[37, 43, 18], "Ada");
        bytes.extend(record(&[37, 37], "x"));
        assert!(begins(&bytes, 320));
        let read: Vec<_> = games(&bytes).collect();
        let first = read[0].1.as_ref().unwrap();
        assert_eq!(first.game().to_string(), "f5d6c3");
        let info = &first.info;
        let told = (&info.black.name[..], &info.white.name[..], &info.date[..]);
        assert_eq!(told, ("Ada", "", "2024-03-31"));
        let fault = read[1].1.as_ref().unwrap_err();
        assert_eq!(
            (fault.at, &fault.reason[..]),
            (160 + 89, "game 2: move 2: f5 is not legal")
        );
        // Cut short.
        let faults: Vec<_> = games(&bytes[..200])
            .filter_map(|(at, read)| Some((at, read.err()?)))
            .collect();
        assert!(
            faults[0].0 == 160 && faults[0].1.reason.contains("not 40"),
            "{faults:?}"
        );
        assert_eq!(parse(&bytes).unwrap().len(), 2);
    }

    #[test]
    fn other_files_are_not_taken_for_games() {
        let text = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7b5".repeat(20);
        assert!(!begins(text.as_bytes(), text.len() as u64));
        let mut bytes = record(&[37], "x");
        assert!(!begins(&bytes[..159], 159));
        bytes[MOVES] = 66;
        assert!(!begins(&bytes, 160));
    }
}
