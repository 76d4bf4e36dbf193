//! Imports: a file of records, or a folder of them, is copied into the library as it stands.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use page_messages::{EventSink, PageFailure, PageFiles, StopFlag};
use page_shelf::library::{FolderName, ImportRequest, ImportTally, NewNames, copy_file};
use serde_json::Value;
use shogi_kifu::{detect_file, record_files};

use super::folder::File;
use super::reading::{Contents, is_record, read};
use super::store::Store;
use super::writing::{known, name_like};

/// An import that goes on.
struct Import<'a> {
    store: &'a Store,
    to: FolderName,
    names: NewNames,
    /// New files by their folder.
    files: BTreeMap<FolderName, Vec<File>>,
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
        let all = record_files(&source).map_err(|error| PageFailure::of(&error))?;
        let base = if source.is_dir() {
            source
        } else {
            yane_io::folder_of(&source)
        };
        let _lock = self.root.lock()?;
        self.look_at(&to)?;
        let mut import = Import {
            store: self,
            to,
            names: NewNames::now(),
            files: BTreeMap::new(),
            tally: ImportTally::default(),
        };
        let total = all.len();
        let mut done = Ok(());
        for (n, path) in all.iter().enumerate() {
            if stop.is_stopped() || done.is_err() {
                break;
            }
            import.tally.report(sink, n, total);
            done = import.file(&base, path);
        }
        import.settle();
        done.map(|()| import.tally.answer(&import.to))
    }
}

impl Import<'_> {
    /// Copies a file, if there is a game in it.
    fn file(&mut self, base: &Path, path: &Path) -> Result<(), PageFailure> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let contents = read(path, &name);
        match &contents {
            Contents::Game(_) => {}
            Contents::Archive(games) => {
                for damage in &games.damage {
                    self.tally.fail(&name, &damage.reason);
                }
                for _ in games.damage.len()..games.damaged {
                    self.tally.fail(&name, "");
                }
            }
            Contents::Damaged(reason) => {
                self.tally.fail(&name, reason);
                return Ok(());
            }
            Contents::Other | Contents::Unread => {
                self.tally.fail(&name, "this is no record of a game");
                return Ok(());
            }
        }
        let here = yane_io::folder_of(path);
        let to = self.store.root.make_like(&self.to, base, &here)?;
        let folder = to.path(self.store.root.path());
        let name = name_like(&mut self.names, &folder, &recorded_name(path, &name))?;
        copy_file(path, &folder.join(&name))?;
        match &contents {
            Contents::Archive(_) => {
                let archive = to.join(&name).as_str().to_owned();
                self.tally.archives.push(archive);
            }
            _ => self.tally.saved += 1,
        }
        let file = known(&folder, &name, contents)?;
        self.files.entry(to).or_default().push(file);
        Ok(())
    }

    /// Takes the new files into the index.
    fn settle(&mut self) {
        for (folder, files) in std::mem::take(&mut self.files) {
            self.store.settle(&folder, |known| known.add(files));
        }
        self.store.root.tell_changed(&[&self.to]);
    }
}

/// The name of a file with an extension of records.
fn recorded_name(path: &Path, name: &str) -> String {
    if is_record(name) {
        return name.to_owned();
    }
    let format = detect_file(path).ok().flatten();
    let extension = format.map_or("txt", |format| format.extension());
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or("game");
    format!("{stem}.{extension}")
}
