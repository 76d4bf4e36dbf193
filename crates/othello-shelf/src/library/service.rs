//! The service of the library: each operation to its handler.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use othello_record::OpeningNames;
use page_messages::{
    AllPages, Effort, EventSink, PageFailure, PageFiles, PageRequest, PageService, StopFlag,
};
use serde::Deserialize;
use serde_json::Value;

use super::store::Store;

/// Answers what the page asks of its library of games: a folder as Egaroucid keeps it.
pub struct OthelloLibrary {
    store: Arc<Store>,
    files: Option<Arc<dyn PageFiles>>,
}

/// The fields of `library.folder`.
#[derive(Deserialize)]
struct FolderRequest {
    folder: String,
}

impl OthelloLibrary {
    /// The library in a folder, which is made if it is not there, with the openings that searches know by name, and the files that
    /// pages may name for imports.
    ///
    /// # Errors
    ///
    /// A folder that cannot be made.
    pub fn open(
        folder: &Path,
        openings: OpeningNames,
        files: Option<Arc<dyn PageFiles>>,
    ) -> yane_io::Result<Self> {
        Ok(Self {
            store: Arc::new(Store::open(folder, openings)?),
            files,
        })
    }

    /// Returns whether the index has all games that were seen.
    pub fn is_indexed(&self) -> bool {
        !self.store.is_indexing.load(Ordering::Acquire) && !self.store.has_unread()
    }

    fn answered(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(&'static str, Value), PageFailure> {
        let store = &self.store;
        let answer = match request.op.as_str() {
            "library.list" => {
                let list = store.list(&request.read()?)?;
                if store.has_unread() {
                    store.index();
                }
                ("library", list)
            }
            "library.get" => ("game", store.get(&request.read()?)?),
            "library.put" => ("saved", store.put(&request.read()?)?),
            "library.move" => ("moved", store.move_games(&request.read()?)?),
            "library.copy" => ("moved", store.copy(&request.read()?)?),
            "library.trash" => ("moved", store.trash(&request.read()?)?),
            "library.folder" => {
                let fields: FolderRequest = request.read()?;
                ("folder", store.new_folder(&fields.folder)?)
            }
            "library.import" => {
                let files = self.files.as_deref();
                let files = files.ok_or_else(|| PageFailure::new("no files are offered"))?;
                let done = store.import(files, &request.read()?, sink, stop)?;
                ("imported", done)
            }
            op => return Err(PageFailure::new(format!("'{op}' is no operation"))),
        };
        Ok(answer)
    }
}

impl Drop for OthelloLibrary {
    fn drop(&mut self) {
        self.store.is_closing.store(true, Ordering::Relaxed);
    }
}

impl PageService for OthelloLibrary {
    fn start(&self, pages: &Arc<dyn AllPages>) {
        // The first pages are those that count: a service is started once.
        let _is_first = self.store.pages.set(Arc::clone(pages)).is_ok();
    }

    fn capabilities(&self) -> Vec<String> {
        vec!["library".to_owned()]
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        let ops = [
            "list", "get", "put", "move", "copy", "trash", "folder", "import",
        ];
        let op = op.strip_prefix("library.")?;
        // Files, not searches: they wait for no seat.
        ops.contains(&op).then_some(Effort::Quick)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        let (name, fields) = self.answered(request, sink, stop)?;
        sink.event(name, fields);
        Ok(())
    }
}
