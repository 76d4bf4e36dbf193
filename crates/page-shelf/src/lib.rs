#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod failure;
pub mod library;
mod log;
mod open_files;
mod stamp;

pub use failure::{changed_by_others, file_failure, name_of, stale};
pub use log::{EditAction, EditLog, LogError, LoggedEdit};
pub use open_files::{MOST_OPEN, OpenFile, OpenFiles};
pub use stamp::FileStamp;
