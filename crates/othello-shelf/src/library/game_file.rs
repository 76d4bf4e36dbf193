//! A game of the library: Egaroucid's file, and beside it what the format cannot hold.
//!
//! `X.json` is Egaroucid's; `X.tree.json` has the game with its variations and comments, and the checksum of the file that it
//! was written with. When another program has changed the file since, the line of the file counts, and the tree adds
//! its variations.

use std::path::{Path, PathBuf};

use othello_page::GameFields;
use othello_record::{OthelloFormat, OthelloNodeId, OthelloRecord, WthorNames, read_records};
use page_messages::PageFailure;
use serde::{Deserialize, Serialize};
use yane_io::{AtomicFile, Checksum, ReadLimit};

/// The end of the name of a game.
pub(super) const GAME: &str = ".json";

/// The end of the name of the file beside it.
pub(super) const TREE: &str = ".tree.json";

/// The form of the file beside a game.
const VERSION: u32 = 1;

/// The file beside a game.
#[derive(Serialize, Deserialize)]
struct TreeFile {
    version: u32,
    /// The checksum of Egaroucid's file.
    of: String,
    game: GameFields,
}

/// The file of a game.
pub(super) fn game_path(folder: &Path, stem: &str) -> PathBuf {
    folder.join(format!("{stem}{GAME}"))
}

/// The file beside a game.
pub(super) fn tree_path(folder: &Path, stem: &str) -> PathBuf {
    folder.join(format!("{stem}{TREE}"))
}

/// The one record of a file of Egaroucid's, without what stands beside it.
///
/// # Errors
///
/// A file that cannot be read, or that is no game; with the reason.
pub(super) fn read_game(path: &Path) -> Result<OthelloRecord, PageFailure> {
    let bytes = ReadLimit::Settings.read(path);
    record_of(&bytes.map_err(|error| PageFailure::of(&error))?)
}

/// The one record of the bytes of a file.
pub(super) fn record_of(bytes: &[u8]) -> Result<OthelloRecord, PageFailure> {
    let mut records = read_records(bytes, &WthorNames::default());
    let count = records.len();
    match (count, records.pop()) {
        (1, Some(Ok(read))) => Ok(read.record),
        (1, Some(Err(error))) => Err(PageFailure::of(&error)),
        _ => Err(PageFailure::new(format!(
            "one game was expected, but there are {count}"
        ))),
    }
}

/// The game with all that stands beside it.
///
/// # Errors
///
/// Those of [`read_game`]; a file beside it that is none of ours is left out.
pub(super) fn read_whole(folder: &Path, stem: &str) -> Result<OthelloRecord, PageFailure> {
    let bytes = ReadLimit::Settings.read(&game_path(folder, stem));
    let bytes = bytes.map_err(|error| PageFailure::of(&error))?;
    let record = record_of(&bytes)?;
    let tree = ReadLimit::Settings.read_if_there(&tree_path(folder, stem));
    let tree = tree.ok().flatten();
    let tree = tree.and_then(|tree| serde_json::from_slice::<TreeFile>(&tree).ok());
    let Some(file) = tree.filter(|tree| tree.version == VERSION) else {
        return Ok(record);
    };
    let Ok(mut tree) = file.game.record() else {
        return Ok(record);
    };
    if file.of == Checksum::of_bytes(&bytes).to_string() {
        keep_unknown(&mut tree, &record);
        return Ok(tree);
    }
    let mut merged = record;
    merged.merge(&tree);
    Ok(merged)
}

/// The bytes of the two files of a game; of the second, `None` where Egaroucid's holds everything.
pub(super) fn written(record: &OthelloRecord) -> (String, Option<String>) {
    let (text, losses) = OthelloFormat::Egaroucid.write(record);
    if losses.is_empty() {
        return (text, None);
    }
    let file = TreeFile {
        version: VERSION,
        of: Checksum::of_bytes(text.as_bytes()).to_string(),
        game: GameFields::of(record),
    };
    let tree = serde_json::to_string(&file).ok();
    (text, tree.map(|tree| tree + "\n"))
}

