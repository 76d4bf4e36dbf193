//! Changes: games that are saved, moved, copied and thrown away. Nothing is ever removed but by moving it into the trash.

use std::path::{Path, PathBuf};

use jiff::ToSpan as _;
use jiff::civil::DateTime;
use othello_page::GameFields;
use othello_record::OthelloRecord;
use page_messages::PageFailure;
use serde::Deserialize;
use serde_json::{Value, json};
use yane_io::{AtomicFile, Error, ReadLimit};

use super::archive;
use super::folder::{FileStamp, Game};
use super::game_file::{game_path, keep_unknown, read_game, read_whole, tree_path, write_game};
use super::line::Line;
use super::names::{FolderName, TRASH, check_new, check_part};
use super::row::Row;
use super::store::{Place, Store};

/// The form of the names of games.
const NAME: &str = "%Y_%m_%d_%H_%M_%S";

/// A game by its name.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct GameName {
    #[serde(default)]
    folder: String,
    game: String,
}

/// The fields of `library.put`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PutRequest {
    #[serde(default)]
    folder: String,
    /// The game to replace; a new one without it.
    #[serde(default)]
    game: Option<String>,
    /// The game that the record was loaded from.
    #[serde(default)]
    from: Option<GameName>,
    record: GameFields,
}

/// The fields of `library.move`, `library.copy` and `library.trash`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct MoveRequest {
    #[serde(default)]
    folder: String,
    #[serde(default)]
    games: Vec<String>,
    #[serde(default)]
    to: String,
}

/// Gives names to new games: the time, a second later where it is taken.
pub(super) struct NewNames(DateTime);

impl NewNames {
    pub(super) fn now() -> Self {
        Self(jiff::Zoned::now().datetime())
    }

    /// A name that is free in a folder.
    pub(super) fn next(&mut self, folder: &Path) -> Result<String, PageFailure> {
        loop {
            let name = self.0.strftime(NAME).to_string();
            let later = self.0.checked_add(1.second());
            self.0 = later.map_err(|error| PageFailure::of(&error))?;
            if is_free(folder, &name) {
                return Ok(name);
            }
        }
    }

    /// A name that is free in a folder: this one if it is.
    pub(super) fn like(&mut self, name: &str, folder: &Path) -> Result<String, PageFailure> {
        if is_free(folder, name) {
            return Ok(name.to_owned());
        }
        self.next(folder)
    }
}

fn is_free(folder: &Path, name: &str) -> bool {
    let is_there = |path: PathBuf| path.symlink_metadata().is_ok();
    !is_there(game_path(folder, name)) && !is_there(tree_path(folder, name))
}

impl Store {
    /// A game with all that is known of it.
    fn read(&self, name: &GameName) -> Result<OthelloRecord, PageFailure> {
        let folder = FolderName::parse(&name.folder)?;
        read_in(&self.place(&folder)?, &name.game)
    }

    /// Answers `library.get`.
    pub(super) fn get(&self, name: &GameName) -> Result<Value, PageFailure> {
        let record = self.read(name)?;
        let folder = FolderName::parse(&name.folder)?;
        Ok(json!({
            "game": GameFields::of(&record),
            "entry": Row::of(&name.game, &record).message(&folder),
        }))
    }

    /// Answers `library.put`.
    pub(super) fn put(&self, request: &PutRequest) -> Result<Value, PageFailure> {
        let folder = FolderName::parse(&request.folder)?;
        let mut record = request.record.record()?;
        let _lock = self.lock()?;
        let path = self.look_at(&folder)?;
        let old = match (&request.game, &request.from) {
            (Some(game), _) => {
                check_part(game)?;
                // A game that is damaged is not replaced, lest what is in it be lost.
                Some(read_in(&Place::Folder(path.clone()), game)?)
            }
            (None, Some(from)) => self.read(from).ok(),
            (None, None) => None,
        };
        if let Some(old) = &old {
            keep_unknown(&mut record, old);
        }
        let name = match &request.game {
            Some(game) => game.clone(),
            None => NewNames::now().next(&path)?,
        };
        let game = written_game(&path, &name, &record)?;
        self.settle(&folder, |games| {
            games.retain(|old| old.row.name() != name);
            games.push(game);
        })?;
        self.tell_changed(&[&folder]);
        Ok(json!({ "folder": folder.as_str(), "game": name }))
    }

