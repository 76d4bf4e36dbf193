//! Changes: games that are saved, moved, copied and thrown away. Nothing is ever removed but by moving it into the trash.

use std::path::Path;

use page_messages::PageFailure;
use page_shelf::library::{
    FolderName, LibraryPlace, MoveRequest, NewNames, PutRequest, RecordName, copy_file, move_file,
    until_failure,
};
use serde::Deserialize;
use serde_json::{Value, json};
use shogi_kifu::{GameRecord, KifuFormat};
use shogi_page::{NamesChoice, RecordFields};

use super::entry::Entry;
use super::folder::File;
use super::reading::{game_path, numbered, read, read_one};
use super::store::Store;
use super::unknown::with_unknown;
use super::writing::{known, name_like, new_game, new_name, replaced, write};

/// The fields of `library.get`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct GetRequest {
    #[serde(flatten)]
    name: RecordName,
    #[serde(default)]
    names: NamesChoice,
}

impl Store {
    /// A game, and the format that it is written in.
    fn read(&self, name: &RecordName) -> Result<(GameRecord, KifuFormat), PageFailure> {
        match self.place(&FolderName::parse(&name.folder)?)? {
            LibraryPlace::Folder(path) => {
                let one = read_one(&path, &name.game)?;
                Ok((one.record, one.format))
            }
            LibraryPlace::Archive { path, .. } => {
                let mut games = numbered(&path, std::slice::from_ref(&name.game))?;
                let game = games.pop();
                let game = game.ok_or_else(|| PageFailure::new("there is no such game"))?;
                Ok((game.record, game.format))
            }
        }
    }

    /// Answers `library.get`.
    pub(super) fn get(&self, request: &GetRequest) -> Result<Value, PageFailure> {
        let name = &request.name;
        let (record, _) = self.read(name)?;
        let folder = FolderName::parse(&name.folder)?;
        Ok(json!({
            "game": RecordFields::of(&record, request.names),
            "entry": Entry::of(&record, &name.game).message(&folder, &name.game),
        }))
    }

    /// Answers `library.put`.
    pub(super) fn put(&self, request: &PutRequest<RecordFields>) -> Result<Value, PageFailure> {
        let folder = FolderName::parse(&request.folder)?;
        let record = request.record.record()?;
        let _lock = self.root.lock()?;
        let path = self.look_at(&folder)?;
        let name = if let Some(game) = &request.game {
            self.replace(&folder, &path, game, record)?
        } else {
            let loaded = request.from.as_ref().and_then(|from| self.read(from).ok());
            let (record, source) = match loaded {
                Some((old, format)) => (with_unknown(record, &old), format),
                None => (record, KifuFormat::Kif),
            };
            let (bytes, extension) = new_game(&record, source);
            let name = new_name(&mut NewNames::now(), &path, extension)?;
            let file = write(&path, &name, &bytes, &record)?;
            self.settle(&folder, |known| known.add(vec![file]));
            name
        };
        self.root.tell_changed(&[&folder]);
        Ok(json!({ "folder": folder.as_str(), "game": name }))
    }

    /// Writes a record over a game; where its format cannot hold everything, beside it as KIF, and the old file goes into the trash.
    /// Returns the name of the game.
    fn replace(
        &self,
        folder: &FolderName,
        path: &Path,
        game: &str,
        record: GameRecord,
    ) -> Result<String, PageFailure> {
        // A game that is damaged is not replaced, lest what is in it be lost.
        let old = read_one(path, game)?;
        let record = with_unknown(record, &old.record);
        if let Some(bytes) = replaced(&record, &old) {
            let file = write(path, game, &bytes, &record)?;
            self.settle(folder, |known| known.add(vec![file]));
            return Ok(game.to_owned());
        }
        let stem = game.rsplit_once('.').map_or(game, |(stem, _)| stem);
        let mut names = NewNames::now();
        let name = name_like(&mut names, path, &format!("{stem}.kif"))?;
        let (bytes, _) = new_game(&record, KifuFormat::Kif);
        let file = write(path, &name, &bytes, &record)?;
        self.settle(folder, |known| known.add(vec![file]));
        if !folder.is_in_trash() {
            let trash = self.root.trash_of(folder)?;
            self.moved(folder, &[game.to_owned()], &trash)?;
        }
        Ok(name)
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
        self.look_at(&from)?;
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
            let old = game_path(&here, game)?;
            let name = name_like(&mut names, &there, game)?;
            move_file(&old, &there.join(&name))?;
            Ok((game.to_owned(), name))
        });
        let mut files = self.settle(from, |known| {
            let taken = moved.iter().map(|(old, _)| known.remove(old));
            taken.collect::<Vec<Option<File>>>()
        });
        for ((_, name), file) in moved.iter().zip(&mut files) {
            if let Some(file) = file {
                file.name = name.as_str().into();
            }
        }
        self.settle(to, |known| known.add(files.into_iter().flatten().collect()));
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
        let (files, done) = match &place {
            LibraryPlace::Folder(here) => until_failure(&request.games, |game| {
                let old = game_path(here, game)?;
                let name = name_like(&mut names, &path, game)?;
                copy_file(&old, &path.join(&name))?;
                known(&path, &name, read(&old, &name))
            }),
            LibraryPlace::Archive { path: file, .. } => {
                let mut games = numbered(file, &request.games)?.into_iter();
                until_failure(&request.games, |_| {
                    let game = games.next();
                    let game = game.ok_or_else(|| PageFailure::new("there is no such game"))?;
                    let (bytes, extension) = new_game(&game.record, game.format);
                    let name = new_name(&mut names, &path, extension)?;
                    write(&path, &name, &bytes, &game.record)
                })
            }
        };
        let names: Vec<_> = files.iter().map(|file| file.name.to_string()).collect();
        self.settle(&to, |known| known.add(files));
        self.root.tell_changed(&[&to]);
        done.map(|()| json!({ "folder": to.as_str(), "games": names }))
    }
}
