//! The index: games are read on threads in the background, once each, so that searches need no file.

use std::path::PathBuf;
use std::sync::Arc;

use page_messages::PageFailure;
use page_shelf::library::{EntryStamp, FolderName};

use super::archive::{self, ArchiveGames, ReadGame};
use super::folder::{Folder, Game};
use super::game_file::{game_path, read_game};
use super::line::Line;
use super::row::Row;
use super::store::{Store, write_table};

/// A file that is to be read.
struct Unread {
    folder: Arc<(FolderName, PathBuf)>,
    name: String,
    stamp: EntryStamp,
    /// The place of the game in its folder, from which it has not moved far.
    at: usize,
    is_archive: bool,
}

/// What a file holds.
enum Contents {
    Game(Result<Box<ReadGame>, PageFailure>),
    Archive(ArchiveGames),
}

impl Store {
    /// Begins to read what has not been read, unless that is going on.
    pub(super) fn index(self: &Arc<Self>) {
        let store = Arc::clone(self);
        self.root.in_background(move || store.read_all());
    }

    /// Reads all files that have not been read.
    fn read_all(&self) {
        // A folder that cannot be read is told when it is asked for.
        let _told_later = self.walk(&FolderName::default());
        let unread = self.unread();
        let is_any = !unread.is_empty();
        let is_done = self.root.read_files(unread, contents, |file, contents| {
            if let Some(folder) = self.state().folders.get_mut(&file.folder.0) {
                take(folder, file, contents);
            }
        });
        if !is_done {
            return;
        }
        self.state().folders.values_mut().for_each(Folder::sort);
        let is_written = self.write_tables();
        if is_any || is_written {
            self.root.tell_progress();
            self.root.tell_changed(&[]);
        }
    }

    /// The files of all folders that have not been read.
    fn unread(&self) -> Vec<Unread> {
        let mut unread = Vec::new();
        for (name, folder) in &self.state().folders {
            let place = Arc::new((name.clone(), name.path(self.root.path())));
            let games = folder.games.iter().enumerate();
            let games = games.filter(|(_, game)| game.line.is_none());
            unread.extend(games.map(|(at, game)| Unread {
                folder: Arc::clone(&place),
                name: game.row.name().to_owned(),
                stamp: game.stamp,
                at,
                is_archive: false,
            }));
            let archives = folder.archives.iter().filter(|one| one.games.is_none());
            unread.extend(archives.map(|archive| Unread {
                folder: Arc::clone(&place),
                name: archive.name.clone(),
                stamp: archive.stamp,
                at: 0,
                is_archive: true,
            }));
        }
        unread
    }

    /// Writes the tables that are not what the files say; returns whether one was written.
    fn write_tables(&self) -> bool {
        let mut state = self.state();
        let old: Vec<FolderName> = { state.folders.iter() }
            .filter(|(_, folder)| folder.is_table_old)
            .map(|(name, _)| name.clone())
            .collect();
        drop(state);
        if old.is_empty() {
            return false;
        }
        // A library that cannot be written to is still shown.
        let Ok(_lock) = self.root.lock() else {
            return false;
        };
        state = self.state();
        let mut is_written = false;
        for name in &old {
            let path = name.path(self.root.path());
            if let Some(folder) = state.folders.get_mut(name)
                && let Ok(is_other) = write_table(folder, &path)
            {
                is_written |= is_other;
                folder.is_as_now(&path);
            }
        }
        is_written
    }
}

/// Reads a file.
fn contents(file: &Unread) -> Contents {
    if file.is_archive {
        return Contents::Archive(archive::read(&file.folder.1.join(&file.name), &file.name));
    }
    let record = read_game(&game_path(&file.folder.1, &file.name));
    Contents::Game(record.map(|record| {
        Box::new(ReadGame {
            row: Row::of(&file.name, &record),
            line: Line::of(&record),
        })
    }))
}

/// Takes over what a file holds, unless it has changed since.
fn take(folder: &mut Folder, file: &Unread, contents: Contents) {
    match contents {
        Contents::Archive(games) => {
            let mut archives = folder.archives.iter_mut();
            let archive = archives.find(|one| one.name == file.name && one.stamp == file.stamp);
            if let Some(archive) = archive {
                archive.games = Some(games);
            }
        }
        Contents::Game(read) => {
            let games = &folder.games;
            let is_it = |one: &Game| one.row.name() == file.name && one.stamp == file.stamp;
            // Games before it may have been removed.
            let near = games
                .get(..=file.at)
                .and_then(|games| games.iter().rposition(is_it));
            let at = near.or_else(|| games.iter().position(is_it));
            let Some(at) = at else { return };
            match read {
                Ok(read) => folder.games[at].take(*read),
                Err(failure) => {
                    let reason = failure.text;
                    folder.games.remove(at);
                    folder
                        .damaged
                        .insert(file.name.clone(), (file.stamp, reason));
                }
            }
        }
    }
}
