//! The operations of a library, each to its handler.

use page_messages::{Effort, EventSink, PageFailure, PageFiles, PageRequest, StopFlag};
use serde::Deserialize;
use serde_json::Value;

use super::requests::{ImportRequest, MoveRequest};
use super::root::LibraryRoot;

/// The capability of a page with a library.
pub const LIBRARY_CAPABILITY: &str = "library";

/// A library of the games of one kind.
pub trait GameLibrary {
    /// Its folder.
    fn root(&self) -> &LibraryRoot;

    /// Answers `library.list`.
    ///
    /// # Errors
    ///
    /// Fields that are wrong; a folder that is none.
    fn list(&self, request: &PageRequest) -> Result<Value, PageFailure>;

    /// Answers `library.get`.
    ///
    /// # Errors
    ///
    /// A game that is none, or cannot be read.
    fn get(&self, request: &PageRequest) -> Result<Value, PageFailure>;

    /// Answers `library.put`.
    ///
    /// # Errors
    ///
    /// A record that is none; a folder that cannot be written to.
    fn put(&self, request: &PageRequest) -> Result<Value, PageFailure>;

    /// Answers `library.move`.
    ///
    /// # Errors
    ///
    /// Games that cannot be moved; those before them are.
    fn move_games(&self, request: &MoveRequest) -> Result<Value, PageFailure>;

    /// Answers `library.copy`.
    ///
    /// # Errors
    ///
    /// Games that cannot be copied; those before them are.
    fn copy(&self, request: &MoveRequest) -> Result<Value, PageFailure>;

    /// Answers `library.trash`.
    ///
    /// # Errors
    ///
    /// Games that cannot be moved; those before them are.
    fn trash(&self, request: &MoveRequest) -> Result<Value, PageFailure>;

    /// Answers `library.import`.
    ///
    /// # Errors
    ///
    /// Files that cannot be read or copied.
    fn import(
        &self,
        files: &dyn PageFiles,
        request: &ImportRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<Value, PageFailure>;
}

/// The fields of `library.folder`.
#[derive(Deserialize)]
struct FolderRequest {
    folder: String,
}

/// How much work an operation of a library is: files, not searches, that wait for no seat. `None`: it is none.
pub fn library_effort(op: &str) -> Option<Effort> {
    let ops = [
        "list", "get", "put", "move", "copy", "trash", "folder", "import",
    ];
    let op = op.strip_prefix("library.")?;
    ops.contains(&op).then_some(Effort::Quick)
}

/// Answers an operation of a library; imports are of the files that pages may name.
///
/// # Errors
///
/// What cannot be done.
pub fn answer_library(
    library: &impl GameLibrary,
    files: Option<&dyn PageFiles>,
    request: &PageRequest,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let (name, fields) = match request.op.as_str() {
        "library.list" => ("library", library.list(request)?),
        "library.get" => ("game", library.get(request)?),
        "library.put" => ("saved", library.put(request)?),
        "library.move" => ("moved", library.move_games(&request.read()?)?),
        "library.copy" => ("moved", library.copy(&request.read()?)?),
        "library.trash" => ("moved", library.trash(&request.read()?)?),
        "library.folder" => {
            let fields: FolderRequest = request.read()?;
            ("folder", library.root().new_folder(&fields.folder)?)
        }
        "library.import" => {
            let files = files.ok_or_else(|| PageFailure::new("no files are offered"))?;
            let done = library.import(files, &request.read()?, sink, stop)?;
            ("imported", done)
        }
        op => return Err(PageFailure::new(format!("'{op}' is no operation"))),
    };
    sink.event(name, fields);
    Ok(())
}
