//! The index: games are read on threads in the background, once each, so that searches need no file.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use page_messages::PageFailure;
use serde_json::json;
use yane_io::OrderedParallelMap;

use super::archive::{self, ArchiveGames, ReadGame};
use super::folder::{FileStamp, Folder, Game};
use super::game_file::{game_path, read_game};
use super::line::Line;
use super::names::FolderName;
use super::row::Row;
use super::store::{Store, write_table};

/// The time between two reports.
const REPORT: Duration = Duration::from_millis(250);

/// A file that is to be read.
struct Unread {
    folder: Arc<(FolderName, PathBuf)>,
    name: String,
    stamp: FileStamp,
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
        if self.is_indexing.swap(true, Ordering::AcqRel) {
            return;
        }
        let store = Arc::clone(self);
        let thread = std::thread::Builder::new().name("library".to_owned());
        let begun = thread.spawn(move || {
            store.read_all();
            store.is_indexing.store(false, Ordering::Release);
        });
        if begun.is_err() {
            self.is_indexing.store(false, Ordering::Release);
        }
    }

    /// Reads all files that have not been read.
    fn read_all(&self) {
        // A folder that cannot be read is told when it is asked for.
        let _told_later = self.walk(&FolderName::default());
        let unread = self.unread();
        let total = unread.len();
        let mut reported = Instant::now();
        for (n, (file, contents)) in read_files(unread).flatten().enumerate() {
            if self.is_closing.load(Ordering::Relaxed) {
                return;
            }
            let mut state = self.state();
            if let Some(folder) = state.folders.get_mut(&file.folder.0) {
                take(folder, &file, contents);
            }
            state.progress = Some([n + 1, total]);
            drop(state);
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                self.report();
            }
        }
        let mut state = self.state();
        state.progress = None;
        state.folders.values_mut().for_each(Folder::sort);
        drop(state);
        let is_written = self.write_tables();
        if total > 0 || is_written {
            self.report();
            self.tell_changed(&[]);
        }
    }

    /// The files of all folders that have not been read.
    fn unread(&self) -> Vec<Unread> {
        let mut unread = Vec::new();
        let mut state = self.state();
        for (name, folder) in &state.folders {
            let place = Arc::new((name.clone(), name.path(&self.root)));
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
        state.progress = (!unread.is_empty()).then_some([0, unread.len()]);
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
        let Ok(_lock) = self.lock() else { return false };
        state = self.state();
        let mut is_written = false;
        for name in &old {
            let path = name.path(&self.root);
            if let Some(folder) = state.folders.get_mut(name)
                && let Ok(is_other) = write_table(folder, &path)
            {
                is_written |= is_other;
                folder.is_as_now(&path);
            }
        }
        is_written
    }

    /// Tells all pages how far the index is.
    fn report(&self) {
        let progress = self.state().progress;
        if let Some(pages) = self.pages.get() {
            pages.broadcast("library_progress", progress_message(progress));
        }
    }
}

/// How far the index is, in a message.
pub(super) fn progress_message(progress: Option<[usize; 2]>) -> serde_json::Value {
    match progress {
        Some([done, total]) => json!({ "done": done, "total": total }),
        None => json!({ "done": null, "total": null }),
    }
}

/// The files with what they hold, in order, read on all threads.
fn read_files(files: Vec<Unread>) -> OrderedParallelMap<(Unread, Contents), Infallible> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut files = files.into_iter();
    let read = |file: Unread| {
        let contents = contents(&file);
        Ok((file, contents))
    };
    OrderedParallelMap::new(threads, move || Ok(files.next()), read)
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