    /// Answers `library.folder`: makes a folder.
    pub(super) fn new_folder(&self, name: &str) -> Result<Value, PageFailure> {
        let name = FolderName::parse(name)?;
        let Some((parent, part)) = name.split() else {
            return Err(PageFailure::new("a folder needs a name"));
        };
        check_new(part)?;
        let _lock = self.lock()?;
        let path = self.folder(&parent)?.join(part);
        std::fs::create_dir(&path).map_err(|error| PageFailure::of(&Error::io(&path)(error)))?;
        self.tell_changed(&[&parent]);
        Ok(json!({ "folder": name.as_str() }))
    }

    /// Answers `library.move`.
    pub(super) fn move_games(&self, request: &MoveRequest) -> Result<Value, PageFailure> {
        let from = FolderName::parse(&request.folder)?;
        let to = FolderName::parse(&request.to)?;
        let _lock = self.lock()?;
        self.moved(&from, &request.games, &to)
    }

    /// Answers `library.trash`.
    pub(super) fn trash(&self, request: &MoveRequest) -> Result<Value, PageFailure> {
        let from = FolderName::parse(&request.folder)?;
        if from.is_in_trash() {
            return Err(PageFailure::new("these games are in the trash"));
        }
        let _lock = self.lock()?;
        let mut to = FolderName::parse(TRASH)?;
        for part in from.as_str().split('/').filter(|part| !part.is_empty()) {
            to = to.join(part);
        }
        let path = to.path(&self.root);
        std::fs::create_dir_all(&path)
            .map_err(|error| PageFailure::of(&Error::io(&path)(error)))?;
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
        let mut moved: Vec<(String, String)> = Vec::new();
        let mut failure = None;
        for game in games {
            match move_game(&here, game, &there, &mut names) {
                Ok(name) => moved.push((game.clone(), name)),
                Err(one) => {
                    failure = Some(one);
                    break;
                }
            }
        }
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
        self.tell_changed(&[from, to]);
        let names: Vec<_> = moved.into_iter().map(|(_, name)| name).collect();
        match failure {
            Some(failure) => Err(failure),
            None => Ok(json!({ "folder": to.as_str(), "games": names })),
        }
    }

    /// Answers `library.copy`: games of a folder or of a file of several become games of another folder.
    pub(super) fn copy(&self, request: &MoveRequest) -> Result<Value, PageFailure> {
        let from = FolderName::parse(&request.folder)?;
        let to = FolderName::parse(&request.to)?;
        let _lock = self.lock()?;
        let (place, path) = (self.place(&from)?, self.look_at(&to)?);
        let mut names = NewNames::now();
        let mut copied = Vec::new();
        let mut failure = None;
        for game in &request.games {
            let copy = names.next(&path).and_then(|name| match &place {
                Place::Folder(here) => copied_game(here, game, &path, &name),
                Place::Archive { .. } => {
                    let record = read_in(&place, game)?;
                    written_game(&path, &name, &record)
                }
            });
            match copy {
                Ok(game) => copied.push(game),
                Err(one) => {
                    failure = Some(one);
                    break;
                }
            }
        }
        let names: Vec<_> = copied
            .iter()
            .map(|game| game.row.name().to_owned())
            .collect();
        self.settle(&to, |games| games.append(&mut copied))?;
        self.tell_changed(&[&to]);
        match failure {
            Some(failure) => Err(failure),
            None => Ok(json!({ "folder": to.as_str(), "games": names })),
        }
    }
}

/// A game of a folder or of a file of several, with all that is known of it.
fn read_in(place: &Place, game: &str) -> Result<OthelloRecord, PageFailure> {
    let named = |failure: PageFailure| PageFailure {
        text: format!("game '{}': {}", game.escape_debug(), failure.text),
        ..failure
    };
    match place {
        Place::Folder(path) => {
            check_part(game)?;
            read_whole(path, game).map_err(named)
        }
        Place::Archive { path, .. } => {
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
        stamp: FileStamp::of(&data),
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
    let name = names.like(game, to)?;
    let rename = |old: &Path, new: &Path| {
        std::fs::rename(old, new).map_err(|error| PageFailure::of(&Error::io(old)(error)))
    };
    let tree = tree_path(from, game);
    rename(&game_path(from, game), &game_path(to, &name))?;
    if tree.exists() {
        rename(&tree, &tree_path(to, &name))?;
    }
    Ok(name)
}
