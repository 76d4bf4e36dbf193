//! Files of records as they are read: one game, several, or none.

use std::path::Path;

use page_messages::PageFailure;
use page_shelf::library::{LibraryDamage, check_part};
use shogi_kifu::{
    ArchiveGame, GameRecord, KifuError, KifuFormat, KifuProblem, read_archives, read_games,
};
use yane_io::{Error, ReadLimit};

use super::entry::Entry;

/// Bytes of a file that is read at once; larger ones are read piece by piece.
const WHOLE: u64 = 256 << 10;

/// Games of a file that cannot be read which are told.
const MOST_TOLD: usize = 5;

/// What a file holds.
#[derive(Clone, Debug)]
pub(super) enum Contents {
    /// It was not looked into.
    Unread,
    /// One game.
    Game(Box<Entry>),
    /// Several.
    Archive(Box<ArchiveGames>),
    /// Nothing that can be read, and why.
    Damaged(Box<str>),
    /// It is no record, and its name does not say that it is one.
    Other,
}

/// The games of a file of several.
#[derive(Clone, Debug, Default)]
pub(super) struct ArchiveGames {
    /// The games with their numbers.
    pub(super) games: Vec<(u32, Entry)>,
    /// The first records that cannot be read.
    pub(super) damage: Vec<LibraryDamage>,
    /// All of them.
    pub(super) damaged: usize,
}

/// The one game of a file, with its bytes.
pub(super) struct OneGame {
    pub(super) record: GameRecord,
    pub(super) format: KifuFormat,
    pub(super) bytes: Vec<u8>,
}

/// Returns whether a file of this name may hold records.
pub(super) fn is_record(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| {
        extension.eq_ignore_ascii_case("txt") || KifuFormat::of_extension(extension).is_some()
    })
}

/// Returns whether other things than records have such names too.
fn may_be_other(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    ["txt", "json", "jsonl"].contains(&extension.as_str())
}

/// Calls `take` with what `work` makes of each game of a file, until it returns false.
///
/// # Errors
///
/// A file that cannot be read.
pub(super) fn each<T: Send + 'static>(
    path: &Path,
    work: impl Fn(Result<ArchiveGame, KifuError>) -> T + Send + Sync + 'static,
    take: &mut dyn FnMut(T) -> bool,
) -> yane_io::Result<()> {
    let size = std::fs::metadata(path).map_err(Error::io(path))?.len();
    if size <= WHOLE {
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        match read_games(&bytes) {
            Ok((_, games)) => {
                let _all = games.into_iter().all(|game| take(work(game)));
            }
            Err(error) => {
                take(work(Err(error)));
            }
        }
        return Ok(());
    }
    let pieces = read_archives(vec![path.to_owned()], 1, move |piece| {
        let mut made = Vec::new();
        piece.for_each_game(|game| {
            made.push(work(game.map_err(|mut error| {
                error.path = None;
                error
            })));
        });
        made
    });
    for piece in pieces {
        if !piece?.items.into_iter().all(&mut *take) {
            return Ok(());
        }
    }
    Ok(())
}

/// What a file holds, for the index.
pub(super) fn read(path: &Path, name: &str) -> Contents {
    let mut found = ArchiveGames::default();
    let mut number = 0;
    let mut is_nothing = false;
    let file = name.to_owned();
    let work =
        move |game: Result<ArchiveGame, KifuError>| game.map(|game| Entry::of(&game.record, &file));
    let mut take = |game: Result<Entry, KifuError>| {
        number += 1;
        match game {
            Ok(entry) => found.games.push((number, entry)),
            Err(error) => {
                is_nothing = matches!(error.problem, KifuProblem::Nothing);
                found.damaged += 1;
                if found.damage.len() < MOST_TOLD {
                    found.damage.push(LibraryDamage {
                        name: name.to_owned(),
                        reason: error.to_string(),
                    });
                }
            }
        }
        true
    };
    if let Err(error) = each(path, work, &mut take) {
        return Contents::Damaged(error.to_string().into());
    }
    found.games.shrink_to_fit();
    match (found.games.len(), found.damaged) {
        (0, 1) if is_nothing && may_be_other(name) => Contents::Other,
        (0, _) => {
            let reason = found.damage.pop().map(|damage| damage.reason);
            let reason = reason.unwrap_or_else(|| "there is no game in it".to_owned());
            Contents::Damaged(reason.into())
        }
        (1, 0) => match found.games.pop() {
            Some((_, entry)) => Contents::Game(Box::new(entry)),
            None => Contents::Other,
        },
        _ => Contents::Archive(Box::new(found)),
    }
}

/// The one game of a file of a folder.
///
/// # Errors
///
/// A name that is none; a file that cannot be read, or has another number of games.
pub(super) fn read_one(folder: &Path, name: &str) -> Result<OneGame, PageFailure> {
    let named = |text: &dyn std::fmt::Display| {
        PageFailure::new(format!("game '{}': {text}", name.escape_debug()))
    };
    let path = game_path(folder, name)?;
    let bytes = ReadLimit::Settings.read(&path);
    let bytes = bytes.map_err(|error| PageFailure::of(&error))?;
    let (format, mut games) = read_games(&bytes).map_err(|error| named(&error))?;
    match (games.pop(), games.len()) {
        (Some(game), 0) => Ok(OneGame {
            record: game.map_err(|error| named(&error))?.record,
            format,
            bytes,
        }),
        (_, others) => Err(named(&format!(
            "one game was expected, but there are {}",
            others + 1
        ))),
    }
}

/// The path of a file that is there.
///
/// # Errors
///
/// A name that leads elsewhere, or of nothing that may be a record.
pub(super) fn game_path(folder: &Path, name: &str) -> Result<std::path::PathBuf, PageFailure> {
    check_part(name)?;
    let path = folder.join(name);
    // A link may lead out of the library.
    let data = path.symlink_metadata();
    if is_record(name) && data.is_ok_and(|data| data.is_file()) {
        return Ok(path);
    }
    let text = format!("game '{}': there is none", name.escape_debug());
    Err(PageFailure::new(text))
}

/// The games of a file with numbers, from 1, in the order of the numbers given.
///
/// # Errors
///
/// A file or game that cannot be read; a number that it does not have.
pub(super) fn numbered(path: &Path, names: &[String]) -> Result<Vec<ArchiveGame>, PageFailure> {
    let missing =
        |name: &str| PageFailure::new(format!("game '{}': there is none", name.escape_debug()));
    let wanted: Result<Vec<usize>, _> = { names.iter() }
        .map(|name| name.parse().map_err(|_| missing(name)))
        .collect();
    let wanted = wanted?;
    let last = wanted.iter().copied().max().unwrap_or_default();
    let mut found = std::collections::HashMap::new();
    let mut number = 0;
    let read = each(path, |game| game, &mut |game| {
        number += 1;
        if wanted.contains(&number) {
            found.insert(number, game);
        }
        number < last
    });
    read.map_err(|error| PageFailure::of(&error))?;
    let taken = wanted.iter().zip(names).map(|(number, name)| {
        let game = found.get(number).ok_or_else(|| missing(name))?;
        game.clone().map_err(|error| PageFailure::of(&error))
    });
    taken.collect()
}
