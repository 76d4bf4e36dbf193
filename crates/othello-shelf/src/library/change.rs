//! Changes: games that are saved, moved, copied and thrown away. Nothing is ever removed but by moving it into the trash.

use std::path::{Path, PathBuf};

use othello_page::GameFields;
use othello_record::OthelloRecord;
use page_messages::PageFailure;
use page_shelf::library::{
    EntryStamp, FolderName, LibraryPlace, MoveRequest, NewNames, PutRequest, RecordName,
    check_part, move_file, until_failure,
};
use serde_json::{Value, json};
use yane_io::{AtomicFile, Error, ReadLimit};

use super::archive;
use super::folder::Game;
use super::game_file::{game_path, keep_unknown, read_game, read_whole, tree_path, write_game};
use super::line::Line;
use super::row::Row;
use super::store::Store;

/// Returns whether no game of a folder has a name.
pub(super) fn is_free(folder: &Path, name: &str) -> bool {
    let is_there = |path: PathBuf| path.symlink_metadata().is_ok();
    !is_there(game_path(folder, name)) && !is_there(tree_path(folder, name))
}

impl Store {
    /// A game with all that is known of it.
    fn read(&self, name: &RecordName) -> Result<OthelloRecord, PageFailure> {
        let folder = FolderName::parse(&name.folder)?;
        read_in(&self.place(&folder)?, &name.game)
    }

    /// Answers `library.get`.
    pub(super) fn get(&self, name: &RecordName) -> Result<Value, PageFailure> {
        let record = self.read(name)?;
        let folder = FolderName::parse(&name.folder)?;
        Ok(json!({
            "game": GameFields::of(&record),
            "entry": Row::of(&name.game, &record).message(&folder),
        }))
    }

    /// Answers `library.put`.
    pub(super) fn put(&self, request: &PutRequest<GameFields>) -> Result<Value, PageFailure> {
        let folder = FolderName::parse(&request.folder)?;
        let mut record = request.record.record()?;
        let _lock = self.root.lock()?;
        let path = self.look_at(&folder)?;
        let old = match (&request.game, &request.from) {
            (Some(game), _) => {
                check_part(game)?;
                // A game that is damaged is not replaced, lest what is in it be lost.
                Some(read_in(&LibraryPlace::Folder(path.clone()), game)?)
            }
            (None, Some(from)) => self.read(from).ok(),
            (None, None) => None,
        };
        if let Some(old) = &old {
            keep_unknown(&mut record, old);
        }
        let name = match &request.game {
            Some(game) => game.clone(),
            None => NewNames::now().next(|name| is_free(&path, name))?,
        };
        let game = written_game(&path, &name, &record)?;
        self.settle(&folder, |games| {
            games.retain(|old| old.row.name() != name);
            games.push(game);
        })?;
        self.root.tell_changed(&[&folder]);
        Ok(json!({ "folder": folder.as_str(), "game": name }))
    }

    /// Answers `library.move`.
    pub(super) fn move_games(&self, request: &MoveRequest) -> Result<Value, PageFailure> {
        let from = FolderName::parse(&request.folder)?;
        let to = FolderName::parse(&request.to)?;
        let _lock = self.root.lock()?;
        self.moved(&from, &request.games, &to)
    }

    /// Answers `library.trash`.
    pub(super) fn trash(&self, request: &MoveRequest) -> Result<Value, PageFailure> {
        let from = FolderName::parse(&request.folder)?;
        let _lock = self.root.lock()?;
        let to = self.root.trash_of(&from)?;
        self.moved(&from, &request.games, &to)
    }

    /// Moves games; those before one that cannot be moved are moved.
    fn moved(
        &self,
        from: &FolderName,
        games: &[String],
        to: &FolderName,
    ) -> Result<Value, PageFailure> {
        let (here, there) = (self.look_at(from)?, self.look_at(to)?);
        if here == there {
            return Ok(json!({ "folder": to.as_str(), "games": games }));
        }
        let mut names = NewNames::now();
        let (moved, done) = until_failure(games, |game| {
            let name = move_game(&here, game, &there, &mut names)?;
            Ok((game.to_owned(), name))
        });
        let mut taken: Vec<Game> = Vec::new();
        let gone: std::collections::HashMap<&str, &str> = { moved.iter() }
            .map(|(old, new)| (old.as_str(), new.as_str()))
            .collect();
        self.settle(from, |games| {
            let all = std::mem::take(games);
            for mut game in all {
                match gone.get(game.row.name()) {
                    Some(new) => {
                        game.row = game.row.renamed(new);
                        taken.push(game);
                    }
                    None => games.push(game),
                }
            }
        })?;
        self.settle(to, |games| games.append(&mut taken))?;
        self.root.tell_changed(&[from, to]);
        let names: Vec<_> = moved.into_iter().map(|(_, name)| name).collect();
        done.map(|()| json!({ "folder": to.as_str(), "games": names }))
    }

