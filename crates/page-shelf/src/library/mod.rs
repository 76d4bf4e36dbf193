//! What libraries of games have in common, whatever their game: a folder with a trash, a lock for writers, names that lead nowhere
//! else, a background thread that reads files once each, pages of lists, and the requests.

mod background;
mod disk;
mod game_names;
mod import;
mod listing;
mod names;
mod requests;
mod root;
mod service;
mod texts;

pub use disk::{EntryStamp, copy_file, move_file};
pub use game_names::{NewNames, is_time_name};
pub use import::ImportTally;
pub use listing::{FoundGames, LibraryDamage, LibraryList};
pub use names::{FolderName, TRASH, check_new, check_part};
pub use requests::{
    ImportRequest, ListRequest, MoveRequest, PutRequest, RecordName, TextSearch, until_failure,
};
pub use root::{LibraryPlace, LibraryRoot, WriteLock};
pub use service::{GameLibrary, LIBRARY_CAPABILITY, answer_library, library_effort};
pub use texts::{GameTexts, TextQuery};
