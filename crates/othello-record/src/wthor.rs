//! WTHOR, the tournament database of the French federation.

use othello_core::{Game, Square};

use crate::Error;

const HEADER: usize = 16;
const RECORD: usize = 68;

/// Returns whether bytes are a WTHOR file of games: its header has a date and the number of its records.
pub(crate) fn is_wthor(bytes: &[u8]) -> bool {
    let Some(count) = bytes.get(4..8).and_then(|count| count.try_into().ok()) else {
        return false;
    };
    let count = u32::from_le_bytes(count) as usize;
    let is_date =
        bytes.len() >= HEADER && (1..=12).contains(&bytes[2]) && (1..=31).contains(&bytes[3]);
    is_date
        && count > 0
        && count
            .checked_mul(RECORD)
            .is_some_and(|size| bytes.len() == HEADER + size)
}

/// The games of a WTHOR file, in its order.
pub(crate) fn games(bytes: &[u8]) -> Vec<Result<Game, Error>> {
    let size = bytes[12];
    let (records, _) = bytes[HEADER..].as_chunks::<RECORD>();
    let games = records.iter().enumerate();
    games.map(|(n, record)| game(n + 1, record, size)).collect()
}

/// Parses a record. Moves are `10 * rank + file`, from the ninth byte on; 0 ends them. Passes are not written.
fn game(number: usize, record: &[u8; RECORD], size: u8) -> Result<Game, Error> {
    let wrong = |reason: String| Error::Game {
        format: "WTHOR",
        reason: format!("game {number}: {reason}"),
    };
    if ![0, 8].contains(&size) {
        return Err(wrong(format!(
            "a board of 8 × 8 squares was expected, not of {size}"
        )));
    }
    let mut game = Game::default();
    let moves = record[8..].iter().take_while(|&&byte| byte != 0);
    for (n, &byte) in moves.enumerate() {
        let (rank, file) = (byte / 10, byte % 10);
        let is_square = (1..=8).contains(&rank) && (1..=8).contains(&file);
        let square = is_square
            .then(|| Square::new((rank - 1) * 8 + file - 1))
            .flatten();
        let square = square.ok_or_else(|| wrong(format!("move {}: {byte} is no square", n + 1)))?;
        if !game.play_square(square) {
            return Err(wrong(format!("move {}: {square} is not legal", n + 1)));
        }
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of games that are lists of moves.
    fn file(games: &[&[u8]]) -> Vec<u8> {
        let mut bytes = vec![20, 1, 6, 30];
        bytes.extend((games.len() as u32).to_le_bytes());
        bytes.extend([0; 8]);
        for moves in games {
            let mut record = [0; RECORD];
            record[8..8 + moves.len()].copy_from_slice(moves);
            bytes.extend(record);
        }
        bytes
    }

    #[test]
    fn games_are_parsed_and_errors_name_the_move() {
        let bytes = file(&[&[56, 64, 33], &[56, 56], &[90]]);
        assert!(is_wthor(&bytes));
        assert!(!is_wthor(&bytes[..bytes.len() - 1]) && !is_wthor(b"f5d6"));
        let read: Vec<_> = games(&bytes)
            .into_iter()
            .map(|game| game.map_or_else(|error| error.to_string(), |game| game.to_string()))
            .collect();
        assert_eq!(read[0], "f5d6c3");
        assert!(
            read[1].contains("game 2: move 2: f5 is not legal"),
            "{}",
            read[1]
        );
        assert!(
            read[2].contains("game 3: move 1: 90 is no square"),
            "{}",
            read[2]
        );
    }
}
