//! Imports: a file of games, or a folder of them, becomes part of the library.
//!
//! * Games of Egaroucid are copied byte by byte, folders and all.
//! * A base of WTHOR, and any file of many games, is copied as it stands, and only read from there.
//! * The games of other files are saved one by one.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use othello_record::OthelloRecord;
use page_messages::{EventSink, PageFailure, PageFiles, StopFlag};
use page_shelf::library::{FolderName, ImportRequest, ImportTally, NewNames, check_new, copy_file};
use serde_json::Value;
use yane_io::Error;

use super::archive;
use super::change::{copied_game, is_free, written_game};
use super::folder::Game;
use super::game_file::{GAME, TREE, record_of};
use super::store::Store;

/// Games of a file that are saved one by one at most; a file of more stands in the library as it is.
const MOST_SINGLE: usize = 1_000;

/// An import that goes on.
struct Import<'a> {
    store: &'a Store,
    sink: &'a dyn EventSink,
    stop: &'a StopFlag,
    to: FolderName,
    names: NewNames,
    /// New games by their folder.
    games: BTreeMap<FolderName, Vec<Game>>,
    tally: ImportTally,
}

impl Store {
    /// Answers `library.import`.
    pub(super) fn import(
        &self,
        files: &dyn PageFiles,
        request: &ImportRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<Value, PageFailure> {
        let source = files.existing(&request.file)?;
        if source.starts_with(self.root.path()) || self.root.path().starts_with(&source) {
            return Err(PageFailure::new("this is the library itself"));
        }
        let to = FolderName::parse(&request.folder)?;
        let _lock = self.root.lock()?;
        self.look_at(&to)?;
        let mut import = Import {
            store: self,
            sink,
            stop,
            to,
            names: NewNames::now(),
            games: BTreeMap::new(),
            tally: ImportTally::default(),
        };
        let done = import.all(&source);
        import.settle()?;
        done.map(|()| import.tally.answer(&import.to))
    }
}

impl Import<'_> {
    fn all(&mut self, source: &Path) -> Result<(), PageFailure> {
        let files = archive::files_of(source)?;
        let base = if source.is_dir() {
            source.to_owned()
        } else {
            yane_io::folder_of(source)
        };
        let bases: Vec<&PathBuf> = files.iter().filter(|path| is_wthor(path)).collect();
        if !bases.is_empty() {
            self.wthor(&base, &bases)?;
        }
        let total = files.len();
        for (n, path) in files.iter().enumerate() {
            if self.stop.is_stopped() {
                break;
            }
            self.tally.report(self.sink, n, total);
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            if is_wthor(path) || name.ends_with(TREE) {
                continue;
            }
            match name.strip_suffix(GAME) {
                Some(stem) => self.game(&base, path, stem)?,
                None => self.records(path, name)?,
            }
        }
        Ok(())
    }

    /// A file of WTHOR belongs to those of names beside it: all stand in a folder of their own.
    fn wthor(&mut self, base: &Path, games: &[&PathBuf]) -> Result<(), PageFailure> {
        let mut folders: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for path in games {
            let beside = folders.entry(yane_io::folder_of(path)).or_default();
            beside.push((*path).clone());
        }
        for (folder, mut files) in folders {
            let entries = std::fs::read_dir(&folder);
            let entries = entries.map_err(|error| PageFailure::of(&Error::io(&folder)(error)))?;
            let beside = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
            files.extend(beside.filter(|path| has_extension(path, &["jou", "trn"])));
            let name = folder.file_name().and_then(OsStr::to_str);
            let name = name.or_else(|| base.file_name().and_then(OsStr::to_str));
            let name = name
                .filter(|name| check_new(name).is_ok())
                .unwrap_or("WTHOR");
            let to = self.store.root.make_beside(&self.to, name)?;
            for path in &files {
                let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
                if path.is_file() && check_new(name).is_ok() {
                    copy_file(path, &to.path(self.store.root.path()).join(name))?;
                    if is_wthor(path) {
                        self.tally.archives.push(to.join(name).as_str().to_owned());
                    }
                }
            }
        }
        Ok(())
    }

    /// A file with one game of Egaroucid is copied into the same folder below the one of the library; another one is a file of records.
    fn game(&mut self, base: &Path, path: &Path, stem: &str) -> Result<(), PageFailure> {
        let bytes = yane_io::ReadLimit::Settings.read(path);
        let is_one = bytes.is_ok_and(|bytes| record_of(&bytes).is_ok());
        if !is_one {
            return self.records(path, stem);
        }
        let here = yane_io::folder_of(path);
        let to = self.store.root.make_like(&self.to, base, &here)?;
        let folder = to.path(self.store.root.path());
        if !self.games.contains_key(&to) {
            self.store.look_at(&to)?;
        }
        let name = self.names.like(stem, |name| is_free(&folder, name))?;
        let game = copied_game(&here, stem, &folder, &name)?;
        self.games.entry(to).or_default().push(game);
        self.tally.saved += 1;
        Ok(())
    }

    /// The games of a file become games of the library; a file of many is copied.
    fn records(&mut self, path: &Path, name: &str) -> Result<(), PageFailure> {
        let mut records: Vec<OthelloRecord> = Vec::new();
        let mut failures = Vec::new();
        let read = archive::each(path, &mut |_, record| {
            match record {
                Ok(record) => records.push(record),
                Err(failure) => failures.push(failure.text),
            }
            records.len() <= MOST_SINGLE
        });
        failures.extend(read.err().map(|failure| failure.text));
        let folder = self.to.path(self.store.root.path());
        if records.len() > MOST_SINGLE && archive::is_archive(name) && check_new(name).is_ok() {
            let to = folder.join(name);
            if to.symlink_metadata().is_ok() {
                let text = format!("'{name}' is in this folder already");
                return Err(PageFailure::new(text));
            }
            copy_file(path, &to)?;
            self.tally
                .archives
                .push(self.to.join(name).as_str().to_owned());
            return Ok(());
        }
        for failure in failures {
            self.tally.fail(name, &failure);
        }
        for record in &records {
            let stem = self.names.next(|name| is_free(&folder, name))?;
            let game = written_game(&folder, &stem, record)?;
            self.games.entry(self.to.clone()).or_default().push(game);
            self.tally.saved += 1;
        }
        Ok(())
    }

    /// Writes the tables of the folders that have new games.
    fn settle(&mut self) -> Result<(), PageFailure> {
        for (folder, mut new) in std::mem::take(&mut self.games) {
            self.store.settle(&folder, |games| games.append(&mut new))?;
        }
        self.store.root.tell_changed(&[&self.to]);
        Ok(())
    }
}

fn is_wthor(path: &Path) -> bool {
    has_extension(path, &["wtb"])
}

fn has_extension(path: &Path, wanted: &[&str]) -> bool {
    let extension = path.extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| wanted.contains(&&*extension.to_ascii_lowercase()))
}
