//! The service of the library.

use std::path::Path;
use std::sync::Arc;

use page_messages::{
    AllPages, Effort, EventSink, PageFailure, PageFiles, PageRequest, PageService, StopFlag,
};
use page_shelf::library::{
    GameLibrary, ImportRequest, LIBRARY_CAPABILITY, LibraryRoot, MoveRequest, answer_library,
    library_effort,
};
use serde_json::Value;

use super::store::Store;

/// Answers what the page asks of its library of records: a folder with files of all formats.
pub struct ShogiLibrary {
    store: Arc<Store>,
    files: Option<Arc<dyn PageFiles>>,
}

impl ShogiLibrary {
    /// The library in a folder, which is made if it is not there, and the files that pages may name for imports.
    ///
    /// # Errors
    ///
    /// A folder that cannot be made.
    pub fn open(folder: &Path, files: Option<Arc<dyn PageFiles>>) -> yane_io::Result<Self> {
        Ok(Self {
            store: Arc::new(Store::open(folder)?),
            files,
        })
    }

    /// Returns whether the index has all games that were seen.
    pub fn is_indexed(&self) -> bool {
        !self.store.root.is_indexing() && !self.store.has_unread()
    }
}

impl GameLibrary for ShogiLibrary {
    fn root(&self) -> &LibraryRoot {
        &self.store.root
    }

    fn list(&self, request: &PageRequest) -> Result<Value, PageFailure> {
        let list = self.store.list(&request.read()?)?;
        if self.store.is_stale() || self.store.has_unread() {
            self.store.index();
        }
        Ok(list)
    }

    fn get(&self, request: &PageRequest) -> Result<Value, PageFailure> {
        self.store.get(&request.read()?)
    }

    fn put(&self, request: &PageRequest) -> Result<Value, PageFailure> {
        self.store.put(&request.read()?)
    }

    fn move_games(&self, request: &MoveRequest) -> Result<Value, PageFailure> {
        self.store.move_games(request)
    }

    fn copy(&self, request: &MoveRequest) -> Result<Value, PageFailure> {
        self.store.copy(request)
    }

    fn trash(&self, request: &MoveRequest) -> Result<Value, PageFailure> {
        self.store.trash(request)
    }

    fn import(
        &self,
        files: &dyn PageFiles,
        request: &ImportRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<Value, PageFailure> {
        self.store.import(files, request, sink, stop)
    }
}

impl Drop for ShogiLibrary {
    fn drop(&mut self) {
        self.store.root.close();
    }
}

impl PageService for ShogiLibrary {
    fn start(&self, pages: &Arc<dyn AllPages>) {
        self.store.root.start(pages);
    }

    fn capabilities(&self) -> Vec<String> {
        vec![LIBRARY_CAPABILITY.to_owned()]
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        library_effort(op)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        answer_library(self, self.files.as_deref(), request, sink, stop)
    }
}