/// Writes a game under a name of its own or over an older one.
///
/// # Errors
///
/// When a file cannot be written; the old game is whole then.
pub(super) fn write_game(
    folder: &Path,
    stem: &str,
    record: &OthelloRecord,
) -> Result<(), PageFailure> {
    let (text, tree) = written(record);
    let write = |path: &Path, text: &str| -> yane_io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.put(text.as_bytes())?;
        file.commit()
    };
    let (game, beside) = (game_path(folder, stem), tree_path(folder, stem));
    let done = match tree {
        // Before the game: what is without its game adds nothing, a game without its variations would lose them.
        Some(tree) => write(&beside, &tree).and_then(|()| write(&game, &text)),
        None => write(&game, &text).and_then(|()| remove_if_there(&beside)),
    };
    done.map_err(|error| PageFailure::of(&error))
}

/// Removes the variations of a game that was replaced by one without.
fn remove_if_there(path: &Path) -> yane_io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(yane_io::Error::io(path)(error))
        }
        _ => Ok(()),
    }
}

/// Takes over what messages do not carry from the record that a game was loaded from: members that only other programs know, the
/// tournament, ratings, and a result that the board does not show.
pub(super) fn keep_unknown(record: &mut OthelloRecord, old: &OthelloRecord) {
    if record.start() != old.start() {
        return;
    }
    let (new, known) = (&mut record.info, &old.info);
    for (text, known) in [
        (&mut new.event, &known.event),
        (&mut new.round, &known.round),
        (&mut new.place, &known.place),
        (&mut new.time_control, &known.time_control),
    ] {
        if text.is_empty() {
            text.clone_from(known);
        }
    }
    for (player, known) in [
        (&mut new.black, &known.black),
        (&mut new.white, &known.white),
    ] {
        if player.rating.is_empty() && player.name == known.name {
            player.rating.clone_from(&known.rating);
        }
    }
    new.variant = known.variant;
    if new.extras.is_empty() {
        new.extras.clone_from(&known.extras);
    }
    if record.info.result.is_none() && record.game().moves() == old.game().moves() {
        record.info.result = old.info.result;
    }
    let mut open = vec![(OthelloRecord::ROOT, OthelloRecord::ROOT)];
    while let Some((here, there)) = open.pop() {
        note(record, here, old, there);
        let node = old.node(there);
        for &child in node.children() {
            let mine = old.node(child).mv().and_then(|mv| record.child(here, mv));
            open.extend(mine.map(|mine| (mine, child)));
        }
    }
}

/// Takes over what messages do not carry of a move.
fn note(
    record: &mut OthelloRecord,
    here: OthelloNodeId,
    old: &OthelloRecord,
    there: OthelloNodeId,
) {
    let is_last = record.node(here).children().is_empty();
    let known = &old.node(there).note;
    let note = record.note_mut(here);
    if note.extras.is_empty() {
        // The next move is no longer one that was taken back.
        let extras = known.extras.iter();
        let kept = extras.filter(|extra| is_last || extra.key != "next_policy");
        note.extras = kept.cloned().collect();
    }
    if note.value.is_none() && note.level.is_none() && known.value.is_none() {
        note.level = known.level;
    }
    if note.value.is_some() && note.value == known.value && known.level.is_none() {
        note.level = None;
    }
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    fn record(text: &str) -> OthelloRecord {
        record_of(text.as_bytes()).unwrap()
    }

    #[test]
    fn variations_stand_beside_the_game() {
        let folder = TestFolder::new();
        let path = folder.path(".");
        let whole = record("(;GM[2]PB[Ann];B[f5];W[d6](;B[c3]C[good])(;B[c4]))");
        write_game(&path, "a", &whole).unwrap();
        assert_eq!(read_whole(&path, "a").unwrap().variations(), 1);
        assert_eq!(read_game(&game_path(&path, "a")).unwrap().variations(), 0);
        // Another program plays on in its file: the line is its, the variations are ours.
        let (other, _) = written(&record("(;GM[2]PB[Ann];B[f5];W[d6];B[c5];W[f4])"));
        std::fs::write(game_path(&path, "a"), other).unwrap();
        let merged = read_whole(&path, "a").unwrap();
        assert_eq!(merged.game().to_string(), "f5d6c5f4");
        assert_eq!(merged.variations(), 2);
        // A file that is none of ours.
        std::fs::write(tree_path(&path, "a"), "{").unwrap();
        assert_eq!(read_whole(&path, "a").unwrap().variations(), 0);
    }

    #[test]
    fn a_plain_game_is_one_file() {
        let folder = TestFolder::new();
        write_game(&folder.path("."), "a", &record("f5d6c3")).unwrap();
        assert!(!folder.path("a.tree.json").exists());
    }
}
