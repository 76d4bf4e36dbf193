//! Files that pages may see: those below folders that the user named, the roots.
//!
//! A page says the name of a root and a path below it ([`PageFile`](page_messages::PageFile)), never a path of the machine. The
//! words of such a path are checked first, by the rules of all systems at once; then the system says where it leads, and
//! whatever leads out of the root does not exist.

mod names;
mod roots;
mod service;

pub use roots::FileRoots;
pub use service::{FileKinds, FilesPage};
