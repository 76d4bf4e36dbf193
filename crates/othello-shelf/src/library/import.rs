//! Imports: a file of games, or a folder of them, becomes part of the library.
//!
//! * Games of Egaroucid are copied byte by byte, folders and all.
//! * A base of WTHOR, and any file of many games, is copied as it stands, and only read from there.
//! * The games of other files are saved one by one.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use othello_record::OthelloRecord;
use page_messages::{EventSink, PageFailure, PageFile, PageFiles, StopFlag};
use serde::Deserialize;
use serde_json::{Value, json};
use yane_io::Error;

use super::archive;
use super::change::{NewNames, copied_game, written_game};
use super::folder::Game;
use super::game_file::{GAME, TREE, record_of};
use super::names::{FolderName, check_new};
use super::store::Store;

/// Games of a file that are saved one by one at most; a file of more stands in the library as it is.
const MOST_SINGLE: usize = 1_000;

/// Files and games that cannot be read which are told by name.
const MOST_TOLD: usize = 20;

/// The time between two reports.
const REPORT: Duration = Duration::from_millis(250);

/// The fields of `library.import`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct ImportRequest {
    #[serde(default)]
    folder: String,
    #[serde(flatten)]
    file: PageFile,
}

/// An import that goes on.
struct Import<'a> {
    store: &'a Store,
    sink: &'a dyn EventSink,
    stop: &'a StopFlag,
    to: FolderName,
    names: NewNames,
    /// New games by their folder.
    games: BTreeMap<FolderName, Vec<Game>>,
    saved: usize,
    archives: Vec<String>,
    failed: usize,
    failures: Vec<Value>,
    reported: Instant,
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
        if source.starts_with(&self.root) || self.root.starts_with(&source) {
            return Err(PageFailure::new("this is the library itself"));
        }
        let to = FolderName::parse(&request.folder)?;
        let _lock = self.lock()?;
        self.look_at(&to)?;
        let mut import = Import {
            store: self,
            sink,
            stop,
            to,
            names: NewNames::now(),
            games: BTreeMap::new(),
            saved: 0,
            archives: Vec::new(),
            failed: 0,
            failures: Vec::new(),
            reported: Instant::now(),
        };
        let done = import.all(&source);
        import.settle()?;
        done.map(|()| import.answer())
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
            self.report(n, total);
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
            let to = self.new_folder(name.unwrap_or("WTHOR"))?;
            for path in &files {
                let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
                if path.is_file() && check_new(name).is_ok() {
                    copy(path, &to.path(&self.store.root).join(name))?;
                    if is_wthor(path) {
                        self.archives.push(to.join(name).as_str().to_owned());
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes a folder with a name, or with a number behind it where that is taken.
    fn new_folder(&self, name: &str) -> Result<FolderName, PageFailure> {
        let name = if check_new(name).is_ok() {
            name
        } else {
            "WTHOR"
        };
        for n in 1.. {
            let part = match n {
                1 => name.to_owned(),
                n => format!("{name} {n}"),
            };
            let folder = self.to.join(&part);
            let path = folder.path(&self.store.root);
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(folder),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(PageFailure::of(&Error::io(&path)(error))),
            }
        }
        Err(PageFailure::new("there is no free name for a folder"))
    }

    /// A file with one game of Egaroucid is copied into the same folder below the one of the library; another one is a file of records.
    fn game(&mut self, base: &Path, path: &Path, stem: &str) -> Result<(), PageFailure> {
        let bytes = yane_io::ReadLimit::Settings.read(path);
        let is_one = bytes.is_ok_and(|bytes| record_of(&bytes).is_ok());
        if !is_one {
            return self.records(path, stem);
        }
        let here = yane_io::folder_of(path);
        let mut to = self.to.clone();
        for part in here
            .strip_prefix(base)
            .ok()
            .into_iter()
            .flat_map(Path::components)
        {
            let part = part.as_os_str().to_str().unwrap_or_default();
            check_new(part)?;
            to = to.join(part);
        }
        let folder = to.path(&self.store.root);
        if !self.games.contains_key(&to) {
            std::fs::create_dir_all(&folder)
                .map_err(|error| PageFailure::of(&Error::io(&folder)(error)))?;
            self.store.look_at(&to)?;
        }
        let name = self.names.like(stem, &folder)?;
        let game = copied_game(&here, stem, &folder, &name)?;
        self.games.entry(to).or_default().push(game);
        self.saved += 1;
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
        let folder = self.to.path(&self.store.root);
        if records.len() > MOST_SINGLE && archive::is_archive(name) && check_new(name).is_ok() {
            let to = folder.join(name);
            if to.symlink_metadata().is_ok() {
                let text = format!("'{name}' is in this folder already");
                return Err(PageFailure::new(text));
            }
            copy(path, &to)?;
            self.archives.push(self.to.join(name).as_str().to_owned());
            return Ok(());
        }
        for failure in failures {
            self.failed += 1;
            if self.failures.len() < MOST_TOLD {
                self.failures
                    .push(json!({ "name": name, "error": failure }));
            }
        }
        for record in &records {
            let stem = self.names.next(&folder)?;
            let game = written_game(&folder, &stem, record)?;
            self.games.entry(self.to.clone()).or_default().push(game);
            self.saved += 1;
        }
        Ok(())
    }

    fn report(&mut self, done: usize, total: usize) {
        if self.reported.elapsed() >= REPORT {
            self.reported = Instant::now();
            let fields = json!({ "done": done, "total": total });
            self.sink.state("progress", 0, fields);
        }
    }

    /// Writes the tables of the folders that have new games.
    fn settle(&mut self) -> Result<(), PageFailure> {
        for (folder, mut new) in std::mem::take(&mut self.games) {
            self.store.settle(&folder, |games| games.append(&mut new))?;
        }
        self.store.tell_changed(&[&self.to]);
        Ok(())
    }

    fn answer(&self) -> Value {
        json!({
            "folder": self.to.as_str(),
            "games": self.saved,
            "archives": self.archives,
            "failed": self.failed,
            "failures": self.failures,
        })
    }
}

/// Copies a file of any size.
fn copy(from: &Path, to: &Path) -> Result<(), PageFailure> {
    let copied = || -> yane_io::Result<()> {
        let mut source = std::fs::File::open(from).map_err(Error::io(from))?;
        let mut file = yane_io::AtomicFile::create(to)?;
        let failed = file.error();
        std::io::copy(&mut source, &mut file).map_err(failed)?;
        file.commit()
    };
    copied().map_err(|error| PageFailure::of(&error))
}

fn is_wthor(path: &Path) -> bool {
    has_extension(path, &["wtb"])
}

fn has_extension(path: &Path, wanted: &[&str]) -> bool {
    let extension = path.extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| wanted.contains(&&*extension.to_ascii_lowercase()))
}
