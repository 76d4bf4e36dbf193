//! Games of a console as files: the extension says the format.

use std::path::{Path, PathBuf};

use othello_core::{Game, Move, Position, Side};
use othello_record::{
    OthelloFormat, OthelloRecord, OthelloResult, RecordLosses, WthorFiles, WthorWriter,
};
use yane_io::AtomicFile;

use super::error::SaveError;

/// Saves a game in the format of the name's extension, as transcript if it has none. Returns what the file does not say as it is.
///
/// # Errors
///
/// An unknown extension, a game that the format cannot hold, or a file that cannot be written.
pub(super) fn save(
    game: &Game,
    players: [&str; 2],
    path: &Path,
    today: [u16; 3],
) -> Result<Option<String>, SaveError> {
    let extension = path.extension().map(|extension| {
        let extension = extension.to_string_lossy();
        extension.to_ascii_lowercase()
    });
    let mut record = OthelloRecord::from(game);
    let [black, white] = players;
    black.clone_into(&mut record.info.black.name);
    white.clone_into(&mut record.info.white.name);
    let format = match extension.as_deref() {
        None | Some("txt") => {
            write(path, transcript(game).as_bytes())?;
            return Ok(None);
        }
        Some("edx") => {
            write(path, &edx(game, players))?;
            return Ok(None);
        }
        Some("wtb") => return wthor(record, path, today),
        Some(extension) => OthelloFormat::of_extension(extension),
    };
    let format = format.ok_or_else(|| SaveError::Extension(path.to_owned()))?;
    let (text, losses) = format.write(&record);
    write(path, text.as_bytes())?;
    Ok((!losses.is_empty()).then(|| format!("left out: {losses}")))
}

fn write(path: &Path, bytes: &[u8]) -> yane_io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.put(bytes)?;
    file.commit()
}

/// The moves in Edax's letters, behind the start position if it is another.
fn transcript(game: &Game) -> String {
    let moves = game.to_edax();
    if game.start() == Position::START {
        format!("{moves}\n")
    } else {
        format!("{}\n{moves}\n", game.start())
    }
}

/// Writes a file of WTHOR and its two files of names.
fn wthor(
    mut record: OthelloRecord,
    path: &Path,
    today: [u16; 3],
) -> Result<Option<String>, SaveError> {
    let mut note = None;
    if record.result().is_none() {
        // The format has no word for a game that is not over.
        let end = record.game().position();
        let [black, white] = [end.black(), end.white()].map(u64::count_ones);
        record.set_result(OthelloResult::of_discs(black, white));
        note = Some("the game is not over: its result is that of the board as it is".to_owned());
    }
    let mut writer = WthorWriter::default();
    writer
        .add(&record, &mut RecordLosses::default())
        .map_err(|problem| SaveError::Wthor {
            path: path.to_owned(),
            problem,
        })?;
    let names: Vec<PathBuf> = ["jou", "trn"]
        .map(|extension| path.with_extension(extension))
        .into();
    if !path.exists() {
        // Names beside other games are theirs.
        if let Some(name) = names.iter().find(|name| name.exists()) {
            return Err(SaveError::OtherNames(name.clone()));
        }
    }
    let WthorFiles {
        games,
        players,
        tournaments,
    } = writer.finish(today);
    // The games last: they need the names.
    for (name, bytes) in names.iter().zip([players, tournaments]) {
        write(name, &bytes)?;
    }
    write(path, &games)?;
    Ok(note)
}

/// Bytes of a game in Edax's own format.
const EDX: usize = 160;

/// A game in Edax's own format, little-endian: at 0 and 8 the discs of the player to move and of the other one in the start
/// position, a1 being bit 0; at 16 the year, and from 18 on month, day, hour, minute and second; at 24 and 56 the players' names in
/// 32 bytes, a zero behind them; from 88 on 60 squares, a1 being 0, without passes, 65 behind the last one; at 148 the player to
/// move, 1 for white; at 152 a number that Edax compares games with, 0 for none.
fn edx(game: &Game, players: [&str; 2]) -> [u8; EDX] {
    let mut bytes = [0; EDX];
    let start = game.start();
    for (at, discs) in [(0, start.board().mover()), (8, start.board().opponent())] {
        bytes[at..at + 8].copy_from_slice(&discs.to_le_bytes());
    }
    // No hour is known.
    bytes[20] = u8::MAX;
    for (at, name) in [(24, players[0]), (56, players[1])] {
        let name = if name.is_empty() { "?" } else { name };
        let fits = name.char_indices().map(|(n, sign)| n + sign.len_utf8());
        let len = fits.take_while(|&end| end < 32).last().unwrap_or(0);
        bytes[at..at + len].copy_from_slice(&name.as_bytes()[..len]);
    }
    bytes[88..148].fill(65);
    let squares = game.moves().iter().filter_map(|mv| match mv {
        Move::Place(square) => Some(square.number()),
        Move::Pass => None,
    });
    for (at, square) in bytes[88..148].iter_mut().zip(squares) {
        *at = square;
    }
    bytes[148] = u8::from(start.side() == Side::White);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edaxs_own_format_has_its_layout() {
        let game: Game = "f5d6c3".parse().unwrap();
        let bytes = edx(&game, ["", "a name that is longer than what fits"]);
        // Black has d5 and e4, white d4 and e5; a1 is bit 0.
        let black = 1u64 << 35 | 1 << 28;
        let white = 1u64 << 27 | 1 << 36;
        assert_eq!(bytes[..8], black.to_le_bytes());
        assert_eq!(bytes[8..16], white.to_le_bytes());
        assert_eq!(bytes[24..26], *b"?\0");
        assert_eq!(bytes[56..88], *b"a name that is longer than what\0");
        assert_eq!(bytes[88..92], [37, 43, 18, 65]);
        assert_eq!(bytes[148], 0);
        let white_first = format!("XO{} O", "-".repeat(62)).parse().unwrap();
        assert_eq!(edx(&Game::new(white_first), ["", ""])[148], 1);
    }
}
