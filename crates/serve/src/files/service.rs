//! `files.roots` and `files.list`: the folders that pages may look into.

use std::fs::{self, DirEntry};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use page_messages::{
    Effort, EventSink, PageFailure, PageFile, PageFiles as _, PageRequest, PageService, StopFlag,
};
use serde::Serialize;
use serde_json::json;

use super::names;
use super::roots::{FileRoots, failed};

/// Entries of a list at most.
const MOST_ENTRIES: usize = 5_000;
/// Bytes of a list at most, and of an entry without its name.
const MOST_BYTES: usize = 900_000;
const ENTRY: usize = 100;
/// Entries of a folder that are looked at.
const MOST_SEEN: usize = 200_000;

/// What files of a kind are called, by the ends of their names.
#[derive(Clone, Debug, Default)]
pub struct FileKinds(Vec<(&'static str, &'static [&'static str])>);

impl FileKinds {
    /// Adds a kind: the word by which pages know it, and the extensions of its files in lower case, without a dot. Of several
    /// kinds the first counts.
    #[must_use]
    pub fn with(mut self, kind: &'static str, extensions: &'static [&'static str]) -> Self {
        self.0.push((kind, extensions));
        self
    }

    /// The kind of a name; `other` if no kind has it.
    fn of(&self, name: &str) -> &'static str {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let extension = extension.unwrap_or_default().to_ascii_lowercase();
        let mut kinds = self.0.iter();
        let found = kinds.find(|(_, extensions)| extensions.contains(&extension.as_str()));
        found.map_or("other", |(kind, _)| kind)
    }
}

/// Shows pages what is below the roots.
#[derive(Clone, Debug)]
pub struct FilesPage {
    roots: Arc<FileRoots>,
    kinds: FileKinds,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Entry {
    /// Folders come first.
    #[serde(skip)]
    is_file: bool,
    #[serde(skip)]
    sorted_as: String,
    name: String,
    kind: &'static str,
    size: String,
    /// Milliseconds since 1970; `None` where the system does not tell.
    modified: Option<u64>,
}

impl FilesPage {
    /// A service for some roots.
    pub const fn new(roots: Arc<FileRoots>, kinds: FileKinds) -> Self {
        Self { roots, kinds }
    }

    fn list(&self, folder: &PageFile, stop: &StopFlag) -> Result<(Vec<Entry>, bool), PageFailure> {
        let path = self.roots.existing(folder)?;
        let read = fs::read_dir(path).map_err(|error| failed(folder, &error))?;
        let mut entries = Vec::new();
        let mut is_more = false;
        for (n, entry) in read.enumerate() {
            if n == MOST_SEEN || stop.is_stopped() {
                is_more = true;
                break;
            }
            // An entry that goes away meanwhile is none.
            entries.extend(entry.ok().and_then(|entry| self.entry(folder, &entry)));
        }
        entries.sort_unstable();
        let mut bytes = 0;
        let fits = entries.iter().take(MOST_ENTRIES).take_while(|entry| {
            bytes += 2 * entry.name.len() + ENTRY;
            bytes <= MOST_BYTES
        });
        let fitting = fits.count();
        is_more |= entries.len() > fitting;
        entries.truncate(fitting);
        Ok((entries, is_more))
    }

    /// An entry that pages may see.
    fn entry(&self, folder: &PageFile, entry: &DirEntry) -> Option<Entry> {
        let name = entry.file_name().into_string().ok()?;
        if !names::is_allowed(&name) || name.starts_with('.') {
            return None;
        }
        let data = if entry.file_type().ok()?.is_symlink() {
            let path = match folder.path.as_str() {
                "" => name.clone(),
                path => format!("{path}/{name}"),
            };
            let root = folder.root.clone();
            let path = self.roots.existing(&PageFile { root, path }).ok()?;
            fs::metadata(path).ok()?
        } else {
            entry.metadata().ok()?
        };
        if !data.is_dir() && !data.is_file() {
            return None;
        }
        let modified = data.modified().ok();
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Some(Entry {
            is_file: data.is_file(),
            sorted_as: name.to_lowercase(),
            kind: if data.is_dir() {
                "folder"
            } else {
                self.kinds.of(&name)
            },
            size: data.len().to_string(),
            modified: since.map(|since| since.as_millis() as u64),
            name,
        })
    }
}

impl PageService for FilesPage {
    fn capabilities(&self) -> Vec<String> {
        vec!["files".to_owned()]
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        matches!(op, "files.roots" | "files.list").then_some(Effort::Quick)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        if request.op == "files.roots" {
            let roots = self.roots.names();
            let roots: Vec<_> = roots
                .map(|name| json!({ "root": name, "name": name }))
                .collect();
            sink.event("roots", json!({ "roots": roots }));
            return Ok(());
        }
        let folder: PageFile = request.read()?;
        let (entries, is_more) = self.list(&folder, stop)?;
        sink.event("files", json!({ "entries": entries, "more": is_more }));
        Ok(())
    }
}