    /// Answers `library.copy`: games of a folder or of a file of several become games of another folder.
    pub(super) fn copy(&self, request: &MoveRequest) -> Result<Value, PageFailure> {
        let from = FolderName::parse(&request.folder)?;
        let to = FolderName::parse(&request.to)?;
        let _lock = self.root.lock()?;
        let (place, path) = (self.place(&from)?, self.look_at(&to)?);
        let mut names = NewNames::now();
        let (mut copied, done) = until_failure(&request.games, |game| {
            let name = names.next(|name| is_free(&path, name))?;
            match &place {
                LibraryPlace::Folder(here) => copied_game(here, game, &path, &name),
                LibraryPlace::Archive { .. } => {
                    let record = read_in(&place, game)?;
                    written_game(&path, &name, &record)
                }
            }
        });
        let names: Vec<_> = copied
            .iter()
            .map(|game| game.row.name().to_owned())
            .collect();
        self.settle(&to, |games| games.append(&mut copied))?;
        self.root.tell_changed(&[&to]);
        done.map(|()| json!({ "folder": to.as_str(), "games": names }))
    }
}

/// A game of a folder or of a file of several, with all that is known of it.
fn read_in(place: &LibraryPlace, game: &str) -> Result<OthelloRecord, PageFailure> {
    let named = |failure: PageFailure| PageFailure {
        text: format!("game '{}': {}", game.escape_debug(), failure.text),
        ..failure
    };
    match place {
        LibraryPlace::Folder(path) => {
            check_part(game)?;
            read_whole(path, game).map_err(named)
        }
        LibraryPlace::Archive { path, .. } => {
            let number = game.parse();
            let number = number.map_err(|_| named(PageFailure::new("there is none")))?;
            archive::game(path, number).map_err(named)
        }
    }
}

/// Writes a game, and returns what is known of it.
pub(super) fn written_game(
    folder: &Path,
    name: &str,
    record: &OthelloRecord,
) -> Result<Game, PageFailure> {
    write_game(folder, name, record)?;
    known_game(folder, name, record)
}

/// What is known of a game whose file has a record.
fn known_game(folder: &Path, name: &str, record: &OthelloRecord) -> Result<Game, PageFailure> {
    let path = game_path(folder, name);
    let data = std::fs::metadata(&path);
    let data = data.map_err(|error| PageFailure::of(&Error::io(&path)(error)))?;
    Ok(Game {
        row: Row::of(name, record),
        stamp: EntryStamp::of(&data),
        line: Some(Line::of(record)),
        is_known: true,
    })
}

/// Copies the files of a game, byte by byte.
pub(super) fn copied_game(
    from: &Path,
    game: &str,
    to: &Path,
    name: &str,
) -> Result<Game, PageFailure> {
    check_part(game)?;
    let record = read_game(&game_path(from, game))?;
    let copy = |from: &Path, to: &Path| -> yane_io::Result<()> {
        if let Some(bytes) = ReadLimit::Settings.read_if_there(from)? {
            let mut file = AtomicFile::create(to)?;
            file.put(&bytes)?;
            file.commit()?;
        }
        Ok(())
    };
    let copied = copy(&tree_path(from, game), &tree_path(to, name))
        .and_then(|()| copy(&game_path(from, game), &game_path(to, name)));
    copied.map_err(|error| PageFailure::of(&error))?;
    known_game(to, name, &record)
}

/// Moves the files of a game; returns its name there, another one if that is taken.
fn move_game(
    from: &Path,
    game: &str,
    to: &Path,
    names: &mut NewNames,
) -> Result<String, PageFailure> {
    check_part(game)?;
    let name = names.like(game, |name| is_free(to, name))?;
    let tree = tree_path(from, game);
    move_file(&game_path(from, game), &game_path(to, &name))?;
    if tree.exists() {
        move_file(&tree, &tree_path(to, &name))?;
    }
    Ok(name)
}
