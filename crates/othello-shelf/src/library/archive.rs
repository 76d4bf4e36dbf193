//! Files of several games, such as those of WTHOR, which stand in the library as they are: a folder that is only read.

use std::path::Path;

use othello_record::{OthelloRecord, WthorNameFiles, othello_record_files, read_archives};
use page_messages::PageFailure;
use page_shelf::library::LibraryDamage;

use super::line::Line;
use super::row::Row;

/// The extensions of such files, in small letters.
const EXTENSIONS: [&str; 9] = [
    "wtb", "ggf", "ggs", "sgf", "pgn", "txt", "csv", "edx", "jsonl",
];

/// A game with its positions.
#[derive(Clone, Debug)]
pub(super) struct ReadGame {
    pub(super) row: Row,
    pub(super) line: Line,
}

/// The games of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct ArchiveGames {
    pub(super) games: Vec<ReadGame>,
    /// The first records that cannot be read.
    pub(super) damage: Vec<LibraryDamage>,
}

/// Records that cannot be read which are told of a file.
const MOST_TOLD: usize = 5;

/// Returns whether a file of this name may hold several games.
pub(super) fn is_archive(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    EXTENSIONS.contains(&extension.as_str()) && !name.eq_ignore_ascii_case("summary.csv")
}

/// Calls `take` with the number of each record of a file, from 1, and the record, until it returns false.
///
/// # Errors
///
/// A file that cannot be read at all.
pub(super) fn each(
    path: &Path,
    take: &mut dyn FnMut(usize, Result<OthelloRecord, PageFailure>) -> bool,
) -> Result<(), PageFailure> {
    let files = vec![path.to_owned()];
    let failure = |error: yane_io::Error| PageFailure::of(&error);
    let names = WthorNameFiles::find(&files, &[]).map_err(failure)?;
    let mut number = 0;
    for batch in read_archives(files, names, 1, |read| read.record) {
        for item in batch.map_err(failure)?.items {
            number += 1;
            let item = item
                .map_err(|error| PageFailure::new(format!("{}: {}", error.place, error.reason)));
            if !take(number, item) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The games of a file, with their positions.
pub(super) fn read(path: &Path, name: &str) -> ArchiveGames {
    let mut found = ArchiveGames::default();
    let mut damage = Vec::new();
    let told = |reason: String| LibraryDamage {
        name: name.to_owned(),
        reason,
    };
    let read = each(path, &mut |number, record| {
        match record {
            Ok(record) => found.games.push(ReadGame {
                row: Row::of(&number.to_string(), &record),
                line: Line::of(&record),
            }),
            Err(failure) if damage.len() < MOST_TOLD => damage.push(told(failure.text)),
            Err(_) => {}
        }
        true
    });
    damage.extend(read.err().map(|failure| told(failure.text)));
    found.damage = damage;
    found
}

/// The game with a number, from 1.
///
/// # Errors
///
/// A file that cannot be read; a number that it does not have.
pub(super) fn game(path: &Path, number: usize) -> Result<OthelloRecord, PageFailure> {
    let mut found = None;
    each(path, &mut |n, record| {
        if n == number {
            found = Some(record);
        }
        n < number
    })?;
    found.ok_or_else(|| PageFailure::new(format!("there is no game {number}")))?
}

/// The files with games of a file or folder, in the order of their names, and whether it is a folder.
///
/// # Errors
///
/// A folder without such files.
pub(super) fn files_of(path: &Path) -> Result<Vec<std::path::PathBuf>, PageFailure> {
    if path.is_dir() {
        return othello_record_files(path).map_err(|error| PageFailure::of(&error));
    }
    Ok(vec![path.to_owned()])
}
